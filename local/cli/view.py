"""A repository's counts, a hit -> the words that several commands show for them."""

import textwrap

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.syntax import Syntax
from rich.text import Text

from codesage.entities import EntityType
from local.cli.output import counted, out
from local.cli.replies import Hit, Repository

SNIPPET_LINES = 8
CUT = "\n…"
SIGNATURE_LIMIT = 300  # code points, the API's


def entity_counts(row: Repository) -> str:
    """`156 class, 1,406 function, …`, in the order of reports; empty before the first commit."""
    return ", ".join(f"{row.counts[kind]:,} {kind}" for kind in EntityType if row.counts.get(kind))


def records(row: Repository) -> int:
    return sum(row.counts.get(kind, 0) for kind in EntityType)


def skipped(row: Repository) -> str:
    return counted(row.skips)


def hit_view(number: int, hit: Hit, lines: int = SNIPPET_LINES) -> RenderableType:
    """Name and kind, where, signature, the first lines of its text, link."""
    parts: list[RenderableType] = [
        Text.assemble(
            (f"{number:>2}  ", "dim"),
            (hit.entity_name, "bold cyan"),
            "  ",
            hit.description or hit.entity_type,
        ),
        Text.assemble("    ", (hit.repository, "dim"), "  ", (f"{hit.file_path}:{hit.line_start}", "green")),
    ]
    if hit.signature:
        parts.append(_code(hit.signature, hit.language, indent=4))
    body = body_of(hit, lines)
    if body:
        parts.append(_code(body, hit.language, indent=8 if hit.signature else 4))
    if hit.url:
        parts.append(Text(f"    {hit.url}", "blue"))
    return Group(*parts)


def body_of(hit: Hit, lines: int) -> str:
    """The first `lines` lines of a hit's text that its signature does not already show."""
    text = hit.snippet
    first, _, rest = text.partition("\n")
    signature = hit.signature or ""
    # The signature is cut where it is long; the text begins with the whole of it.
    if first == signature or (len(signature) >= SIGNATURE_LIMIT and first.startswith(signature)):
        text = _after(rest, first)
    body = textwrap.dedent(text).strip("\n").splitlines()
    return "\n".join(body[:lines]) + (CUT if len(body) > lines else "")


def _after(text: str, signature: str) -> str:
    """`text` without the lines that spell out `signature`, which was joined from several.

    Empty where `text` was cut before they end; all of `text` where it spells out something else.
    """
    wanted = _squeezed(signature)
    seen = ""
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        seen += _squeezed(line)
        if seen == wanted:
            return "".join(lines[number:])
        if not wanted.startswith(seen):
            return text
    return ""


def _squeezed(text: str) -> str:
    """A joined signature differs from its lines by white space and the last parameter's comma."""
    return "".join(text.split()).replace(",", "")


def _code(text: str, language: str, indent: int) -> RenderableType:
    if not out.is_terminal:  # a highlighter fills lines up with blanks
        return Text(textwrap.indent(text, " " * indent))
    code = text.removesuffix(CUT)  # which is an error in every language
    syntax = Syntax(code, language, theme="ansi_dark", background_color="default", word_wrap=True)
    mark = [Text(CUT.strip(), "dim")] if code != text else []
    return Padding(Group(syntax, *mark), (0, 0, 0, indent))
