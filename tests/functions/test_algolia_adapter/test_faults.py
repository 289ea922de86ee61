"""Whatever Algolia answers, or does not, is one of our errors, and tells nobody whom we asked."""

from collections.abc import Callable

import pytest

from codesage.clients import secrets
from codesage.clients.algolia import MARKER_ID, Index, SearchIndex
from codesage.clients.algolia_connection import UNAVAILABLE
from codesage.errors import CodeSageError, Misconfigured, Rejected, Unavailable
from tests.functions.test_algolia_adapter.scripted import (
    ADMIN,
    DATABASE,
    FINAL,
    NO_HITS,
    PASSING,
    PREFIX,
    QUERY,
    READ_TRIES,
    SEARCH,
    WRITE_TRIES,
    Algolia,
    Serve,
    Simulated,
    missing,
    record,
)
from tests.loopback import HOST, Loopback, Reply, http


def tells_nothing(error: CodeSageError, app_id: str, *servers: Loopback) -> bool:
    """Whether nobody who reads the error learns whom we asked, and as who."""
    secret = [app_id, ADMIN, SEARCH, HOST, *(str(server.port) for server in servers)]
    return not any(word in f"{error} {error!r}" for word in secret)


@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING)
def test_what_fails_once_is_asked_again(
    fault: Reply, algolia: Algolia, server: Loopback, clock: Simulated
) -> None:
    algolia.fails("/query", fault)
    algolia.fails("/batch", fault)

    assert SearchIndex("default", clock.timing_for(fault)).search(QUERY) == NO_HITS
    saved = Index("default", clock.timing_for(fault)).save([record(1)])

    assert (saved.tasks, saved.refused) == ([1], set())
    assert [request.path.rpartition("/")[2] for request in server.requests] == ["query"] * 2 + ["batch"] * 2


