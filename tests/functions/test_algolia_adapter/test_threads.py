"""Threads that search and write at once do not disturb each other."""

import os
import time
from concurrent.futures import ThreadPoolExecutor

from codesage.clients.algolia import Index, SearchIndex
from codesage.clients.algolia_connection import Timing
from tests.functions.test_algolia_adapter.scripted import NO_HITS, Algolia, Serve, UseHosts, ids, records
from tests.loopback import Reply, Request, http

SECONDS = float(os.environ.get("CODESAGE_HAMMER_SECONDS", "3"))
LONG = "x" * 1_000  # makes a body that is packed, which lets other threads in between
TIMING = Timing(connect=5, read=1.0, write=10)


class Echo(Algolia):
    def answer(self, request: Request) -> Reply:
        return http({**NO_HITS, "query": request.json["query"]})


class Slow(Algolia):
    """Takes longer for a batch than a search may take."""

    def answer(self, request: Request) -> Reply:
        time.sleep(TIMING.read + 0.2)
        return super().answer(request)


def search(name: str, until: float) -> int:
    """Returns how often."""
    index, count = SearchIndex("default", TIMING), 0
    while time.monotonic() < until:
        count += 1
        query = f"{name} {count} {LONG}"
        assert index.search({"query": query})["query"] == query
    return count


def write(first: int, until: float) -> set[str]:
    """Returns the objectIDs."""
    index, written = Index("default", TIMING), set[str]()
    while time.monotonic() < until:
        some = records(50, first=first + len(written))
        written |= ids(some)
        index.save(some)
    return written


def test_hosts_timeouts_and_answers_are_kept_apart(serve: Serve, use_hosts: UseHosts) -> None:
    """One client object for all of them would send batches to the host for reading, or not wait for them."""
    reading, writing = Echo(), Slow()
    reader, writer = serve(reading), serve(writing)
    use_hosts([reader.port], [writer.port])
    until = time.monotonic() + SECONDS

    with ThreadPoolExecutor(4) as threads:
        searches = [threads.submit(search, name, until) for name in ("one", "other")]
        writes = [threads.submit(write, first, until) for first in (1, 1_000_000)]

    searched, written = [each.result() for each in searches], [each.result() for each in writes]
    assert {request.path.rpartition("/")[2] for request in reader.requests} == {"query"}
    assert {request.path.rpartition("/")[2] for request in writer.requests} == {"batch"}
    assert len(reader.requests) == sum(searched)
    assert writing.saved == dict.fromkeys(set().union(*written), 1)
