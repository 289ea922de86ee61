"""A query word and the sorted vocabulary -> the indexed words within a few edits of it.

An edit inserts, deletes or replaces a letter, or swaps two neighbours. Words are visited in sorted order,
so the distance table of a shared beginning is computed once, and as soon as a beginning is too far off, all
words with it are skipped.
"""

from bisect import bisect_left
from collections.abc import Iterator

FIRST_LETTER_SURCHARGE = 1  # a change of the first letter counts twice
AFTER_EVERY_LETTER = "\U0010ffff"


def near(vocabulary: list[str], word: str, edits: int, *, prefix: bool) -> Iterator[tuple[str, int]]:
    """Yield (indexed word, typos) for words within 1 to `edits` edits of `word`.

    Args:
        vocabulary: sorted.
        word: not empty.
        edits: at most this many; the first letter's surcharge does not count against them.
        prefix: measure to the nearest beginning of the indexed word instead of to all of it.

    Source: Algolia's guide on typo tolerance; how its limits go with the surcharge is not documented.
    """
    rows = [list(range(len(word) + 1))]
    previous = ""
    place = 0
    while place < len(vocabulary):
        candidate = vocabulary[place]
        shared = _shared_letters(previous, candidate)
        del rows[shared + 1 :]
        reached = _extend(rows, word, candidate, edits)
        previous = candidate[:reached]
        distance = min(row[-1] for row in rows[1:]) if prefix else rows[-1][-1]
        beyond = min(rows[reached]) > edits
        if beyond and not (prefix and distance <= edits):
            place = bisect_left(vocabulary, previous + AFTER_EVERY_LETTER, place)
            continue
        if 0 < distance <= edits:
            yield candidate, distance + (FIRST_LETTER_SURCHARGE if candidate[0] != word[0] else 0)
        place += 1


def _shared_letters(left: str, right: str) -> int:
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count


def _extend(rows: list[list[int]], word: str, candidate: str, edits: int) -> int:
    """Add rows until the whole candidate is read or no row can come within `edits`; the letters read."""
    while len(rows) <= len(candidate) and min(rows[-1]) <= edits:
        rows.append(_next_row(rows, word, candidate, len(rows)))
    return len(rows) - 1


def _next_row(rows: list[list[int]], word: str, candidate: str, length: int) -> list[int]:
    """Distances of the first `length` letters of `candidate` to every beginning of `word`."""
    above = rows[-1]
    letter = candidate[length - 1]
    row = [length]
    for column, wanted in enumerate(word, 1):
        cost = min(above[column] + 1, row[-1] + 1, above[column - 1] + (letter != wanted))
        swapped = length > 1 and column > 1 and letter == word[column - 2] and candidate[length - 2] == wanted
        row.append(min(cost, rows[-2][column - 2] + 1) if swapped else cost)
    return row
