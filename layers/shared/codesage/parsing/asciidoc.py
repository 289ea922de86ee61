"""An AsciiDoc source -> one entity per section, title to next title.

A scan of lines, not a parse. In what is a title, and in what hides one, it follows Asciidoctor.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from codesage.entities import Entity
from codesage.languages import Language
from codesage.parsing.sections import (
    Heading,
    Introduction,
    collapsed,
    front_matter_title,
    name_of_file,
    sections,
)
from codesage.parsing.source import Source

_TITLE = re.compile(r"(?P<mark>={1,6}|#{1,6})[ \t]+(?P<text>\S.*)")
_ANCHOR = re.compile(r" ?\[\[[^\[\]]+\]\]$")

# The older form: a title, and below it a line as long, give or take one.
_UNDERLINE_LEVELS = {"=": 1, "-": 2, "~": 3, "^": 4, "+": 5}
_UNDERLINE = re.compile(r"([=~^+-])\1+$")
_UNDERLINED = re.compile(r"(?![.\[|]|//|:!?\w).*\w")

_VERBATIM = re.compile(r"(?:-{4,}|\.{4,}|\+{4,}|/{4,}|[|,:!]={3,})$|```")
_COMPOUND = re.compile(r"(?:={4,}|\*{4,}|_{4,}|--)$")
_COMMENT_BLOCK = re.compile(r"/{4,}$")
_FENCE = "```"  # the only delimiter that is followed by more when it opens, a language

_ATTRIBUTES = re.compile(r"\[.*\]$")
_DISCRETE = re.compile(r"\[(?:discrete|float)\b.*\]$")
_NO_TEXT = re.compile(r"//|\[.*\]$|:!?[\w-][^:]*:(?:\s|$)|(?:ifdef|ifndef|ifeval|endif)::|'''|<<<")

# Lines that stand for themselves, so that a title may follow at once: those and block titles, block macros
# and the `+` of a list.
_ALONE = re.compile(rf"{_NO_TEXT.pattern}|\.\w|[\w-]+::[^\s\[]*\[.*\]$|\+$")


def entities(source: Source, language: Language, path: str) -> Iterator[Entity]:
    """Yield the sections of `source`: text before the first title, then one for each title.

    Titles inside delimited blocks and discrete ones begin none. The first section is named by the front
    matter's title, else by the file's name.
    """
    lines = [line.rstrip() for line in source.data.decode().split("\n")]
    front = _front_matter_lines(lines)
    headings = list(_headings(lines, front))
    before = lines[: headings[0].line - 1] if headings else lines
    name = front_matter_title("\n".join(lines[:front])) or name_of_file(path)
    yield from sections(headings, _introduction(before, front, name), source, language)


def _front_matter_lines(lines: Sequence[str]) -> int:
    """Return how many lines the front matter takes, with its marks; 0 without one."""
    if lines[0] != "---":
        return 0
    return next((number + 1 for number, line in enumerate(lines[1:], 1) if line == "---"), 0)


def _headings(lines: Sequence[str], first: int) -> Iterator[Heading]:
    open_blocks: dict[str, None] = {}  # the closing lines, inner ones last
    in_paragraph = is_discrete = False
    remaining = enumerate(pairwise([*lines[first:], ""]), first + 1)
    for number, (line, below) in remaining:
        heading = None if in_paragraph or open_blocks else _heading(line, below, number)
        if heading is not None:
            if not is_discrete:
                yield heading
            if not _TITLE.match(line):
                next(remaining)  # its underline, which would open a block
        elif _opens_or_closes(line, open_blocks):
            in_paragraph = False
        else:
            in_paragraph = _is_in_paragraph(line, in_paragraph)
        is_discrete = _DISCRETE.match(line) is not None or (is_discrete and _ALONE.match(line) is not None)


def _heading(line: str, below: str, number: int) -> Heading | None:
    if title := _TITLE.match(line):
        text = _ANCHOR.sub("", collapsed(title["text"]).removesuffix(f" {title['mark']}"))
        return Heading(number, len(title["mark"]), text, collapsed(line)) if text else None
    underline = _UNDERLINE.match(below)
    if underline and abs(len(line) - len(below)) <= 1 and _UNDERLINED.match(line):
        text = _ANCHOR.sub("", collapsed(line))
        return Heading(number, _UNDERLINE_LEVELS[underline[1]], text, text) if text else None
    return None


def _opens_or_closes(line: str, open_blocks: dict[str, None]) -> bool:
    """Note in `open_blocks` what the delimiter `line` begins or ends; return whether it is one."""
    innermost = next(reversed(open_blocks), "")
    if _VERBATIM.match(innermost):
        if line == innermost:
            open_blocks.popitem()
        return True
    if line in open_blocks:
        while open_blocks.popitem()[0] != line:
            pass  # a block ends with the one around it
        return True
    if _VERBATIM.match(line) or _COMPOUND.match(line):
        open_blocks[_FENCE if line.startswith(_FENCE) else line] = None
        return True
    return False


def _is_in_paragraph(line: str, in_paragraph: bool) -> bool:
    """Tell whether the next line goes on with what `line` is part of, so that no title begins there."""
    if not line or _ATTRIBUTES.match(line):
        return False
    return in_paragraph or not _ALONE.match(line)


def _introduction(lines: Sequence[str], first: int, name: str) -> Introduction | None:
    """Return the text before the first title, unless `lines` has only attributes and comments."""
    comment = ""
    for number, line in enumerate(lines[first:], first + 1):
        if _COMMENT_BLOCK.match(line) and comment in ("", line):
            comment = "" if comment else line
        elif line and not comment and not _NO_TEXT.match(line):
            return Introduction(number, name)
    return None
