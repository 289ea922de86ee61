"""What a caller gets when something that a search stands on is missing, late, broken or not ready."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
import urllib3
from starlette.requests import Request

from codesage.callers import Caller
from codesage.catalog import Catalog
from codesage.clients import table
from codesage.clients.aws import secretsmanager
from codesage.clients.keys import create_key
from codesage.clients.organisations import create_organisation
from codesage.clients.store import Store
from codesage.keys import Scope
from codesage.messages import Labels
from codesage.queries import Query
from codesage.reach import MAX_LEFT_OUT, reach_of
from codesage.runs import Repository, failed
from codesage.settings import settings
from local.algolia.faults import Fault
from tests.api.conftest import Indexed, indexed
from tests.api.corpus import WEB
from tests.proxy import Ask, between
from tests.service import Service

UNAVAILABLE = "Search is unavailable; try again later."
UNCONFIGURED = "Search is not configured on the server (ALGOLIA_APP_ID / ALGOLIA_SEARCH_API_KEY are missing)."


@contextmanager
def engine_says(service: Service, body: bytes, status: int = 200) -> Iterator[None]:
    """Every query is answered so, whatever is asked."""

    def pass_on(request: Request, sent: bytes, ask: Ask) -> urllib3.BaseHTTPResponse:
        if request.url.path.endswith("/query"):
            return urllib3.HTTPResponse(body, {"content-type": "application/json"}, status)
        return ask()

    with between([service.stack.functions["SearchFunction"]], "ALGOLIA_ENDPOINT", pass_on):
        yield


# ---- the engine --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [400, 403, 429, 500, 503])
def test_any_failure_of_the_engine_is_one_sentence_and_when_to_come_back(
    corpus: Indexed, status: int
) -> None:
    faults = corpus.service.stack.algolia.faults
    faults.add(Fault(path="/query", times=20, status=status))

    answer = corpus.service.get("/v1/search", {"q": "token"})

    faults.clear()
    assert (answer.status, answer.body) == (
        HTTPStatus.SERVICE_UNAVAILABLE,
        {"error": {"type": "Unavailable", "message": UNAVAILABLE}},
    )
    assert int(answer.headers["Retry-After"]) > 0


@pytest.mark.parametrize(
    "body",
    [
        b"not json", b"null", b"[]", b"{}", b'{"nbHits": 0}', b'{"hits": ["x"], "nbHits": 1, "nbPages": 1}',
        b'{"hits": [{"entity_name": "x"}], "nbHits": 1, "nbPages": 1}',
        b'{"hits": [], "nbHits": null, "nbPages": 0}',
    ],
)  # fmt: skip
def test_a_reply_of_another_form_is_a_failure_and_suggests_nothing(corpus: Indexed, body: bytes) -> None:
    with engine_says(corpus.service, body):
        searched = corpus.service.get("/v1/search", {"q": "token"})
        suggested = corpus.service.get("/v1/suggestions", {"q": "token"})

    assert (searched.status, searched.body["error"]["message"]) == (503, UNAVAILABLE)
    assert suggested.status == HTTPStatus.OK
    assert suggested.body["suggestions"] in ([], ["x"])


def test_a_hit_that_the_index_shows_late_never_links_to_lines_it_is_not(
    service: Service, tmp_path: Path
) -> None:
    """The index still shows what was there before a push, although the push is published."""
    late = indexed(
        service,
        "octo/lagging",
        tmp_path / "lagging",
        {"a.py": "def lagging():\n    return 1\n"},
        "https://github.com/octo/lagging",
    )
    reply = engine_reply(late)
    late.git.commit({"a.py": "def lagging():\n    return 2\n"})
    service.index(late.git, "octo/lagging", "https://github.com/octo/lagging")

    with engine_says(service, reply):
        [hit] = service.search("lagging", repository="octo/lagging")

    assert "return 1" in hit["snippet"]
    assert hit["url"] is None or late.commit in hit["url"]


def engine_reply(repository: Indexed) -> bytes:
    """The engine's whole reply to a question about the repository, as it is now."""
    kept: list[bytes] = []

    def pass_on(request: Request, sent: bytes, ask: Ask) -> urllib3.BaseHTTPResponse:
        reply = ask()
        if request.url.path.endswith("/query"):
            kept.append(reply.data)
        return reply

    with between([repository.service.stack.functions["SearchFunction"]], "ALGOLIA_ENDPOINT", pass_on):
        repository.service.search("lagging", repository=repository.name)
    return kept[-1]


