"""What became of one file: what it defines and uses, or the reason why that is not known."""

from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter

from codesage.entities import Entity, Reference, Symbol
from codesage.skips import Skip


@dataclass(frozen=True, slots=True)
class Parsed:
    """What one file defines and uses.

    Attributes:
        entities: by line, outer ones first.
        symbols: in the order of the source.
        references: by line; no two are equal.
    """

    entities: tuple[Entity, ...]
    symbols: tuple[Symbol, ...] = ()
    references: tuple[Reference, ...] = ()


@dataclass(frozen=True, slots=True)
class Skipped:
    """The reason is one of the parser's own: `PARSER_TIMEOUT` or `PARSER_CRASH`."""

    reason: Skip


def parsed_of(
    entities: Iterable[Entity], symbols: Iterable[Symbol] = (), references: Iterable[Reference] = ()
) -> Parsed:
    """Put into order what a reader found, whose references number the entities as they are given here."""
    found = list(entities)
    by_line = sorted(range(len(found)), key=lambda number: found[number].line_start)
    numbers = {before: after for after, before in enumerate(by_line)}
    uses = dict.fromkeys(sorted(references, key=attrgetter("line")))
    if any(before != after for before, after in numbers.items()):
        uses = dict.fromkeys(
            use if use.within is None else use._replace(within=numbers[use.within]) for use in uses
        )
    return Parsed(tuple(found[number] for number in by_line), tuple(symbols), tuple(uses))
