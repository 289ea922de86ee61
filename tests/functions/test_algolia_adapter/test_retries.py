"""When a call that failed is made again, and at which host."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from algoliasearch.http.hosts import Host

from codesage.clients.algolia import Index, SearchIndex
from codesage.clients.algolia_connection import Timing
from codesage.errors import Unavailable
from tests.functions.test_algolia_adapter.scripted import (
    NO_HITS,
    PASSING,
    QUERY,
    READ_TRIES,
    WHOLE,
    WRITE_TRIES,
    Algolia,
    Serve,
    Simulated,
    UseHosts,
    limited,
    record,
)
from tests.loopback import Loopback, Reply, Request, Silence, http


def test_a_rate_limit_is_waited_for_as_long_as_it_says_and_a_little_longer(
    algolia: Algolia, server: Loopback, clock: Simulated
) -> None:
    algolia.fails("/batch", limited("3"), limited("2"))

    saved = Index("default", clock.timing).save([record(1)])

    assert saved.tasks == [1]
    first, second = clock.sleeps
    assert 3 <= first <= 3 * 1.25
    assert 2 <= second <= 2 * 1.25


@pytest.mark.parametrize(("told", "passed_on"), [("60", 60), ("86400", 900), ("9" * 5_000, None)])
def test_a_rate_limit_that_lasts_too_long_is_left_to_the_queue(
    told: str, passed_on: int | None, algolia: Algolia, server: Loopback, clock: Simulated
) -> None:
    algolia.fails("/batch", *[limited(told)] * WRITE_TRIES)

    with pytest.raises(Unavailable) as save:
        Index("default", clock.timing).save([record(1)])

    assert save.value.retry_after == passed_on
    assert len(server.requests) == (1 if passed_on else WRITE_TRIES)


def test_who_searches_is_told_to_come_back_instead_of_waiting(
    algolia: Algolia, server: Loopback, clock: Simulated
) -> None:
    algolia.fails("/query", limited("2"))

    with pytest.raises(Unavailable) as search:
        SearchIndex("default", clock.timing).search(QUERY)

    assert search.value.retry_after == 2
    assert clock.sleeps == []


@pytest.mark.parametrize("told", ["", "0", "-1", "soon", "Wed, 21 Oct 2026 07:28:00 GMT", "1.5"])
def test_pauses_double_with_jitter_where_nothing_else_is_told(
    told: str, algolia: Algolia, server: Loopback, clock: Simulated
) -> None:
    algolia.fails("/batch", *[limited(told)] * (WRITE_TRIES - 1))

    Index("default", clock.timing).save([record(1)])

    assert len(clock.sleeps) == WRITE_TRIES - 1
    assert all(0.1 * 2**tries <= pause <= 0.2 * 2**tries for tries, pause in enumerate(clock.sleeps)), (
        clock.sleeps
    )


def test_two_that_fail_at_once_do_not_come_back_at_once(
    algolia: Algolia, server: Loopback, clock: Simulated
) -> None:
    algolia.fails("/query", *[http(b"", 503), WHOLE] * 5)

    for _ in range(5):
        SearchIndex("default", clock.timing).search(QUERY)

    assert len(set(clock.sleeps)) > 1


@pytest.mark.parametrize(
    ("seconds", "make", "call"),
    [
        (1.1, SearchIndex, lambda index: index.search(QUERY)),
        (15.1, Index, lambda index: index.save([record(1)])),
    ],
    ids=["search", "save"],
)
def test_what_failed_late_is_not_tried_again(
    seconds: float,
    make: Callable[[str, Timing], Any],
    call: Callable[[Any], object],
    server: Loopback,
    algolia: Algolia,
    clock: Simulated,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail_late(request: Request) -> Reply:
        clock.now += seconds
        return http(b"", 503)

    monkeypatch.setattr(server, "_answer", fail_late)

    with pytest.raises(Unavailable):
        call(make("default", clock.timing))

    assert len(server.requests) == 1


def test_a_host_has_a_second_to_connect_two_to_answer_and_fifteen_to_take_a_batch() -> None:
    config = Index("default")._connection._transporter().config

    assert (config.connect_timeout, config.read_timeout, config.write_timeout) == (1_000, 2_000, 15_000)


# ---- several hosts -------------------------------------------------------------------------------------

BROKEN: dict[str, Reply] = {
    name: PASSING[name] for name in ("reset", "no answer", "cut in its body", "no http", "500", "503")
}


def known_hosts(index: SearchIndex) -> list[Host]:
    """As this thread's client keeps them."""
    hosts = index._connection._transporter().config.hosts
    assert hosts is not None
    return hosts.read()


