"""Segments of one index -> fewer: small ones at once, large ones where a thread has the time for it.

Many segments make searching slow, and each merge copies all of its segments. So segments are merged with
others of about their own size, and a record is copied about as often as its index doubles.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from local.algolia.merging import merged
from local.algolia.segment import Mask, Segment

MAX_SMALL = 16_384  # records; merging as many takes about a quarter of a second
MIN_DEAD = 1_000  # records


class Living(NamedTuple):
    """A segment, and which of its records live."""

    segment: Segment
    mask: Mask

    @property
    def size(self) -> int:
        """How many records live."""
        return int(np.count_nonzero(self.mask))

    @classmethod
    def all_of(cls, segment: Segment) -> "Living":
        return cls(segment, np.ones(len(segment), np.bool_))


def together(parts: Sequence[Living]) -> Living:
    """One segment of all that lives in `parts`; at least one record must."""
    return Living.all_of(merged([part.segment for part in parts], [part.mask for part in parts]))


def compacted(parts: Sequence[Living], new: Iterable[Living], settled: int) -> list[Living]:
    """Append new segments and merge small ones at the end.

    Args:
        parts: the segments so far, in order.
        new: in order.
        settled: how many of the first segments must stay as they are.
    """
    kept = list(parts)
    for added in new:
        kept.append(added)
        while len(kept) >= settled + 2:
            before, last = kept[-2].size, kept[-1].size
            if before >= 2 * last or before + last > MAX_SMALL:
                break
            kept[-2:] = [together(kept[-2:])]
    return kept[:settled] + [part for part in kept[settled:] if part.size]


def due(parts: Sequence[Living]) -> slice | None:
    """Which neighbours are worth a large merge: they have grown by a quarter, or are dead by half."""
    counts = [part.size for part in parts]
    for place, count in enumerate(counts):
        rest = sum(counts[place + 1 :])
        if count <= 4 * rest and count + rest > MAX_SMALL:
            return slice(place, len(counts))
        if len(parts[place].mask) - count > max(count, MIN_DEAD):
            return slice(place, place + 1)
    return None
