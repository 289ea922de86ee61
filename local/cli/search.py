"""A question -> hits for a person, or the API's reply as it is."""

from typing import Annotated

import typer
from rich.text import Text

from local.cli.api import api
from local.cli.output import counted, note, out, program, show_facts, write_reply
from local.cli.replies import AtLeast, SearchReply
from local.cli.view import freshness_note, hit_view

FACETS = {"language": "Languages", "entity_type": "Types"}


def search(
    query: Annotated[
        str,
        typer.Argument(
            help="Words, a name, or a question. Among them repo:R, lang:L, path:P, type:T and is:test narrow"
            ' it, each also with a minus before it; so do -word and "a phrase". A query that begins with a'
            " minus goes after `--`."
        ),
    ],
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
    at_least: Annotated[
        str | None,
        typer.Option(
            metavar="COMMIT", help="Wait some seconds until the one repository shows it: 7 digits or more."
        ),
    ] = None,
    limit: Annotated[int, typer.Option(metavar="N", help="Results on a page, 1 to 50.")] = 10,
    page: Annotated[int, typer.Option(metavar="N", help="Counts from 0.")] = 0,
    facets: Annotated[bool, typer.Option("--facets", help="Count all hits by language and type.")] = False,
    highlight: Annotated[
        bool, typer.Option("--highlight", help="Have --json hold what the query met, marked as HTML.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the API's reply as it is.")] = False,
) -> None:
    """Find functions, classes, imports, document sections and blocks."""
    is_marked = highlight or (out.is_terminal and not as_json)
    optional = (
        ("language", language),
        ("entity_type", entity_type),
        ("path", path),
        ("at_least", at_least),
        ("facets", ",".join(FACETS) if facets else None),
        ("highlight", "true" if is_marked else None),
    )
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
    reply = SearchReply.of(body)
    _show_hits(reply, page * limit)
    if reply.facets is not None:
        show_facts([(FACETS.get(name, name), counted(of) or "none") for name, of in reply.facets.items()])
    _show_notes(reply)


def _show_hits(reply: SearchReply, first: int) -> None:
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
    for hint in reply.hints:
        note(hint)
    if reply.at_least is not None:
        note(arrival(reply.at_least))
    for state in reply.repositories:
        words = freshness_note(state.repository, state.commit, state.freshness)
        if words is not None:
            note(words)
    for missing in reply.not_indexed:
        note(f"{missing.repository} was not searched: {missing.reason}.")
    if not reply.total_hits:
        note(f"Try other words, fewer, or no filters; `{program()} status` lists what is indexed.")


def arrival(waited: AtLeast) -> str:
    """Whether the commit that a person waited for is what they see."""
    if waited.reached:
        return f"{waited.commit[:12]} has come: it, or a newer commit, is what was searched."
    return f"{waited.commit[:12]} has not come yet; an older commit was searched."