@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING)
def test_what_fails_for_long_is_unavailable_and_works_again_at_once_when_it_is_over(
    fault: Reply,
    algolia: Algolia,
    server: Loopback,
    clock: Simulated,
    app_id: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    reader, writer = (
        SearchIndex("default", clock.timing_for(fault)),
        Index("default", clock.timing_for(fault)),
    )
    algolia.fails("/query", *[fault] * READ_TRIES)
    algolia.fails("/batch", *[fault] * WRITE_TRIES)

    with pytest.raises(Unavailable) as search:
        reader.search(QUERY)
    with pytest.raises(Unavailable) as save:
        writer.save([record(1)])

    assert len(server.requests) == READ_TRIES + WRITE_TRIES
    assert str(search.value) == str(save.value) == UNAVAILABLE
    assert tells_nothing(search.value, app_id, server)
    assert tells_nothing(save.value, app_id, server)
    assert "Algolia" in caplog.text
    assert ADMIN not in caplog.text
    assert SEARCH not in caplog.text
    assert reader.search(QUERY) == NO_HITS
    assert len(writer.save([record(1)]).tasks) == 1
    assert len(server.requests) == READ_TRIES + WRITE_TRIES + 2


@pytest.mark.parametrize("fault", FINAL.values(), ids=FINAL)
def test_a_refusal_is_not_asked_again(
    fault: Reply,
    algolia: Algolia,
    server: Loopback,
    clock: Simulated,
    app_id: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    algolia.fails("/query", fault)
    algolia.fails("/batch", fault)

    with pytest.raises(Unavailable) as search:
        SearchIndex("default", clock.timing_for(fault)).search(QUERY)
    with pytest.raises(Rejected) as save:
        Index("default", clock.timing_for(fault)).save([record(1)])

    assert len(server.requests) == 2
    assert str(search.value) == UNAVAILABLE
    assert tells_nothing(save.value, app_id, server)
    assert "Algolia" in caplog.text


def test_a_refused_key_says_what_to_check(algolia: Algolia, server: Loopback, clock: Simulated) -> None:
    algolia.fails("/batch", FINAL["403"])

    with pytest.raises(Rejected, match=r"refused the key \(403\): check the application's id and keys"):
        Index("default", clock.timing).save([record(1)])


def test_a_host_that_refuses_connections_is_unavailable(
    closed: int, clock: Simulated, app_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALGOLIA_ENDPOINT", f"http://{HOST}:{closed}")

    with pytest.raises(Unavailable) as search:
        SearchIndex("default", clock.timing).search(QUERY)
    with pytest.raises(Unavailable) as save:
        Index("default", clock.timing).save([record(1)])

    assert len(clock.sleeps) == READ_TRIES - 1 + WRITE_TRIES - 1
    assert tells_nothing(search.value, app_id)
    assert tells_nothing(save.value, app_id)


def test_an_application_that_has_no_host_is_unavailable(clock: Simulated, app_id: str) -> None:
    """Its id became part of host names, which no resolver takes."""
    fields = {"ALGOLIA_APP_ID": "a" * 80, "ALGOLIA_SEARCH_API_KEY": SEARCH}
    secrets._cache[f"{PREFIX}/default/algolia-search"] = (float("inf"), fields)

    with pytest.raises(Unavailable) as search:
        SearchIndex("default", clock.timing).search(QUERY)

    assert tells_nothing(search.value, "a" * 80)


def test_a_redirect_is_not_followed_with_our_key(
    algolia: Algolia, server: Loopback, serve: Serve, clock: Simulated
) -> None:
    elsewhere = serve(Algolia())
    redirect = http(b"", 307, headers={"location": f"{elsewhere.url}/1/indexes/x/query"})
    algolia.fails("/query", *[redirect] * READ_TRIES)

    with pytest.raises(Unavailable):
        SearchIndex("default", clock.timing).search(QUERY)

    assert elsewhere.requests == []


@pytest.mark.parametrize(
    ("app", "key"), [("", SEARCH), ("APP", ""), ("APP", " \n"), ("APP", "in\nner"), ("APP", "schlüssel")]
)
def test_credentials_that_cannot_be_sent_are_missing(
    app: str, key: str, caplog: pytest.LogCaptureFixture
) -> None:
    secrets._cache[f"{PREFIX}/default/algolia-search"] = (
        float("inf"),
        {"ALGOLIA_APP_ID": app, "ALGOLIA_SEARCH_API_KEY": key},
    )

    with pytest.raises(Misconfigured, match="ALGOLIA_APP_ID / ALGOLIA_SEARCH_API_KEY are missing"):
        SearchIndex("default")

    assert caplog.text == ""


def test_a_newline_behind_a_key_is_not_part_of_it(
    app_id: str, algolia: Algolia, server: Loopback, clock: Simulated
) -> None:
    fields = {"ALGOLIA_APP_ID": app_id, "ALGOLIA_SEARCH_API_KEY": f"{SEARCH}\n"}
    secrets._cache[f"{PREFIX}/default/algolia-search"] = (float("inf"), fields)

    SearchIndex("default", clock.timing).search(QUERY)

    assert server.requests[0].headers["x-algolia-api-key"] == SEARCH


FORMS: dict[str, tuple[str, object, Callable[[Index], object]]] = {
    "a batch without a task": ("/batch", {"objectIDs": []}, lambda index: index.save([record(1)])),
    "a task that is no number": ("/batch", {"taskID": "1"}, lambda index: index.delete(["1_a"])),
    "a task without a state": ("/task/", {}, lambda index: index.wait([1], 1)),
    "a marker without a database": (MARKER_ID, {"objectID": MARKER_ID}, lambda index: index.claim(DATABASE)),
    "a page without hits": ("/browse", {"cursor": "x"}, lambda index: list(index.records_of(1))),
    "hits that are none": ("/browse", {"hits": [1]}, lambda index: index.ids_of_file(1, "a.py")),
    "hits without an id": ("/browse", {"hits": [{}]}, lambda index: index.ids_of_file(1, "a.py")),
    "settings that are none": ("/settings", [], lambda index: index.claim(DATABASE)),
}


@pytest.mark.parametrize(("part", "body", "call"), FORMS.values(), ids=FORMS)
def test_a_reply_of_another_form_is_unavailable(
    part: str,
    body: object,
    call: Callable[[Index], object],
    algolia: Algolia,
    server: Loopback,
    clock: Simulated,
) -> None:
    algolia.marker = DATABASE
    algolia.fails(part, *[http(body)] * WRITE_TRIES)

    with pytest.raises(Unavailable):
        call(Index("default", clock.timing))


def test_a_missing_index_is_an_empty_one(algolia: Algolia, server: Loopback, clock: Simulated) -> None:
    for call in ("/query", "/browse", "/deleteByQuery"):
        algolia.fails(call, missing())
    index = Index("default", clock.timing)

    found = SearchIndex("default", clock.timing).search(QUERY)
    browsed = list(index.records_of(7))
    index.delete_repository(7)

    assert (found, browsed) == (NO_HITS, [])
    assert len(server.requests) == 3
