"""A folder or a URL -> a searchable commit on the local stack, and what is in it."""

import time
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer
from rich.text import Text

from local.cli.api import Api, api
from local.cli.errors import CommandError
from local.cli.indexing import Indexing
from local.cli.output import note, out, program, show_facts
from local.cli.replies import KnownSources, PushedSource, Repository, SearchReply
from local.cli.sources import check_name_is_free, has_uncommitted_changes, source_of
from local.cli.view import content, last_run


def index(
    place: Annotated[
        str, typer.Argument(metavar="PATH|URL", help="A folder, or the URL of a git repository.")
    ],
    name: Annotated[
        str | None,
        typer.Option(metavar="OWNER/NAME", help="Default: that of the remote origin, else local/FOLDER."),
    ] = None,
    url: Annotated[
        str | None,
        typer.Option(
            metavar="WEB", help="Where people see the repository. Default: origin, on a known host."
        ),
    ] = None,
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Wait until the commit is searchable, or return at once.")
    ] = True,
) -> None:
    """Index a folder or a repository: HEAD of a git repository, any other folder as it is now.

    Once more after a change is cheap: only what changed is parsed and sent.
    """
    client = api()
    source = source_of(place, name, url)
    if name is None:
        check_name_is_free(source, KnownSources.model_validate_json(client.sources()))
    if source.path is not None and has_uncommitted_changes(Path(source.path)):
        note(f"{source.name}: uncommitted changes are not indexed; the last commit is.")
    begun = time.monotonic()
    indexing = Indexing(client, source.name)
    pushed = PushedSource.model_validate_json(client.post_source(source))
    if pushed.pushed.status >= 300:
        raise CommandError(f"the webhook refused the push ({pushed.pushed.status}): {pushed.pushed.body}")
    if not wait:
        out.print(
            Text(f"{pushed.name} is being indexed; `{program()} status {pushed.name}` shows how far it is.")
        )
        return
    try:
        done = indexing.wait(pushed.head)
    except KeyboardInterrupt:
        note(f"Indexing goes on; `{program()} status {pushed.name}` shows how far it is.")
        raise
    _report(client, done, time.monotonic() - begun)


def _report(client: Api, done: Repository, seconds: float) -> None:
    commit = done.commit or ""
    out.print(Text.assemble((done.name, "bold"), f" at {commit[:12]} is searchable ({seconds:.1f} s)"))
    show_facts([*content(done), ("This run", last_run(done) or "no change")])
    example = _example(client, done.name)
    if example is not None:
        out.print(Text(f"Try: {program()} search {quote(example)} --repository {done.name}"))


def _example(client: Api, name: str) -> str | None:
    """A name that is sure to be found: that of the entity ranked first."""
    fields = [("q", ""), ("repository", name), ("limit", "1")]
    found = SearchReply.of(client.get("/v1/search", fields)).results
    return found[0].entity_name if found else None
