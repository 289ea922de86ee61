"""A Markdown or MDX source -> one entity per section, heading to next heading.

Only block rules run: sections need no inline markup, and the parse is twice as fast without it.
"""

import html
import re
from collections.abc import Iterator
from functools import cache
from itertools import zip_longest

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.front_matter import front_matter_plugin

from codesage.entities import Entity
from codesage.languages import Language
from codesage.parsing.mdx import MDX_CODE, mdx_plugin
from codesage.parsing.sections import (
    Heading,
    Introduction,
    collapsed,
    front_matter_title,
    name_of_file,
    sections,
)
from codesage.parsing.source import Source

_MARKUP = re.compile(r"<!--.*?(?:-->|\Z)|<[^<>]*>", re.DOTALL)
_HEADING_TAG = re.compile(
    r"<!--.*?(?:-->|\Z)|<(?P<closing>/?)h(?P<level>[1-6])\b[^<>]*>", re.DOTALL | re.IGNORECASE
)
# A list that is nested deeper takes the rest of the file in: two levels for each list, each a call in a call.
_MAX_NESTING = 100

_VERBATIM_HTML = re.compile(r"\s*<(?:pre|script|style|textarea)\b", re.IGNORECASE)


def entities(source: Source, language: Language, path: str) -> Iterator[Entity]:
    """Yield the sections of `source`: text before the first heading, then one for each heading.

    Headings inside quotes and lists begin none. The first section is named by the front matter's title,
    else by the file's name.
    """
    headings, introduction = outline(source, path, is_mdx=language.name == "mdx")
    yield from sections(headings, introduction, source, language)


def outline(source: Source, path: str, *, is_mdx: bool = False) -> tuple[list[Heading], Introduction | None]:
    """Return the headings of `source`, and the text before the first, if there is any."""
    text = source.data.decode()
    tokens = _parser(is_mdx=is_mdx).parse(text)
    headings = list(_headings(tokens, source, is_mdx=is_mdx))
    lines = text.split("\n")[: headings[0].line - 1 if headings else None]
    return headings, _introduction(tokens, lines, path)


@cache
def _parser(*, is_mdx: bool) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING})
    parser.use(front_matter_plugin).disable(["inline", "text_join"])
    return parser.use(mdx_plugin) if is_mdx else parser


def _headings(tokens: list[Token], source: Source, *, is_mdx: bool) -> Iterator[Heading]:
    for opening, following in zip_longest(tokens, tokens[1:]):
        if opening.level or not opening.map:
            continue
        line = opening.map[0] + 1
        if opening.type == "html_block" and not _VERBATIM_HTML.match(opening.content):
            yield from _raw_headings(opening.content, line)
        elif opening.type == "paragraph_open" and following and is_mdx:
            yield from _raw_headings(following.content, line)
        elif opening.type == "heading_open" and following and (text := collapsed(following.content)):
            underlined = opening.markup in ("=", "-")
            written = text if underlined else collapsed(source.line(line))
            yield Heading(line, int(opening.tag[1:]), text, written)


def _raw_headings(block: str, first_line: int) -> Iterator[Heading]:
    opened: re.Match[str] | None = None
    line, counted = first_line, 0  # lines are counted on from the last heading, not each time from the first
    for tag in _HEADING_TAG.finditer(block):
        if not tag["level"]:  # a comment
            continue
        if not tag["closing"]:
            opened = tag
        elif opened and opened["level"] == tag["level"]:
            text = collapsed(html.unescape(_MARKUP.sub("", block[opened.end() : tag.start()])))
            line += block.count("\n", counted, opened.start())
            counted = opened.start()
            if text:
                yield Heading(line, int(tag["level"]), text, collapsed(block[opened.start() : tag.end()]))
            opened = None


def _introduction(tokens: list[Token], lines: list[str], path: str) -> Introduction | None:
    """Return the text before the first heading, unless it is front matter, tags and code only."""
    name = name_of_file(path)
    for token in tokens:
        if token.type in ("front_matter", MDX_CODE) and token.map and token.map[1] <= len(lines):
            lines[slice(*token.map)] = [""] * (token.map[1] - token.map[0])
        if token.type == "front_matter":
            name = front_matter_title(token.content) or name
    if not _MARKUP.sub("", "\n".join(lines)).strip():
        return None
    first = next(number for number, line in enumerate(lines, 1) if line.strip())
    return Introduction(first, name)
