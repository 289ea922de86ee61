"""Some indexed words of a view -> the records that have them, and where.

Where a word stands is a key: the record's place in the view above the word's place in the record (`segment`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from local.algolia.segment import (
    ATTRIBUTE_SHIFT,
    POSITION_SHIFT,
    RECORD_SHIFT,
    Integers,
    Mask,
    ragged,
)
from local.algolia.view import Part

NONE = np.zeros(0, np.int64)
ATTRIBUTE_MASK = (1 << RECORD_SHIFT - ATTRIBUTE_SHIFT) - 1
POSITION_MASK = (1 << ATTRIBUTE_SHIFT - POSITION_SHIFT) - 1


def records_of(keys: Integers) -> Integers:
    return keys >> RECORD_SHIFT


def attributes_of(keys: Integers) -> Integers:
    return keys >> ATTRIBUTE_SHIFT & ATTRIBUTE_MASK


def positions_of(keys: Integers) -> Integers:
    return keys >> POSITION_SHIFT & POSITION_MASK


class Occurrences(Protocol):
    """Where some words stand. Records that are dead are among them, and any may come twice."""

    def records(self) -> Integers: ...

    def keys(self, wanted: Mask, *, first: bool = False) -> Integers:
        """Keys of the wanted records, in no order.

        Args:
            first: of each indexed word in a record, its first place is enough.
        """
        ...


class Span(NamedTuple):
    """Words of one part that follow each other in its vocabulary."""

    part: Part
    words: range


@dataclass(frozen=True)
class Indexed:
    """Words as they are indexed.

    Attributes:
        spans: which ones.
        moved: words that stand as many positions further on.
        allowed: by attribute, whether places in it count; None where all do.
    """

    spans: Sequence[Span]
    moved: int = 0
    allowed: Mask | None = None

    def records(self) -> Integers:
        if self.allowed is not None:
            return np.concatenate([NONE, *(records_of(self._keys_of(span)) for span in self.spans)])
        found = [NONE]
        for part, words in self.spans:
            start, stop = part.segment.word_starts[[words.start, words.stop]]
            found.append(part.segment.records[start:stop] + np.int64(part.base))
        return np.concatenate(found)

    def keys(self, wanted: Mask, *, first: bool = False) -> Integers:
        found = [self._keys_of(span, wanted, first=first) for span in self.spans]
        return np.concatenate([NONE, *found]) + (self.moved << POSITION_SHIFT)

    def texts(self, wanted: Mask) -> Iterator[str]:
        """The words that a wanted record has."""
        for span in self.spans:
            segment, words = span.part.segment, span.words
            if len(words) == 1:
                if len(self._keys_of(span, wanted, first=True)):
                    yield segment.words[words.start]
                continue
            starts = segment.word_starts[words.start : words.stop]
            stop = segment.word_starts[words.stop]
            kept = span.part.of(wanted)[segment.records[starts[0] : stop]]
            if self.allowed is not None:
                places = segment.place_starts[starts[0] : stop + 1]
                allowed = self.allowed[segment.places[places[0] : places[-1]] >> ATTRIBUTE_SHIFT]
                kept &= np.logical_or.reduceat(allowed, places[:-1] - places[0])
            for number in np.flatnonzero(np.logical_or.reduceat(kept, starts - starts[0])).tolist():
                yield segment.words[words.start + number]

    def _keys_of(self, span: Span, wanted: Mask | None = None, *, first: bool = False) -> Integers:
        segment, base = span.part
        start, stop = segment.word_starts[[span.words.start, span.words.stop]]
        records = segment.records[start:stop]
        starts = segment.place_starts[start : stop + 1]
        lengths = np.diff(starts)
        starts = starts[:-1]
        if wanted is not None:
            chosen = np.flatnonzero(span.part.of(wanted)[records])
            records, starts, lengths = records[chosen], starts[chosen], lengths[chosen]
        above = (records + np.int64(base)) << RECORD_SHIFT
        if first and self.allowed is None:
            return above | segment.places[starts]
        keys = np.repeat(above, lengths) | segment.places[ragged(starts, lengths)]
        return keys if self.allowed is None else keys[self.allowed[attributes_of(keys)]]


@dataclass(frozen=True)
class Chosen:
    """Places that were chosen one by one."""

    all_keys: Integers

    def records(self) -> Integers:
        return records_of(self.all_keys)

    def keys(self, wanted: Mask, *, first: bool = False) -> Integers:  # noqa: ARG002 - it may tell them all
        return self.all_keys[wanted[records_of(self.all_keys)]]
