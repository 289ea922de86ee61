"""A hit, an outline, a repository's counts -> the words that several commands show for them."""

import html
import re
from collections.abc import Sequence
from itertools import dropwhile

from rich.console import Group, RenderableType
from rich.syntax import Syntax
from rich.text import Text

from codesage.entities import EntityType
from local.cli.output import counted, out, program
from local.cli.replies import Hit, OutlineEntry, Progress, Repository

SNIPPET_LINES = 8
CUT = "…"
MARK = "bold red"  # what the query met
TAB_SIZE = 4
SYMBOL_WIDTH = 30  # a longer one pushes its own signature to the right, not those of others
SIGNATURE_LIMIT = 300  # code points, the API's


# ---- a repository ----------------------------------------------------------------------------------------


def content(row: Repository) -> list[tuple[str, str]]:
    """What of a repository is in the index, and what is not, as facts to show."""
    pairs = [
        ("Files", f"{row.counts.get('files', 0):,}"),
        ("Records", entity_counts(row) or "none"),
        ("Languages", counted(row.languages) or "none"),
        ("Without records", skipped(row) or "none"),
    ]
    left_out = counted({name: row.counts.get(name, 0) for name in ("duplicates", "oversize")})
    return [*pairs, ("Left out", left_out)] if left_out else pairs


def entity_counts(row: Repository) -> str:
    """`156 class, 1,406 function, …`, in the order of reports; empty before the first commit."""
    return ", ".join(f"{row.counts[kind]:,} {kind}" for kind in EntityType if row.counts.get(kind))


def records(row: Repository) -> int:
    return sum(row.counts.get(kind, 0) for kind in EntityType)


def skipped(row: Repository) -> str:
    return counted(row.skips)


def last_run(row: Repository) -> str:
    """`files: 3 parsed, 1 skipped; records: 12 added, 40 unchanged`; empty where it changed nothing."""
    counts = row.last_run
    skips = sum(count for name, count in counts.items() if name.startswith("skipped_"))
    files = counted({"parsed": counts.get("parsed", 0), "skipped": skips})
    of_records = counted({name: counts.get(name, 0) for name in ("added", "changed", "deleted", "unchanged")})
    said = {"files": files, "records": of_records}
    return "; ".join(f"{name}: {words}" for name, words in said.items() if words)


def packs_done(progress: Progress) -> str:
    trouble = f"; tried again after: {progress.failure}" if progress.failure else ""
    return f"{progress.packs_done} of {progress.packs} packs done{trouble}"


def freshness_note(name: str, commit: str | None, freshness: str) -> str | None:
    """What to know about an answer that is not of the newest commit."""
    short = (commit or "")[:12]
    match freshness:
        case "pending":
            return f"{name} is being updated; the results are of {short} or newer."
        case "stale":
            return (
                f"{name}: the last update failed, the results are of {short};"
                f" `{program()} status {name}` says why."
            )
        case _:
            return None


# ---- an outline ------------------------------------------------------------------------------------------


def outline_view(entries: Sequence[OutlineEntry]) -> Text:
    """Line, kind, symbol and signature of each, which a terminal's width may cut."""
    number_width = max(len(str(entry.line_start)) for entry in entries)
    kind_width = max(len(entry.kind) for entry in entries)
    symbol_width = min(SYMBOL_WIDTH, max(len(entry.symbol) for entry in entries))
    lines = []
    for entry in entries:
        line = Text.assemble(
            (f"{entry.line_start:>{number_width}}  ", "dim"),
            f"{entry.kind:<{kind_width}}  ",
            (f"{entry.symbol:<{symbol_width}}  ", "bold cyan"),
            entry.signature,
        )
        line.rstrip()
        if out.is_terminal:
            line.truncate(out.width, overflow="ellipsis")
        lines.append(line)
    return Text("\n").join(lines)


# ---- a hit -----------------------------------------------------------------------------------------------


