"""The headings of a document -> one entity per section, heading to next heading."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import PurePosixPath

from codesage.entities import Entity, EntityType
from codesage.languages import Language
from codesage.parsing.signature import SIGNATURE_CHARACTERS
from codesage.parsing.source import Source

NAME_CHARACTERS = 500
"""More of a heading is stored nowhere, and all of it would stand in the label of each section below it."""

_TITLE = re.compile(r"""^title:[ \t]*(?:"([^"\n]+)"|'([^'\n]+)'|([^\s"'>|#][^\n]*))""", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading that begins a section.

    Attributes:
        line: 1-based, of its text.
        level: 1 is the outermost.
        text: on one line, without its marks; never empty.
        written: the same with its marks.
        above: how many lines of the heading stand above its text.
    """

    line: int
    level: int
    text: str
    written: str
    above: int = 0


@dataclass(frozen=True, slots=True)
class Introduction:
    """Where the text before the first heading begins, 1-based, and what its section is called."""

    line: int
    name: str


def sections(
    headings: Sequence[Heading], introduction: Introduction | None, source: Source, language: Language
) -> Iterator[Entity]:
    """Yield the introduction, then the section of each heading, down to the line before the next one.

    Blank lines at a section's end do not belong to it. A heading skips levels as it likes: its parent is
    the last heading above it of a lower level.
    """
    line_count = len(source.line_starts)
    if introduction is not None:
        last = _line_before(headings[0]) if headings else line_count
        name = introduction.name
        yield _section(name, name, name, introduction.line, last, source, language)
    chain: list[Heading] = []
    for heading, following in zip_longest(headings, headings[1:]):
        while chain and chain[-1].level >= heading.level:
            chain.pop()
        chain.append(heading)
        last = _line_before(following) if following else line_count
        path = " > ".join(each.text[:NAME_CHARACTERS] for each in chain)
        yield _section(heading.text, path, heading.written, heading.line, last, source, language)


def name_of_file(path: str) -> str:
    # A name that is not UTF-8 reaches us with lone surrogates, which no JSON takes.
    return PurePosixPath(path).name.encode(errors="replace").decode()


def front_matter_title(front_matter: str) -> str:
    """Return the value of `title:`, or an empty string."""
    found = _TITLE.search(front_matter)
    return collapsed(found[found.lastindex or 0]) if found else ""


def collapsed(text: str) -> str:
    return " ".join(text.split())


def _line_before(heading: Heading) -> int:
    return heading.line - heading.above - 1


def _section(
    name: str, path: str, signature: str, first: int, last: int, source: Source, language: Language
) -> Entity:
    while last > first and not source.line(last).strip():
        last -= 1
    last = max(first, last)  # two raw headings may share a line
    return Entity(
        entity_type=EntityType.DOC_SECTION,
        kind="section",
        name=name[:NAME_CHARACTERS],
        label=f"{language.label} section: {path}"[:NAME_CHARACTERS],
        line_start=first,
        line_end=last,
        signature=signature[:SIGNATURE_CHARACTERS],
        body=source.body(source.text_start(first), last),
    )