# ---- credentials -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def unconfigured(service: Service) -> str:
    """A key of an organisation whose search key was never filled in."""
    create_organisation("unset")
    name = f"{settings().secret_prefix}/unset/algolia-search"
    secretsmanager().put_secret_value(SecretId=name, SecretString='{"ALGOLIA_APP_ID": ""}')
    return create_key("unset", "tests", list(Scope))[0]


def test_missing_credentials_are_said_in_one_sentence(service: Service, unconfigured: str) -> None:
    searched = service.get("/v1/search", {"q": "token"}, key=unconfigured)
    suggested = service.get("/v1/suggestions", {"q": "token"}, key=unconfigured)

    assert (searched.status, searched.body["error"]["message"]) == (503, UNCONFIGURED)
    assert suggested.body == {"suggestions": []}


def test_a_bad_argument_is_said_before_credentials_are_looked_at(service: Service, unconfigured: str) -> None:
    for query in ({"q": "a" * 513}, {"q": "x", "limit": "51"}, {"q": "x", "entity_type": "method"}):
        assert service.get("/v1/search", query, key=unconfigured).status == HTTPStatus.BAD_REQUEST


# ---- repositories that are not ready -----------------------------------------------------------------------


def never(service: Service, name: str) -> Repository:
    return Store("default").find_or_add("github", name, Labels(name=name, web_url=None, branch="main"))


def test_of_several_repositories_those_that_are_not_ready_are_named(corpus: Indexed) -> None:
    row = never(corpus.service, "octo/unready")

    both = corpus.service.get("/v1/search", {"q": "refresh", "repository": [corpus.name, "octo/unready"]})
    alone = corpus.service.get("/v1/search", {"q": "refresh", "repository": str(row.id)})

    assert both.status == HTTPStatus.OK
    assert both.body["results"]
    [missing] = both.body["not_indexed"]
    assert (missing["repository"], missing["retry_after"]) == ("octo/unready", 10)
    assert missing["reason"].startswith("pending")
    assert (alone.status, alone.headers["Retry-After"]) == (HTTPStatus.CONFLICT, "10")


def test_a_repository_whose_first_indexing_failed_is_refused_with_the_reason(service: Service) -> None:
    row = never(service, "octo/never-worked")
    Store("default").change(row.id, lambda row: failed(row, "The token may not see it.", None, 1))

    answer = service.get("/v1/search", {"q": "x", "repository": "octo/never-worked"})

    assert answer.status == HTTPStatus.CONFLICT
    assert answer.body["error"]["message"] == "octo/never-worked: indexing failed: The token may not see it."
    assert "Retry-After" not in answer.headers


def test_a_name_that_was_taken_again_still_finds_what_is_indexed_under_it(corpus: Indexed) -> None:
    labels = Labels(name=corpus.name, web_url=WEB, branch="main")
    Store("default").find_or_add("github", "another-id", labels)

    assert corpus.service.search("refresh_token", repository=corpus.name)


def test_a_url_of_another_host_is_another_repository(corpus: Indexed) -> None:
    answer = corpus.service.get(
        "/v1/search", {"q": "refresh", "repository": f"https://gitlab.example.org/{corpus.name}"}
    )

    assert answer.status == HTTPStatus.NOT_FOUND


