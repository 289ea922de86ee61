"""The wire contract, spoken by the official full client and, where it cannot say it, by plain requests."""

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import requests
from algoliasearch.http.exceptions import AlgoliaUnreachableHostException, RequestException
from algoliasearch.http.hosts import Host, HostsCollection
from algoliasearch.search.client import SearchClientSync
from algoliasearch.search.config import SearchConfig

from local.algolia import AlgoliaServer, Fault

APP, ADMIN, SEARCH = "local", "admin-key", "search-key"
INDEX = "codesage/code entities"  # a name that must be percent-encoded
SETTINGS = {
    "searchableAttributes": ["entity_name", "content"],
    "attributesForFaceting": ["language"],
    "highlightPreTag": "<mark>",
}


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., AlgoliaServer]]:
    """Starts servers over one folder and stops what is left running."""
    running: list[AlgoliaServer] = []

    def start(task_delay: float = 0.0) -> AlgoliaServer:
        server = AlgoliaServer(
            tmp_path, app_id=APP, admin_key=ADMIN, search_key=SEARCH, task_delay=task_delay
        )
        running.append(server)
        return server.start()

    yield start
    for server in running:
        server.stop()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AlgoliaServer]:
    folder = tmp_path_factory.mktemp("algolia")
    with AlgoliaServer(folder, app_id=APP, admin_key=ADMIN, search_key=SEARCH) as server:
        yield server


@pytest.fixture
def server(shared: AlgoliaServer) -> AlgoliaServer:
    """One running server for most tests, empty and without memory of the test before."""
    shared.faults.clear()
    client = client_of(shared)
    for item in client.list_indices().items:
        client.delete_index(item.name)
    shared.requests.clear()
    shared.operations.clear()
    return shared


@pytest.fixture
def client(server) -> SearchClientSync:
    return client_of(server)


def client_of(server: AlgoliaServer, key: str = ADMIN, app: str = APP) -> SearchClientSync:
    config = SearchConfig(app, key)
    config.hosts = HostsCollection([Host("127.0.0.1", scheme="http", port=server.port)])
    config.proxies = None
    return SearchClientSync.create_with_config(config)


def post(server: AlgoliaServer, path: str, body: bytes, **headers: str) -> requests.Response:
    return requests.post(
        f"{server.url}/1/indexes/{path}",
        data=body,
        headers={"x-algolia-application-id": APP, "x-algolia-api-key": ADMIN, **headers},
        timeout=5,
    )


def records(count: int, **fields) -> list[dict]:
    return [
        {"objectID": f"{number:04}", "entity_name": f"name{number}", "language": "go", **fields}
        for number in range(count)
    ]


def hits_of(client: SearchClientSync, query: str = "", **parameters) -> list[str]:
    reply = client.search_single_index(INDEX, {"query": query, **parameters})
    return [hit.object_id for hit in reply.hits]


def test_saved_records_are_found_with_their_highlights(client):
    client.set_settings(INDEX, SETTINGS)
    client.save_objects(INDEX, [{"objectID": "1", "entity_name": "parse_config"}], wait_for_tasks=True)

    [hit] = client.search_single_index(INDEX, {"query": "config"}).hits

    assert hit.object_id == "1"
    assert hit.highlight_result["entity_name"].actual_instance.value == "parse_<mark>config</em>"


def test_deleted_records_are_found_no_more(client):
    client.save_objects(INDEX, records(3))

    client.delete_objects(INDEX, ["0001", "unknown"], wait_for_tasks=True)

    assert hits_of(client) == ["0000", "0002"]


def test_a_partial_update_keeps_the_other_fields(client):
    client.save_objects(INDEX, records(1))

    client.partial_update_objects(INDEX, [{"objectID": "0000", "language": "rust"}, {"objectID": "new"}])

    assert client.get_object(INDEX, "0000")["entity_name"] == "name0"
    assert client.get_object(INDEX, "0000")["language"] == "rust"
    assert hits_of(client) == ["0000"]


