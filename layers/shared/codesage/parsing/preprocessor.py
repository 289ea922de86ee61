"""Source with preprocessor lines and macros -> bytes of the same length that a grammar can read.

A grammar sees the file before the preprocessor has: an `#if` may hold half of a block, a macro may stand
where the language has nothing. What is in the way becomes spaces, so that every offset stays; the text
of what is found still comes from the source.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# What never closes is taken to the end: a file of open comments must not be searched once for each.
# Every alternative begins with a character, not a condition or a group: `re` then skips all others fast.
_TOKEN = re.compile(
    rb"""
    /(?P<comment>/[^\n]* | \*(?:.*?\*/|.*) )
    | \#[ \t]*(?P<directive>\w*)(?P<condition>(?:[^\\\n]+|\\.)*)
    | {(?P<opens>) | }(?P<closes>)
    | "(?:""(?:.*?\"""|.*) | (?:[^"\\\n]+|\\.)*"?)
    | @\$?"(?:[^"]+|"")*"?
    | R(?<!\wR)"(?P<mark>[^()\\\s]{0,16})\((?:.*?\)(?P=mark)"|.*)
    | '(?<![0-9a-fA-F]')(?:[^'\\\n]+|\\.)*'?
    """,
    re.DOTALL | re.VERBOSE,
)
_COMMENT = re.compile(rb"/\*.*?\*/", re.DOTALL)

_TEXT = re.compile(rb"[^\n]+")

# The last character of a branch that ends where a statement or a definition does; or it has no code at all.
_ENDS = b";}:"

# Each takes a bounded number of macros: a list of them would be searched once from every one.
_MACROS = (
    # class API Shape : …
    re.compile(
        rb"\b(?:class|struct|union|enum(?:[ \t]+(?:class|struct))?)\s+"
        rb"((?:[A-Z][A-Z0-9_]+(?:\([^()\n]*\))?\s+){1,4})"
        rb"(?!final\b)(?=\w+(?:::\w+)*(?:<[^<>{};]*>)?\s*(?:final\b|[:{]))"
    ),
    # void draw() LOCKS(mutex) {, but at the start of a line it is a definition's name: TEST(shape, draws) {
    re.compile(
        rb"\)(?:[ \t]|\n(?=[ \t])|const\b|final\b|noexcept\b|override\b)*"
        rb"((?:[A-Z][A-Z0-9_]+\([^()\n]*\)\s*){1,4})(?=\{)"
    ),
    # On a line of its own, END_NAMESPACE; without a `_` it may be the type of the next line, BOOL.
    re.compile(
        rb"\n(?<!\\\n)[ \t]*([A-Z][A-Z0-9]*_[A-Z0-9_]*)[ \t]*$(?=\s*"
        rb"(?:class|constexpr|enum|extern|inline|namespace|private|protected|public|static|struct|template"
        rb"|typedef|union|using)\b"
        rb"|\s*/[/*])",
        re.MULTILINE,
    ),
)


@dataclass(slots=True)
class _Branch:
    """What follows an `#if`, `#elif` or `#else`.

    Attributes:
        line: where that line starts and ends.
        depth: how many more blocks it opens than it closes.
        last: its last character outside of comments and directives; empty without any.
    """

    line: tuple[int, int]
    depth: int = 0
    last: bytes = b""

    @property
    def is_whole(self) -> bool:
        return self.depth == 0 and self.last in _ENDS

    def read(self, code: bytes, token: re.Match[bytes]) -> None:
        """Take in `code`, which is no token, and the token behind it."""
        self.last = code.rstrip()[-1:] or self.last
        if token["opens"] is not None:
            self.depth += 1
        elif token["closes"] is not None:
            self.depth -= 1
        if token["comment"] is None and token["directive"] is None:
            self.last = token[0][-1:]

    def go_on(self, inner: "_Branch") -> None:
        """Take in a branch of an inner `#if`."""
        self.depth += inner.depth
        self.last = inner.last or self.last


@dataclass(slots=True)
class _Conditional:
    """An open `#if`, or the file, which has one branch; `is_never` that of `#if 0`."""

    branches: list[_Branch]
    is_never: bool = False

    def kept(self) -> int | None:
        """Return which branch is code, by number; None where there is but the one of `#if 0`."""
        if not self.is_never:
            return 0
        return 1 if len(self.branches) > 1 else None

    def in_the_way(self, end: tuple[int, int]) -> Iterator[tuple[int, int]]:
        """Yield starts and ends of all but the kept branch; `end` is the line of the `#endif`."""
        lines = [*(branch.line for branch in self.branches), end]
        kept = self.kept()
        if kept is None:
            yield lines[0][0], end[1]
        else:
            yield lines[0][0], lines[kept][1]
            yield lines[kept + 1][0], end[1]


def without_split_blocks(data: bytes) -> bytes:
    """Leave one branch alone of every `#if` with a branch that begins or ends inside of a definition.

    That is the first, but of `#if 0` the second. A macro of several lines loses its comments: the C
    grammar ends it at one.
    """
    readable = bytearray(data)
    conditionals = [_Conditional([_Branch((0, 0))])]
    code = 0
    for token in _TOKEN.finditer(data):
        if len(conditionals) > 1:  # how deep the file itself is, nobody asks
            conditionals[-1].branches[-1].read(data[code : token.start()], token)
        code = token.end()
        if token["directive"] is not None:
            for start, end in _in_the_way(token, conditionals):
                _blank(readable, start, end)
    return bytes(readable)


def without_macros(data: bytes) -> bytes:
    """Leave out macros before a class's name, between a function's header and body, and on their own."""
    lines = b"\n" + data  # before each line is a line end, which `re` finds faster than a line's beginning
    readable = bytearray(lines)
    for pattern in _MACROS:
        for found in pattern.finditer(lines):
            _blank(readable, *found.span(1))
    return bytes(readable[1:])


def _in_the_way(token: re.Match[bytes], conditionals: list[_Conditional]) -> Iterator[tuple[int, int]]:
    """Open or close the conditional that `token` opens or closes; yield what it shows to be unreadable."""
    directive = token["directive"]
    if directive == b"define" and b"\n" in token[0]:
        yield from (comment.span() for comment in _COMMENT.finditer(token.string, *token.span()))
    elif directive in (b"if", b"ifdef", b"ifndef"):
        is_never = directive == b"if" and token["condition"].strip() == b"0"
        conditionals.append(_Conditional([_Branch(token.span())], is_never))
    elif len(conditionals) > 1 and directive in (b"elif", b"else"):
        conditionals[-1].branches.append(_Branch(token.span()))
    elif len(conditionals) > 1 and directive == b"endif":
        closed = conditionals.pop()
        outer, kept = conditionals[-1].branches[-1], closed.kept()
        if not all(branch.is_whole for branch in closed.branches):
            yield from closed.in_the_way(token.span())
        if kept is not None:
            outer.go_on(closed.branches[kept])


def _blank(readable: bytearray, start: int, end: int) -> None:
    readable[start:end] = _TEXT.sub(lambda text: b" " * len(text[0]), readable[start:end])
