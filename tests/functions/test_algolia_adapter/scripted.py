"""Calls of the adapter -> what an Algolia says that does as it is told, over a clock that stands still.

Where answers must make sense, the whole service's tests use the embedded engine.
"""

import threading
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from codesage.clients.algolia import MARKER_ID
from codesage.clients.algolia_connection import Timing
from codesage.entities import Entity, EntityType
from codesage.records import Record, record_of, size_of
from tests.loopback import HOST, Cut, Loopback, Reply, Request, Silence, http

NAME = "codesage/code entities"  # must be percent-encoded in a path
PREFIX = "adapter-test"
ADMIN, SEARCH = "admin-key-of-nobody", "search-key-of-nobody"
DATABASE = "database-one"
QUERY = {"query": "größe", "attributesToRetrieve": ["objectID"]}
NO_HITS = {"hits": [], "nbHits": 0, "nbPages": 0, "page": 0}
READ_TRIES, WRITE_TRIES = 2, 4


@dataclass
class Simulated:
    """A clock that only sleeping moves on."""

    now: float = 1_000.0
    sleeps: list[float] = field(default_factory=list)

    def time(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.now += seconds

    @property
    def timing(self) -> Timing:
        return Timing(connect=10, read=10, write=10, now=self.time, sleep=self.sleep)

    def timing_for(self, *faults: object) -> Timing:
        """The same, but nobody has to wait long for an answer that does not come."""
        return replace(self.timing, read=0.5, write=0.5) if Silence.WAIT in faults else self.timing


@dataclass(frozen=True)
class Applied:
    """What is said after all was done."""

    reply: Reply


@dataclass
class Algolia:
    """Says what a healthy application would, unless it was told otherwise.

    Attributes:
        settings, marker: of the one index; None where it has none.
        status: of every task.
        limit: bytes that a record may have.
        refuses: objectID of a record that it does not take, for no reason of size.
        tasks: the last one's number.
        saved, deleted: how often each objectID was.
    """

    settings: Mapping[str, object] | None = None
    marker: str | None = None
    status: str = "published"
    limit: int = 10_000
    refuses: str | None = None
    tasks: int = 0
    saved: Counter[str] = field(default_factory=Counter)
    deleted: Counter[str] = field(default_factory=Counter)
    _faults: dict[str, deque[Reply | Applied | None]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def fails(self, part: str, *replies: Reply | Applied | None) -> None:
        """Say this to the next calls whose path has that part. Args: `replies`: None is a healthy one."""
        self._faults.setdefault(part, deque()).extend(replies)

    def answer(self, request: Request) -> Reply:
        with self._lock:
            fault = self._fault(request)
            if isinstance(fault, Applied):
                self._fine(request)
                return fault.reply
            return self._fine(request) if fault is None else fault

    def _fault(self, request: Request) -> Reply | Applied | None:
        for part, replies in self._faults.items():
            if part in request.path and replies:
                return replies.popleft()
        return None

    def _fine(self, request: Request) -> bytes:
        call = request.path.split("/")[4] if request.path.count("/") > 3 else "list"
        match request.method, call:
            case "POST", "query" | "browse":
                return http(NO_HITS)
            case "POST", "batch":
                return self._batch(request)
            case "GET", "settings":
                return missing() if self.settings is None else http(self.settings)
            case "PUT", "settings":
                self.settings = request.json
            case "GET", "task":
                return http({"status": self.status})
            case "GET", "list":
                return http({"items": []})
            case "GET", _:
                marker = {"objectID": MARKER_ID, "database": self.marker}
                return missing() if self.marker is None else http(marker)
        return self._task()

    def _batch(self, request: Request) -> bytes:
        actions = [(action["action"] == "addObject", action["body"]) for action in request.json["requests"]]
        for position, (is_addition, body) in enumerate(actions):
            if is_addition and (size := size_of(body)) > self.limit:
                return too_big(position, body["objectID"], size, self.limit)
            if is_addition and body["objectID"] == self.refuses:
                return http({"message": "Invalid record", "position": position, "status": 400}, 400)
        for is_addition, body in actions:
            (self.saved if is_addition else self.deleted)[body["objectID"]] += 1
            self.marker = body.get("database", self.marker)
        return self._task([body["objectID"] for _, body in actions])

    def _task(self, object_ids: Sequence[str] = ()) -> bytes:
        self.tasks += 1
        return http({"taskID": self.tasks, "objectIDs": object_ids, "updatedAt": "2026-01-01T00:00:00.000Z"})


def missing() -> bytes:
    return http({"message": f"Index {NAME} does not exist", "status": 404}, 404)


def too_big(position: int, object_id: str, size: int, limit: int) -> bytes:
    message = f"Record at the position {position} objectID={object_id} is too big size={size}/{limit} bytes."
    return http({"message": message, "position": position, "objectID": object_id, "status": 400}, 400)


def limited(retry_after: str) -> bytes:
    return http({"message": "Too many requests", "status": 429}, 429, headers={"Retry-After": retry_after})


WHOLE = http(NO_HITS)
PAGE = b"<html><title>Error</title>A message from a proxy in between</html>"
PASSING: dict[str, Reply] = {
    "reset": Silence.RESET,
    "no answer": Silence.WAIT,
    "closed without a word": Cut(b""),
    "cut in its head": Cut(WHOLE[:30]),
    "cut in its body": Cut(WHOLE[:-5]),
    "no http": Cut(b"SSH-2.0-OpenSSH_9.9\r\n"),
    "damaged gzip": http(b"not packed", headers={"content-encoding": "gzip"}),
    "408": http({"message": "slow", "status": 408}, 408),
    "429": http({"message": "Too many requests", "status": 429}, 429),
    "500": http({"message": "oops", "status": 500}, 500),
    "503": http(b"", 503),
    "503 page with the word message": http(PAGE, 503, "text/html"),
    "page with the word message": http(PAGE, 200, "text/html"),
    "empty": http(b""),
    "no json": http(b'{"hits": ['),
    "null": http(None),
    "list": http([NO_HITS]),
    "other object": http({"message": "all is well"}),
    "redirect": http(b"", 302, headers={"location": f"http://{HOST}:1/elsewhere"}),
}
FINAL: dict[str, Reply] = {
    "400": http({"message": "filters: Unexpected token", "status": 400}, 400),
    "401": http({"message": "no", "status": 401}, 401),
    "403": http({"message": "Invalid Application-ID or API key", "status": 403}, 403),
    "413": http(b"", 413),
    "403 page with the word message": http(PAGE, 403, "text/html"),
    "message in another place": http({"error": {"message": "no"}}, 400),
    "message in a list": http(["message"], 422),
    "message in a text": http("message", 400),
    "position that is none": http({"message": "Record is bad", "position": "first"}, 400),
    "position of no record": http({"message": "Record is bad", "position": 1_000}, 400),
}


Serve = Callable[[Algolia], Loopback]
"""Starts a server of its own."""

UseHosts = Callable[[Sequence[int], Sequence[int]], None]
"""Ports of the hosts for reading and of those for writing."""


def records(count: int, size: int = 0, first: int = 0) -> list[Record]:
    """Different ones, each of about `size` bytes at least."""
    return [record(number, size) for number in range(first, first + count)]


def record(number: int, size: int = 0, path: str = "src/größe.py") -> Record:
    entity = Entity(
        EntityType.FUNCTION,
        "function",
        f"f{number}",
        f"Python function: f{number}",
        number,
        number,
        "def f():",
    )
    made = record_of(entity, 7, path, "python")
    made["content"] += "x" * (size - size_of(made))
    return made


def ids(saved: Sequence[Record]) -> set[str]:
    return {record["objectID"] for record in saved}
