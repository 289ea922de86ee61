"""What we send on the light path is what the full official client sends for the same call."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest
from algoliasearch.http.exceptions import RequestException
from algoliasearch.search.client import SearchClientSync
from algoliasearch.search.config import SearchConfig

from codesage.clients.algolia import INDEX_SETTINGS, MARKER_ID, Index, SearchIndex
from codesage.errors import Unavailable
from tests.functions.test_algolia_adapter.scripted import (
    ADMIN,
    DATABASE,
    NAME,
    QUERY,
    SEARCH,
    WRITE_TRIES,
    Algolia,
    Serve,
    Simulated,
    UseHosts,
    record,
    records,
)
from tests.loopback import Loopback, Request, Silence


@dataclass(frozen=True)
class Call:
    """One call of ours, and the official client's own."""

    ours: Callable[[Index, SearchIndex], object]
    theirs: Callable[[SearchClientSync], object]
    key: str = ADMIN


BROWSED = {
    "filters": 'repository_id=7 AND file_path:"src/größe.py"',
    "hitsPerPage": 1000,
    "attributesToRetrieve": ["objectID", "file_path"],
}


def additions(*bodies: Mapping[str, object]) -> dict[str, Any]:
    return {"requests": [{"action": "addObject", "body": body} for body in bodies]}


def deletions(*object_ids: str) -> dict[str, Any]:
    return {"requests": [{"action": "deleteObject", "body": {"objectID": name}} for name in object_ids]}


def claimed_by(client: SearchClientSync) -> None:
    """What a claim asks of an application that has no such index."""
    with suppress(RequestException):
        client.get_object(NAME, MARKER_ID)
    client.batch(NAME, additions({"objectID": MARKER_ID, "repository_id": 0, "database": DATABASE}))
    client.get_task(NAME, 1)
    client.get_object(NAME, MARKER_ID)
    with suppress(RequestException):
        client.get_settings(NAME)
    client.set_settings(NAME, dict(INDEX_SETTINGS))


CALLS = {
    "search": Call(
        lambda _, index: index.search(QUERY), lambda client: client.search_single_index(NAME, QUERY), SEARCH
    ),
    "list": Call(lambda _, index: index.probe(), lambda client: client.list_indices(), SEARCH),
    "save": Call(
        lambda index, _: index.save([record(1)]), lambda client: client.batch(NAME, additions(record(1)))
    ),
    "save, large enough to be packed": Call(
        lambda index, _: index.save(records(3, 2_000)),
        lambda client: client.batch(NAME, additions(*records(3, 2_000))),
    ),
    "delete": Call(
        lambda index, _: index.delete(["1_a", "1_b/ü"]),
        lambda client: client.batch(NAME, deletions("1_a", "1_b/ü")),
    ),
    "barrier": Call(
        lambda index, _: index.barrier(7), lambda client: client.batch(NAME, deletions("7_none"))
    ),
    "wait": Call(lambda index, _: index.wait([5], 1), lambda client: client.get_task(NAME, 5)),
    "browse": Call(
        lambda index, _: index.ids_of_file(7, "src/größe.py"), lambda client: client.browse(NAME, BROWSED)
    ),
    "delete by": Call(
        lambda index, _: index.delete_repository(7),
        lambda client: client.delete_by(NAME, {"filters": "repository_id=7"}),
    ),
    "claim": Call(lambda index, _: index.claim(DATABASE), claimed_by),
}  # fmt: skip


def seen(request: Request) -> tuple[object, ...]:
    """What Algolia can tell two clients apart by: a request's id is random, and JSON has many spellings."""
    headers = {name: value for name, value in request.headers.items() if name != "content-length"}
    request_id = headers.pop("request-id")
    return request.method, request.path, headers, len(request_id), request.json


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_call_is_the_official_clients_own(
    call: Call, app_id: str, serve: Serve, use_hosts: UseHosts
) -> None:
    algolia = Algolia()
    reader, writer = serve(algolia), serve(algolia)
    use_hosts([reader.port], [writer.port])

    call.ours(Index("default"), SearchIndex("default"))
    ours = [[seen(request) for request in host.requests] for host in (reader, writer)]
    for host in (reader, writer):
        host.requests.clear()
    algolia.marker, algolia.settings, algolia.tasks = None, None, 0
    config = SearchConfig(app_id, call.key)
    config.compression_type = "gzip"
    call.theirs(SearchClientSync.create_with_config(config))
    theirs = [[seen(request) for request in host.requests] for host in (reader, writer)]

    assert ours == theirs
    assert any(ours)


def test_no_session_sends_anything_again_by_itself(
    algolia: Algolia, server: Loopback, clock: Simulated, app_id: str
) -> None:
    """Which the client's own does over https, where a loopback server cannot watch: its adapter stands in."""
    algolia.fails("/task/", *[Silence.WAIT] * 20)
    index = Index("default", clock.timing_for(Silence.WAIT))
    session = index._connection._transporter().session
    session.mount("http://", session.get_adapter("https://"))

    with pytest.raises(Unavailable):
        index.wait([1], 60)

    assert len(server.requests) == WRITE_TRIES