def test_an_index_that_is_not_there_is_a_404_with_its_name(client):
    with pytest.raises(RequestException, match=f"Index {INDEX} does not exist") as refusal:
        client.search_single_index(INDEX, {"query": "x"})

    assert refusal.value.status_code == 404
    assert client.index_exists(INDEX) is False


def test_settings_of_a_missing_index_are_a_404_and_writing_makes_it(client):
    client.set_settings(INDEX, {"hitsPerPage": 3, "customRanking": ["asc(is_test)"]})
    client.set_settings(INDEX, {"hitsPerPage": 5, "customRanking": None})

    settings = client.get_settings(INDEX)

    assert settings.hits_per_page == 5
    assert settings.custom_ranking is None
    assert client.index_exists(INDEX) is True


def test_new_settings_hold_for_records_that_were_there_before(client):
    client.save_objects(INDEX, [{"objectID": "1", "entity_name": "getUser", "language": "go"}])

    client.set_settings(INDEX, {**SETTINGS, "camelCaseAttributes": ["entity_name"]})

    assert hits_of(client, "user") == ["1"]
    assert hits_of(client, "", filters="language:go") == ["1"]


def test_many_searches_in_one_request_answer_in_order(client):
    client.save_objects(INDEX, records(2))

    reply = client.search(
        {"requests": [{"indexName": INDEX, "filters": "objectID:0001"}, {"indexName": INDEX, "query": "zzz"}]}
    )

    found = [[hit.object_id for hit in result.actual_instance.hits] for result in reply.results]
    assert found == [["0001"], []]


def test_browsing_visits_every_record_once(client):
    client.save_objects(INDEX, records(25))
    seen: list[str] = []

    client.browse_objects(
        INDEX, lambda page: seen.extend(hit.object_id for hit in page.hits), {"hitsPerPage": 10}
    )

    assert seen == [f"{number:04}" for number in range(25)]


def test_a_record_deleted_between_two_pages_hides_no_other(client):
    client.save_objects(INDEX, records(4))
    first = client.browse(INDEX, {"hitsPerPage": 2})

    client.delete_objects(INDEX, ["0000", "0001"])
    second = client.browse(INDEX, {"hitsPerPage": 2, "cursor": first.cursor})

    assert [hit.object_id for hit in second.hits] == ["0002", "0003"]
    assert second.cursor is None


def test_delete_by_removes_what_its_filter_finds(client):
    client.save_objects(INDEX, [*records(2, repository_id=1), {"objectID": "other", "repository_id": 2}])

    client.delete_by(INDEX, {"filters": "repository_id=1"})

    assert hits_of(client) == ["other"]


def test_delete_by_without_a_filter_is_refused(client):
    client.save_objects(INDEX, records(1))

    with pytest.raises(RequestException) as refusal:
        client.delete_by(INDEX, {})

    assert refusal.value.status_code == 400
    assert hits_of(client) == ["0000"]


def test_objects_are_read_one_by_one_and_many_at_once(client):
    client.save_objects(INDEX, records(2))

    one = client.get_object(INDEX, "0001", attributes_to_retrieve=["language"])
    many = client.get_objects(
        {"requests": [{"objectID": "0000", "indexName": INDEX}, {"objectID": "no", "indexName": INDEX}]}
    )

    assert one == {"objectID": "0001", "language": "go"}
    assert many.results[0]["entity_name"] == "name0"
    assert many.results[1] is None


def test_an_object_that_is_not_there_is_a_404(client):
    client.save_objects(INDEX, records(1))

    with pytest.raises(RequestException, match="ObjectID does not exist") as refusal:
        client.get_object(INDEX, "no")

    assert refusal.value.status_code == 404


