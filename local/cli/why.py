"""A path -> whether it is indexed, and if not, why; if so, what was found in it."""

from posixpath import normpath
from typing import Annotated

import typer
from rich.text import Text

from local.cli.api import api
from local.cli.errors import CommandError
from local.cli.output import counted, note, out, show_facts, write_reply
from local.cli.replies import FileReport, Repositories, Repository
from local.cli.view import freshness_note, outline_view


def why(
    path: Annotated[
        str,
        typer.Argument(
            metavar="PATH",
            help="As in the repository: src/auth/tokens.py. One that begins with a minus goes after `--`.",
        ),
    ],
    repository: Annotated[
        str | None, typer.Option(metavar="R", help="Number, owner/name or URL. Default: the only one.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the API's reply as it is.")] = False,
) -> None:
    """Say why a file is found or not: the reason it has no records, or its outline."""
    client = api()
    row = _chosen(Repositories.of(client.get("/v1/repositories")), repository)
    # Git has no `.`, `..` or empty part in a path; a shell that completes names writes `./a.py`.
    body = client.get(f"/v1/repositories/{row.id}/files", [("path", path and normpath(path))])
    if as_json:
        write_reply(body)
    else:
        _show(row, FileReport.of(body))


def _chosen(everything: Repositories, name: str | None) -> Repository:
    if name is None and len(everything.repositories) == 1:
        return everything.repositories[0]
    if name is None:
        raise CommandError(f"say which repository: --repository R; {everything.known()}")
    row = everything.named(name)
    if row is None:
        raise CommandError(f"the repository {name!r} is not known; {everything.known()}")
    return row


def _show(row: Repository, report: FileReport) -> None:
    out.print(Text.assemble((report.path, "bold"), f"  {row.name} at {report.commit[:12]}"))
    is_indexed = "yes" if report.reason is None else f"no ({report.reason}): {report.explanation}"
    pairs: list[tuple[str, str | Text]] = [("Indexed", is_indexed), ("Language", report.language or "none")]
    if report.size is not None:
        pairs.append(("Bytes", f"{report.size:,}"))
    if report.lines is not None:
        pairs.append(("Lines", f"{report.lines:,}"))
    pairs.append(("Records", "being written" if report.updating else counted(report.entities) or "none"))
    if report.url is not None:
        pairs.append(("Link", Text(report.url, "blue")))
    show_facts(pairs)
    if report.outline:
        out.print()
        out.print(outline_view(report.outline))
    if report.outline_truncated:
        note("The outline ends early; the file has more than one reply holds.")
    if report.updating:
        note("The file is being updated at this moment, so its outline is left out; ask again.")
    stale = freshness_note(row.name, report.commit, report.freshness)
    if stale is not None:
        note(stale)
