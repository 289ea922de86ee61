"""A file's bytes in any encoding -> UTF-8 with `\\n` line ends, and the offsets of its lines.

Every parser works on this one form, so that all of them count lines as git hosts do.
"""

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

from codesage.texts import decoded

BODY_LINES = 60
BODY_CHARACTERS = 2_000
_UTF8_BYTES_PER_CHARACTER = 4


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

    def line(self, line: int) -> str:
        return self.text(self.line_starts[line - 1], self.line_end(line))

    def text_start(self, line: int) -> int:
        """Return the offset of the line's first character that is no indent; its end where there is none."""
        start, end = self.line_starts[line - 1], self.line_end(line)
        while start < end and self.data[start] in b" \t":
            start += 1
        return start

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
    """The text of `raw`, however it is encoded. Never fails.

    Args:
        raw: the file as it is in the tree.
        cookies: honour a PEP 263 `coding:` comment.
    """
    text = decoded(raw, cookies=cookies)
    # A NUL ends the text for some grammars, and the file for ast.
    data = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", " ").encode()
    lengths = (len(line) + 1 for line in data.split(b"\n")[:-1])
    return Source(data, tuple(accumulate(lengths, initial=0)))
