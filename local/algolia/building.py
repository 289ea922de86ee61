"""Records -> the segment that holds them."""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

import numpy as np
from pydantic import JsonValue

from local.algolia.segment import (
    ATTRIBUTE_SHIFT,
    LATE,
    MAX_ATTRIBUTES,
    MAX_POSITION,
    POSITION_SHIFT,
    RECORD_SHIFT,
    WHOLE,
    Facet,
    Integers,
    Mask,
    Numeric,
    Ranked,
    Segment,
    SmallIntegers,
)
from local.algolia.settings import Shape
from local.algolia.texts import Texts
from local.algolia.tokens import RUN, SPLIT, camel_parts, chains, fold, is_dropped, is_joined, tokens
from local.algolia.vocabulary import Vocabulary

Record: TypeAlias = dict[str, JsonValue]

FARTHEST = 8  # words; a greater distance, another attribute or another array element counts the same
LATE_FROM = 1000  # code points; later words have a position that is far from every other
KEPT_WORDS = 1000  # of a record; of later ones no position is kept
UNKNOWN_PLACE = 999 << POSITION_SHIFT | LATE  # as far behind as the Attribute criterion counts
MAX_RANKED_BYTES = 50  # of a string in custom ranking

MAX_RECORDS = 1 << 12  # a word, a record and a place are sorted as one number of 63 bits
MAX_WORDS = 1 << 18  # is passed by no more than one record's words
NO_WORD = 0


def segments_of(records: Iterable[tuple[int, Record]], shape: Shape) -> Iterator[Segment]:
    """Segments of at most MAX_RECORDS records each.

    Args:
        records: with their numbers, which rise.
    """
    builder = _Builder(shape)
    for number, record in records:
        builder.add(number, record)
        if builder.is_full:
            yield builder.segment()
            builder = _Builder(shape)
    if builder.numbers:
        yield builder.segment()


def texts_of(value: JsonValue) -> list[str]:
    """The searchable texts of an attribute: numbers and booleans as they are written, nothing for null."""
    texts = []
    for element in _elements(value):
        if isinstance(element, str):
            texts.append(element)
        elif isinstance(element, bool):
            texts.append(str(element).lower())
        elif isinstance(element, int | float):
            texts.append(str(element))
    return texts


class _Words(dict[str, int]):
    """A run as it is written -> the number of its word, given in the order of their first appearance."""

    def __init__(self) -> None:
        self.folded = {"": NO_WORD}

    def __missing__(self, run: str) -> int:
        number = self[run] = self.number_of(fold(run))
        return number

    def number_of(self, word: str) -> int:
        return self.folded.setdefault(word, len(self.folded))


class _Builder:
    def __init__(self, shape: Shape) -> None:
        self._shape = shape
        self.numbers: list[int] = []
        self._object_ids: list[str] = []
        self._numbers_of_words = _Words()
        self._words = array("q")
        self._places = array("q")
        self._ends: list[int] = []
        self._facets: dict[str, list[tuple[str, int, str]]] = defaultdict(list)
        self._numerics: dict[str, tuple[list[float], list[int]]] = defaultdict(lambda: ([], []))
        self._ranked: list[list[JsonValue]] = [[] for _ in shape.ranked]

    @property
    def is_full(self) -> bool:
        return len(self.numbers) == MAX_RECORDS or len(self._numbers_of_words.folded) > MAX_WORDS

    def add(self, number: int, record: Record) -> None:
        place = len(self.numbers)
        self.numbers.append(number)
        self._object_ids.append(str(record["objectID"]))
        _Reader(self._numbers_of_words, self._words, self._places).read(record, self._shape)
        self._ends.append(len(self._words))
        for attribute in self._shape.faceted:
            for folded, text in {text.lower(): text for text in _facet_texts(record.get(attribute))}.items():
                self._facets[attribute].append((folded, place, text))
        for attribute, value in record.items():
            for amount in () if isinstance(value, str) else _numbers(value):
                values, records = self._numerics[attribute]
                values.append(amount)
                records.append(place)
        for values_so_far, attribute in zip(self._ranked, self._shape.ranked, strict=True):
            values_so_far.append(record.get(attribute))

    def segment(self) -> Segment:
        words, word_starts, records, place_starts, places = self._postings()
        return Segment(
            self._shape,
            np.array(self.numbers),
            Texts.of(self._object_ids),
            words,
            word_starts,
            records,
            place_starts,
            places,
            {attribute: _facet(entries) for attribute, entries in self._facets.items()},
            {
                attribute: Numeric(np.array(values), np.array(records, np.int32))
                for attribute, (values, records) in self._numerics.items()
            },
            tuple(map(_ranked, self._ranked)),
        )

    def _postings(self) -> tuple[Vocabulary, Integers, SmallIntegers, Integers, SmallIntegers]:
        """The last five of a segment's arrays; sorted as one number per word, record and place."""
        numbers = np.frombuffer(self._words, np.int64) if self._words else np.zeros(0, np.int64)
        places = np.frombuffer(self._places, np.int64) if self._places else np.zeros(0, np.int64)
        records = np.repeat(np.arange(len(self._ends)), np.diff(self._ends, prepend=0))
        used = np.zeros(len(self._numbers_of_words.folded), np.bool_)
        used[numbers] = True
        used[NO_WORD] = False
        words = sorted(word for word, number in self._numbers_of_words.folded.items() if used[number])
        ranks = np.zeros(len(used), np.int64)
        ranks[[self._numbers_of_words.folded[word] for word in words]] = np.arange(len(words))

        shift = RECORD_SHIFT + MAX_RECORDS.bit_length() - 1
        keys = np.sort((ranks[numbers] << shift | records << RECORD_SHIFT | places)[numbers != NO_WORD])
        keys = keys[changes(keys)]
        pairs = keys >> RECORD_SHIFT
        place_starts = np.flatnonzero(changes(pairs))
        pairs = pairs[place_starts]
        word_starts = np.flatnonzero(changes(pairs >> shift - RECORD_SHIFT))
        return (
            Vocabulary.of(words),
            np.append(word_starts, len(pairs)),
            (pairs & MAX_RECORDS - 1).astype(np.int32),
            np.append(place_starts, len(keys)),
            (keys & (1 << RECORD_SHIFT) - 1).astype(np.int32),
        )


