"""A definition's header as written -> its signature on one line."""

import re
from functools import cache

SIGNATURE_CHARACTERS = 500

HEADER_BYTES = 8_192
"""More of a definition than this is never needed for its signature."""

COMMENT = "\0"
"""What the callers of `one_line` put in a comment's place."""

_COMMENT_BETWEEN_NO_WORDS = re.compile(rf"(?<=[(\[{{]){COMMENT}[ \t]*|[ \t]*{COMMENT}(?=[\s,;)\]}}])")
_BREAK_AFTER_OPENING = re.compile(r"([(\[])\s+|([{<])[^\S\n]*\n\s*")
_BREAK_BEFORE_CLOSING = re.compile(r",?[^\S\n]*\n\s*([)\]}]|>(?!=))|\s+([)\]])")
_INDENT = re.compile(r"[^\S\n]{2,}")
_GAP = re.compile(r"\s+")


def one_line(header: str, quotes: str = "\"'`") -> str:
    """Join `header`: single spaces, and inside brackets nothing left of the line breaks.

    Braces that stand on one line, as in the pattern `{ color }`, keep their spaces, and so do all brackets
    of a header that was one line.

    Args:
        header: source text with COMMENT in place of each comment.
        quotes: characters that begin and end a string; a string on one line stays as written.

    Returns:
        At most 500 code points.
    """
    if COMMENT in header:
        header = _COMMENT_BETWEEN_NO_WORDS.sub("", header).replace(COMMENT, " ")
    if " ".join(header.split()) == header:  # as most are
        return header[:SIGNATURE_CHARACTERS]
    header = header.strip()
    broken = "\n" in header
    pieces = _strings(quotes).split(header)  # odd ones are the strings
    pieces[::2] = [_joined(piece, broken=broken) for piece in pieces[::2]]
    return "".join(pieces)[:SIGNATURE_CHARACTERS]


def _joined(code: str, *, broken: bool) -> str:
    if broken:
        code = _INDENT.sub(" ", code)  # or it is searched for breaks from each of its spaces
        code = _BREAK_AFTER_OPENING.sub(r"\1\2", code)
        code = _BREAK_BEFORE_CLOSING.sub(r"\1\2", code)
    return _GAP.sub(" ", code)


@cache
def _strings(quotes: str) -> re.Pattern[str]:
    return re.compile("(" + "|".join(rf"{q}(?:[^{q}\\\n]|\\.)*{q}" for q in quotes) + ")")
