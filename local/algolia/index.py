"""Records of one index, in memory -> postings, facets and numbers, kept up to date record by record."""

import json
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import NamedTuple, TypeAlias, TypeVar

from pydantic import JsonValue

from local.algolia.filters import TAGS
from local.algolia.settings import Direction, Parameters, Searchable
from local.algolia.tokens import tokens

Record: TypeAlias = dict[str, JsonValue]
Postings: TypeAlias = Mapping[int, "tuple[Occurrence, ...]"]
Value = TypeVar("Value", str, float)
CustomKey: TypeAlias = tuple[tuple[int, float, tuple[int, ...]], ...]

FARTHEST = 8  # words; a greater distance, another attribute or another array element counts the same
LATE_FROM = 1000  # code points; later words have a position that is far from every other
MAX_RANKED_BYTES = 50  # of a string in custom ranking
AFTER_EVERY_LETTER = "\U0010ffff"


class Occurrence(NamedTuple):
    """Where a word stands in a record; tuples compare as the Attribute criterion wants it.

    Attributes:
        attribute: index into `Index.searchable`.
        position: word position in the attribute; elements of an array lie `FARTHEST` apart.
        late: it begins after the attribute's 1000th character.
        whole: the word is the whole value, or a whole element of an array.
    """

    attribute: int
    position: int
    late: bool
    whole: bool


@cache
def _occurrence(attribute: int, position: int, late: bool, whole: bool) -> Occurrence:
    """One shared object per value: a large index has millions of occurrences and few thousand values."""
    return Occurrence(attribute, position, late, whole)


@cache
def _alone(occurrence: Occurrence) -> tuple[Occurrence, ...]:
    return (occurrence,)


