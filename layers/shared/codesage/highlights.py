"""A text and the engine's marked copy of it -> HTML in which nothing but the marks is markup.

The engine puts `<mark>` and `</mark>` into the text and escapes nothing, so a text that holds such words of
its own looks marked where it is not. Only the text itself tells them apart: both are walked side by side.
"""

import html
from collections.abc import Iterator

START, END = "<mark>", "</mark>"


def highlighted(original: str, marked: str, limit: int | None = None) -> str:
    """The first `limit` code points of `original`, escaped, marked where `marked` is.

    Where `marked` is another text than `original` with marks, nothing is marked.
    """
    spans = _spans(original, marked)
    end = len(original) if limit is None else min(limit, len(original))
    pieces, shown = [], 0
    for start, stop in spans or ():
        if start >= end:
            break
        stop = min(stop, end)
        pieces += [html.escape(original[shown:start]), START, html.escape(original[start:stop]), END]
        shown = stop
    return "".join([*pieces, html.escape(original[shown:end])])


def _spans(original: str, marked: str) -> list[tuple[int, int]] | None:
    """Where the marks stand in `original`, end exclusive; None where the texts do not agree."""
    spans: list[tuple[int, int]] = []
    place, opened = 0, -1
    for piece, tag in _pieces(original, marked):
        place += len(piece)
        if tag == START:
            opened = place
        elif tag == END:
            spans.append((opened, place))
            opened = -1
    return spans if opened < 0 and place == len(original) else None


def _pieces(original: str, marked: str) -> Iterator[tuple[str, str]]:
    """Pieces of the original, each with the tag that follows it, for as long as the texts agree.

    A start stands before a letter or digit, so `<mark>` where the original has the same is the original's. An
    end closes what is open, and an original's own `</mark>` within a marked word would not be one word.
    """
    place = at = 0
    is_open = False
    while at < len(marked):
        tag = END if is_open else START
        found = marked.find(tag, at)
        while found >= 0 and not is_open and original.startswith(START, place + found - at):
            found = marked.find(tag, found + len(START))
        piece = marked[at:] if found < 0 else marked[at:found]
        if original[place : place + len(piece)] != piece:
            return
        place += len(piece)
        yield piece, "" if found < 0 else tag
        if found < 0:
            return
        at = found + len(tag)
        is_open = not is_open