def test_an_object_id_with_a_slash_is_put_read_and_deleted(client):
    client.add_or_update_object(INDEX, "a/b c", {"entity_name": "x"})
    read = client.get_object(INDEX, "a/b c")
    client.delete_object(INDEX, "a/b c")

    assert read == {"objectID": "a/b c", "entity_name": "x"}
    assert hits_of(client) == []


def test_an_object_saved_without_an_id_gets_one(client):
    saved = client.save_object(INDEX, {"entity_name": "x"})

    assert hits_of(client) == [saved.object_id]


def test_indices_are_listed_with_their_entries_and_deleted(client):
    client.save_objects(INDEX, records(3))
    client.save_objects("other", records(1))

    listed = {item.name: item.entries for item in client.list_indices().items}
    client.delete_index("other")

    assert listed == {INDEX: 3, "other": 1}
    assert [item.name for item in client.list_indices().items] == [INDEX]


def test_replace_all_objects_leaves_only_the_new_ones_and_the_settings(client):
    client.set_settings(INDEX, SETTINGS)
    client.save_objects(INDEX, records(3))

    client.replace_all_objects(INDEX, [{"objectID": "only", "entity_name": "x"}])

    assert hits_of(client) == ["only"]
    assert client.get_settings(INDEX).searchable_attributes == ["entity_name", "content"]
    assert [item.name for item in client.list_indices().items] == [INDEX]


def test_a_cleared_index_keeps_its_settings(client):
    client.set_settings(INDEX, SETTINGS)
    client.save_objects(INDEX, records(3))

    client.clear_objects(INDEX)

    assert hits_of(client) == []
    assert client.get_settings(INDEX).highlight_pre_tag == "<mark>"


def test_one_record_too_big_refuses_the_whole_batch_and_names_it(server, client):
    client.save_objects(INDEX, records(1))
    big = {"objectID": "big", "content": "é" * 5000}

    with pytest.raises(RequestException) as refusal:
        client.save_objects(INDEX, [{"objectID": "x"}, big, {"objectID": "y"}])
    body = post(
        server,
        "i/batch",
        json.dumps({"requests": [{"action": "addObject", "body": big}]}, ensure_ascii=False).encode(),
    ).json()

    assert refusal.value.status_code == 400
    assert "Record at the position 1 objectID=big is too big size=10031/10000 bytes" in str(refusal.value)
    assert (body["position"], body["objectID"], body["status"]) == (0, "big", 400)
    assert hits_of(client) == ["0000"]


def test_a_record_of_exactly_ten_thousand_bytes_is_accepted(client):
    frame = len(json.dumps({"objectID": "x", "content": ""}, separators=(",", ":")))

    client.save_objects(INDEX, [{"objectID": "x", "content": "a" * (10_000 - frame)}])

    assert hits_of(client) == ["x"]


def test_task_ids_rise_also_over_a_restart(start):
    first = start()
    [one, two] = client_of(first).save_objects(INDEX, records(2), batch_size=1)
    first.stop()
    [three] = client_of(start()).save_objects(INDEX, records(1))

    assert one.task_id < two.task_id < three.task_id


def test_a_task_that_was_never_given_out_is_a_404(client):
    with pytest.raises(RequestException) as refusal:
        client.get_task(INDEX, 999)

    assert refusal.value.status_code == 404


def test_a_record_is_not_found_before_its_task_is_published(start):
    client = client_of(start(task_delay=600))

    [saved] = client.save_objects(INDEX, records(1))

    assert client.get_task(INDEX, saved.task_id).status == "notPublished"
    assert client.index_exists(INDEX) is False


def test_a_record_is_found_once_its_task_is_published(start):
    client = client_of(start(task_delay=0.1))

    [saved] = client.save_objects(INDEX, records(1))
    client.wait_for_task(INDEX, saved.task_id, timeout=lambda _polls: 0.02)

    assert client.get_task(INDEX, saved.task_id).status == "published"
    assert hits_of(client) == ["0000"]


