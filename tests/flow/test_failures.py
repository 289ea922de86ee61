"""What goes wrong outside is seen, loses nothing, and is made good without a hand."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from local.algolia.faults import Fault
from tests.loopback import Cut, Loopback, Reply, Silence, http
from tests.repositories import GitRepository
from tests.service import Service, eventually

ONE = "def one():\n    return 1\n"
TWO = "def two():\n    return 2\n"


@pytest.fixture
def repository(tmp_path: Path, service: Service) -> Iterator[GitRepository]:
    repository = GitRepository(tmp_path / "hello")
    repository.commit({"one.py": ONE})
    yield repository
    service.stack.algolia.faults.clear()
    service.stack.githost.faults.clear()


def watched_until(service: Service, name: str, commit: str) -> dict[str, Any]:
    """Fire the watch, as its schedule does, until the commit is searchable."""

    def look() -> dict[str, Any] | None:
        service.stack.fire("watch")
        return service.report(name)

    def is_fresh(report: dict[str, Any] | None) -> bool:
        return report is not None and (report["commit"], report["freshness"]) == (commit, "fresh")

    report = eventually(look, is_fresh)
    assert report is not None
    return report


def failure_seen(service: Service, name: str) -> dict[str, Any]:
    def look() -> dict[str, Any] | None:
        service.stack.fire("watch")
        return service.report(name)

    report = eventually(look, lambda report: report is not None and report["last_failure"] is not None)
    assert report is not None
    return report


def test_algolia_away_for_a_whole_run_fails_it_with_a_reason_and_the_next_one_repairs_it(
    service: Service, repository: GitRepository
) -> None:
    service.index(repository, "fail/algolia")
    service.stack.algolia.faults.add(Fault(path="/batch", times=1000, status=503))
    commit = repository.commit({"one.py": TWO})

    service.push(repository, "fail/algolia")
    report = failure_seen(service, "fail/algolia")

    assert (report["status"], report["freshness"]) == ("completed", "stale")
    assert report["last_failure"]["reason"] == "Search is unavailable; try again later."
    assert [hit["entity_name"] for hit in service.search("one", repository="fail/algolia")] == ["one"]

    service.stack.algolia.faults.clear()
    number = watched_until(service, "fail/algolia", commit)["id"]
    assert [hit["entity_name"] for hit in service.search("two", repository="fail/algolia")] == ["two"]
    assert service.get("/v1/search", {"q": "", "repository": "fail/algolia"}).body["total_hits"] == 1
    eventually(lambda: service.run_entry(number), lambda entry: entry == [])


def test_a_host_that_is_away_for_a_while_costs_only_time(service: Service, repository: GitRepository) -> None:
    service.stack.githost.faults.answer("/tarball/", 503, times=5)

    report = service.index(repository, "fail/host")

    assert report["last_failure"] is None


def test_a_rate_limit_of_the_host_is_waited_for(service: Service, repository: GitRepository) -> None:
    service.stack.githost.faults.answer("/git/trees/", 429, headers={"Retry-After": "1"}, times=1)

    report = service.index(repository, "fail/limit")

    assert report["last_failure"] is None


def test_a_host_that_lags_behind_its_own_webhook_is_asked_again(
    service: Service, repository: GitRepository
) -> None:
    old = repository.git("rev-parse", "HEAD")
    service.index(repository, "fail/lag")
    repository.commit({"two.py": TWO})
    source = service.stack.githost.add("fail/lag", repository.folder)
    service.stack.githost.lag(source.id, old)

    report = service.index(repository, "fail/lag")

    assert report["commit"] == repository.git("rev-parse", "HEAD")


def test_a_repository_the_token_may_not_read_says_what_to_check(
    service: Service, repository: GitRepository
) -> None:
    service.stack.githost.faults.answer("/git/ref/", 403, times=1)

    service.push(repository, "fail/forbidden")
    report = failure_seen(service, "fail/forbidden")

    assert report["status"] == "failed"
    assert "token" in report["last_failure"]["reason"]
    refused = service.get("/v1/search", {"q": "one", "repository": "fail/forbidden"})
    assert (refused.status, refused.body["error"]["type"]) == (409, "NotReady")
    assert "token" in refused.body["error"]["message"]


def test_pushes_in_a_burst_end_at_the_newest_commit(service: Service, repository: GitRepository) -> None:
    for number in range(8):
        repository.commit({"one.py": ONE.replace("1", str(number))})
        service.push(repository, "fail/burst")

    report = service.indexed("fail/burst", repository.git("rev-parse", "HEAD"))

    [hit] = service.search("one", repository="fail/burst")
    assert "return 7" in hit["snippet"]
    assert report["progress"] is None


def test_repositories_that_lose_hundreds_of_functions_at_once_are_cleaned_by_ids_through_a_rate_limit(
    service: Service, tmp_path: Path
) -> None:
    """Deletes by a filter would stand in line and be refused; here each batch is only asked for again."""
    names = [f"fail/many-{number}" for number in range(3)]
    text = "\n\n".join(f"def step_{number}():\n    return {number}" for number in range(500))
    repositories = [GitRepository(tmp_path / name) for name in names]
    for name, repository in zip(names, repositories, strict=True):
        repository.commit({"steps.py": text, "kept.py": ONE})
        service.index(repository, name)
    service.quiet()
    before = service.stack.algolia.operations.copy()
    service.stack.algolia.requests.clear()
    service.stack.algolia.faults.add(Fault(path="/batch", times=4, status=429, retry_after=1))

    commits = [repository.commit({"steps.py": None}) for repository in repositories]
    for name, repository in zip(names, repositories, strict=True):
        service.push(repository, name)
    reports = [service.indexed(name, commit) for name, commit in zip(names, commits, strict=True)]

    left = [service.algolia_records(report["id"]).values() for report in reports]
    assert [[record["entity_name"] for record in records] for records in left] == [["one"]] * 3
    assert (service.stack.algolia.operations - before)["deleteObject"] >= 3 * 500
    assert not any("deleteByQuery" in request.path for request in service.stack.algolia.requests)
    assert [report["last_failure"] for report in reports] == [None] * 3


@contextmanager
def algolia_says(service: Service, replies: dict[str, Reply]) -> Iterator[Iterator[str]]:
    """Searches reach a socket that says these things, one for each name that is taken from the iterator."""
    now: list[Reply] = []
    function = service.stack.functions["SearchFunction"]
    engine = function._variables["ALGOLIA_ENDPOINT"]

    def names() -> Iterator[str]:
        for name, reply in replies.items():
            now[:] = [reply]
            yield name

    with Loopback(lambda _: now[0]) as server:
        function._variables["ALGOLIA_ENDPOINT"] = server.url
        function.kill()
        try:
            yield names()
        finally:
            function._variables["ALGOLIA_ENDPOINT"] = engine
            function.kill()


def test_whatever_algolia_does_who_asks_is_told_one_sentence_and_when_to_come_back(service: Service) -> None:
    app_id = str(service.stack.memory.get("algolia-app-id"))
    replies: dict[str, Reply] = {
        "reset": Silence.RESET,
        "closed": Cut(b""),
        "cut": Cut(http({"hits": []})[:-3]),
        "page": http(b"<html>A message of a proxy</html>", 502, "text/html"),
        "page of a refusal": http(b"<html>A message of a proxy</html>", 403, "text/html"),
        "named": http({"message": f"Invalid Application-ID {app_id}", "status": 403}, 403),
        "moved": http(b"", 302, headers={"location": "http://127.0.0.1:1/"}),
        "limited": http({"message": "slow down", "status": 429}, 429, headers={"Retry-After": "7"}),
    }

    with algolia_says(service, replies) as names:
        answers = {name: service.get("/v1/search", {"q": "one"}) for name in names}

    sentence = {"error": {"type": "Unavailable", "message": "Search is unavailable; try again later."}}
    assert {name: answer.status for name, answer in answers.items()} == dict.fromkeys(replies, 503)
    assert {name: answer.body for name, answer in answers.items()} == dict.fromkeys(replies, sentence)
    waits = {name: answer.headers["Retry-After"] for name, answer in answers.items()}
    assert waits == {**dict.fromkeys(replies, "5"), "limited": "7"}
