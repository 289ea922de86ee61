"""Text -> the words that are indexed, each with its place in the text.

A word is a longest run of letters and digits, lower-cased and without diacritics. Around a joint
(`os.path`, `don't`, `real-time`) the joined form is a word too, and beside a dot pieces of one or two
letters are not words.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

RUN = re.compile(r"[^\W_](?:[^\W_]|[\u0300-\u036f])*")
SPLIT = re.compile(f"({RUN.pattern})")  # splits into gap, run, gap, …, run, gap
CAMEL_HUMP = re.compile(
    r"(?<=[a-z\u00df-\u00f6\u00f8-\u00ff])(?=[A-Z\u00c0-\u00d6\u00d8-\u00de])|(?<=[A-Z])(?=[A-Z][a-z])"
)

HYPHEN = "-"
DOT = "."
JOINTS = {HYPHEN: HYPHEN, DOT: DOT, "'": DOT, "®": DOT, "©": DOT}
SHORTEST_PIECE = 3  # letters; a shorter piece beside a dot is indexed only inside the joined form

# Letters that Unicode does not decompose into a base letter and a mark.
UNDECOMPOSED = str.maketrans({"ø": "o", "đ": "d", "ł": "l", "ß": "ss", "æ": "ae", "œ": "oe", "ı": "i"})


class Token(NamedTuple):
    """One indexed word.

    Attributes:
        text: the folded word.
        position: how many runs stand before it in its text; a joined form has its first piece's position.
        start: where it begins in the original text, in code points.
        end: where it ends, exclusive.
        whole: it spans every letter and digit of its text.
    """

    text: str
    position: int
    start: int
    end: int
    whole: bool


class Chain(NamedTuple):
    """Neighbouring runs that touch through one kind of joint, or a lone run.

    Attributes:
        first: the number of its first run in the text, from 0.
        stop: the number behind its last run.
        joint: `-`, `.` for any of the dot joints, or empty for a lone run.
    """

    first: int
    stop: int
    joint: str


@lru_cache(maxsize=65_536)
def fold(run: str) -> str:
    """Lower-case, without diacritics; a letter that is nothing but a mark stays as it is."""
    lowered = run.lower()
    if lowered.isascii():
        return lowered
    decomposed = unicodedata.normalize("NFKD", lowered.translate(UNDECOMPOSED))
    return "".join(character for character in decomposed if character.isalnum()) or lowered


def camel_parts(run: str) -> list[str]:
    """`HTTPServerError` -> `HTTP`, `Server`, `Error`; a digit never starts or ends a part."""
    return CAMEL_HUMP.split(run)


def chains(gaps: Sequence[str]) -> Iterator[Chain]:
    """The chains of two or more runs in a text.

    Args:
        gaps: what stands between its runs, one less than there are runs.
    """
    first, stop, joint = 0, 0, ""
    for place, gap in enumerate(gaps):
        if gap not in JOINTS:
            continue
        if place + 1 != stop:  # the run before this joint is in no chain yet
            if joint:
                yield Chain(first, stop, joint)
            first, joint = place, JOINTS[gap]
        elif not joint:  # it begins a chain
            joint = JOINTS[gap]
        elif joint != JOINTS[gap]:  # it ends a chain of another kind
            yield Chain(first, stop, joint)
            first, joint = place + 1, ""
        stop = place + 2
    if joint:
        yield Chain(first, stop, joint)


def all_chains(gaps: Sequence[str]) -> Iterator[Chain]:
    """Those and the lone runs, in order."""
    told = 0
    for chain in chains(gaps):
        yield from (Chain(run, run + 1, "") for run in range(told, chain.first))
        yield chain
        told = chain.stop
    yield from (Chain(run, run + 1, "") for run in range(told, len(gaps) + 1))


def is_joined(runs: Sequence[str], joint: str) -> bool:
    """Whether the runs of a chain also make one word.

    Hyphens join parts of three or more letters. Dots join all but what follows a number: `m.55` is `m55`,
    while `5.mm` stays `5` and `mm`.
    """
    if joint == HYPHEN:
        return all(len(run) >= SHORTEST_PIECE for run in runs)
    return joint == DOT and not any(run[0].isdigit() for run in runs[:-1])


def is_dropped(run: str, joint: str) -> bool:
    """Whether a run is no word by itself, inside a joined chain."""
    return joint == DOT and len(run) < SHORTEST_PIECE


def tokens(text: str, *, camel_case: bool = False) -> list[Token]:
    """Every word to index of one attribute value.

    Args:
        text: the value as stored.
        camel_case: also split each run at its humps, the glued whole staying a word.

    Returns:
        in order of position; several words may share one.

    Source: Algolia's guides on tokenization, normalization, splitting and concatenation.
    """
    parts = SPLIT.split(text)
    runs, ends = parts[1::2], list(accumulate(map(len, parts)))
    if not runs:
        return []
    spanned = (ends[0], ends[-2])
    found: list[Token] = []

    def add(word: str, position: int, start: int, end: int) -> None:
        found.append(Token(word, position, start, end, whole=(start, end) == spanned))

    position = 0
    for first, stop, joint in all_chains(parts[2:-1:2]):
        joined, begun = is_joined(runs[first:stop], joint), position
        for number in range(first, stop):
            run, start = runs[number], ends[2 * number]
            humps = camel_parts(run) if camel_case else [run]
            if not (joined and is_dropped(run, joint)):
                add(fold(run), position, start, start + len(run))
                for place, hump in enumerate(humps if len(humps) > 1 else (), position):
                    add(fold(hump), place, start, start + len(hump))
                    start += len(hump)
            position += len(humps)
        if joined:
            add("".join(map(fold, runs[first:stop])), begun, ends[2 * first], ends[2 * stop - 1])
    return found
