"""A file and what was found in it -> what of that contradicts it, and which names are not on their line."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from codesage.entities import Entity, EntityType
from codesage.parsing.outcome import Parsed
from codesage.parsing.source import source_of
from tests.bench.trees import SourceFile

PHRASE = re.compile(r"^$|(?<!operator)[(){}\n]")
"""What no symbol or reference is called in any language."""


class What(StrEnum):
    """What may be the case with a finding. Only the first four are wrong."""

    OUTSIDE = "not inside the file"
    ELSEWHERE = "its name is not on its line"
    TWICE = "its key is another one's too"
    PHRASE = "its name is more than a name"
    SPACED = "its name is written with spaces"
    FURTHER = "its name is on a later line of its header"
    BEHIND = "its name is behind what it names"

    @property
    def is_wrong(self) -> bool:
        return self in (What.OUTSIDE, What.ELSEWHERE, What.TWICE, What.PHRASE)


@dataclass(frozen=True, slots=True)
class Finding:
    """An entity, symbol or reference, of which something is the case.

    Attributes:
        kind: `method`, `symbol: field`, `reference: call` …
        text: the line on which it is said to begin.
    """

    what: What
    kind: str
    path: str
    line: int
    name: str
    text: str


def findings(file: SourceFile, found: Parsed) -> Iterator[Finding]:
    """Yield all that is the case. Imports are named by their module, so their names may be anywhere."""
    source = source_of(file.text, cookies=file.language.name == "python")
    lines = ["", *source.data.decode().split("\n")]  # by number
    uses = [(f"reference: {use.kind}", use.line, use.name) for use in found.references]
    symbols = [(f"symbol: {symbol.kind}", symbol.line, symbol.name) for symbol in found.symbols]
    for kind, line, name in [*symbols, *uses]:
        if not 1 <= line < len(lines):
            yield Finding(What.OUTSIDE, kind, file.path, line, name, "")
        elif name not in lines[line]:
            yield Finding(What.ELSEWHERE, kind, file.path, line, name, lines[line].strip())
        elif PHRASE.search(name):
            yield Finding(What.PHRASE, kind, file.path, line, name, lines[line].strip())
    keys = Counter(map(_key, found.entities))
    for entity in found.entities:
        for what in _whats(entity, lines, keys):
            line = entity.line_start
            text = lines[line].strip() if 1 <= line < len(lines) else ""
            yield Finding(what, entity.kind, file.path, line, entity.name, text)


def _key(entity: Entity) -> tuple[EntityType, str, int]:
    """What tells a record from the others of its file."""
    return entity.entity_type, entity.name, entity.line_start


def _whats(
    entity: Entity, lines: Sequence[str], keys: Counter[tuple[EntityType, str, int]]
) -> Iterator[What]:
    if keys[_key(entity)] > 1:
        yield What.TWICE
    if not 1 <= entity.line_start <= entity.line_end < len(lines):
        yield What.OUTSIDE
    elif entity.entity_type is not EntityType.IMPORT and (what := _place(entity, lines)):
        yield what


def _place(entity: Entity, lines: Sequence[str]) -> What | None:
    """Return None for a name that is where it should be: on the line of its definition."""
    line = lines[entity.line_start]
    if entity.name in line:
        return None
    if entity.name in line.replace(" ", ""):
        return What.SPACED
    if entity.name.replace(" ", "") in entity.signature.replace(" ", ""):
        return What.FURTHER
    return What.BEHIND if entity.name in lines[entity.line_end] else What.ELSEWHERE