def test_an_update_under_way_is_said(corpus: Indexed, service: Service) -> None:
    Store("default").change(corpus.id, lambda row: replace(row, wanted="f" * 40))
    pending = service.get("/v1/search", {"q": "refresh", "repository": corpus.name})
    Store("default").change(corpus.id, lambda row: replace(failed(row, "No.", None, 1), wanted=None))
    stale = service.get("/v1/search", {"q": "refresh", "repository": corpus.name})
    Store("default").change(corpus.id, lambda row: replace(row, last_failure=None, attempts=0))

    assert [state["freshness"] for state in pending.body["repositories"]] == ["pending"]
    assert [state["freshness"] for state in stale.body["repositories"]] == ["stale"]
    assert pending.body["results"]


def test_a_repository_is_seen_the_moment_its_first_commit_is_published(
    service: Service, tmp_path: Path
) -> None:
    """Although the list of hidden ones, which is kept for a few seconds, still names it."""
    never(service, "octo/warming")
    service.search("anything")

    fresh = indexed(service, "octo/first", tmp_path / "first", {"a.py": "def first():\n    pass\n"}, None)

    assert service.get(f"/v1/repositories/{fresh.id}").status == HTTPStatus.OK
    assert service.search("first", repository="octo/first")


@pytest.mark.parametrize(("count", "is_listed"), [(MAX_LEFT_OUT, False), (MAX_LEFT_OUT + 1, True)])
def test_beyond_a_ceiling_the_allowed_repositories_are_sent_instead_of_the_hidden(
    service: Service, count: int, is_listed: bool
) -> None:
    store = Store(f"many-{count}")
    row = store.find_or_add("github", "1", Labels(name="a/b", web_url=None, branch="main"))
    for number in range(1, count):  # one is there already
        table.commit([store._hidden("ADD", 1_000_000 + number)])

    reach = reach_of(Catalog(Caller(f"many-{count}", "k", frozenset())), (), Query())

    assert len(store.hidden()) == count
    assert row.id in store.hidden()
    assert (reach.numbers == []) is is_listed
    assert (len(reach.hidden) == count) is not is_listed


# ---- limits of what is shown -------------------------------------------------------------------------------


def test_texts_are_cut_where_the_contract_says_and_missing_ones_are_null(
    service: Service, tmp_path: Path
) -> None:
    long = ", ".join(f"parameter_{number}" for number in range(60))
    doc = "word " * 100
    files: dict[str, Any] = {
        "long.py": f'def long_one({long}):\n    """{doc}"""\n',
        "text.md": "# Bare\n\nText.\n",
    }
    cut = indexed(service, "octo/cut", tmp_path / "cut", files, None)

    [hit] = service.search("long_one", repository=cut.name)

    assert (len(hit["signature"]), len(hit["description"]), len(hit["snippet"])) == (300, 300, 600)


def test_the_defaults_are_ten_hits_of_the_first_page(corpus: Indexed) -> None:
    answer = corpus.service.get("/v1/search", {"q": ""})

    assert (len(answer.body["results"]), answer.body["page"]) == (10, 0)
    assert (answer.body["tiers"], answer.body["incomplete"]) == ({"entities": "ok"}, False)


@pytest.mark.parametrize(
    ("name", "value"),
    [("page", "1" + "0" * 20), ("page", "100001"), ("limit", "1_0"), ("limit", "1.0"), ("limit", " 5")],
)
def test_a_number_is_digits_within_its_limits(corpus: Indexed, name: str, value: str) -> None:
    answer = corpus.service.get("/v1/search", {"q": "x", name: value})

    assert answer.status == HTTPStatus.BAD_REQUEST
    assert answer.body["error"]["message"].startswith(f"{name}: ")


def test_two_keys_never_share_a_kept_answer(corpus: Indexed) -> None:
    for path, query in (
        ("/v1/suggestions", {"q": "tok"}),
        (f"/v1/repositories/{corpus.id}/files", {"path": "src/auth/tokens.py"}),
        ("/v1/search", {"q": "tok"}),
    ):
        assert corpus.service.get(path, query).headers["Vary"] == "Authorization, X-Api-Key"
