"""How long a task is waited for, by a clock that only waiting moves on."""

from collections.abc import Callable

import pytest

from codesage.clients.algolia import Index
from codesage.errors import Unavailable
from codesage.messages import ParseRequest
from codesage.update import Clock, PackReceipt
from tests.functions.test_algolia_adapter.scripted import Algolia, Simulated
from tests.loopback import Loopback, Silence, http


def test_pauses_between_two_looks_double_to_two_seconds(
    algolia: Algolia, server: Loopback, clock: Simulated
) -> None:
    algolia.status = "notPublished"

    assert not Index("default", clock.timing).wait([1], 10)

    assert clock.sleeps == pytest.approx([0.1, 0.2, 0.4, 0.8, 1.6, 2, 2, 2, 0.9])
    assert len(server.requests) == len(clock.sleeps) + 1


def test_a_task_that_is_published_in_between_ends_the_wait(
    algolia: Algolia, server: Loopback, clock: Simulated
) -> None:
    algolia.fails("/task/", *[http({"status": "notPublished"})] * 4)

    assert Index("default", clock.timing).wait([1], 300)

    assert clock.sleeps == pytest.approx([0.1, 0.2, 0.4, 0.8])


def test_the_last_of_several_tasks_is_waited_for_and_the_others_are_only_looked_at(
    algolia: Algolia, server: Loopback, clock: Simulated
) -> None:
    algolia.fails("/task/3", *[http({"status": "notPublished"})] * 2)

    assert Index("default", clock.timing).wait([1, 2, 3], 300)

    looks = [request.path.rpartition("/")[2] for request in server.requests]
    assert looks == ["3", "3", "3", "2", "1"]


def test_a_look_that_fails_is_repeated_and_no_reason_to_give_up(
    algolia: Algolia, server: Loopback, clock: Simulated
) -> None:
    algolia.fails("/task/", http(b"", 503), Silence.RESET)

    assert Index("default", clock.timing).wait([1], 300)


@pytest.fixture
def receipt() -> Callable[[float], PackReceipt]:
    """Of a parser that has so many seconds until it must stop waiting."""

    def receipt(hard: float) -> PackReceipt:
        request = ParseRequest(
            org="default",
            repository_id=7,
            run=1,
            pack="1.0000",
            content_hash="",
            phase="update",
            parser_version=1,
            attempt=1,
        )
        return PackReceipt(request, lambda *_: pytest.fail("nothing is parsed"), Clock(hard, hard))

    return receipt


@pytest.mark.parametrize(("left", "waited"), [(float("inf"), 300), (90, 90), (-1, 0)])
def test_a_save_that_is_never_published_is_warned_of_and_the_run_goes_on(
    left: float,
    waited: float,
    receipt: Callable[[float], PackReceipt],
    algolia: Algolia,
    server: Loopback,
    clock: Simulated,
    caplog: pytest.LogCaptureFixture,
) -> None:
    began, algolia.status = clock.now, "notPublished"

    receipt(began + left)._await_saves(Index("default", clock.timing), [1], listed=False)

    assert clock.now - began == pytest.approx(waited)
    assert "a save of run 1 was not published in time; the run goes on" in caplog.text


@pytest.mark.parametrize(("left", "waited"), [(float("inf"), 120), (90, 90), (-1, 0)])
def test_a_delete_that_is_never_published_fails_the_message(
    left: float,
    waited: float,
    receipt: Callable[[float], PackReceipt],
    algolia: Algolia,
    server: Loopback,
    clock: Simulated,
) -> None:
    began, algolia.status = clock.now, "notPublished"

    with pytest.raises(Unavailable, match="A delete was not published in time; it is tried again"):
        receipt(began + left)._await_deletes(Index("default", clock.timing), [1])

    assert clock.now - began == pytest.approx(waited)


def test_a_save_that_must_be_seen_before_a_list_is_made_fails_the_message(
    receipt: Callable[[float], PackReceipt], algolia: Algolia, server: Loopback, clock: Simulated
) -> None:
    algolia.status = "notPublished"

    with pytest.raises(Unavailable):
        receipt(clock.now + 500)._await_saves(Index("default", clock.timing), [1], listed=True)
