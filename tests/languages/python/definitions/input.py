"""Orders, and what becomes of them."""

from __future__ import annotations

import os.path as osp, json
from collections.abc import (
    Iterable,
    Iterator,
)
from . import ledger
from ..shop.store import Store as _Store

if osp.sep == "/":
    def separator() -> str: return "/"
else:
    def separator() -> str: return "\\"


@register("order", version=2)
# the oldest class here
class Order(Base[int], metaclass=Meta, frozen=True):
    """

    One order of one customer.

    More about it.
    """

    @property
    def total(self) -> float:
        return sum(line.price for line in self.lines)

    async def ship(
        self,
        to: Address,  # don't forget the country: it decides the carrier
        *carriers: str,
        express: bool = (False),
        label: str = "a,  b",
        **options: object,
    ) -> dict[
        str, int
    ]:
        "Hand the order to a carrier."
        def attempt(carrier, /, times=3, *, wait):
            class Failure(Exception):
                def reason(self): ...
            return Failure
        return attempt

    class Line:
        def __init__(self, price: float = 1.0): self.price = price


def lines(*, of: Order) -> Iterator[Order.Line]: # all of them
    # not a docstring
    try:
        import fastlines
    except ImportError:
        def fallback(): pass
    match of:
        case Order():
            lazy = lambda order: order
    yield from of.lines
