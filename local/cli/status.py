"""The API's repositories -> what is indexed, how fresh it is, what was left out and why."""

from typing import Annotated

import typer
from rich.text import Text

from local.cli.api import api
from local.cli.errors import CommandError
from local.cli.output import ago, columns, note, out, program, show_facts, write_reply
from local.cli.replies import Repositories, Repository
from local.cli.view import content, last_run, packs_done, records

_STYLES = {"fresh": "green", "pending": "yellow", "stale": "red"}


def status(
    repository: Annotated[
        str | None, typer.Argument(metavar="[R]", help="Number, owner/name or URL. Default: all of them.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the API's reply as it is.")] = False,
) -> None:
    """Show what is indexed, how fresh it is, and what was skipped and why."""
    client = api()
    body = client.get("/v1/repositories")
    if repository is None:
        write_reply(body) if as_json else _show_all(Repositories.of(body))
        return
    everything = Repositories.of(body)
    row = everything.named(repository)
    if row is None:
        raise CommandError(f"the repository {repository!r} is not known; {everything.known()}")
    if as_json:
        write_reply(client.get(f"/v1/repositories/{row.id}"))
    else:
        _show_one(row)


def _show_all(everything: Repositories) -> None:
    if not everything.repositories:
        out.print(Text(f"Nothing is indexed yet; `{program()} index .` indexes the folder you are in."))
        return
    table = columns("id", "repository", "status", "freshness", "commit", "files", "records", "indexed")
    for row in everything.repositories:
        progress = "" if row.progress is None else f" {row.progress.packs_done}/{row.progress.packs}"
        table.add_row(
            str(row.id),
            Text(row.name, "bold"),
            row.status + progress,
            Text(row.freshness, _STYLES.get(row.freshness, "")),
            (row.commit or "")[:12],
            f"{row.counts.get('files', 0):,}",
            f"{records(row):,}",
            ago(row.indexed_at),
        )
    out.print(table)


def _show_one(row: Repository) -> None:
    out.print(Text.assemble((row.name, "bold"), f"  {row.web_url}" if row.web_url else ""))
    pairs: list[tuple[str, str | Text]] = [
        ("Status", row.status),
        ("Freshness", Text(row.freshness, _STYLES.get(row.freshness, ""))),
        ("Branch", row.branch),
        ("Commit", row.commit or "none yet"),
        ("Indexed", ago(row.indexed_at)),
        *content(row),
    ]
    if row.settings.exclude:
        pairs.append(("Excluded", "  ".join(row.settings.exclude)))
    if row.progress is None:
        pairs.append(("Last run", last_run(row) or "no change"))
    else:
        state = f"started {ago(row.progress.started_at)}; {packs_done(row.progress)}"
        pairs.append(("Under way", f"{row.progress.commit[:12]}: {state}"))
    failure = row.last_failure
    if failure is not None:
        commit = f", of {failure.commit[:12]}" if failure.commit else ""
        pairs.append(("Last failure", f"{ago(failure.at)}{commit}: {failure.reason}"))
    show_facts(pairs)
    if failure is not None:
        note(f"It is tried again by itself; `{program()} redrive {row.name}` does so now.")
