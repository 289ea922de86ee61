"""What became of one file: its entities, or the reason why there are none."""

from dataclasses import dataclass

from codesage.entities import Entity
from codesage.skips import Skip


@dataclass(frozen=True, slots=True)
class Parsed:
    entities: tuple[Entity, ...]


@dataclass(frozen=True, slots=True)
class Skipped:
    """The reason is one of the parser's own: `PARSER_TIMEOUT` or `PARSER_CRASH`."""

    reason: Skip
