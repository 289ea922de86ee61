"""A source with merge conflicts in it -> what a parser sees: our side of each, at the same offsets."""

import re

_MARK = re.compile(rb"^(?:<{7}|\|{7}|={7}|>{7})(?: [^\n]*)?$", re.MULTILINE)
_BLANK = bytes(byte if byte == ord("\n") else ord(" ") for byte in range(256))


def ours(data: bytes) -> bytes:
    """Return `data` with spaces for the marks of conflicts, their bases and the other sides.

    Two versions one after the other are no program; one of them is. A conflict is complete or none: what
    begins and never ends may be text.
    """
    if b"<<<<<<<" not in data:
        return data
    pieces: list[bytes] = []
    done, begin, middle = 0, None, None
    for mark in _MARK.finditer(data):
        kind = mark[0][:1]
        if kind == b"<":
            begin, middle = mark, None
        elif begin is None:
            continue
        elif kind != b">":
            middle = middle or mark  # in front of the base, where that is told, else of the other side
        elif middle is not None:
            pieces += [data[done : begin.start()], begin[0].translate(_BLANK)]
            pieces += [
                data[begin.end() : middle.start()],
                data[middle.start() : mark.end()].translate(_BLANK),
            ]
            done, begin = mark.end(), None
    return b"".join([*pieces, data[done:]])
