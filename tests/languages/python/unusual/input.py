#!/usr/bin/env python3
"""Measures, and what they are good for."""
import a.b.c as abc, os; import sys
from . import sibling
from .. import (parent, cousin as other)
from ...far.away import *
from .near import (  # what is near
    first,  # the first
    second as _second,
)
try:
    import fast as backend
except ImportError: backend = None

if sys.version_info >= (3, 11):
    class Conditional:
        pass
elif backend:
    class Conditional(dict): "On older ones."
else:
    with guard() as guarded:
        for _ in range(1):
            while True:
                def deep(): return 1


@overload
def area(of: int) -> int: ...
@overload
def area(of: str, *, unit: str = "m") -> str: ...
def area(of, *, unit="m"):
    # A comment is no docstring.
    """
    Tell the area.

    At length.
    """


@decorate(
    "many",
    lines=[
        1,  # def not_this(): ...
    ],
)
@property  # the last one
# a comment between
async def later(
    self,
    first: "str" = "a, b: c",  # def: colons(
    /,
    second: dict[str, int] = {"a": 1},
    *args: *Ts,
    third: Callable[[int], str] = lambda n: f"{n:>3}",
    fourth=None,
    **options: Any,
) -> (
    AsyncIterator[int]
):
    r'''Wait, then yield: "soon".'''
    if (n := await second) and (m := lambda x: x):
        yield n
    inner = [value async for value in self]

    def nested(x, y=lambda: (yield)): pass
    class Local:
        def method(self): return nested
        def __call__(cls, _=...): ...
    match first:
        case {"kind": str() as kind, **rest} if kind:
            def matched(): ...
        case _:
            pass
    try:
        ...
    except* (ValueError, TypeError) as group:
        def handled(): ...
    else:
        def fine(): ...
    finally:
        def ended(): ...


class Outer(
    Base[int],
    *mixins,
    module.Named,
    metaclass=Meta,
    **keywords,
):
    class Inner(Generic[T]): x = 1; y = staticmethod(lambda: 2)

    @property
    def size(self) -> int: return 1
    @size.setter
    def size(self, value: int) -> None: ...
    @size.deleter
    def size(self): del self
    @staticmethod
    def make(): ...
    @classmethod
    async def load(cls, path: os.PathLike[str] | None = None, /) -> Self: ...
    def __class_getitem__(cls, item): ...
    run = lambda self: 1
    if True:
        def conditional(self): ...


square = lambda x: x * x
def one(): "On one line."; return 1
def raw(): b"no docstring"
def formatted(): f"{1}"
def glued(): "One " "string."
def empty_doc(): """"""
class Empty: ...
class Called(namedtuple("Called", "a b")): __slots__ = ()
def mixed(a, *, b): return {lambda: 1}
def defaults(a=1, *, b: int = 2): ...
