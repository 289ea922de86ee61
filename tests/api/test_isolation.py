"""Whatever a caller may not see is to them as if it did not exist, on every route and in every parameter."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any

import pytest

from codesage.clients import table
from codesage.clients.keys import create_key
from codesage.clients.store import Store
from codesage.keys import Scope
from codesage.messages import Labels
from tests.api.conftest import Indexed, indexed, indexed_for
from tests.repositories import GitRepository
from tests.service import Answer, Service, eventually

ORG = "globex"
WORD, OUTSIDE_WORD = "quasar", "pulsar"  # each stands only in what must not be seen


def files(word: str = WORD) -> dict[str, str | bytes | None]:
    source = f'def {word}_flux(star):\n    """How bright a {word} is."""\n    return star\n'
    return {f"hidden/{word}.py": source}


UNKNOWN_ID, UNKNOWN_NAME = 999_999, "octo/zzz-unknown"
PRETENCES = {"X-Org-Id": ORG, "X-Org": ORG, "X-Organisation": ORG, "X-Tenant-Id": ORG, "Org": ORG}


@dataclass(frozen=True)
class Unseen:
    """A repository, and a key that must not see it."""

    id: int
    name: str
    key: str
    word: str = WORD


@dataclass(frozen=True)
class Request:
    """How somebody may try: `{id}`, `{name}` and `{word}` stand for the repository's."""

    method: str
    path: str
    query: Mapping[str, str]
    body: str | None = None


REQUESTS = [
    Request("GET", "/v1/repositories/{id}", {}),
    Request("GET", "/v1/repositories/{id}/files", {"path": "hidden/{word}.py"}),
    Request("GET", "/v1/repositories/{id}/files", {"path": "no/such/file.py"}),
    Request("GET", "/v1/repositories/{id}/files/hidden/{word}.py", {}),
    Request("PATCH", "/v1/repositories/{id}", {}, '{"exclude": ["hidden/"]}'),
    Request("DELETE", "/v1/repositories/{id}", {}),
    Request("GET", "/v1/search", {"q": "{word}", "repository": "{id}"}),
    Request("GET", "/v1/search", {"q": "{word}", "repository": "{name}"}),
    Request("GET", "/v1/search", {"q": "{word}", "repository": "https://github.com/{name}"}),
    Request("GET", "/v1/search", {"q": "{word} repo:{name}"}),
    Request("GET", "/v1/search", {"q": "{word} -repo:{name}"}),
    Request("GET", "/v1/search", {"q": "{word}", "repository": "{name}", "at_least": "abcdef0"}),
    Request("GET", "/v1/suggestions", {"q": "{word} repo:{name}"}),
]


@pytest.fixture(scope="module")
def unseen(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Unseen]:
    """Makes each kind once."""
    everything = list(Scope)
    kept: dict[str, Unseen] = {}

    def index(name: str, word: str = WORD) -> Indexed:
        folder, url = tmp_path_factory.mktemp("unseen"), f"https://github.com/{name}"
        return indexed(service, name, folder, files(word), url)

    def of_another_organisation() -> Unseen:
        name = "globex/stars"
        git = GitRepository(tmp_path_factory.mktemp("globex") / "work")
        git.commit(files())
        number = indexed_for(service, ORG, git, name)
        return Unseen(number, name, create_key("default", "isolation", everything)[0])

    def hidden() -> Unseen:
        found = index("octo/taken-away")
        table.commit([Store("default")._hidden("ADD", found.id)])
        path = f"/v1/repositories/{found.id}"
        eventually(lambda: service.get(path).status, lambda status: status == HTTPStatus.NOT_FOUND)
        return Unseen(found.id, found.name, create_key("default", "isolation", everything)[0])

    def removed() -> Unseen:
        found = index("octo/gone")
        answer = service.request("DELETE", f"/v1/repositories/{found.id}")
        assert answer.status == HTTPStatus.ACCEPTED
        return Unseen(found.id, found.name, create_key("default", "isolation", everything)[0])

    def outside_of_the_key() -> Unseen:
        seen, found = index("octo/seen", "nebula"), index("octo/outside", OUTSIDE_WORD)
        key, _ = create_key("default", "isolation", everything, repositories=[seen.id])
        return Unseen(found.id, found.name, key, OUTSIDE_WORD)

    makers = {f.__name__: f for f in (of_another_organisation, hidden, removed, outside_of_the_key)}

    def make(kind: str) -> Unseen:
        if kind not in kept:
            kept[kind] = makers[kind]()
        return kept[kind]

    return make


