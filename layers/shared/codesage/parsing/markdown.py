"""A Markdown source -> one entity per section, heading to next heading.

Only block rules run: sections need no inline markup, and the parse is twice as fast without it.
"""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from pathlib import PurePosixPath

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.front_matter import front_matter_plugin

from codesage.entities import Entity, EntityType
from codesage.languages import Language
from codesage.parsing.signature import SIGNATURE_CHARACTERS
from codesage.parsing.source import Source

_TITLE = re.compile(r"""^title:[ \t]*(?:"([^"\n]+)"|'([^'\n]+)'|([^\s"'>|#][^\n]*))""", re.MULTILINE)
_MARKUP = re.compile(r"<!--.*?(?:-->|\Z)|<[^<>]*>", re.DOTALL)
_HEADING_TAG = re.compile(
    r"<!--.*?(?:-->|\Z)|<(?P<closing>/?)h(?P<level>[1-6])\b[^<>]*>", re.DOTALL | re.IGNORECASE
)
_VERBATIM_HTML = re.compile(r"\s*<(?:pre|script|style|textarea)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Heading:
    """A heading that begins a section: its 1-based line, its level 1 to 6, and how it is written."""

    line: int
    level: int
    text: str
    written: str


def entities(source: Source, language: Language, path: str) -> Iterator[Entity]:
    """Yield the sections of `source`: text before the first heading, then one for each heading.

    Headings inside quotes and lists begin none. The first section is named by the front matter's title,
    else by the file's name.
    """
    tokens = _parser().parse(source.data.decode())
    headings = list(_headings(tokens, source))
    line_count = len(source.line_starts)
    before = headings[0].line - 1 if headings else line_count
    yield from _introduction(tokens, before, source, language, path)
    chain: list[_Heading] = []
    for heading, following in zip_longest(headings, headings[1:]):
        while chain and chain[-1].level >= heading.level:
            chain.pop()
        chain.append(heading)
        last = following.line - 1 if following else line_count
        label = " > ".join(each.text for each in chain)
        yield _section(heading.text, label, heading.written, heading.line, last, source, language)


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").use(front_matter_plugin).disable(["inline", "text_join"])


def _headings(tokens: list[Token], source: Source) -> Iterator[_Heading]:
    for opening, following in zip_longest(tokens, tokens[1:]):
        if opening.level or not opening.map:
            continue
        line = opening.map[0] + 1
        if opening.type == "html_block" and not _VERBATIM_HTML.match(opening.content):
            yield from _raw_headings(opening.content, line)
        elif opening.type == "heading_open" and following and (text := _collapsed(following.content)):
            underlined = opening.markup in ("=", "-")
            yield _Heading(line, int(opening.tag[1:]), text, text if underlined else _line(source, line))


def _raw_headings(block: str, first_line: int) -> Iterator[_Heading]:
    opened: re.Match[str] | None = None
    for tag in _HEADING_TAG.finditer(block):
        if not tag["level"]:  # a comment
            continue
        if not tag["closing"]:
            opened = tag
        elif opened and opened["level"] == tag["level"]:
            text = _collapsed(html.unescape(_MARKUP.sub("", block[opened.end() : tag.start()])))
            line = first_line + block.count("\n", 0, opened.start())
            if text:
                yield _Heading(line, int(tag["level"]), text, _collapsed(block[opened.start() : tag.end()]))
            opened = None


def _introduction(
    tokens: list[Token], last: int, source: Source, language: Language, path: str
) -> Iterator[Entity]:
    """Yield the text before the first heading, unless it has none beside front matter and HTML tags."""
    name, first = _file_name(path), 1
    if tokens and tokens[0].type == "front_matter" and tokens[0].map:
        first = tokens[0].map[1] + 1
        name = _title(tokens[0].content) or name
    while first <= last and not _line(source, first):
        first += 1
    if first <= last and _MARKUP.sub("", source.text(source.offset(first, 0), source.line_end(last))).strip():
        yield _section(name, name, name, first, last, source, language)


def _file_name(path: str) -> str:
    # A name that is not UTF-8 reaches us with lone surrogates, which no JSON takes.
    return PurePosixPath(path).name.encode(errors="replace").decode()


def _title(front_matter: str) -> str:
    found = _TITLE.search(front_matter)
    return _collapsed(found[found.lastindex or 0]) if found else ""


def _section(
    name: str, label: str, signature: str, first: int, last: int, source: Source, language: Language
) -> Entity:
    while last > first and not _line(source, last):
        last -= 1
    last = max(first, last)  # two raw headings may share a line
    start = source.offset(first, 0)
    while source.data[start : start + 1] in (b" ", b"\t"):
        start += 1
    return Entity(
        entity_type=EntityType.DOC_SECTION,
        kind="section",
        name=name,
        label=f"{language.label} section: {label}",
        line_start=first,
        line_end=last,
        signature=signature[:SIGNATURE_CHARACTERS],
        body=source.body(start, last),
    )


def _line(source: Source, line: int) -> str:
    return _collapsed(source.text(source.offset(line, 0), source.line_end(line)))


def _collapsed(text: str) -> str:
    return " ".join(text.split())
