"""Segments and masks of their living records -> one segment of these, with nothing read again.

All of it is array work, so that most of a large merge runs beside searches.
"""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from local.algolia.building import changes
from local.algolia.segment import (
    RECORD_SHIFT,
    Facet,
    Integers,
    Mask,
    Numeric,
    Ranked,
    Segment,
    SmallIntegers,
    ragged,
)
from local.algolia.texts import Texts
from local.algolia.vocabulary import Vocabulary


class _Part(NamedTuple):
    """A segment to merge; `places` holds, of its records, the place in the merged segment, or -1."""

    segment: Segment
    places: Integers


def merged(segments: Sequence[Segment], living: Sequence[Mask]) -> Segment:
    """One segment of the records that live.

    Args:
        segments: at least one, of one shape, in the order of their numbers.
        living: one mask per segment.
    """
    parts: list[_Part] = []
    base = 0
    for segment, alive in zip(segments, living, strict=True):
        places = np.where(alive, np.cumsum(alive) - 1 + base, -1)
        parts.append(_Part(segment, places))
        base += int(np.count_nonzero(alive))
    words, word_starts, records, place_starts, places = _postings(parts)
    facets = dict.fromkeys(attribute for segment in segments for attribute in segment.facets)
    numerics = dict.fromkeys(attribute for segment in segments for attribute in segment.numerics)
    return Segment(
        segments[0].shape,
        np.concatenate([part.segment.numbers[part.places >= 0] for part in parts]),
        Texts.of(
            object_id
            for part in parts
            for object_id, place in zip(part.segment.object_ids, part.places.tolist(), strict=True)
            if place >= 0
        ),
        words,
        word_starts,
        records,
        place_starts,
        places,
        {attribute: facet for attribute in facets if len((facet := _facet(parts, attribute)).records)},
        {attribute: found for attribute in numerics if len((found := _numeric(parts, attribute)).records)},
        tuple(_ranked(parts, number) for number in range(len(segments[0].ranked))),
    )


def _postings(parts: Sequence[_Part]) -> tuple[Vocabulary, Integers, SmallIntegers, Integers, SmallIntegers]:
    vocabulary = sorted(set(chain.from_iterable(part.segment.words for part in parts)))
    number_of = {word: number for number, word in enumerate(vocabulary)}
    keys, starts, lengths, base = [], [], [], 0
    for segment, places in parts:
        numbers = np.array([number_of[word] for word in segment.words], np.int64)
        records = places[segment.records]
        kept = records >= 0
        pairs = np.repeat(numbers, np.diff(segment.word_starts)) << RECORD_SHIFT | records
        keys.append(pairs[kept])
        starts.append(segment.place_starts[:-1][kept] + base)
        lengths.append(np.diff(segment.place_starts)[kept])
        base += len(segment.places)
    key = np.concatenate(keys)
    order = np.argsort(key, kind="stable")  # of a few sorted runs, so it is nearly linear
    key, length = key[order], np.concatenate(lengths)[order]
    all_places = np.concatenate([part.segment.places for part in parts])
    used = key >> RECORD_SHIFT
    word_starts = np.flatnonzero(changes(used))
    return (
        Vocabulary.of(vocabulary[number] for number in used[word_starts].tolist()),
        np.append(word_starts, len(key)),
        (key & (1 << RECORD_SHIFT) - 1).astype(np.int32),
        np.concatenate(([0], np.cumsum(length))),
        all_places[ragged(np.concatenate(starts)[order], length)],
    )


def _facet(parts: Sequence[_Part], attribute: str) -> Facet:
    values: dict[str, str] = {}
    for segment, _ in parts:
        if facet := segment.facets.get(attribute):
            for value, spelling in zip(facet.values, facet.spellings, strict=True):
                values.setdefault(value, spelling)
    ordered = sorted(values)
    number_of = {value: number for number, value in enumerate(ordered)}
    keys = [np.zeros(0, np.int64)]
    for segment, places in parts:
        if facet := segment.facets.get(attribute):
            numbers = np.array([number_of[value] for value in facet.values], np.int64)
            records = places[facet.records]
            pairs = np.repeat(numbers, np.diff(facet.starts)) << RECORD_SHIFT | records
            keys.append(pairs[records >= 0])
    key = np.sort(np.concatenate(keys), kind="stable")
    used = key >> RECORD_SHIFT
    starts = np.flatnonzero(changes(used))
    kept = [ordered[number] for number in used[starts].tolist()]
    return Facet(
        Texts.of(kept),
        Texts.of(values[value] for value in kept),
        np.append(starts, len(key)),
        (key & (1 << RECORD_SHIFT) - 1).astype(np.int32),
    )


def _numeric(parts: Sequence[_Part], attribute: str) -> Numeric:
    found = [
        (numeric.values[kept], records[kept])
        for segment, places in parts
        if (numeric := segment.numerics.get(attribute))
        for records in [places[numeric.records]]
        for kept in [records >= 0]
    ]
    return Numeric(
        np.concatenate([values for values, _ in found]),
        np.concatenate([records for _, records in found]).astype(np.int32),
    )


def _ranked(parts: Sequence[_Part], number: int) -> Ranked:
    columns = [part.segment.ranked[number] for part in parts]
    numbers, texts, codes = unified(columns)
    living = [code[part.places >= 0] for code, part in zip(codes, parts, strict=True)]
    return Ranked(numbers, Texts.of(texts), np.concatenate(living).astype(np.int32))


def unified(columns: Sequence[Ranked]) -> tuple[NDArray[np.float64], list[str], list[Integers]]:
    """The numbers and texts of all columns, and of each column the codes of its records among them."""
    numbers = np.unique(np.concatenate([column.numbers for column in columns]))
    texts = sorted(set(chain.from_iterable(column.texts for column in columns)))
    number_of = {text: len(numbers) + place for place, text in enumerate(texts)}
    codes = []
    for column in columns:
        translated = [
            *np.searchsorted(numbers, column.numbers).tolist(),
            *(number_of[text] for text in column.texts),
            len(numbers) + len(texts),
        ]
        codes.append(np.array(translated)[column.codes])
    return numbers, texts, codes