def test_tasks_are_published_in_the_order_they_came(start):
    client = client_of(start(task_delay=0.1))

    client.save_objects(INDEX, records(1, repository_id=1))
    client.delete_by(INDEX, {"filters": "repository_id=1"})
    [last] = client.save_objects(INDEX, [{"objectID": "after", "repository_id": 1}])
    client.wait_for_task(INDEX, last.task_id, timeout=lambda _polls: 0.02)

    assert hits_of(client) == ["after"]


def test_records_settings_and_waiting_tasks_survive_a_restart(start):
    first = start()
    client_of(first).set_settings(INDEX, SETTINGS)
    client_of(first).save_objects(INDEX, records(2))
    client_of(first).delete_objects(INDEX, ["0000"])
    first.stop()
    second = start(task_delay=600)
    client_of(second).save_objects(INDEX, [{"objectID": "waiting"}])
    second.stop()

    client = client_of(start())

    assert hits_of(client) == ["0001", "waiting"]
    assert client.get_settings(INDEX).searchable_attributes == ["entity_name", "content"]


@pytest.mark.parametrize(("app", "key"), [("other", ADMIN), (APP, "wrong")])
def test_a_wrong_application_or_key_is_a_403(server, app, key):
    with pytest.raises(RequestException, match="Invalid Application-ID or API key") as refusal:
        client_of(server, key, app).list_indices()

    assert refusal.value.status_code == 403


def test_a_search_key_may_search_and_read_objects(server, client):
    client.save_objects(INDEX, records(1))
    searcher = client_of(server, SEARCH)

    assert hits_of(searcher) == ["0000"]
    assert searcher.get_object(INDEX, "0000")["language"] == "go"


@pytest.mark.parametrize(
    "forbidden",
    [
        lambda client: client.save_objects(INDEX, records(1)),
        lambda client: client.get_settings(INDEX),
        lambda client: client.set_settings(INDEX, SETTINGS),
        lambda client: client.browse(INDEX),
        lambda client: client.delete_by(INDEX, {"filters": "a=1"}),
        lambda client: client.delete_index(INDEX),
        lambda client: client.list_indices(),
    ],
)
def test_a_search_key_may_do_nothing_else(server, client, forbidden):
    client.save_objects(INDEX, records(1))

    with pytest.raises(RequestException, match="Method not allowed with this API key") as refusal:
        forbidden(client_of(server, SEARCH))

    assert refusal.value.status_code == 403


def test_gzip_bodies_are_read(server):
    config = SearchConfig(APP, ADMIN)
    config.hosts = HostsCollection([Host("127.0.0.1", scheme="http", port=server.port)])
    config.compression_type = "gzip"
    client = SearchClientSync.create_with_config(config)

    client.save_objects(INDEX, records(50))

    assert client.search_single_index(INDEX, {"query": ""}).nb_hits == 50


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("i/batch", b"{"),
        ("i/batch", b"[]"),
        ("i/batch", b"{}"),
        ("i/batch", b'{"requests": [{"action": "explode", "body": {}}]}'),
        ("i/batch", b'{"requests": [{"action": "settings", "body": {}}]}'),
        ("i/batch", b'{"requests": [{"action": "deleteObject", "body": {}}]}'),
        ("i/batch", b'{"requests": [{"action": "addObject", "body": {"objectID": "1", "x": NaN}}]}'),
        ("i/batch", b'{"requests": [{"action": "addObject", "body": {"objectID": "\\ud800"}}]}'),
        ("i/query", b'{"query": {"not": "text"}}'),
        ("i/batch", b'{"requests": [{"action": "addObject", "body": {"objectID": "1", "x": 1e999}}]}'),
        ("i/batch", b'{"requests": [{"action": "addObject", "body": {"x": 1' + b"0" * 400 + b"}}]}"),
        ("i/batch", b"[" * 100_000),
        ("i/query", b'{"filters": "a:b c"}'),
        ("i/query", b'{"filters": "' + b"(" * 5000 + b'"}'),
        ("i/query", b'{"restrictSearchableAttributes": ["nowhere"]}'),
        ("i/query", b'{"page": -1}'),
        ("i/browse", b'{"cursor": "???"}'),
        ("*/queries", b'{"requests": ["x"]}'),
        ("i/operation", b'{"operation": "eat", "destination": "j"}'),
    ],
)
def test_a_bad_body_is_a_400_with_message_and_status(server, path, body):
    post(server, "i", b'{"objectID": "1"}')

    reply = post(server, path, body)

    assert reply.status_code == 400
    assert reply.json()["status"] == 400
    assert reply.json()["message"]


