"""GET /health: what is said when something fails, and that it is said in time."""

import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from http import HTTPStatus
from typing import Any
from uuid import uuid4

import pytest

from codesage import health as asked
from codesage.clients import secrets, table
from codesage.clients.store import RUNS
from codesage.health import health
from codesage.items import item_of_run
from codesage.runs import Layout, Run
from codesage.settings import settings
from local.algolia.faults import Fault
from tests.service import Service

PARTS = {"algolia", "dynamodb", "s3", "queues"}


@pytest.fixture(autouse=True)
def looked_anew(service: Service, monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Nothing is left of what other tests did and saw, and what this one changes goes again."""

    def forget() -> None:
        for thread in asked._running.values():
            thread.join()
        asked._kept.clear()
        settings.cache_clear()
        secrets._cache.clear()

    forget()
    for stage in ("snapshot", "parse"):
        service.stack.client("sqs").purge_queue(QueueUrl=dead_letters(service, stage))
    yield monkeypatch
    service.stack.algolia.faults.clear()
    monkeypatch.undo()
    forget()


def dead_letters(service: Service, stage: str) -> str:
    url = service.stack.outputs[f"{stage.capitalize()}QueueUrl"]
    return url.replace(f"-{stage}.fifo", f"-{stage}-dead.fifo")


def state_of(part: str) -> tuple[HTTPStatus, str, str]:
    """Status, the service's state and the part's own."""
    status, body, _ = health()
    parts = body["parts"]
    assert isinstance(parts, dict)
    assert {name for name, state in parts.items() if state != "ok"} <= {part}, parts
    return status, str(body["status"]), parts[part]


def dead_of(body: Mapping[str, Any]) -> dict[str, int]:
    return {stage: queue["dead"] for stage, queue in body["queues"].items()}


def words_of(body: Mapping[str, Any]) -> str:
    return str(body["parts"]["queues"])


def test_a_service_that_works_says_so_without_a_key(service: Service) -> None:
    answer = service.get("/health", key=None)

    assert (answer.status, answer.body["status"]) == (200, "ok")
    assert answer.body["parts"] == dict.fromkeys(PARTS, "ok")
    assert dead_of(answer.body) == {"snapshot": 0, "parse": 0}


@pytest.mark.parametrize("fault", [Fault(times=9, status=503), Fault(times=9, status=403), Fault(times=9)])
def test_without_algolia_it_is_degraded_and_nothing_of_algolias_is_said(
    service: Service, fault: Fault
) -> None:
    service.stack.algolia.faults.add(fault)

    assert state_of("algolia") == (HTTPStatus.OK, "degraded", asked.REMEDIES["algolia"])


def test_one_lost_answer_of_algolia_is_no_fault(service: Service) -> None:
    service.stack.algolia.faults.add(Fault(path="/query", times=1))

    assert state_of("algolia") == (HTTPStatus.OK, "ok", "ok")


def test_a_search_key_asks_for_the_list_of_indices_once_and_then_searches_for_nothing(
    service: Service,
) -> None:
    health()
    asked._kept.clear()
    service.stack.algolia.requests.clear()

    health()

    [request] = service.stack.algolia.requests
    assert (request.method, request.path.rpartition("/")[2]) == ("POST", "query")


def test_missing_search_credentials_are_said_in_the_words_of_a_search(
    looked_anew: pytest.MonkeyPatch,
) -> None:
    looked_anew.setenv("SECRET_PREFIX", "codesage/nowhere")

    status, state, words = state_of("algolia")

    assert (status, state) == (HTTPStatus.OK, "degraded")
    assert words == (
        "Search is not configured on the server (ALGOLIA_APP_ID / ALGOLIA_SEARCH_API_KEY are missing)."
    )


@pytest.mark.parametrize(
    ("variable", "value", "part"),
    [("BUCKET_NAME", "no-such-bucket", "s3"), ("PARSE_QUEUE_URL", "{url}/000000000000/none", "queues")],
)
def test_another_dependency_that_fails_is_named_and_the_answer_is_200(
    service: Service, looked_anew: pytest.MonkeyPatch, variable: str, value: str, part: str
) -> None:
    looked_anew.setenv(variable, value.format(url=service.stack.aws.url))

    assert state_of(part) == (HTTPStatus.OK, "degraded", asked.REMEDIES[part])


def test_without_the_database_it_is_down_and_says_when_to_ask_again(looked_anew: pytest.MonkeyPatch) -> None:
    looked_anew.setenv("TABLE_NAME", "no-such-table")

    status, body, headers = health()

    assert (status, body["status"]) == (HTTPStatus.SERVICE_UNAVAILABLE, "down")
    assert headers["Retry-After"] == "30"
    assert body["parts"] == dict.fromkeys(PARTS, "ok") | {"dynamodb": asked.REMEDIES["dynamodb"]}


def test_a_dependency_that_hangs_is_not_waited_for_and_not_asked_again_meanwhile(
    looked_anew: pytest.MonkeyPatch,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        looked_anew.setattr(asked, "PROBE_SECONDS", 0.5)
        looked_anew.setenv("ALGOLIA_ENDPOINT", f"http://127.0.0.1:{silent.getsockname()[1]}")

        first = state_of("algolia")
        hanging = asked._running["algolia"]
        asked._kept.clear()
        second = state_of("algolia")

        assert asked._running["algolia"] is hanging
    assert first == second
    assert first == (
        HTTPStatus.OK,
        "degraded",
        f"no answer within 0.5 s: {asked.REMEDIES['algolia']}",
    )


def test_an_answer_holds_for_a_while(service: Service) -> None:
    before = health()
    service.stack.algolia.faults.add(Fault(times=9, status=503))

    assert health() == before
    assert before[1]["status"] == "ok"


def test_many_who_ask_at_once_cause_one_look(service: Service) -> None:
    health()
    asked._kept.clear()
    service.stack.algolia.requests.clear()
    askers = [threading.Thread(target=health) for _ in range(8)]

    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()

    assert len(service.stack.algolia.requests) == 1


def test_messages_that_were_given_up_are_counted_and_named(service: Service) -> None:
    service.stack.client("sqs").send_message(
        QueueUrl=dead_letters(service, "parse"),
        MessageBody="{}",
        MessageGroupId="g",
        MessageDeduplicationId=str(uuid4()),
    )

    status, body, _ = health()

    assert (status, body["status"]) == (HTTPStatus.OK, "degraded")
    assert dead_of(body) == {"snapshot": 0, "parse": 1}
    assert "messages of the parse queue that were given up: 1;" in words_of(body)


@pytest.fixture
def silent_run() -> Iterator[Callable[[int], None]]:
    """Puts a run in flight of which nothing was heard for so many seconds, in a repository nobody knows."""

    def put(seconds: int) -> None:
        at = int(time.time()) - seconds
        run = Run(1, "c" * 40, "tree", Layout(1, 1), 1, "delivery", started_at=at, heard_at=at)
        table.commit([table.put("O#silent#R#9", "RUN#1", item_of_run(run))])
        table.commit([table.put(RUNS, "silent#9", {"run": 1, "due": None})])

    yield put
    table.commit([table.delete(RUNS, "silent#9")])
    table.commit([table.delete("O#silent#R#9", "RUN#1")])


def test_a_run_of_which_nothing_was_heard_for_hours_and_that_no_watch_ended_is_named(
    silent_run: Callable[[int], None],
) -> None:
    silent_run(7_200)

    status, body, _ = health()

    assert (status, body["status"]) == (HTTPStatus.OK, "degraded")
    assert 7_200 <= int(str(body["silent_seconds"])) < 7_260
    assert "nothing was heard of a run for 120 minutes" in words_of(body)


def test_a_run_that_the_watch_may_still_end_is_no_fault(silent_run: Callable[[int], None]) -> None:
    silent_run(300)

    status, body, _ = health()

    assert (status, body["status"]) == (HTTPStatus.OK, "ok")
    assert int(str(body["silent_seconds"])) >= 300