@pytest.mark.parametrize("fault", BROKEN.values(), ids=BROKEN)
def test_the_next_host_is_taken_within_the_same_try(
    fault: Reply, serve: Serve, use_hosts: UseHosts, clock: Simulated
) -> None:
    broken, fine = Algolia(), Algolia()
    broken.fails("/", *[fault] * 2)
    hosts = [serve(broken), serve(fine)]
    use_hosts([host.port for host in hosts], [host.port for host in hosts])

    found = SearchIndex("default", clock.timing_for(fault)).search(QUERY)
    saved = Index("default", clock.timing_for(fault)).save([record(1)])

    assert (found, len(saved.tasks), clock.sleeps) == (NO_HITS, 1, [])
    assert [len(host.requests) for host in hosts] == [2, 2]


def test_a_host_that_refuses_connections_is_passed_over_for_reading_and_for_writing(
    closed: int, serve: Serve, use_hosts: UseHosts, clock: Simulated
) -> None:
    reader, writer = serve(Algolia()), serve(Algolia())
    use_hosts([closed, reader.port], [closed, writer.port])

    found = SearchIndex("default", clock.timing).search(QUERY)
    saved = Index("default", clock.timing).save([record(1)])

    assert (found, len(saved.tasks), clock.sleeps) == (NO_HITS, 1, [])
    assert (len(reader.requests), len(writer.requests)) == (1, 1)


@pytest.mark.parametrize("fault", BROKEN.values(), ids=BROKEN)
def test_a_host_that_failed_rests_for_seconds_and_not_for_five_minutes(
    fault: Reply, serve: Serve, use_hosts: UseHosts, clock: Simulated
) -> None:
    first, second = Algolia(), Algolia()
    first.fails("/query", fault)
    hosts = [serve(first), serve(second)]
    use_hosts([host.port for host in hosts], [])

    def search(rest: float) -> list[int]:
        SearchIndex("default", replace(clock.timing_for(fault), rest=rest)).search(QUERY)
        return [len(host.requests) for host in hosts]

    assert search(rest=60) == [1, 1]
    assert search(rest=60) == [1, 2]
    for host in known_hosts(SearchIndex("default", replace(clock.timing_for(fault), rest=60))):
        host.last_use -= 61
    assert search(rest=60) == [2, 2]


def test_resting_hosts_are_asked_when_no_other_is_left(
    serve: Serve, use_hosts: UseHosts, clock: Simulated
) -> None:
    first, second = Algolia(), Algolia()
    hosts = [serve(first), serve(second)]
    use_hosts([host.port for host in hosts], [])
    index = SearchIndex("default", replace(clock.timing, rest=3_600))
    first.fails("/query", http(b"", 503))
    index.search(QUERY)
    second.fails("/query", http(b"", 503))

    found = index.search(QUERY)

    assert found == NO_HITS
    assert [len(host.requests) for host in hosts] == [2, 2]


def test_a_host_that_was_slow_many_times_is_not_given_more_time(
    algolia: Algolia, server: Loopback, clock: Simulated
) -> None:
    """The client multiplies its time to connect by the number of timeouts that it has seen."""
    index = SearchIndex("default", clock.timing_for(Silence.WAIT))
    algolia.fails("/query", *[Silence.WAIT] * READ_TRIES * 2)

    for _ in range(2):
        with pytest.raises(Unavailable):
            index.search(QUERY)

    [host] = known_hosts(index)
    assert host.retry_count <= 1
