"""A text and the engine's marked copy of it -> HTML in which nothing but the marks is markup.

The engine puts `<mark>` and `</mark>` into the text and escapes nothing, so a text that holds such words of
its own looks marked where it is not. Only the text itself tells them apart: both are walked side by side.
"""

import html

START, END = "<mark>", "</mark>"


def highlighted(original: str, marked: str, limit: int | None = None) -> str:
    """The first `limit` code points of `original`, escaped, marked where `marked` is.

    Where `marked` is anything but `original` with marks, nothing is marked.
    """
    end = len(original) if limit is None else min(limit, len(original))
    pieces, shown = [], 0
    for start, stop in _spans(original, marked):
        if start >= end:
            break
        stop = min(stop, end)
        pieces += [html.escape(original[shown:start]), START, html.escape(original[start:stop]), END]
        shown = stop
    return "".join([*pieces, html.escape(original[shown:end])])


def _spans(original: str, marked: str) -> list[tuple[int, int]]:
    """Where the marks stand in `original`, in order, end exclusive; none where the texts do not agree.

    An end closes what is open: an original's own `</mark>` within a marked word would not be one word.
    """
    spans: list[tuple[int, int]] = []
    pieces: list[str] = []  # of `marked`, without the tags
    at = place = 0  # in `marked`, and the same in `original`
    while (start := _next_start(original, marked, at, place - at)) >= 0:
        stop = marked.find(END, start)
        if stop < 0:
            return []
        word = marked[start + len(START) : stop]
        pieces += [marked[at:start], word]
        place += start - at
        spans.append((place, place + len(word)))
        at, place = stop + len(END), place + len(word)
    return spans if "".join([*pieces, marked[at:]]) == original else []


def _next_start(original: str, marked: str, at: int, shift: int) -> int:
    """Where the next mark starts in `marked`, -1 for nowhere. Args: `shift` leads from there to `original`.

    A start stands before a letter or digit, so `<mark>` where the original has the same is the original's.
    """
    found = marked.find(START, at)
    while found >= 0 and original.startswith(START, found + shift):
        found = marked.find(START, found + len(START))
    return found
