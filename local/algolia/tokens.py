"""Text -> the words that are indexed, each with its place in the text.

A word is a longest run of letters and digits, lower-cased and without diacritics. Around a joint
(`os.path`, `don't`, `real-time`) the joined form is a word too, and beside a dot pieces of one or two
letters are not words.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

RUN = re.compile(r"[^\W_](?:[^\W_]|[\u0300-\u036f])*")
CAMEL_HUMP = re.compile(
    r"(?<=[a-z\u00df-\u00f6\u00f8-\u00ff])(?=[A-Z\u00c0-\u00d6\u00d8-\u00de])|(?<=[A-Z])(?=[A-Z][a-z])"
)

HYPHEN = "-"
DOT_JOINTS = frozenset(".'®©")
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
    """Runs that touch each other through one kind of joint; a lone run has none.

    Attributes:
        runs: at least one.
        joint: `-`, `.` for any of the dot joints, or empty for a lone run.
    """

    runs: list[re.Match[str]]
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


def chains(text: str) -> Iterator[Chain]:
    """The runs of `text` in order, grouped where a single joint character links neighbours."""
    chain = Chain([], "")
    for run in RUN.finditer(text):
        joint = _joint_between(text, chain.runs[-1], run) if chain.runs else ""
        if joint and chain.joint in ("", joint):
            chain.runs.append(run)
            chain = Chain(chain.runs, joint)
            continue
        if chain.runs:
            yield chain
        chain = Chain([run], "")
    if chain.runs:
        yield chain


def is_joined(chain: Chain) -> bool:
    """Whether the chain's pieces also make one word.

    Hyphens join parts of three or more letters. Dots join all but what follows a number: `m.55` is `m55`,
    while `5.mm` stays `5` and `mm`.
    """
    if chain.joint == HYPHEN:
        return all(len(run.group()) >= SHORTEST_PIECE for run in chain.runs)
    return bool(chain.joint) and not any(run.group()[0].isdigit() for run in chain.runs[:-1])


def tokens(text: str, *, camel_case: bool = False) -> list[Token]:
    """Every word to index of one attribute value.

    Args:
        text: the value as stored.
        camel_case: also split each run at its humps, the glued whole staying a word.

    Returns:
        in order of position; several words may share one.

    Source: Algolia's guides on tokenization, normalization, splitting and concatenation.
    """
    found: list[Token] = []
    position = 0
    for chain in chains(text):
        first = position
        joined = is_joined(chain)
        for run in chain.runs:
            pieces = _pieces(run, position, camel_case=camel_case)
            if not (joined and chain.joint != HYPHEN and len(run.group()) < SHORTEST_PIECE):
                found += pieces
            position = pieces[-1].position + 1
        if joined:
            glued = "".join(fold(run.group()) for run in chain.runs)
            found.append(Token(glued, first, chain.runs[0].start(), chain.runs[-1].end(), whole=False))
    return _with_whole(found)


def _joint_between(text: str, left: re.Match[str], right: re.Match[str]) -> str:
    if right.start() - left.end() != 1:
        return ""
    character = text[left.end()]
    return "." if character in DOT_JOINTS else HYPHEN if character == HYPHEN else ""


def _pieces(run: re.Match[str], position: int, *, camel_case: bool) -> list[Token]:
    """The run itself and, where asked, its camel-case parts; the part with the last position comes last."""
    text = run.group()
    whole = Token(fold(text), position, run.start(), run.end(), whole=False)
    parts = camel_parts(text) if camel_case else [text]
    if len(parts) == 1:
        return [whole]
    found, start = [whole], run.start()
    for offset, part in enumerate(parts):
        found.append(Token(fold(part), position + offset, start, start + len(part), whole=False))
        start += len(part)
    return found


def _with_whole(found: list[Token]) -> list[Token]:
    if not found:
        return found
    start, end = min(token.start for token in found), max(token.end for token in found)
    return [
        token._replace(whole=True) if (token.start, token.end) == (start, end) else token for token in found
    ]
