# „Bücherei“ – 図書: lend() in a comment is not used.
from __future__ import annotations

import shelves.oak as oak, lamps
from paper.books import (
    Atlas,
    Novel as Story,
)
from glue import *

LIMIT: Final = 30
rooms, halls = open_rooms(), 2


@cached
@oak.measured(inches, unit=cm)
class Library(Building, oak.Shelf[Story, paper.Page], metaclass=Registered):
    name: str | None
    floors, doors = 2, 4
    chairs: dict[str, list[Chair]] = {}

    def lend(self, book: oak.Book | Atlas, *to: Reader, fee=default_fee, **more: Any) -> Callable[[Day], Slip]:
        shelf: Board = self.find(book)
        try:
            self.desk.stamp(book, self.ink, when=today, by=clerks.next)
        except (Lost, oak.Broken) as trouble:
            raise Missing("lend(): é") from trouble
        except Closed:
            pass
        match book:
            case Atlas(pages=1) | paper.Map(north):
                sorted(shelf, key=lambda page: number_of(page))
        return super().lend(book)(slip)


if LIMIT > 3:
    guests = [greet(visitor) for visitor in queue]


async def close(lights: Optional[Lamp]) -> None:
    async with lamps.dimmed(lights) as dark:
        await sweep(dark)

    def lock(key: Key):
        turned = key
        turn(turned)


HANDLERS = {"open": on_open, "close": gates.on_close}
first, (second, *others) = HANDLERS


def load(session: Annotated[Session, Depends(get_session)], **facts) -> "Order | None":
    return isinstance(session, (Order, Session)) or build(**facts)
