"""A reStructuredText source -> one entity per section, title to next title.

A scan of lines, not a parse: what is not a title needs no understanding, and roles and directives of other
tools cost nothing. In what is a title it follows docutils.
"""

import re
from collections.abc import Iterator, Sequence

from codesage.entities import Entity
from codesage.languages import Language
from codesage.parsing.sections import Heading, Introduction, collapsed, name_of_file, sections
from codesage.parsing.source import Source

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*\s*$")

# A shorter one must be as long as its title; a longer one is meant as an adornment even where it is not.
_SURE_ADORNMENT = 4

# What begins with one of these is no title, even with a line of dashes below.
_NO_TITLE = re.compile(
    r"[-+*•‣⁃](?:\s|$)"  # a list
    r"|\.\.(?:\s|$)|__(?:\s|$)"  # a directive, target or comment
    r"|:[^:`\s][^:`]*:(?:\s|$)"  # a field
    r"|\|(?:\s|$)|>>>(?:\s|$)"  # a line block, a doctest
    r"|=+(?: +=+)+\s*$|\+-[-+]+\+\s*$"  # a table
)
_DIRECTIVE = re.compile(r"\.\. +[\w:+.-]+::")
_EXPLICIT_OR_FIELD = re.compile(r"\.\.(?:\s|$)|__ |:[^:`\s][^:`]*:(?:\s|$)")


def entities(source: Source, language: Language, path: str) -> Iterator[Entity]:
    """Yield the sections of `source`: text before the first title, named by the file, then one per title.

    Levels follow the order in which a document first uses its styles of adornment.
    """
    lines = source.data.decode().split("\n")
    headings = list(_headings(lines))
    first = headings[0].line - headings[0].above if headings else len(lines) + 1
    yield from sections(headings, _introduction(lines[: first - 1], path), source, language)


def _headings(lines: Sequence[str]) -> Iterator[Heading]:
    styles: list[tuple[str, bool]] = []
    padded = [*lines, "", ""]
    number, in_paragraph = 0, False
    while number < len(lines):
        line, below, second = padded[number : number + 3]
        overlined = not in_paragraph and _is_overlined(line, below, second)
        if not overlined and (in_paragraph or not _is_underlined(line, below)):
            in_paragraph = _is_in_paragraph(line, in_paragraph)
            number += 1
            continue
        style = (below if not overlined else line)[0], overlined
        if style not in styles:
            styles.append(style)
        number += 1 + overlined  # now 1-based, the title's line
        text = collapsed(padded[number - 1])
        yield Heading(number, styles.index(style) + 1, text, text, above=int(overlined))
        number += 1


def _is_overlined(over: str, title: str, under: str) -> bool:
    return (
        over.rstrip() == under.rstrip()
        and _adorns(over, title.strip())
        and bool(title.strip())
        and not _ADORNMENT.match(title.strip())
    )


def _is_underlined(title: str, under: str) -> bool:
    return (
        _adorns(under, title.rstrip())
        and not (not title or title[0].isspace())
        and not _NO_TITLE.match(title)
        and not _ADORNMENT.match(title)
    )


def _adorns(line: str, title: str) -> bool:
    length = len(line.rstrip())
    return (length >= _SURE_ADORNMENT or length >= len(title)) and _ADORNMENT.match(line) is not None


def _is_in_paragraph(line: str, in_paragraph: bool) -> bool:
    """Tell whether the next line goes on with what `line` is part of, so that no title begins there."""
    if not line or line[0].isspace():
        return False
    return in_paragraph or not (_ADORNMENT.match(line) or _EXPLICIT_OR_FIELD.match(line))


def _introduction(lines: Sequence[str], path: str) -> Introduction | None:
    """Return the text before the first title, unless `lines` has only targets, comments and fields."""
    begin, in_directive = None, False
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if line[0].isspace():
            is_text = in_directive and not line.lstrip().startswith(":")
        else:
            in_directive = _DIRECTIVE.match(line) is not None
            is_text = not (_EXPLICIT_OR_FIELD.match(line) or _ADORNMENT.match(line))
            begin = number if is_text or in_directive else None
        if is_text and begin is not None:
            return Introduction(begin, name_of_file(path))
    return None
