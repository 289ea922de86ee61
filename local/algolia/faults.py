"""Faults asked for by a test -> requests that fail in the ways a real service fails."""

import threading
from collections import deque
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Fault:
    """How the next requests to some paths go wrong.

    Attributes:
        path: met by a request whose path contains it; empty meets every request.
        times: how many requests it still meets.
        status: the HTTP status to answer with; None closes the connection without an answer.
        retry_after: whole seconds for the `Retry-After` header, or None for no header.
        applied: the request is carried out first, and only its answer is replaced or lost.
    """

    path: str = ""
    times: int = 1
    status: int | None = None
    retry_after: int | None = None
    applied: bool = False


class Faults:
    """The faults that wait for requests, first come first served; for use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[Fault] = deque()

    def add(self, fault: Fault) -> None:
        with self._lock:
            self._waiting.append(fault)

    def clear(self) -> None:
        with self._lock:
            self._waiting.clear()

    def take(self, path: str) -> Fault | None:
        """The fault that this request meets, one time less now; None when it meets none."""
        with self._lock:
            for place, fault in enumerate(self._waiting):
                if fault.path in path:
                    if fault.times > 1:
                        self._waiting[place] = replace(fault, times=fault.times - 1)
                    else:
                        del self._waiting[place]
                    return fault
        return None
