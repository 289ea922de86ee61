"""Matches of a query -> the records that satisfy it, and the best of them in order.

Algolia does not score. It compares records by one criterion after the other, each only breaking the ties of
those before. Here a criterion is a number per record that is still in the race, lower is better; after each,
the records that cannot be among the first any more are dropped.

Source: Algolia's guide on ranking criteria; where it is silent, the choice is stated at the criterion.
"""

import operator
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import JsonValue

from local.algolia.building import FARTHEST
from local.algolia.matching import ABSENT, Matches
from local.algolia.occurrences import attributes_of, positions_of, records_of
from local.algolia.segment import LATE, MAX_ATTRIBUTES, POSITION_SHIFT, Integers, Mask
from local.algolia.settings import Parameters, Shape
from local.algolia.view import View

LEVEL = 1000  # an attribute's place weighs more than any word position in it
NOWHERE = 1 << 40  # is worse than any place
MAX_KEY = 1 << 40  # of records by the criteria so far

Criterion: TypeAlias = Callable[[Integers], Integers]


class Ranker:
    """Ranks what one query found in one view.

    Args:
        view: where the records are.
        shape: tells the levels of the attributes.
        parameters: of this query.
        matches: one per query word; none means that every record satisfies the query.
        permitted: the records to choose from.

    Attributes:
        found: the records that satisfy the query.
    """

    def __init__(
        self, view: View, shape: Shape, parameters: Parameters, matches: Sequence[Matches], permitted: Mask
    ) -> None:
        self._view = view
        self._parameters = parameters
        self._matches = matches
        self._levels = np.zeros(MAX_ATTRIBUTES, np.int64)
        self._levels[: len(shape.searchable)] = [found.level for found in shape.searchable]
        self._ordered = np.zeros(MAX_ATTRIBUTES, np.bool_)
        self._ordered[: len(shape.searchable)] = [found.ordered for found in shape.searchable]
        self._located: _Located | None = None
        self.found = self._tolerated(self._satisfying(permitted))

    def first(self, count: int) -> list[int]:
        """The best `count` records in order; ties that all criteria leave are broken by objectID."""
        records = np.flatnonzero(self.found)
        keys = np.zeros(len(records), np.int64)
        for criterion in self._criteria():
            if len(records) <= 1 or not count:
                break
            keys = _refined(keys, criterion(records))
            if len(records) > count:
                kept = keys <= np.partition(keys, count - 1)[count - 1]
                records, keys = records[kept], keys[kept]
        order = np.argsort(keys)
        groups = np.split(records[order], np.flatnonzero(np.diff(keys[order])) + 1)
        ranked: list[int] = []
        for group in groups:
            if len(ranked) >= count:
                break
            ranked += self._view.by_object_id(group, count - len(ranked))
        return ranked

    def info(self, records: Sequence[int]) -> list[dict[str, JsonValue]]:
        """`_rankingInfo` of each of these records."""
        among = np.array(records, np.int64)
        nothing = np.zeros(len(among), np.int64)
        columns = {
            "nbTypos": self.typo(among),
            "words": len(self._matches) - self.words(among),
            "filters": nothing,
            "firstMatchedWord": self.attribute(among) if self._matches else nothing,
            "proximityDistance": self.proximity(among),
            "geoDistance": nothing,
            "nbExactWords": -self.exact(among) if self._matches else nothing,
            "userScore": nothing,
        }
        rows = zip(*(column.tolist() for column in columns.values()), strict=True)
        return [dict(zip(columns, row, strict=True)) for row in rows]

    # --- which records ---

    def _satisfying(self, permitted: Mask) -> Mask:
        """Records with every required word; without required words, those with any."""
        if not self._matches:
            return permitted
        required = [matches.present for matches in self._matches if not matches.word.optional]
        if not required:
            return permitted & reduce(operator.or_, (matches.present for matches in self._matches))
        return reduce(operator.and_, required, permitted)

    def _tolerated(self, found: Mask) -> Mask:
        """`min` keeps the lowest number of typos found, `strict` the two lowest."""
        kept = {"min": 1, "strict": 2}.get(str(self._parameters.typo_tolerance))
        if kept is None:
            return found
        records = np.flatnonzero(found)
        typos = self.typo(records)
        tolerated = np.zeros_like(found)
        tolerated[records[np.isin(typos, np.unique(typos)[:kept])]] = True
        return tolerated

    # --- the criteria: lower is better ---

    def _criteria(self) -> Iterator[Criterion]:
        """In their order. `geo` and `filters` never differ here: no places on earth, no scores."""
        by_name: dict[str, Sequence[Criterion]] = {
            "typo": [self.typo],
            "words": [self.words],
            "proximity": [self.proximity],
            "attribute": [self.attribute],
            "exact": [self.exact],
            "custom": [column.__getitem__ for column in self._view.custom],
        }
        names = [name for name in self._parameters.ranking if name in by_name]
        if self._parameters.typo_tolerance in ("min", "strict"):
            names = ["typo", *(name for name in names if name != "typo")]
        if not self._matches:
            names = [name for name in names if name == "custom"]
        for name in names:
            yield from by_name[name]

    def typo(self, records: Integers) -> Integers:
        """The typos of all words together, each word at its best."""
        total = np.zeros(len(records), np.int64)
        for matches in self._matches:
            typos = matches.typos[records]
            total += np.where(typos == ABSENT, 0, typos)
        return total

    def words(self, records: Integers) -> Integers:
        """Query words that the record lacks."""
        total = np.zeros(len(records), np.int64)
        for matches in self._matches:
            total += ~matches.present[records]
        return total

    def proximity(self, records: Integers) -> Integers:
        """Distances of neighbouring words that the record has, each pair where it is nearest; 0 for one."""
        total = np.zeros(len(records), np.int64)
        for distances in self._distances(records):
            nearest = distances.nearest.min(axis=1).astype(np.int64)
            total += np.where(distances.counted, np.maximum(nearest, self._parameters.min_proximity), 0)
        return total

    def attribute(self, records: Integers) -> Integers:
        """1000 x the place of the best attribute + the first matched word's position in it.

        The best is the earliest of those with the best proximity, or simply the earliest where the ranking
        asks for Attribute before Proximity.
        """
        weights = self._weights(records)
        if len(self._matches) == 1 or not self._by_proximity:
            earliest: Integers = weights.min(axis=1)
            return earliest
        within = np.zeros(weights.shape, np.int64)
        for distances in self._distances(records):
            within += np.where(distances.counted[:, None], distances.nearest, 0)
        within[weights == NOWHERE] = NOWHERE
        best = within.argmin(axis=1)  # the earliest of equals
        return np.take_along_axis(weights, best[:, None], axis=1)[:, 0]

    def exact(self, records: Integers) -> Integers:
        """Minus the number of words matched whole and without typos.

        One query word counts only as a whole value of an attribute, unless the query says otherwise.
        """
        wanted = self._parameters.exact_on_single_word_query
        total = np.zeros(len(records), np.int64)
        if len(self._matches) > 1 or wanted == "word":
            for matches in self._matches:
                total -= matches.exact[records]
        elif wanted == "attribute":
            total -= self._matches[0].whole_values(self._mask(records))[records]
        return total

    # --- where the words are ---

    def _weights(self, records: Integers) -> Integers:
        """Per record and level, what its best match there counts for Attribute; NOWHERE without one."""
        weights = np.full((len(records), self._depth), NOWHERE)
        slots = self._slots(records)
        for keys in self._keys(records, first=len(self._matches) == 1):
            attributes = attributes_of(keys)
            levels = self._levels[attributes]
            positions = np.minimum(positions_of(keys), LEVEL - 1) * self._ordered[attributes]
            np.minimum.at(weights, (slots[records_of(keys)], levels), levels * LEVEL + positions)
        return weights

    def _distances(self, records: Integers) -> Iterator["_Distances"]:
        """For each pair of words that are neighbours in some of the records, lacking words left out."""
        keys = self._keys(records)
        slots = self._slots(records)
        present = np.array([matches.present[records] for matches in self._matches])
        for left, right in combinations(range(len(self._matches)), 2):
            counted = present[left] & present[right] & ~present[left + 1 : right].any(axis=0)
            if not counted.any():
                continue
            nearest = np.full((len(records), self._depth), FARTHEST, np.uint8)
            found, gaps = _neighbours(keys[left], keys[right])
            levels = self._levels[attributes_of(found)]
            np.minimum.at(nearest, (slots[records_of(found)], levels), gaps)
            yield _Distances(counted, nearest)

    def _keys(self, records: Integers, *, first: bool = False) -> list[Integers]:
        """Per query word, where these records have it. Later criteria only ask for some of the records."""
        wanted = self._mask(records)
        if self._located is None or (wanted & ~self._located.mask).any():
            keys = [matches.keys(wanted, first=first) for matches in self._matches]
            self._located = _Located(wanted, keys)
        elif len(records) < np.count_nonzero(self._located.mask):
            keys = [found[wanted[records_of(found)]] for found in self._located.keys]
            self._located = _Located(wanted, keys)
        return self._located.keys

    @property
    def _depth(self) -> int:
        """How many levels there are."""
        return int(self._levels.max()) + 1

    @property
    def _by_proximity(self) -> bool:
        order = self._parameters.ranking
        if "proximity" not in order or "attribute" not in order:
            return "proximity" in order
        return order.index("proximity") < order.index("attribute")

    def _mask(self, records: Integers) -> Mask:
        mask = np.zeros_like(self.found)
        mask[records] = True
        return mask

    def _slots(self, records: Integers) -> Integers:
        """Of each record of the view, its place among `records`; anything for all others."""
        slots = np.zeros(len(self.found), np.int64)
        slots[records] = np.arange(len(records))
        return slots