@pytest.mark.parametrize("task_id", ["x", "-1", "9" * 5000])
def test_a_task_id_that_is_no_number_is_a_400(server, task_id):
    reply = requests.get(
        f"{server.url}/1/indexes/i/task/{task_id}",
        headers={"x-algolia-application-id": APP, "x-algolia-api-key": ADMIN},
        timeout=5,
    )

    assert reply.status_code == 400


def test_damaged_gzip_is_a_400(server):
    reply = post(server, "i/query", b"no gzip", **{"content-encoding": "gzip"})

    assert reply.status_code == 400


def test_an_unknown_path_is_a_404_in_the_same_shape(server):
    reply = post(server, "i/explode/now", b"{}")

    assert (reply.status_code, reply.json()["status"]) == (404, 404)


def test_a_fault_answers_so_many_requests_and_then_the_service_is_back(server):
    server.faults.add(Fault(path="/query", times=2, status=429, retry_after=7))
    post(server, "i", b'{"objectID": "1"}')

    replies = [post(server, "i/query", b"{}") for _ in range(3)]

    assert [reply.status_code for reply in replies] == [429, 429, 200]
    assert replies[0].headers["Retry-After"] == "7"
    assert "Retry-After" not in replies[2].headers


def test_a_fault_of_the_service_takes_the_clients_host_out(server, client):
    server.faults.add(Fault(status=503))

    with pytest.raises(AlgoliaUnreachableHostException):
        client.list_indices()

    assert len(server.requests) == 1


def test_a_dropped_connection_gets_no_answer_and_nothing_is_written(server, client):
    server.faults.add(Fault(path="/batch"))

    with pytest.raises(requests.exceptions.ConnectionError):
        client.save_objects(INDEX, records(1))

    assert client.index_exists(INDEX) is False


def test_a_lost_answer_leaves_the_write_done(server, client):
    server.faults.add(Fault(path="/batch", applied=True))

    with pytest.raises(requests.exceptions.ConnectionError):
        client.save_objects(INDEX, records(1))

    assert hits_of(client) == ["0000"]


def test_cleared_faults_meet_no_request(server, client):
    server.faults.add(Fault(times=100, status=503))

    server.faults.clear()

    assert client.list_indices().items == []


def test_requests_and_operations_are_counted(server, client):
    client.save_objects(INDEX, records(5), batch_size=3)
    client.delete_objects(INDEX, ["0000"])

    assert [(entry.method, entry.operations) for entry in server.requests] == [
        ("POST", 3),
        ("POST", 2),
        ("POST", 1),
    ]
    assert server.operations == {"addObject": 5, "deleteObject": 1}


def test_readers_see_whole_batches_while_a_writer_works(server, client):
    client.save_objects(INDEX, records(10, content="v0"))
    seen: list[set[str]] = []

    def read() -> None:
        reader = client_of(server, SEARCH)
        for _ in range(15):
            hits = reader.search_single_index(INDEX, {"query": ""}).hits
            seen.append({hit.to_dict()["content"] for hit in hits})

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for version in range(1, 15):
        client.save_objects(INDEX, records(10, content=f"v{version}"))
    for reader in readers:
        reader.join()

    assert len(seen) == 45
    assert all(len(versions) == 1 for versions in seen)
