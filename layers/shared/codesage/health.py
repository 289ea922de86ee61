"""The dependencies -> one status: what works, what does not, and where to look.

SQS does not say how old its oldest message is. CloudWatch does, minutes late, for a price, and by one more
permission and client. What a person must know is whether runs still get on, and the table says that: a run
notes when a message of it was last received. So the age here is the longest silence of a run in flight.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from http import HTTPStatus
from itertools import islice
from typing import Literal

from pydantic import BaseModel

from codesage.clients import table
from codesage.clients.algolia import SearchIndex
from codesage.clients.aws import aws_failures, s3
from codesage.clients.sqs import Backlog, backlog
from codesage.clients.store import Store, run_entries
from codesage.errors import Misconfigured, NotFound, Unavailable
from codesage.runs import WAITING_PATIENCE
from codesage.settings import settings

LOG = logging.getLogger(__name__)

KEPT_SECONDS = 30
PROBE_SECONDS = 5.0
MAX_RUNS = 50  # whose silence is looked at; of more in flight, the first ones on the list
WATCH_SECONDS = 600  # two intervals of the watch, which ends runs that stand still
OK = "ok"


class HealthReply(BaseModel):
    """`degraded`: something fails, and questions are answered as far as they can be. `down`: none can be.

    `parts`: `ok`, or what is wrong and what to do about it. `queues`: messages by stage; empty where they
    cannot be read. `silent_seconds`: how long nothing has been heard of a run in flight, of all the longest;
    null where none is in flight.
    """

    status: Literal["ok", "degraded", "down"]
    parts: dict[str, str]
    queues: dict[str, Backlog] = {}
    silent_seconds: int | None = None


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a probe saw. `facts` are fields of the reply."""

    state: str = OK
    facts: Mapping[str, object] = field(default_factory=dict)


_lock = threading.Lock()
_kept: list[tuple[float, HealthReply]] = []
_running: dict[str, threading.Thread] = {}


def health() -> tuple[HTTPStatus, Mapping[str, object], Mapping[str, str]]:
    """Status, body and headers of the answer. It is looked anew at most every KEPT_SECONDS."""
    with _lock:  # who asks meanwhile gets the same answer
        if not _kept or time.monotonic() > _kept[0][0]:
            reply = _reply(_look())
            _kept[:] = [(time.monotonic() + KEPT_SECONDS, reply)]
        reply = _kept[0][1]
    headers = {"Cache-Control": "no-store"}
    if reply.status == "down":
        status, headers["Retry-After"] = HTTPStatus.SERVICE_UNAVAILABLE, str(KEPT_SECONDS)
    else:
        status = HTTPStatus.OK
    return status, reply.model_dump(mode="json"), headers


def _reply(seen: Mapping[str, _Seen]) -> HealthReply:
    """Keys, repositories and commits are in the table, so nothing can be answered without it."""
    parts = {name: part.state for name, part in seen.items()}
    facts = {name: fact for part in seen.values() for name, fact in part.facts.items()}
    status = OK if set(parts.values()) == {OK} else "degraded" if parts["dynamodb"] == OK else "down"
    return HealthReply.model_validate({"status": status, "parts": parts, **facts})


def _look() -> dict[str, _Seen]:
    """Probe everything at once. One that hangs is left to itself, and none is added while it does."""
    seen: dict[str, _Seen] = {}
    for name, probe in PROBES.items():
        if name not in _running or not _running[name].is_alive():
            _running[name] = threading.Thread(target=_probe, args=(name, probe, seen), daemon=True)
            _running[name].start()
    until = time.monotonic() + PROBE_SECONDS
    for thread in _running.values():
        thread.join(max(0.0, until - time.monotonic()))
    late = f"no answer within {PROBE_SECONDS:g} s"
    return {name: seen.get(name) or _Seen(f"{late}: {REMEDIES[name]}") for name in PROBES}


def _probe(name: str, probe: Callable[[], _Seen], seen: dict[str, _Seen]) -> None:
    try:
        seen[name] = probe()
    except Misconfigured as error:
        seen[name] = _Seen(str(error))
    except Exception:
        LOG.exception("health: %s", name)
        seen[name] = _Seen(REMEDIES[name])


def _algolia() -> _Seen:
    SearchIndex("default").probe()
    return _Seen()


def _dynamodb() -> _Seen:
    table.get("COUNTER", "repository_id")
    return _Seen()


def _s3() -> _Seen:
    with aws_failures("The object store"):
        s3().head_bucket(Bucket=settings().bucket_name)
    return _Seen()


def _queues() -> _Seen:
    queues = {
        "snapshot": backlog(settings().snapshot_queue_url),
        "parse": backlog(settings().parse_queue_url),
    }
    silence = _silence()
    problems = [
        f"messages of the {name} queue that were given up: {queue.dead}; see the log of its function, then"
        " empty its dead-letter queue"
        for name, queue in queues.items()
        if queue.dead
    ]
    if silence is not None and silence > settings().patience_seconds * WAITING_PATIENCE + WATCH_SECONDS:
        problems.append(
            f"nothing was heard of a run for {silence // 60} minutes, and the watch did not end it; see the"
            " log of CleanupFunction"
        )
    counts = {name: asdict(queue) for name, queue in queues.items()}
    return _Seen("; ".join(problems) or OK, {"queues": counts, "silent_seconds": silence})


def _silence() -> int | None:
    """Seconds since the most silent run in flight was heard of; None where nothing is in flight or known."""
    heard: list[int] = []
    with suppress(Unavailable):  # the table's own probe says so
        in_flight = (entry for entry in run_entries() if entry.due is None)
        for entry in islice(in_flight, MAX_RUNS):
            with suppress(NotFound):  # it ended since the list was read
                heard.append(Store(entry.org).run(entry.repository_id, entry.run).heard_at)
    return max(0, int(time.time()) - min(heard)) if heard else None


PROBES: Mapping[str, Callable[[], _Seen]] = {
    "algolia": _algolia,
    "dynamodb": _dynamodb,
    "s3": _s3,
    "queues": _queues,
}
REMEDIES: Mapping[str, str] = {
    "algolia": "the search index does not answer; see that the application is up and the search key valid",
    "dynamodb": "the table cannot be read; see the log of SearchFunction",
    "s3": "the bucket cannot be reached; see the log of SearchFunction",
    "queues": "the queues cannot be read; see the log of SearchFunction",
}
