"""Whose index it is, and how it is set: looked at once in a process."""

import threading
from collections import Counter

import pytest

from codesage.clients.algolia import INDEX_SETTINGS, MARKER_ID, Index
from codesage.errors import Rejected, Unavailable
from tests.functions.test_algolia_adapter.scripted import DATABASE, WRITE_TRIES, Algolia, Simulated
from tests.loopback import Loopback, http


def asked(server: Loopback) -> Counter[str]:
    """What was asked of the index, by method and last part of the path."""
    return Counter(f"{request.method} {request.path.rpartition('/')[2]}" for request in server.requests)


def test_an_index_is_claimed_and_set_once_in_a_process(
    algolia: Algolia, server: Loopback, clock: Simulated
) -> None:
    for _ in range(3):
        Index("default", clock.timing).claim(DATABASE)

    assert algolia.marker == DATABASE
    assert algolia.settings == INDEX_SETTINGS
    assert asked(server) == {
        f"GET {MARKER_ID}": 2,  # before and after it is written
        "POST batch": 1,
        "GET 1": 1,
        "GET settings": 1,
        "PUT settings": 1,  # and its task is not waited for
    }


def test_many_that_claim_at_once_ask_once(algolia: Algolia, server: Loopback) -> None:
    algolia.marker, algolia.settings = DATABASE, INDEX_SETTINGS
    threads = [threading.Thread(target=lambda: Index("default").claim(DATABASE)) for _ in range(8)]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert asked(server) == {f"GET {MARKER_ID}": 1, "GET settings": 1}


@pytest.mark.parametrize("other", [{}, {"ranking": ["typo", "words"], "version": 2}])
def test_settings_that_are_as_they_should_be_are_not_written(
    other: dict[str, object], algolia: Algolia, server: Loopback
) -> None:
    algolia.marker, algolia.settings = DATABASE, {**INDEX_SETTINGS, **other}

    Index("default").claim(DATABASE)

    assert asked(server)["PUT settings"] == 0


@pytest.mark.parametrize("name", INDEX_SETTINGS)
@pytest.mark.parametrize("value", [None, "other", ["other"], 0])
def test_one_setting_that_differs_has_all_written(
    name: str, value: object, algolia: Algolia, server: Loopback
) -> None:
    algolia.marker, algolia.settings = DATABASE, {**INDEX_SETTINGS, name: value}

    Index("default").claim(DATABASE)

    assert asked(server)["PUT settings"] == 1
    assert algolia.settings == INDEX_SETTINGS


@pytest.mark.parametrize("live", [None, {}])
def test_an_index_without_settings_gets_them(
    live: dict[str, object] | None, algolia: Algolia, server: Loopback
) -> None:
    algolia.marker, algolia.settings = DATABASE, live

    Index("default").claim(DATABASE)

    assert algolia.settings == INDEX_SETTINGS


def test_another_databases_index_is_refused_and_left_as_it_is(algolia: Algolia, server: Loopback) -> None:
    algolia.marker = "database-two"

    for _ in range(2):
        with pytest.raises(Rejected, match="belongs to another database; set AlgoliaIndexName"):
            Index("default").claim(DATABASE)

    assert asked(server) == {f"GET {MARKER_ID}": 2}


def test_a_claim_that_failed_is_made_again(algolia: Algolia, server: Loopback, clock: Simulated) -> None:
    algolia.marker, algolia.settings = DATABASE, INDEX_SETTINGS
    algolia.fails("/settings", *[http(b"", 503)] * WRITE_TRIES)
    index = Index("default", clock.timing)
    with pytest.raises(Unavailable):
        index.claim(DATABASE)

    index.claim(DATABASE)

    assert asked(server)["GET settings"] == WRITE_TRIES + 1


def test_a_marker_that_is_not_published_in_time_does_not_stop_the_first_run(
    algolia: Algolia, server: Loopback, clock: Simulated
) -> None:
    began, algolia.status = clock.now, "notPublished"

    Index("default", clock.timing).claim(DATABASE)

    assert clock.now - began == pytest.approx(30)
