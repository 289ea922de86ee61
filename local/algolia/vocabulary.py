"""Sorted words -> the numbers of those that a query word begins, or that lie within a few edits of it.

An edit inserts, deletes or replaces a letter, or swaps two neighbours.
"""

from bisect import bisect_left, bisect_right
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import OSA
from rapidfuzz.process import cdist

from local.algolia.texts import Texts

FIRST_LETTER_SURCHARGE = 1  # a change of the first letter counts twice
AFTER_EVERY_LETTER = "\U0010ffff"
REMEMBERED_WORDS = 4_096
COMPARED_LETTERS = 24  # of a word, before distances are measured
MAX_EDITS = 2


class Near(NamedTuple):
    """Words by number, and beside each the typos that it counts."""

    words: NDArray[np.intp]
    typos: NDArray[np.uint8]


class Vocabulary(Texts):
    """Distinct words, none empty, in the order of their code points."""

    def __init__(self, encoded: NDArray[np.uint8], ends: NDArray[np.int64]) -> None:
        super().__init__(encoded, ends)
        self.near = lru_cache(REMEMBERED_WORDS)(self._near)

    def same(self, word: str) -> range:
        """The number of `word`, or nothing."""
        number = bisect_left(self, word)
        return range(number, number + (number < len(self) and self[number] == word))

    def with_prefix(self, prefix: str) -> range:
        """The numbers of the words that begin with `prefix`, itself included; they follow each other."""
        return range(bisect_left(self, prefix), bisect_right(self, prefix + AFTER_EVERY_LETTER))

    def _near(self, word: str, edits: int, *, prefix: bool) -> Near:
        """The words within 1 to `edits` edits of `word`; `near` remembers the answers.

        Args:
            word: not empty.
            edits: at most this many; the first letter's surcharge does not count against them.
            prefix: measure to the nearest beginning of the indexed word instead of to all of it.

        Source: Algolia's guide on typo tolerance; how its limits go with the surcharge is not documented.
        """
        numbers = np.flatnonzero(self._resembling(word, edits, prefix=prefix))
        words = [self[number] for number in numbers.tolist()]
        if not words:
            return Near(numbers, np.zeros(0, np.uint8))
        lengths = range(max(1, len(word) - edits), len(word) + edits + 1) if prefix else [None]
        distances = np.min(
            [
                cdist([word], [other[:length] for other in words], scorer=OSA.distance, score_cutoff=edits)[0]
                for length in lengths
            ],
            axis=0,
        )
        near = np.flatnonzero((distances > 0) & (distances <= edits))
        surcharges = [FIRST_LETTER_SURCHARGE * (words[place][0] != word[0]) for place in near.tolist()]
        return Near(numbers[near], (distances[near] + np.array(surcharges, np.int64)).astype(np.uint8))

    def _resembling(self, word: str, edits: int, *, prefix: bool) -> NDArray[np.bool_]:
        """The words that may lie within `edits` edits, and few others.

        A letter that is not itself edited is moved by no more places than there are edits.
        """
        missing = np.zeros(len(self), np.uint8)
        for place, letter in enumerate(_low_bytes(word)[:COMPARED_LETTERS]):
            window = self._columns[max(0, place - edits) : place + edits + 1]
            missing += ~np.logical_or.reduce(window == letter, axis=0)
        long_enough = self._lengths >= len(word) - edits
        short_enough = prefix or self._lengths <= len(word) + edits
        return (missing <= edits) & long_enough & short_enough

    @cached_property
    def _columns(self) -> NDArray[np.uint8]:
        """First letters of all words, then their second letters, and so on; 0 behind a word's end."""
        letters = _low_bytes(self.encoded.decode())
        places = np.arange(len(letters)) - np.repeat(np.cumsum(self._lengths) - self._lengths, self._lengths)
        words = np.repeat(np.arange(len(self)), self._lengths)
        columns = np.zeros((COMPARED_LETTERS + MAX_EDITS, len(self)), np.uint8)
        shown = places < len(columns)
        columns[places[shown], words[shown]] = letters[shown]
        return columns

    @cached_property
    def _lengths(self) -> NDArray[np.int64]:
        """Of the words, in code points."""
        begins_letter = np.frombuffer(self.encoded, np.uint8) & 0xC0 != 0x80
        letters = np.concatenate(([0], np.cumsum(begins_letter)))
        return np.diff(letters[self.ends], prepend=0)


def _low_bytes(text: str) -> NDArray[np.uint8]:
    """One byte per letter, equal for equal letters."""
    return np.frombuffer(text.encode("utf-32-le"), np.uint8)[::4]