class _Reader:
    """Reads one record's words into a builder's arrays."""

    def __init__(self, numbers: _Words, words: "array[int]", places: "array[int]") -> None:
        self._numbers = numbers
        self._words = words
        self._places = places
        self._seen = 0  # positions in the record so far

    def read(self, record: Record, shape: Shape) -> None:
        for attribute, searchable in enumerate(shape.searchable_of(record)[:MAX_ATTRIBUTES]):
            base = 0
            for text in texts_of(record.get(searchable.name)):
                reads = self._read_camel_case if searchable.name in shape.camel_case else self._read_plain
                positions = reads(text, attribute << ATTRIBUTE_SHIFT, min(base, MAX_POSITION))
                self._seen += positions
                base += max(0, positions - 1) + FARTHEST

    def _read_camel_case(self, text: str, attribute: int, base: int) -> int:
        for token in tokens(text, camel_case=True):
            flags = LATE * (token.start >= LATE_FROM) | WHOLE * token.whole
            place = base + token.position << POSITION_SHIFT | flags
            if self._seen + token.position >= KEPT_WORDS:
                place = UNKNOWN_PLACE | flags
            self._words.append(self._numbers.number_of(token.text))
            self._places.append(attribute | place)
        return sum(len(camel_parts(run)) for run in RUN.findall(text))

    def _read_plain(self, text: str, attribute: int, base: int) -> int:
        """Find what `tokens` would, for a whole text at a time: most words of an index come this way."""
        parts = SPLIT.split(text)
        runs = parts[1::2]
        if not runs:
            return 0
        words = list(map(self._numbers.__getitem__, runs))
        in_time = len(runs) if len(text) <= LATE_FROM else len(RUN.findall(text[:LATE_FROM]))
        kept = max(0, min(len(runs), KEPT_WORDS - self._seen))
        soon, step = min(kept, in_time), 1 << POSITION_SHIFT
        first = attribute | base << POSITION_SHIFT
        places = [
            *range(first, first + soon * step, step),
            *range(first + soon * step | LATE, first + kept * step, step),
            *[attribute | UNKNOWN_PLACE] * (len(runs) - kept),
        ]
        if len(runs) == 1:
            places[0] |= WHOLE
        for start, stop, joint in chains(parts[2:-1:2]):
            if is_joined(runs[start:stop], joint):
                words.append(self._numbers.number_of("".join(map(fold, runs[start:stop]))))
                places.append(places[start] | WHOLE * (start == 0 and stop == len(runs)))
                for number in range(start, stop):
                    if is_dropped(runs[number], joint):
                        words[number] = NO_WORD
        self._words.extend(words)
        self._places.extend(places)
        return len(runs)


def changes(values: Integers) -> Mask:
    """Where a value differs from the one before it; the first does."""
    changed = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=changed[1:])
    return changed


def _elements(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else [value]


def _facet_texts(value: JsonValue) -> Iterator[str]:
    for element in _elements(value):
        if isinstance(element, bool):
            yield str(element).lower()
        elif isinstance(element, str):
            yield element


def _numbers(value: JsonValue) -> set[float]:
    return {float(element) for element in _elements(value) if isinstance(element, int | float)}


def _facet(entries: list[tuple[str, int, str]]) -> Facet:
    """Args: (value without case, record's place, value as written)."""
    entries.sort()
    values, records, spellings = zip(*entries, strict=True)
    starts = [place for place, value in enumerate(values) if not place or value != values[place - 1]]
    return Facet(
        Texts.of(values[start] for start in starts),
        Texts.of(spellings[start] for start in starts),
        np.array([*starts, len(entries)]),
        np.array(records, np.int32),
    )


def _ranked(values: Sequence[JsonValue]) -> Ranked:
    keys = [_ranked_value(value) for value in values]
    numbers = sorted({key for key in keys if isinstance(key, float)})
    texts = sorted({key for key in keys if isinstance(key, str)})
    codes: dict[float | str | None, int] = {key: code for code, key in enumerate([*numbers, *texts, None])}
    return Ranked(np.array(numbers), Texts.of(texts), np.array([codes[key] for key in keys], np.int32))


def _ranked_value(value: JsonValue) -> float | str | None:
    """A text's first bytes as latin-1, whose letters sort as the bytes do; booleans sort as words."""
    if isinstance(value, bool):
        value = str(value).lower()
    if isinstance(value, str):
        return value.encode()[:MAX_RANKED_BYTES].decode("latin-1")
    return float(value) if isinstance(value, int | float) else None
