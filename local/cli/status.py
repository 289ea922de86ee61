"""The API's repositories -> what is indexed, how fresh it is, what was left out and why."""

from typing import Annotated

import typer
from rich.text import Text

from local.cli.api import api
from local.cli.errors import CommandError
from local.cli.output import ago, columns, counted, out, program, show_facts, write_reply
from local.cli.replies import Repositories, Repository
from local.cli.view import entity_counts, records, skipped

_STYLES = {"fresh": "green", "pending": "yellow", "stale": "red"}


def status(
    repository: Annotated[
        str | None, typer.Argument(metavar="[R]", help="Number or owner/name. Default: all of them.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the API's reply as it is.")] = False,
) -> None:
    """Show what is indexed, how fresh it is, and what was skipped and why."""
    client = api()
    body = client.get("/v1/repositories")
    everything = Repositories.model_validate_json(body)
    if repository is None:
        write_reply(body) if as_json else _show_all(everything)
        return
    row = everything.named(repository)
    if row is None:
        known = ", ".join(row.name for row in everything.repositories) or "none yet"
        raise CommandError(f"the repository {repository!r} is not known; known repositories: {known}")
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
        table.add_row(
            str(row.id),
            Text(row.name, "bold"),
            row.status,
            Text(row.freshness, _STYLES.get(row.freshness, "")),
            (row.commit or "")[:12],
            f"{row.counts.get('files', 0):,}",
            f"{records(row):,}",
            ago(row.indexed_at),
        )
    out.print(table)


def _show_one(row: Repository) -> None:
    out.print(Text.assemble((row.name, "bold"), f"  {row.web_url or ''}"))
    pairs: list[tuple[str, str | Text]] = [
        ("Status", row.status),
        ("Freshness", Text(row.freshness, _STYLES.get(row.freshness, ""))),
        ("Branch", row.branch),
        ("Commit", row.commit or "none yet"),
        ("Indexed", ago(row.indexed_at)),
        ("Files", f"{row.counts.get('files', 0):,}"),
        ("Records", entity_counts(row) or "none"),
        ("Without records", skipped(row) or "none"),
        ("Last run", counted({k: v for k, v in row.last_run.items() if k != "files"}) or "no change"),
    ]
    if row.progress is not None:
        state = f"{row.progress.commit[:12]}: {row.progress.packs_done} of {row.progress.packs} packs done"
        trouble = f"; tried again after: {row.progress.failure}" if row.progress.failure else ""
        pairs.append(("Under way", state + trouble))
    if row.last_failure is not None:
        pairs.append(("Last failure", f"{ago(row.last_failure.at)}: {row.last_failure.reason}"))
    show_facts(pairs)
