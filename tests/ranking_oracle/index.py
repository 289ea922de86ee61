"""Records of one index -> postings in dictionaries."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeAlias

from pydantic import JsonValue

from local.algolia.settings import Direction, Parameters, Searchable
from local.algolia.tokens import RUN, camel_parts, tokens

Record: TypeAlias = dict[str, JsonValue]
Postings: TypeAlias = Mapping[int, "tuple[Occurrence, ...]"]
CustomKey: TypeAlias = tuple[tuple[int, float, tuple[int, ...]], ...]

FARTHEST = 8
LATE_FROM = 1000
KEPT_WORDS = 1000
UNKNOWN_POSITION = 999
MAX_RANKED_BYTES = 50
AFTER_EVERY_LETTER = "\U0010ffff"


class Occurrence(NamedTuple):
    """Where a word stands in a record; tuples compare as the Attribute criterion wants it.

    Attributes:
        attribute: index into `Index.searchable`.
        position: word position in the attribute; elements of an array lie `FARTHEST` apart.
        late: it begins after the attribute's 1000th character, or is not among the record's first 1000 words.
        whole: the word is the whole value, or a whole element of an array.
    """

    attribute: int
    position: int
    late: bool
    whole: bool


class Index:
    """An inverted index of records that do not change; each is known by its place in `records`."""

    def __init__(self, settings: Mapping[str, JsonValue], records: Iterable[Record]) -> None:
        self.settings = settings
        self.parameters = Parameters.of(settings, {})
        self.searchable: list[Searchable] = self.parameters.searchable()
        self.records = list(records)
        self.postings: dict[str, dict[int, tuple[Occurrence, ...]]] = defaultdict(dict)
        for number, record in enumerate(self.records):
            for word, places in self._words_of(record).items():
                self.postings[word][number] = tuple(places)
        self.postings = dict(self.postings)
        self.vocabulary = sorted(self.postings)

    def object_id(self, number: int) -> str:
        return str(self.records[number]["objectID"])

    def custom(self, number: int) -> CustomKey:
        return custom_key(self.records[number], self.parameters.directions())

    def words_with_prefix(self, prefix: str) -> list[str]:
        words = self.vocabulary
        return words[bisect_left(words, prefix) : bisect_right(words, prefix + AFTER_EVERY_LETTER)]

    def searchable_at(self, place: Occurrence) -> Searchable:
        """The attribute that `place` lies in."""
        return self.searchable[place.attribute] if self.searchable else Searchable("*", 0, ordered=False)

    def _words_of(self, record: Record) -> dict[str, list[Occurrence]]:
        found: dict[str, list[Occurrence]] = defaultdict(list)
        seen = 0
        for attribute, searchable in enumerate(self.parameters.shape().searchable_of(record)):
            camel_case = searchable.name in self.parameters.camel_case_attributes
            base = 0
            for text in texts_of(record.get(searchable.name)):
                for token in tokens(text, camel_case=camel_case):
                    kept = seen + token.position < KEPT_WORDS
                    position = base + token.position if kept else UNKNOWN_POSITION
                    late = token.start >= LATE_FROM or not kept
                    found[token.text].append(Occurrence(attribute, position, late, token.whole))
                runs = RUN.findall(text)
                positions = sum(len(camel_parts(run)) for run in runs) if camel_case else len(runs)
                seen += positions
                base += max(0, positions - 1) + FARTHEST
        return found


def texts_of(value: JsonValue) -> list[str]:
    """The searchable texts of an attribute: numbers and booleans as they are written, nothing for null."""
    texts = []
    for element in elements(value):
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


def elements(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else [value]
