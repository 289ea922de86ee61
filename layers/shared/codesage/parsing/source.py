"""A file's bytes in any encoding -> UTF-8 with `\\n` line ends, and the offsets of its lines.

Every parser works on this one form, so that all of them count lines as git hosts do.
"""

import codecs
import io
import tokenize
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

BODY_LINES = 60
BODY_CHARACTERS = 2_000
_UTF8_BYTES_PER_CHARACTER = 4

# UTF-32 first: its little-endian mark begins with that of UTF-16.
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True)
class Source:
    """The text of a file. Lines are 1-based; offsets are bytes into `data`.

    Attributes:
        data: valid UTF-8 without byte-order mark and NUL; `\\n` is the only line end.
        line_starts: offset of each line's first byte; the last line may be empty.
    """

    data: bytes
    line_starts: tuple[int, ...]

    def text(self, start: int, end: int) -> str:
        # An error node may end inside a character; such a byte is not worth a file.
        return self.data[start:end].decode(errors="replace")

    def offset(self, line: int, column: int) -> int:
        return self.line_starts[line - 1] + column

    def line_of(self, offset: int) -> int:
        return bisect_right(self.line_starts, offset)

    def line_end(self, line: int) -> int:
        """Return the offset of the line's end, before its `\\n`."""
        return self.line_starts[line] - 1 if line < len(self.line_starts) else len(self.data)

    def trimmed_end(self, start: int, end: int) -> int:
        """Return `end` moved back over white space: some grammars count the line end in."""
        while end > start and self.data[end - 1] in b" \t\n":
            end -= 1
        return end

    def body(self, start: int, last_line: int) -> str:
        """Return the text from `start` to the end of `last_line`, at most 60 lines and 2000 code points."""
        end = self.line_end(min(last_line, self.line_of(start) + BODY_LINES - 1))
        end = min(end, start + BODY_CHARACTERS * _UTF8_BYTES_PER_CHARACTER)
        return self.text(start, end)[:BODY_CHARACTERS]


def source_of(raw: bytes, *, cookies: bool = False) -> Source:
    """Decode `raw` by its byte-order mark, else its cookie, else as UTF-8, else as cp1252. Never fails.

    Args:
        raw: the file as it is in the tree.
        cookies: honour a PEP 263 `coding:` comment.
    """
    text = _decoded(raw, cookies=cookies).removeprefix("\ufeff")
    # A NUL ends the text for some grammars, and the file for ast.
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", " ")
    data = text.encode(errors="replace")
    lengths = (len(line) + 1 for line in data.split(b"\n")[:-1])
    return Source(data, tuple(accumulate(lengths, initial=0)))


def _decoded(raw: bytes, *, cookies: bool) -> str:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if raw.startswith(mark):
            return raw.removeprefix(mark).decode(encoding, errors="replace")
    for encoding in (_cookie(raw) if cookies else "utf-8", "utf-8", "cp1252"):
        try:
            return raw.decode(encoding)
        except (UnicodeError, LookupError):  # LookupError: a codec, but not one of text
            continue
    return raw.decode("latin-1")  # every byte has a meaning here; cp1252 leaves five without


def _cookie(raw: bytes) -> str:
    try:
        return tokenize.detect_encoding(io.BytesIO(raw).readline)[0]
    except SyntaxError:  # an unknown name, or one that the first lines contradict
        return "utf-8"
