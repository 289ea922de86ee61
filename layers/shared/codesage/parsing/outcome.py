"""What became of one file: its entities, or the reason why there are none."""

from dataclasses import dataclass
from enum import StrEnum

from codesage.entities import Entity


class SkipReason(StrEnum):
    """Why a file with a parser has no entities. The text tiers still find it."""

    TIMEOUT = "parser_timeout"
    CRASH = "parser_crash"


@dataclass(frozen=True, slots=True)
class Parsed:
    entities: tuple[Entity, ...]


@dataclass(frozen=True, slots=True)
class Skipped:
    reason: SkipReason
