"""Repositories are added by name, changed and removed over the API alone."""

import json
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import quote

import pytest
import urllib3
from starlette.requests import Request

from codesage.clients.keys import create_key
from codesage.clients.store import Store
from codesage.keys import Scope
from tests.api.conftest import Indexed, indexed
from tests.proxy import Ask, between
from tests.repositories import GitRepository
from tests.service import Answer, Service, eventually

ONE = "def one():\n    return 1\n"
TWO = "def two():\n    return 2\n"


def send(service: Service, method: str, path: str, body: Any = None, key: str | None = None) -> Answer:
    headers = {"Authorization": f"Bearer {key or service.key}", "Content-Type": "application/json"}
    reply = urllib3.request(
        method, service.stack.url + path, headers=headers, body=None if body is None else json.dumps(body)
    )
    return Answer(reply.status, reply.headers, reply.json())


def served(service: Service, folder: Path, name: str) -> GitRepository:
    """On the host, which tells nobody."""
    git = GitRepository(folder / quote(name, safe=""))
    git.commit({"one.py": ONE})
    service.stack.githost.add(name, git.folder, f"https://github.com/{name}")
    return git


# ---- report ------------------------------------------------------------------------------------------


def test_a_report_counts_the_records_of_each_language(service: Service, tmp_path: Path) -> None:
    tree = {"a.py": ONE + TWO, "b.md": "# B\n", "c.go": "package c\n", "d_pb2.py": ONE, "e.txt": "e\n"}
    counted = indexed(service, "repo/languages", tmp_path, {**tree}, None)
    whole = send(service, "GET", f"/v1/repositories/{counted.id}").body
    counted.git.commit({"a.py": ONE, "b.md": None})

    less = service.index(counted.git, "repo/languages")

    assert whole["languages"] == {"python": 2, "markdown": 1}
    assert less["languages"] == {"python": 1}


def test_a_repository_whose_last_run_is_forgotten_is_still_reported(service: Service, tmp_path: Path) -> None:
    old = indexed(service, "repo/old", tmp_path, {"a.py": ONE}, None)
    Store("default").clear_runs(old.id)

    answer = send(service, "GET", f"/v1/repositories/{old.id}")

    assert (answer.status, answer.body["last_run"], answer.body["commit"]) == (200, {}, old.commit)


def test_reports_are_of_what_the_key_may_see(service: Service, corpus: Indexed, other: Indexed) -> None:
    limited = create_key("default", "limited", list(Scope), repositories=[other.id])[0]

    reports = send(service, "GET", "/v1/repositories", key=limited).body["repositories"]
    foreign = [
        send(service, m, f"/v1/repositories/{corpus.id}", {}, limited) for m in ("GET", "PATCH", "DELETE")
    ]

    assert [report["id"] for report in reports] == [other.id]
    assert [answer.status for answer in foreign] == [404, 404, 404]
    assert send(service, "GET", f"/v1/repositories/{corpus.id}").status == 200


# ---- add ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        {"name": "add/Hello.World"},
        {"url": "https://github.com/add/Hello.World"},
        {"url": "https://github.com/add/Hello.World.git/"},
        {"name": "ADD/hello.world"},
    ],
)
def test_a_repository_that_is_added_by_name_or_address_becomes_searchable_without_a_webhook(
    service: Service, tmp_path: Path, body: dict[str, str]
) -> None:
    git = served(service, tmp_path, "add/Hello.World")

    answers = [send(service, "POST", "/v1/repositories", body) for _ in range(2)]

    assert [answer.status for answer in answers] == [202, 202]
    assert answers[0].body["id"] == answers[1].body["id"]
    assert answers[0].body["name"] == "add/Hello.World"
    service.indexed("add/Hello.World", git.git("rev-parse", "HEAD"))
    assert service.search("one", repository="add/Hello.World")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"name": "add/unknown"}, "add/unknown"),
        ({"name": "../user"}, "owner/name"),
        ({"name": "add/.."}, "owner/name"),
        ({"name": "add/a/b"}, "owner/name"),
        ({"name": "add"}, "owner/name"),
        ({"url": "https://github.com/add"}, "owner/name"),
        ({"url": "https://user:secret@host.example/a/b"}, "https://github.com"),
        ({"url": "https://[::1/a/b"}, "only repositories of"),
        ({"url": "ftp://github.com/a/b"}, "https://github.com"),
        ({}, "name or url"),
        ({"name": "a/b", "url": "https://github.com/a/b"}, "name or url"),
        ({"name": "a/b", "branch": "x"}, "branch"),
        ({"name": 7}, "name"),
    ],
)
def test_what_cannot_be_added_is_refused_with_what_could_be(
    service: Service, body: dict[str, Any], said: str
) -> None:
    answer = send(service, "POST", "/v1/repositories", body)

    assert answer.status == 400, answer
    assert said in answer.body["error"]["message"]
    assert "secret" not in answer.body["error"]["message"]


