type Pair[T] = tuple[T, T]


def first[T: (int, str)](pair: Pair[T]) -> T:
    """Return the left one."""
    return pair[0]


class Box[T](Base):
    """Holds one thing."""

    def label(self) -> str:
        return f"{self.names["short"]}"

    def open(self):
        try:
            return self.thing
        except* KeyError:
            return None
