"""A path -> whether it is indexed, and if not, why."""

from typing import Annotated

import typer
from rich.text import Text

from local.cli.api import api
from local.cli.errors import CommandError
from local.cli.output import counted, out, show_facts, write_reply
from local.cli.replies import FileReport, Repositories


def why(
    path: Annotated[str, typer.Argument(metavar="PATH", help="As in the repository: src/auth/tokens.py.")],
    repository: Annotated[
        str | None, typer.Option(metavar="R", help="Number or owner/name. Default: the only one.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the API's reply as it is.")] = False,
) -> None:
    """Say why a file is found or not: its language, its records, or the reason it has none."""
    client = api()
    everything = Repositories.model_validate_json(client.get("/v1/repositories"))
    if repository is None and len(everything.repositories) == 1:
        repository = everything.repositories[0].name
    row = everything.named(repository or "")
    if row is None:
        known = ", ".join(row.name for row in everything.repositories) or "none yet"
        raise CommandError(f"say which repository: --repository R; known repositories: {known}")
    body = client.get(f"/v1/repositories/{row.id}/files", [("path", path)])
    if as_json:
        write_reply(body)
        return
    report = FileReport.model_validate_json(body)
    out.print(Text.assemble((path, "bold"), f"  {row.name} at {report.commit[:12]}"))
    show_facts(
        [
            ("Indexed", "yes" if report.reason is None else f"no ({report.reason}): {report.explanation}"),
            ("Language", report.language or "none"),
            ("Records", counted(report.entities) or "none"),
        ]
    )