class Index:
    """An inverted index that can be changed one record at a time; not safe for concurrent use by itself.

    Inside, a record is known by a number that is never used twice.
    """

    def __init__(self, settings: Mapping[str, JsonValue]) -> None:
        self.settings = dict(settings)
        self._parameters = Parameters.of(settings, {})
        self.searchable: list[Searchable] = self._parameters.searchable()
        self.postings: dict[str, dict[int, tuple[Occurrence, ...]]] = {}
        self._numbers_of: dict[str, int] = {}
        self._bodies: dict[int, str] = {}
        self._object_ids: dict[int, str] = {}
        self._custom: dict[int, CustomKey] = {}
        self._facets: dict[str, dict[str, set[int]]] = defaultdict(dict)
        self._spellings: dict[tuple[str, str], str] = {}
        self._numeric: dict[str, dict[float, set[int]]] = defaultdict(dict)
        self._vocabulary: list[str] = []
        self._new_words: set[str] = set()
        self._words_vanished = False
        self._next = 0

    def __len__(self) -> int:
        return len(self._bodies)

    # --- records ---

    def put(self, record: Record) -> None:
        """Add a record, in place of the one with the same objectID."""
        object_id = str(record["objectID"])
        self.remove(object_id)
        number = self._next
        self._next += 1
        self._numbers_of[object_id] = number
        self._object_ids[number] = object_id
        self._bodies[number] = json.dumps(record)
        self._custom[number] = custom_key(record, self._parameters.directions())
        for word, places in self._words_of(record).items():
            if word not in self.postings:
                self.postings[word] = {}
                self._new_words.add(word)
            self.postings[word][number] = _alone(places[0]) if len(places) == 1 else tuple(places)
        for attribute, value in self._facet_values(record):
            self._spellings.setdefault((attribute, value.lower()), value)
            self._facets[attribute].setdefault(value.lower(), set()).add(number)
        for attribute, amount in _numeric_values(record):
            self._numeric[attribute].setdefault(amount, set()).add(number)

    def remove(self, object_id: str) -> None:
        """Remove a record; one that is not there is no error."""
        number = self._numbers_of.pop(object_id, None)
        if number is None:
            return
        record = self.record(number)
        del self._bodies[number], self._object_ids[number], self._custom[number]
        for word in self._words_of(record):
            del self.postings[word][number]
            if not self.postings[word]:
                del self.postings[word]
                self._words_vanished = True
        for attribute, value in self._facet_values(record):
            _discard(self._facets[attribute], value.lower(), number)
        for attribute, amount in _numeric_values(record):
            _discard(self._numeric[attribute], amount, number)

    def number_of(self, object_id: str) -> int | None:
        return self._numbers_of.get(object_id)

    def object_id(self, number: int) -> str:
        return self._object_ids[number]

    def record(self, number: int) -> Record:
        """A copy that the caller may change."""
        record: Record = json.loads(self._bodies[number])
        return record

    def records(self) -> Iterator[Record]:
        return (self.record(number) for number in self._bodies)

    def data_size(self) -> int:
        """Bytes of the records' JSON."""
        return sum(map(len, self._bodies.values()))

    def custom(self, number: int) -> CustomKey:
        return self._custom[number]

    # --- words ---

    @property
    def vocabulary(self) -> list[str]:
        """Every indexed word, sorted. Brought up to date when it is next needed: sorting a nearly sorted
        list is linear, so one batch of records costs one pass."""
        if self._new_words or self._words_vanished:
            known = self._vocabulary
            if self._words_vanished:
                known = [word for word in known if word in self.postings and word not in self._new_words]
            self._vocabulary = known + [word for word in self._new_words if word in self.postings]
            self._vocabulary.sort()
            self._new_words.clear()
            self._words_vanished = False
        return self._vocabulary

    def words_with_prefix(self, prefix: str) -> list[str]:
        words = self.vocabulary
        return words[bisect_left(words, prefix) : bisect_right(words, prefix + AFTER_EVERY_LETTER)]

    # --- what filters ask (`filters.Filterable`) ---

    def everything(self) -> set[int]:
        return set(self._bodies)

    def with_facet(self, attribute: str, value: str) -> set[int]:
        """Records where a text or boolean of `attribute` equals `value`; none if it is not declared.

        `objectID` needs no declaration and is compared with case.
        """
        if attribute == "objectID":
            number = self._numbers_of.get(value)
            return set() if number is None else {number}
        return self._facets[attribute].get(value.lower(), set()) if attribute in self._facets else set()

    def with_number(self, attribute: str, accepts: Callable[[float], bool]) -> set[int]:
        values = self._numeric.get(attribute, {})
        return set[int]().union(*(numbers for value, numbers in values.items() if accepts(value)))

    # --- facets ---

    def facet_sets(self, attribute: str) -> dict[str, set[int]]:
        """Value as first written -> records that have it."""
        texts = self._facets.get(attribute, {})
        return {self._spellings[attribute, folded]: numbers for folded, numbers in texts.items()}

    def number_sets(self, attribute: str) -> dict[float, set[int]]:
        return self._numeric.get(attribute, {})

    # --- reading a record ---

    def searchable_of(self, record: Record) -> list[Searchable]:
        """The record's own attributes where the settings name none: all equal, in no order."""
        return self.searchable or [
            Searchable(name, 0, ordered=False) for name in record if name != "objectID"
        ]

    def searchable_at(self, place: Occurrence) -> Searchable:
        """The attribute that `place` lies in."""
        return self.searchable[place.attribute] if self.searchable else Searchable("*", 0, ordered=False)

    def splits_camel_case(self, attribute: str) -> bool:
        return attribute in self._parameters.camel_case_attributes

    def _words_of(self, record: Record) -> dict[str, list[Occurrence]]:
        found: dict[str, list[Occurrence]] = defaultdict(list)
        for attribute, searchable in enumerate(self.searchable_of(record)):
            camel_case = self.splits_camel_case(searchable.name)
            base = 0
            for text in texts_of(record.get(searchable.name)):
                last = base
                for token in tokens(text, camel_case=camel_case):
                    last = base + token.position
                    place = _occurrence(attribute, last, token.start >= LATE_FROM, token.whole)
                    if not found[token.text] or found[token.text][-1] != place:
                        found[token.text].append(place)
                base = last + FARTHEST
        return found

    def _facet_values(self, record: Record) -> Iterator[tuple[str, str]]:
        for attribute in {facetable.attribute for facetable in self._parameters.facetable()} | {TAGS}:
            for value in _elements(record.get(attribute)):
                if isinstance(value, bool):
                    yield attribute, str(value).lower()
                elif isinstance(value, str):
                    yield attribute, value


def texts_of(value: JsonValue) -> list[str]:
    """The searchable texts of an attribute: numbers and booleans as they are written, nothing for null."""
    texts = []
    for element in _elements(value):
        if isinstance(element, bool):
            texts.append(str(element).lower())
        elif isinstance(element, str | int | float):
            texts.append(str(element))
    return texts


def custom_key(record: Record, directions: list[Direction]) -> CustomKey:
    """A key that sorts as `customRanking` says: numbers, then texts, then what is missing, either way."""
    return tuple(_custom_part(record.get(attribute), descending) for attribute, descending in directions)


def _custom_part(value: JsonValue, descending: bool) -> tuple[int, float, tuple[int, ...]]:
    if isinstance(value, bool):
        value = str(value).lower()
    if isinstance(value, int | float):
        return (0, -value if descending else value, ())
    if isinstance(value, str):
        letters = tuple(value.encode()[:MAX_RANKED_BYTES])
        # Turned around, a longer text must come before its own beginning: 1 stands after every -byte.
        return (1, 0, (*(-letter for letter in letters), 1) if descending else letters)
    return (2, 0, ())


def _elements(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else [value]


def _numeric_values(record: Record) -> Iterator[tuple[str, float]]:
    """Every numeric attribute can be filtered; booleans count as 0 and 1."""
    for attribute, value in record.items():
        for element in _elements(value):
            if isinstance(element, int | float):
                yield attribute, float(element)


def _discard(sets: dict[Value, set[int]], value: Value, number: int) -> None:
    sets[value].discard(number)
    if not sets[value]:
        del sets[value]
