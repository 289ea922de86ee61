"""A JSON source -> its values with the places where they stand.

Only what a reader of documents asks for: objects, arrays and strings. Damage costs what it hides, never the
whole file; nothing here recurses.
"""

import json
import re
from dataclasses import dataclass, field

from codesage.parsing.source import Source

# A string without an end takes the rest: to try again at each of its quotes would be quadratic.
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[{}\[\]]', re.DOTALL)
_COLON = re.compile(rb"\s*:")


@dataclass(slots=True)
class Value:
    """An object, an array or a string; a number, `true`, `false` or `null` is a value that has nothing.

    Attributes:
        start: offset of its first byte, or of its key's.
        end: offset behind its last byte.
        is_object: tells `{}` from the rest.
        members: of an object, in the order of the file.
        items: of an array, without numbers, `true`, `false` and `null`.
        text: of a string.
    """

    start: int
    end: int
    is_object: bool = False
    members: "dict[str, Value]" = field(default_factory=dict)
    items: "list[Value]" = field(default_factory=list)
    text: str = ""


def json_value(source: Source) -> Value:
    """Return the first value of `source`; where there is none, a value that has nothing. Never fails."""
    root = Value(0, len(source.data))
    open_values = [root]
    key: tuple[str, int] | None = None
    for token in _TOKEN.finditer(source.data):
        mark, around = token[0], open_values[-1]
        if mark in b"}]":
            if around is not root:
                open_values.pop().end = token.end()
            key = None
        elif around.is_object and mark[0] == ord('"') and _COLON.match(source.data, token.end()):
            key = _text(mark), token.start()
            around.members.setdefault(key[0], Value(token.start(), token.end()))
        else:
            value = Value(key[1] if key else token.start(), token.end(), is_object=mark == b"{")
            if key:
                around.members[key[0]] = value
            elif not around.is_object:
                around.items.append(value)
            key = None
            if mark in b"{[":
                open_values.append(value)
            else:
                value.text = _text(mark)
    for unclosed in open_values:
        unclosed.end = len(source.data)
    return root.items[0] if root.items else root


def _text(mark: bytes) -> str:
    try:
        text = str(json.loads(mark.decode(), strict=False))
    except ValueError:
        text = mark.decode().strip('"')
    return text.encode(errors="replace").decode()  # an escape may stand for half a character
