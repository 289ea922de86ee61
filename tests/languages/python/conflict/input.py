"""Merged in a hurry."""
<<<<<<< HEAD
import os
=======
import sys
>>>>>>> topic

def before(a: int) -> int:
    """Still found."""
    return a


class Ledger:
    def total(self) -> int:
        rate = 1
<<<<<<< HEAD
        return rate
=======
        return 2 * rate
>>>>>>> topic

<<<<<<< HEAD
    def close(self) -> None:
        """Close it."""
||||||| base
    def close(self):
=======
    def close(self, now: bool) -> None:
        """Close it now."""
>>>>>>> topic
        self.closed = True

    def note(self): ...


LIMITS = {
<<<<<<< HEAD
    "a": 1,
=======
    "a": 2,
>>>>>>> topic
}


@cached
def after() -> str:
    """
    Mark what is open like this:

<<<<<<< ours

    and so on.
    """
    return "x"
