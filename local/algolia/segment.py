"""Some records as arrays: what matching, filtering, counting and ranking read of them.

A segment never changes. Inside, its records are known by place, from 0; by number to all else.

A word's records are a slice of `records`, and each of these has a slice of `places`, so that matching reads
one entry per record however often it has the word.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from local.algolia.settings import Shape
from local.algolia.texts import Texts
from local.algolia.vocabulary import Vocabulary

Mask: TypeAlias = NDArray[np.bool_]
Integers: TypeAlias = NDArray[np.int64]
SmallIntegers: TypeAlias = NDArray[np.int32]

# A place of a word in its record, in one number: its attribute, position, whether it is late, whether whole.
# In this order the earliest is the one that the Attribute criterion likes best.
WHOLE = 1
LATE = 2
POSITION_SHIFT = 2
ATTRIBUTE_SHIFT = 20
RECORD_SHIFT = 32  # a place with its record above it is a key
MAX_POSITION = (1 << ATTRIBUTE_SHIFT - POSITION_SHIFT) - 2_000  # of a text's begin; its words stay below
MAX_ATTRIBUTES = 1 << RECORD_SHIFT - ATTRIBUTE_SHIFT - 1  # places are no negative numbers


@dataclass(frozen=True)
class Facet:
    """Texts of one attribute.

    Attributes:
        values: distinct without case, sorted.
        spellings: of each value, as the first record has it.
        starts: where each value's records begin in `records`, and their number.
        records: by value, then by place.
    """

    values: Texts
    spellings: Texts
    starts: Integers
    records: SmallIntegers


@dataclass(frozen=True)
class Numeric:
    """Numbers of one attribute, each number of a record once; booleans count as 0 and 1."""

    values: NDArray[np.float64]
    records: SmallIntegers


@dataclass(frozen=True)
class Ranked:
    """One attribute of the custom ranking.

    Attributes:
        numbers: distinct, sorted.
        texts: distinct, sorted, each the first bytes of the value as latin-1.
        codes: of each record, the place of its value in `numbers` and then `texts`; behind both for none.
    """

    numbers: NDArray[np.float64]
    texts: Texts
    codes: SmallIntegers


@dataclass(frozen=True, eq=False)
class Segment:
    """See the module; equal to itself alone.

    Attributes:
        shape: the settings it was made for.
        numbers: of the records in the store, rising.
        object_ids: of the records.
        words: of all records.
        word_starts: where each word's records begin in `records`, and their number.
        records: by word, then by place.
        place_starts: where the places of each of `records` begin in `places`, and their number.
        places: of a word in a record, rising.
        facets: by attribute, those that a record has.
        numerics: by attribute.
        ranked: one per attribute of the custom ranking.
    """

    shape: Shape
    numbers: Integers
    object_ids: Texts
    words: Vocabulary
    word_starts: Integers
    records: SmallIntegers
    place_starts: Integers
    places: SmallIntegers
    facets: Mapping[str, Facet]
    numerics: Mapping[str, Numeric]
    ranked: tuple[Ranked, ...]

    def __len__(self) -> int:
        return len(self.numbers)

    @cached_property
    def by_object_id(self) -> SmallIntegers:
        """The records' places in the order of their objectIDs."""
        ids = list(self.object_ids)
        return np.array(sorted(range(len(ids)), key=ids.__getitem__), np.int32)

    @cached_property
    def object_id_ranks(self) -> SmallIntegers:
        """Of each record, its place in `by_object_id`."""
        ranks = np.empty_like(self.by_object_id)
        ranks[self.by_object_id] = np.arange(len(ranks), dtype=np.int32)
        return ranks


def ragged(starts: Integers, lengths: Integers) -> Integers:
    """The numbers of many slices, one slice after the other: starts [5, 1], lengths [2, 3] -> 5 6 1 2 3."""
    ends = np.cumsum(lengths)
    numbers: Integers = np.arange(ends[-1] if len(ends) else 0)
    numbers += np.repeat(starts - (ends - lengths), lengths)
    return numbers
