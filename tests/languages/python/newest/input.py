type Alias = int | None; type Deep[*Ts] = tuple[*Ts]
type Long[
    Key,
    Value: int,
] = dict[
    Key, Value
]


class Box[T: (int, str), *Ts, **P](Base[T], metaclass=Meta):
    """Holds things."""
    type Item = T

    def open[U](self, key: U, *more: *Ts) -> dict[
        U, T
    ]:
        type Local = U
        return f"{self.names["a:b"]!r:>{len("x")}} {'\n'.join(key)}"

    async def close[U: int = 3](self): ...


def default[T = int, **P = [str]](of: T = ...) -> T:
    """Has a default type."""