def hit_view(number: int, hit: Hit, lines: int = SNIPPET_LINES) -> RenderableType:
    """Symbol and kind, where, signature, the first lines of its text, link."""
    signature, body = code_of(hit, lines)
    parts: list[RenderableType] = [
        Text.assemble((f"{number:>2}  ", "dim"), _symbol(hit), "  ", description_of(hit)),
        Text.assemble("    ", (hit.repository, "dim"), "  ", (f"{hit.file_path}:{hit.line_start}", "green")),
    ]
    if signature:
        parts.append(_painted(signature, hit.language, indent=4))
    if body:
        parts.append(_painted(body, hit.language, indent=8 if signature else 4))
    if hit.url:
        parts.append(Text(f"    {hit.url}", "blue"))
    return Group(*parts)


def marked(markup: str) -> Text:
    """The API's HTML -> its text, in which what the query met is styled."""
    text = Text()
    for number, piece in enumerate(re.split("</?mark>", markup)):
        text.append(html.unescape(piece), MARK if number % 2 else None)
    return text


def _symbol(hit: Hit) -> Text:
    name = Text(hit.entity_name) if hit.highlights is None else marked(hit.highlights.entity_name)
    return Text.assemble(hit.symbol.removesuffix(hit.entity_name), name, style="bold cyan")


def description_of(hit: Hit) -> Text:
    """`Python method — Walk the tree.`: the description without the symbol, which is shown before it."""
    if not hit.description:
        return Text(hit.kind or hit.entity_type)
    text = Text(hit.description) if hit.highlights is None else marked(hit.highlights.description)
    kind, symbol, rest = text.plain.partition(f": {hit.symbol}")
    if not symbol or not (rest == "" or rest.startswith(" — ")):
        return text
    return text[: len(kind)] + text[len(kind) + len(symbol) :]


def code_of(hit: Hit, lines: int) -> tuple[Text, Text]:
    """A hit's signature, and the first `lines` lines of its text that do not spell it out.

    The signature is empty where the text begins with it and goes on in the same line.
    """
    text = Text(hit.snippet) if hit.highlights is None else marked(hit.highlights.snippet)
    signature = hit.signature or ""
    rest = _after_signature(text.plain, signature)
    if not text.plain.startswith(signature):
        head = Text(signature)
    else:
        head = text[: 0 if rest == text.plain else len(signature)]
    body = text[len(text) - len(rest) :]
    return head, _dedented(body, lines)


def _after_signature(text: str, signature: str) -> str:
    first, _, rest = text.partition("\n")
    # The signature is cut where it is long; the text begins with the whole of it.
    if first == signature or (len(signature) >= SIGNATURE_LIMIT and first.startswith(signature)):
        return _after(rest, first)
    return text


def _after(text: str, signature: str) -> str:
    """`text` without the lines that spell out `signature`, which was joined from several.

    Empty where `text` was cut before they end; all of `text` where it spells out something else.
    """
    wanted = _squeezed(signature)
    seen = ""
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        seen += _squeezed(line)
        if seen.removesuffix("{") == wanted:
            return "".join(lines[number:])
        if not wanted.startswith(seen):
            return text
    return ""


def _squeezed(text: str) -> str:
    """A joined signature differs from its lines by white space and the last parameter's comma."""
    return "".join(text.split()).replace(",", "")


def _dedented(text: Text, limit: int) -> Text:
    """The first `limit` lines, without what they are all indented by and without blank lines around them."""
    text.expand_tabs(TAB_SIZE)
    text.rstrip()
    lines = list(dropwhile(_is_blank, text.split("\n")))
    margin = min((_indent(line) for line in lines if not _is_blank(line)), default=0)
    shown = [Text() if _is_blank(line) else line[margin:] for line in lines[:limit]]
    return Text("\n").join([*shown, Text(CUT, "dim")] if len(lines) > limit else shown)


def _is_blank(line: Text) -> bool:
    return not line.plain.strip()


def _indent(line: Text) -> int:
    return len(line.plain) - len(line.plain.lstrip(" "))


def _painted(text: Text, language: str, indent: int) -> Text:
    """Code in the colours of its language, where there are any, with its marks above them."""
    if out.is_terminal:
        code = text.plain.removesuffix(CUT)  # which is an error in every language
        colours = Syntax("", language, theme="ansi_dark", background_color="default")
        painted = colours.highlight(code)
        painted.append(text.plain[len(code) :])
        for span in text.spans:
            painted.stylize(span.style, span.start, span.end)
        text = painted
    return Text("\n").join(Text(" " * indent) + line if line else line for line in text.split("\n"))
