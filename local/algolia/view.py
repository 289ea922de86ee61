"""Segments of one index and what lives of them -> one space of records to filter, count and order.

In a view, records are known by place: those of the first segment from 0, then those of the second, and so on.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from local.algolia.merging import unified
from local.algolia.segment import Integers, Mask, Segment
from local.algolia.settings import Direction


class Part(NamedTuple):
    """A segment, and the place of its first record in the view."""

    segment: Segment
    base: int

    def of(self, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """What a mask over the view says of this part."""
        return mask[self.base : self.base + len(self.segment)]


class View:
    """An index as it is between two writes. Immutable, so it may be read while the next one is made.

    Args:
        segments: in the order of their records' numbers.
        alive: one flag per record.
        directions: of the custom ranking.
    """

    def __init__(self, segments: Sequence[Segment], alive: Mask, directions: Sequence[Direction]) -> None:
        self.segments = tuple(segments)
        self.alive = alive
        self._directions = directions
        bases = np.cumsum([0, *map(len, segments)])
        self.parts = [Part(segment, int(base)) for segment, base in zip(segments, bases, strict=False)]

    def __len__(self) -> int:
        """How many records live."""
        return int(np.count_nonzero(self.alive))

    @cached_property
    def numbers(self) -> Integers:
        """Of all records, rising."""
        return np.concatenate([np.zeros(0, np.int64), *(segment.numbers for segment in self.segments)])

    def object_id(self, place: int) -> str:
        part = next(part for part in reversed(self.parts) if part.base <= place)
        return part.segment.object_ids[place - part.base]

    # --- what filters ask (`filters.Filterable`) ---

    def everything(self) -> Mask:
        return self.alive.copy()

    def with_facet(self, attribute: str, value: str) -> Mask:
        """Records where a text or boolean of `attribute` equals `value`; none if it is not declared.

        `objectID` needs no declaration and is compared with case.
        """
        found = np.zeros_like(self.alive)
        for part in self.parts:
            if attribute == "objectID":
                part.of(found)[_with_object_id(part.segment, value)] = True
            elif facet := part.segment.facets.get(attribute):
                folded = value.lower()
                number = bisect_left(facet.values, folded)
                if number < len(facet.values) and facet.values[number] == folded:
                    part.of(found)[facet.records[facet.starts[number] : facet.starts[number + 1]]] = True
        return found & self.alive

    def with_number(self, attribute: str, accepts: Callable[[NDArray[np.float64]], Mask]) -> Mask:
        found = np.zeros_like(self.alive)
        for part in self.parts:
            if numeric := part.segment.numerics.get(attribute):
                part.of(found)[numeric.records[accepts(numeric.values)]] = True
        return found & self.alive

    # --- facets ---

    def texts(self, attribute: str, found: Mask) -> dict[str, int]:
        """The facet values of the found records, as first written, and how many have each."""
        counts: Counter[str] = Counter()
        spellings: dict[str, str] = {}
        for part in self.parts:
            if facet := part.segment.facets.get(attribute):
                counted = np.add.reduceat(part.of(found)[facet.records], facet.starts[:-1], dtype=np.int64)
                for number in np.flatnonzero(counted).tolist():
                    value = facet.values[number]
                    counts[value] += int(counted[number])
                    spellings.setdefault(value, facet.spellings[number])
        return {spellings[value]: count for value, count in counts.items()}

    def amounts(self, attribute: str, found: Mask) -> dict[float, int]:
        """The numbers of the found records, and how many have each."""
        counts: Counter[float] = Counter()
        for part in self.parts:
            if numeric := part.segment.numerics.get(attribute):
                values, counted = np.unique(
                    numeric.values[part.of(found)[numeric.records]], return_counts=True
                )
                counts.update(dict(zip(values.tolist(), counted.tolist(), strict=True)))
        return dict(counts)

    # --- order ---

    @cached_property
    def custom(self) -> list[Integers]:
        """Per direction of the custom ranking, a number per record; lower is better.

        Numbers come first, then texts, then what is missing, either way.
        """
        return [self._codes(column, direction) for column, direction in enumerate(self._directions)]

    def _codes(self, column: int, direction: Direction) -> Integers:
        if not self.segments:
            return np.zeros(0, np.int64)
        numbers, texts, codes = unified([segment.ranked[column] for segment in self.segments])
        code = np.concatenate(codes)
        if not direction.descending:
            return code
        count, last = len(numbers), len(numbers) + len(texts)
        is_text = (code >= count) & (code < last)
        return np.where(code < count, count - 1 - code, np.where(is_text, count + last - 1 - code, code))

    def by_object_id(self, places: Integers, count: int, after: str | None = None) -> list[int]:
        """The first `count` of some places in the order of their objectIDs, from behind `after` on."""
        return [place for _, place in sorted(self._first_ids(places, count, after))[:count]]

    def _first_ids(self, places: Integers, count: int, after: str | None) -> Iterator[tuple[str, int]]:
        """Of each part, its first `count`."""
        for segment, base in self.parts:
            inside = places[(places >= base) & (places < base + len(segment))] - base
            ranks = segment.object_id_ranks[inside]
            if after is not None:
                ranks = ranks[ranks >= _rank_behind(segment, after)]
            if len(ranks) > count:
                ranks = np.partition(ranks, count)[:count]
            for place in segment.by_object_id[ranks].tolist():
                yield segment.object_ids[place], place + base


def _rank_behind(segment: Segment, object_id: str) -> int:
    """How many objectIDs of a segment are not greater than this one."""
    order = segment.by_object_id
    return bisect_left(
        range(len(order)), True, key=lambda rank: segment.object_ids[int(order[rank])] > object_id
    )


def _with_object_id(segment: Segment, object_id: str) -> list[int]:
    rank = _rank_behind(segment, object_id) - 1
    if rank < 0:
        return []
    place = int(segment.by_object_id[rank])
    return [place] if segment.object_ids[place] == object_id else []
