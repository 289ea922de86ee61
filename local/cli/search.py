"""A question -> hits for a person, or the API's reply as it is."""

from typing import Annotated

import typer
from rich.text import Text

from local.cli.api import api
from local.cli.output import note, out, program, write_reply
from local.cli.replies import SearchReply
from local.cli.view import hit_view


def search(
    query: Annotated[str, typer.Argument(help="Words, a name, or a question.")],
    repository: Annotated[
        list[str] | None,
        typer.Option(metavar="R", help="Number, owner/name or URL; may repeat. Default: all of them."),
    ] = None,
    language: Annotated[str | None, typer.Option(metavar="L", help="For example python.")] = None,
    entity_type: Annotated[
        str | None,
        typer.Option("--type", metavar="T", help="class, function, terraform_block, doc_section or import."),
    ] = None,
    path: Annotated[str | None, typer.Option(metavar="P", help="A folder, or one file.")] = None,
    limit: Annotated[int, typer.Option(metavar="N", help="Results on a page, 1 to 50.")] = 10,
    page: Annotated[int, typer.Option(metavar="N", help="Counts from 0.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the API's reply as it is.")] = False,
) -> None:
    """Find functions, classes, imports, document sections and blocks."""
    optional = (("language", language), ("entity_type", entity_type), ("path", path))
    fields = [
        ("q", query),
        *(("repository", name) for name in repository or []),
        *((name, value) for name, value in optional if value is not None),
        ("limit", str(limit)),
        ("page", str(page)),
    ]
    body = api().get("/v1/search", fields)
    if as_json:
        write_reply(body)
        return
    reply = SearchReply.model_validate_json(body)
    show_hits(reply, page * limit)
    _show_notes(reply)
    if not reply.total_hits:
        filtered = repository or language or entity_type or path
        hint = "Try it without the filters." if filtered else f"`{program()} status` lists what is indexed."
        note(f"Try other words, or fewer. {hint}")


def show_hits(reply: SearchReply, first: int = 0) -> None:
    """The hits, then how many of how many; `first` is the number of hits before this page."""
    for number, hit in enumerate(reply.results, first + 1):
        out.print(hit_view(number, hit))
        out.print()
    last = first + len(reply.results)
    if not reply.total_hits:
        out.print(Text("Nothing found."))
    elif not reply.results:
        out.print(Text(f"This page is empty; there are {reply.total_hits:,} results."))
    else:
        more = f"; --page {reply.page + 1} goes on" if reply.page + 1 < reply.pages else ""
        out.print(Text(f"{first + 1} to {last} of {reply.total_hits:,}{more}", "dim"))


def _show_notes(reply: SearchReply) -> None:
    for state in reply.repositories:
        commit = (state.commit or "")[:12]
        if state.freshness == "pending":
            note(f"{state.repository} is being updated; the results are of {commit} or newer.")
        elif state.freshness == "stale":
            note(
                f"{state.repository}: the last update failed, the results are of {commit};"
                f" `{program()} status {state.repository}` says why."
            )
    for missing in reply.not_indexed:
        note(f"{missing.repository} was not searched: {missing.reason}")