def test_a_former_name_leads_to_the_repository_by_its_present_one(service: Service, tmp_path: Path) -> None:
    served(service, tmp_path, "add/present")
    source = service.stack.githost.add("add/present", tmp_path / "add%2Fpresent")
    moved = {"Location": f"/repositories/{source.id}"}
    service.stack.githost.faults.answer("/repos/add/former", 301, headers=moved)

    answer = send(service, "POST", "/v1/repositories", {"name": "add/former"})

    assert (answer.status, answer.body["name"]) == (202, "add/present")


def test_a_host_without_requests_left_is_asked_again_later(service: Service) -> None:
    service.stack.githost.faults.answer("/repos/add/limited", 429, headers={"Retry-After": "77"})

    answer = send(service, "POST", "/v1/repositories", {"name": "add/limited"})

    assert (answer.status, answer.headers["Retry-After"]) == (503, "77")


def test_adding_takes_the_scope_index_and_a_key_for_all_repositories(
    service: Service, corpus: Indexed
) -> None:
    searches = create_key("default", "searches", [Scope.SEARCH])[0]
    limited = create_key("default", "limited", list(Scope), repositories=[corpus.id])[0]

    answers = [
        send(service, "POST", "/v1/repositories", {"name": "octo/search"}, key) for key in (searches, limited)
    ]

    assert [answer.status for answer in answers] == [403, 403]


# ---- settings ----------------------------------------------------------------------------------------


def test_excluded_files_leave_the_index_without_a_push_and_come_back(
    service: Service, tmp_path: Path
) -> None:
    tree = {"one.py": ONE, "gen/two.py": TWO, "gen/keep.py": TWO, ".codesageignore": "!gen/two.py\n"}
    repository = indexed(service, "repo/exclude", tmp_path, {**tree}, "https://github.com/repo/exclude")
    place = f"/v1/repositories/{repository.id}"
    whole = service.algolia_records(repository.id)

    def paths() -> set[str]:
        return {record["file_path"] for record in service.algolia_records(repository.id).values()}

    answer = send(service, "PATCH", place, {"exclude": ["gen/*", "!gen/keep.py"]})
    eventually(paths, lambda paths: paths == {"one.py", "gen/keep.py"})
    report = service.indexed("repo/exclude", repository.commit)

    assert (answer.status, answer.body["settings"]) == (200, {"exclude": ["gen/*", "!gen/keep.py"]})
    assert report["skips"] == {"ignored": 1, "no_language": 1}
    file = service.get(f"{place}/files/gen/two.py").body
    assert (file["reason"], file["text"]) == ("ignored", None)
    assert "exclude" in file["explanation"]

    # A push by the delta way keeps to it.
    commit = repository.git.commit({"one.py": ONE + "\n", "gen/more.py": TWO})
    report = service.index(repository.git, "repo/exclude", "https://github.com/repo/exclude")
    assert report["skips"] == {"ignored": 2, "no_language": 1}

    assert send(service, "PATCH", place, {}).body["settings"] == answer.body["settings"]
    send(service, "PATCH", place, {"exclude": None})
    eventually(paths, lambda paths: paths == {"one.py", "gen/keep.py", "gen/two.py", "gen/more.py"})
    service.indexed("repo/exclude", commit)
    assert service.algolia_records(repository.id).keys() >= whole.keys()