KINDS = ["of_another_organisation", "hidden", "removed", "outside_of_the_key"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("request_", REQUESTS, ids=lambda r: f"{r.method}-{r.path}-{r.query or r.body}")
@pytest.mark.parametrize("headers", [{}, PRETENCES], ids=["plain", "pretending"])
def test_an_unseen_repository_is_answered_like_an_unknown_one(
    service: Service,
    unseen: Callable[[str], Unseen],
    kind: str,
    request_: Request,
    headers: Mapping[str, str],
) -> None:
    target = unseen(kind)

    answer = send(service, request_, target, headers)
    expected = send(service, request_, replace(target, id=UNKNOWN_ID, name=UNKNOWN_NAME), {})

    assert anonymous(answer, target.id, target.name) == anonymous(expected, UNKNOWN_ID, UNKNOWN_NAME)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_of_an_unseen_repository_is_found_counted_suggested_or_listed(
    service: Service, unseen: Callable[[str], Unseen], kind: str
) -> None:
    target = unseen(kind)
    # What searches leave out may be a few seconds old, what they show is not.
    search = eventually(
        lambda: service.get(
            "/v1/search",
            {"q": f"{target.word} path:hidden", "facets": "language,entity_type"},
            key=target.key,
        ),
        lambda answer: answer.body.get("total_hits") == 0,
    )
    by_words = service.get("/v1/search", {"q": target.word, "limit": 50}, key=target.key)
    listed = service.get("/v1/repositories", key=target.key)
    unknown = service.get("/v1/search", {"q": "x", "repository": "octo/nowhere"}, key=target.key)

    assert search.body["facets"] == {"language": {}, "entity_type": {}}
    assert service.get("/v1/suggestions", {"q": target.word}, key=target.key).body == {"suggestions": []}
    for answer in (search, by_words, listed, unknown):
        text = json.dumps(answer.body)
        assert target.name not in text
        assert f"{target.word}_flux" not in text


def test_a_client_may_not_name_an_organisation(service: Service, unseen: Callable[[str], Unseen]) -> None:
    target = unseen("of_another_organisation")

    for name in ("org", "organisation", "org_id", "tenant"):
        answer = service.get("/v1/search", {"q": WORD, name: ORG}, key=target.key)
        assert answer.status == HTTPStatus.BAD_REQUEST
        body = json.dumps({"name": "octo/x", name: ORG}).encode()
        added = service.request("POST", "/v1/repositories", body=body, key=target.key)
        assert added.status == HTTPStatus.BAD_REQUEST


def test_an_organisation_sees_its_own_and_nothing_else(
    service: Service, unseen: Callable[[str], Unseen]
) -> None:
    target = unseen("of_another_organisation")
    key, _ = create_key(ORG, "its own", list(Scope))

    listed = service.get("/v1/repositories", key=key).body["repositories"]
    found = service.get("/v1/search", {"q": WORD}, key=key).body["results"]

    assert [row["name"] for row in listed] == [target.name]
    assert [hit["entity_name"] for hit in found] == ["quasar_flux"]


def test_a_repository_that_was_never_indexed_is_listed_and_shows_nothing(service: Service) -> None:
    labels = Labels(name="octo/never", web_url=None, branch="main")
    row = Store("default").find_or_add("github", "never", labels)

    named = service.get("/v1/search", {"q": WORD, "repository": "octo/never"})
    file = service.get(f"/v1/repositories/{row.id}/files", {"path": "a.py"})
    report = service.get(f"/v1/repositories/{row.id}")

    assert (named.status, file.status) == (HTTPStatus.CONFLICT, HTTPStatus.CONFLICT)
    assert "pending" in named.body["error"]["message"]
    assert (report.status, report.body["status"]) == (HTTPStatus.OK, "pending")


def test_a_limited_key_may_not_add_repositories(service: Service, unseen: Callable[[str], Unseen]) -> None:
    target = unseen("outside_of_the_key")

    answer = service.request(
        "POST", "/v1/repositories", body=json.dumps({"name": target.name}).encode(), key=target.key
    )

    assert answer.status == HTTPStatus.FORBIDDEN


# ---- how --------------------------------------------------------------------------------------------------


def send(service: Service, request: Request, target: Unseen, headers: Mapping[str, str]) -> Answer:
    def filled(text: str) -> str:
        text = text.replace("{id}", str(target.id)).replace("{name}", target.name)
        return text.replace("{word}", target.word)

    query = {name: filled(value) for name, value in request.query.items()}
    body = None if request.body is None else request.body.encode()
    return service.request(
        request.method, filled(request.path), query, body=body, key=target.key, headers=headers
    )


def anonymous(answer: Answer, number: int, name: str) -> tuple[int, str, Any]:
    text = re.sub(rf"\b{number}\b", "ID", json.dumps(answer.body).replace(name, "NAME"))
    return answer.status, answer.headers.get("content-type", ""), json.loads(text)