class _Located(NamedTuple):
    """Keys per query word of the records in a mask."""

    mask: Mask
    keys: list[Integers]


class _Distances(NamedTuple):
    """Two query words, in records one by one.

    Attributes:
        counted: whether they are neighbours there.
        nearest: by level, the smallest distance of the two; their order does not matter.
    """

    counted: Mask
    nearest: NDArray[np.uint8]


def _neighbours(left: Integers, right: Integers) -> tuple[Integers, NDArray[np.uint8]]:
    """Places where two words are less than FARTHEST apart, among them the nearest; and how far apart.

    In the order of all places, the two of a nearest pair follow each other. As positions never come near the
    end of their bits, no other attribute or record is as near.
    """
    places = [keys[keys & LATE == 0] >> POSITION_SHIFT << 1 for keys in (left, right)]
    both = np.sort(np.concatenate((places[0], places[1] | 1)), kind="stable")
    gaps = (both[1:] >> 1) - (both[:-1] >> 1)
    near = np.flatnonzero((gaps < FARTHEST) & ((both[1:] ^ both[:-1]) & 1 == 1))
    return both[near] >> 1 << POSITION_SHIFT, gaps[near].astype(np.uint8)


def _refined(keys: Integers, values: Integers) -> Integers:
    """Keys that sort by `keys` and then by `values`, none of which is below its least by 2^22 or more."""
    if keys.max() >= MAX_KEY:
        keys = np.unique(keys, return_inverse=True)[1]
    lowest = int(values.min())
    return keys * (int(values.max()) - lowest + 1) + (values - lowest)