def test_settings_that_change_while_a_run_is_in_flight_hold_after_it(
    service: Service, tmp_path: Path
) -> None:
    git = served(service, tmp_path, "repo/patched")
    saves = (Event(), Event())

    def hold(request: Request, body: bytes, ask: Ask) -> urllib3.BaseHTTPResponse:
        if request.url.path.endswith("/batch"):
            saves[0].set()
            assert saves[1].wait(60)
        return ask()

    with between([service.stack.functions["ParserFunction"]], "ALGOLIA_ENDPOINT", hold):
        number = send(service, "POST", "/v1/repositories", {"name": "repo/patched"}).body["id"]
        assert saves[0].wait(60)
        send(service, "PATCH", f"/v1/repositories/{number}", {"exclude": ["one.py"]})
        saves[1].set()
        service.indexed("repo/patched", git.git("rev-parse", "HEAD"))

    eventually(lambda: service.algolia_records(number), lambda records: records == {})
    assert service.indexed("repo/patched", git.git("rev-parse", "HEAD"))["skips"] == {"ignored": 1}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"exclude": ["a"] * 101}, "exclude"),
        ({"exclude": ["a" * 201]}, "exclude"),
        ({"exclude": ["ok", "a\nb"]}, "exclude"),
        ({"exclude": ["# comment"]}, "comment"),
        ({"exclude": ["/"]}, "exclude"),
        ({"exclude": "gen/"}, "exclude"),
        ({"exclude": ["{x}", ""]}, "exclude"),
        ({"include": []}, "include"),
    ],
)
def test_bad_settings_are_refused_by_name(
    service: Service, corpus: Indexed, body: dict[str, Any], said: str
) -> None:
    answer = send(service, "PATCH", f"/v1/repositories/{corpus.id}", body)

    assert answer.status == 400, answer
    assert said in answer.body["error"]["message"]
    assert send(service, "GET", f"/v1/repositories/{corpus.id}").body["settings"] == {"exclude": []}


# ---- remove ------------------------------------------------------------------------------------------


def test_a_deleted_repository_is_gone_at_once_and_comes_back_under_a_new_number(
    service: Service, tmp_path: Path
) -> None:
    git = served(service, tmp_path, "repo/delete")
    number = send(service, "POST", "/v1/repositories", {"name": "repo/delete"}).body["id"]
    commit = git.git("rev-parse", "HEAD")
    service.indexed("repo/delete", commit)

    answer = send(service, "DELETE", f"/v1/repositories/{number}")

    assert (answer.status, answer.body) == (202, {"id": number, "name": "repo/delete"})
    assert service.report("repo/delete") is None
    assert not [hit for hit in service.search("one") if hit["repository"] == "repo/delete"]
    statuses = [
        service.get("/v1/search", {"q": "one", "repository": "repo/delete"}).status,
        service.get(f"/v1/repositories/{number}/files", {"path": "one.py"}).status,
        send(service, "DELETE", f"/v1/repositories/{number}").status,
        send(service, "PATCH", f"/v1/repositories/{number}", {"exclude": []}).status,
    ]
    assert statuses == [404, 404, 404, 404]

    def watched() -> list[dict[str, Any]]:
        service.stack.fire("watch")
        return service.run_entry(number)

    eventually(watched, lambda entry: entry == [])
    assert service.algolia_records(number) == {}
    assert service.items(f"O#default#R#{number}") == []
    assert service.objects(f"packs/default/{number}/") == service.objects(f"trees/default/{number}/") == {}

    again = send(service, "POST", "/v1/repositories", {"name": "repo/delete"})
    assert again.body["id"] > number
    assert service.indexed("repo/delete", commit)["id"] == again.body["id"]
