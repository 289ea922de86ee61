"""Matches of a query -> the records that satisfy it, and the best of them in order.

Algolia does not score. It compares records by one criterion after the other, each only breaking the ties of
those before. The ranker does just that: it groups records by the first criterion, goes into a group with the
next one, and stops when it has as many records as were asked for. Written for reading, not for speed.

Source: Algolia's guide on ranking criteria; where it is silent, the choice is stated at the criterion.
"""

from collections import defaultdict
from collections.abc import Callable, Collection
from itertools import pairwise
from typing import TypeAlias

from pydantic import JsonValue

from local.algolia.settings import Parameters
from tests.ranking_oracle.index import FARTHEST, CustomKey, Index, Occurrence
from tests.ranking_oracle.matching import Matches

LEVEL = 1000  # an attribute's place weighs more than any word position in it

Key: TypeAlias = int | CustomKey
Criterion: TypeAlias = Callable[["Ranker", int], Key]


class Ranker:
    """Ranks what one query found in one index.

    Args:
        index: where the records are.
        parameters: of this query.
        matches: one per query word; none means that every record satisfies the query.
        permitted: the records to choose from.
    """

    def __init__(
        self, index: Index, parameters: Parameters, matches: list[Matches], permitted: set[int]
    ) -> None:
        self._index = index
        self._parameters = parameters
        self._matches = matches
        self._places: list[dict[int, list[Occurrence]]] = [{} for _ in matches]
        self._weights: dict[Occurrence, int] = {}
        self._located: set[int] = set()
        self.found = self._tolerated(self._satisfying(permitted))

    def first(self, count: int) -> list[int]:
        """The best `count` records in order; ties that all criteria leave are broken by objectID."""
        names = [name for name in self._parameters.ranking if name in CRITERIA]
        if self._parameters.typo_tolerance in ("min", "strict"):
            names = ["typo", *(name for name in names if name != "typo")]
        if not self._matches:
            names = [name for name in names if name == "custom"]
        return self._refined(self.found, names, count)

    def _refined(self, records: Collection[int], criteria: list[str], count: int) -> list[int]:
        if len(records) <= 1 or not criteria:
            return sorted(records, key=self._index.object_id)[:count]
        if criteria[0] in NEED_PLACES:
            self._locate(records)
        groups: dict[Key, set[int]] = defaultdict(set)
        criterion = CRITERIA[criteria[0]]
        for record in records:
            groups[criterion(self, record)].add(record)
        ranked: list[int] = []
        for key in sorted(groups):
            if len(ranked) >= count:
                break
            ranked += self._refined(groups[key], criteria[1:], count - len(ranked))
        return ranked

    def info(self, record: int) -> dict[str, JsonValue]:
        """`_rankingInfo` of one record."""
        self._locate({record})
        info: dict[str, JsonValue] = {
            "nbTypos": self.typo(record),
            "words": len(self._matches) - self.words(record),
            "filters": 0,
            "firstMatchedWord": self.attribute(record) if self._matches else 0,
            "proximityDistance": self.proximity(record),
            "geoDistance": 0,
            "nbExactWords": -self.exact(record) if self._matches else 0,
            "userScore": 0,
        }
        return info

    # --- which records ---

    def _satisfying(self, permitted: set[int]) -> set[int]:
        """Records with every required word; without required words, those with any."""
        if not self._matches:
            return permitted
        required = [matches.typos.keys() for matches in self._matches if not matches.word.optional]
        if not required:
            return permitted & set[int]().union(*(matches.typos for matches in self._matches))
        found = permitted
        for records in sorted(required, key=len):
            found = found & records
        return found

    def _tolerated(self, records: set[int]) -> set[int]:
        """`min` keeps the lowest number of typos found, `strict` the two lowest."""
        kept = {"min": 1, "strict": 2}.get(str(self._parameters.typo_tolerance))
        if kept is None:
            return records
        lowest = sorted({self.typo(record) for record in records})[:kept]
        return {record for record in records if self.typo(record) in lowest}

    # --- the criteria: lower is better ---

    def typo(self, record: int) -> int:
        """The typos of all words together, each word at its best."""
        return sum(matches.typos.get(record, 0) for matches in self._matches)

    def words(self, record: int) -> int:
        """Query words that the record lacks."""
        return sum(record not in matches.typos for matches in self._matches)

    def proximity(self, record: int) -> int:
        """Distances of neighbouring words that the record has, each pair where it is nearest; 0 for one."""
        present = [places for places in self.places(record) if places]
        return sum(
            max(self._parameters.min_proximity, _distance(left, right)) for left, right in pairwise(present)
        )

    def attribute(self, record: int) -> int:
        """1000 x the place of the best attribute + the first matched word's position in it.

        The best is the earliest of those with the best proximity, or simply the earliest where the ranking
        asks for Attribute before Proximity.
        """
        present = [places for places in self.places(record) if places]
        if len(present) == 1 or not self._by_proximity:
            return min(self._weight(place) for places in present for place in places)
        by_level: dict[int, list[list[Occurrence]]] = {}
        for word, places in enumerate(present):
            for place in places:
                level = self._index.searchable_at(place).level
                by_level.setdefault(level, [[] for _ in present])[word].append(place)
        best = min(by_level, key=lambda level: (_within(by_level[level]), level))
        return min(self._weight(place) for places in by_level[best] for place in places)

    def exact(self, record: int) -> int:
        """Minus the number of words matched whole and without typos.

        One query word counts only as a whole value of an attribute, unless the query says otherwise.
        """
        wanted = self._parameters.exact_on_single_word_query
        if len(self._matches) > 1 or wanted == "word":
            return -sum(record in matches.exact for matches in self._matches)
        return -(wanted == "attribute" and self._matches[0].is_whole_value(record))

    def custom(self, record: int) -> CustomKey:
        return self._index.custom(record)

    # --- where the words are ---

    def places(self, record: int) -> list[list[Occurrence]]:
        """Per query word, where the record has it; empty for a word it lacks."""
        return [places.get(record, []) for places in self._places]

    def _locate(self, records: Collection[int]) -> None:
        """Look up the places of `records`, once each: later criteria only see groups of these."""
        missing = set(records) - self._located
        if missing:
            for matches, places in zip(self._matches, self._places, strict=True):
                places.update(matches.places(missing))
            self._located |= missing

    @property
    def _by_proximity(self) -> bool:
        order = self._parameters.ranking
        if "proximity" not in order or "attribute" not in order:
            return "proximity" in order
        return order.index("proximity") < order.index("attribute")

    def _weight(self, place: Occurrence) -> int:
        """What a match at this place counts for Attribute; the same for all records, so computed once."""
        weight = self._weights.get(place)
        if weight is None:
            found = self._index.searchable_at(place)
            weight = found.level * LEVEL + (min(place.position, LEVEL - 1) if found.ordered else 0)
            self._weights[place] = weight
        return weight


CRITERIA: dict[str, Criterion] = {
    "typo": Ranker.typo,
    "words": Ranker.words,
    "proximity": Ranker.proximity,
    "attribute": Ranker.attribute,
    "exact": Ranker.exact,
    "custom": Ranker.custom,
}
# `geo` and `filters` never differ here: there are no places on earth and no scores of OR branches.
NEED_PLACES = frozenset({"proximity", "attribute"})


def _within(words: list[list[Occurrence]]) -> int:
    return sum(_distance(left, right) for left, right in pairwise(words))


def _distance(left: list[Occurrence], right: list[Occurrence]) -> int:
    """The smallest distance of two words; their order does not matter, and `FARTHEST` is the most."""
    return min((_apart(one, other) for one in left for other in right), default=FARTHEST)


def _apart(one: Occurrence, other: Occurrence) -> int:
    if one.attribute != other.attribute or one.late or other.late:
        return FARTHEST
    return min(FARTHEST, abs(one.position - other.position))
