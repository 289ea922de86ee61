"""Questions to GET /v1/search and what comes back, against the real handlers."""

import gzip
import json
import re
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

import pytest
import urllib3
from starlette.requests import Request

from tests.api.conftest import Indexed
from tests.proxy import Ask, between
from tests.service import Answer, Service

TEN_FIELDS = {
    "entity_name", "entity_type", "file_path", "line_start", "line_end", "language", "signature", "snippet",
    "description", "url",
}  # fmt: skip


def ask(corpus: Indexed, q: str, **parameters: Any) -> Answer:
    return corpus.service.get("/v1/search", {"q": q, "repository": corpus.name, **parameters})


def names(answer: Answer) -> list[str]:
    assert answer.status == HTTPStatus.OK, answer
    return [hit["entity_name"] for hit in answer.body["results"]]


@pytest.fixture(scope="module")
def questions(service: Service) -> Iterator[list[dict[str, Any]]]:
    """What the engine is asked from here on, the newest last."""
    asked: list[dict[str, Any]] = []

    def pass_on(request: Request, body: bytes, ask: Ask) -> urllib3.BaseHTTPResponse:
        packed = request.headers.get("content-encoding") == "gzip"
        asked.append(json.loads(gzip.decompress(body) if packed else body))
        return ask()

    with between([service.stack.functions["SearchFunction"]], "ALGOLIA_ENDPOINT", pass_on):
        yield asked


# ---- the question -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("a" * 512, HTTPStatus.OK),
        ("a" * 513, HTTPStatus.BAD_REQUEST),
        ("é" * 256, HTTPStatus.OK),
        ("é" * 300, HTTPStatus.BAD_REQUEST),
        ("a" * 511 + "🚀", HTTPStatus.BAD_REQUEST),
        ("lang:python " + "a" * 512, HTTPStatus.OK),
        ("Traceback line\n" * 300, HTTPStatus.BAD_REQUEST),
    ],
    ids=["512", "513", "512-in-256", "600-in-300", "cut-within-a-character", "without-filters", "trace"],
)
def test_a_query_may_have_512_bytes_and_is_never_cut(corpus: Indexed, query: str, status: HTTPStatus) -> None:
    answer = ask(corpus, query)

    assert answer.status == status
    if status is HTTPStatus.BAD_REQUEST:
        assert answer.body == {
            "error": {"type": "InvalidRequest", "message": "query is too long; the limit is 512 bytes"}
        }


@pytest.mark.parametrize(
    ("name", "value", "is_good"),
    [
        ("limit", "0", False), ("limit", "1", True), ("limit", "50", True), ("limit", "51", False),
        ("limit", "ten", False), ("page", "-1", False), ("page", "0", True), ("page", "100000", True),
        ("entity_type", "import", True), ("entity_type", "method", False), ("type", "entities", True),
        ("type", "telepathy", False), ("facets", "language,entity_type", True),
        ("facets", "file_path", False), ("at_least", "abcdef", False), ("path", "/", False),
        ("highlight", "true", True),
        ("highlight", "perhaps", False), ("org", "default", False), ("tenant", "x", False),
    ],
)  # fmt: skip
def test_a_bad_argument_is_named_with_its_limit(
    corpus: Indexed, name: str, value: str, is_good: bool
) -> None:
    answer = ask(corpus, "token", **{name: value})

    assert answer.status == (HTTPStatus.OK if is_good else HTTPStatus.BAD_REQUEST)
    if not is_good:
        assert answer.body["error"]["type"] == "InvalidRequest"
        assert name in answer.body["error"]["message"]


def test_a_question_needs_a_query_and_an_empty_one_shows_everything(corpus: Indexed) -> None:
    missing = corpus.service.get("/v1/search", {"repository": corpus.name})
    empty = ask(corpus, "", limit=50)

    assert missing.status == HTTPStatus.BAD_REQUEST
    assert missing.body["error"]["message"].startswith("q: ")
    assert "refresh_token" in names(empty)


def test_the_parameters_sent_with_every_question_are_those_of_the_contract(
    corpus: Indexed, questions: list[dict[str, Any]]
) -> None:
    ask(corpus, "where is the token created", limit=7, page=2)

    question = questions[-1]
    assert {
        key: value for key, value in question.items() if key not in ("filters", "attributesToRetrieve")
    } == {
        "query": "where is the token created",
        "hitsPerPage": 7,
        "page": 2,
        "highlightPreTag": "<mark>",
        "highlightPostTag": "</mark>",
        "removeWordsIfNoResults": "allOptional",
        "removeStopWords": True,
        "ignorePlurals": True,
        "queryLanguages": ["en"],
        "attributesToHighlight": [],
    }


def test_advanced_syntax_is_sent_only_with_a_phrase_or_an_excluded_term(
    corpus: Indexed, questions: list[dict[str, Any]]
) -> None:
    for query, is_advanced in {
        "token": False,
        '"refresh token"': True,
        "token -session": True,
        "a->b --flag": False,
        "is:test token": False,
    }.items():
        ask(corpus, query)
        assert ("advancedSyntax" in questions[-1]) is is_advanced, query


def test_a_phrase_is_found_as_it_stands_and_an_excluded_term_is_not_found(corpus: Indexed) -> None:
    assert "refresh_token" in names(ask(corpus, '"new access token"'))
    assert names(ask(corpus, '"access new token"')) == []
    assert "TokenStore" not in names(ask(corpus, "token -keeps"))


def test_a_plain_question_degrades_into_a_search_for_its_words(corpus: Indexed) -> None:
    assert names(ask(corpus, "where is the store created on the moon"))


# ---- filters ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("q", "parameters"),
    [
        ("lang:python token", {}),
        ("token", {"language": "python"}),
        ("token", {"language": "Python"}),
        ("lang:py token", {}),
        ("lang:python token", {"language": "python"}),
    ],
)
def test_a_language_narrows_the_search_in_the_query_and_as_a_parameter(
    corpus: Indexed, q: str, parameters: dict[str, str]
) -> None:
    answer = ask(corpus, q, **parameters)

    assert names(answer)
    assert {hit["language"] for hit in answer.body["results"]} == {"python"}


def test_filters_of_the_query_and_of_parameters_all_hold(corpus: Indexed) -> None:
    answer = ask(corpus, "lang:go token", language="python")

    assert names(answer) == []


def test_an_unknown_language_finds_nothing_and_says_why(corpus: Indexed) -> None:
    answer = ask(corpus, "token", language="klingon")

    assert (answer.status, answer.body["total_hits"]) == (HTTPStatus.OK, 0)
    assert any("klingon" in hint and "python" in hint for hint in answer.body["hints"])


def test_imports_are_found_only_when_they_are_asked_for(corpus: Indexed) -> None:
    assert "time" not in names(ask(corpus, "time"))
    assert names(ask(corpus, "time", entity_type="import")) == ["time"]
    assert names(ask(corpus, "type:import time")) == ["time"]


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("src/auth", True),
        ("src/auth/", True),
        ("./src/auth", True),
        ("src/auth/tokens.py", True),
        ("src/aut", False),
        ("auth", False),
        ("web", False),
    ],
)
def test_a_path_is_a_folder_or_exactly_one_file(corpus: Indexed, path: str, found: bool) -> None:
    assert ("refresh_token" in names(ask(corpus, "refresh_token", path=path))) is found
    assert ("refresh_token" in names(ask(corpus, f"refresh_token path:{path}"))) is found


def test_a_glob_is_reduced_to_its_folder_and_the_reply_says_so(corpus: Indexed) -> None:
    answer = ask(corpus, "token", path="src/auth/**/*.py")

    assert {hit["file_path"].rpartition("/")[0] for hit in answer.body["results"]} == {"src/auth"}
    assert any("src/auth/**/*.py" in hint for hint in answer.body["hints"])


def test_a_folder_with_a_dot_and_a_file_with_brackets_are_found_by_their_path(corpus: Indexed) -> None:
    assert names(ask(corpus, "exchange", path="src/billing/folder.name")) == ["exchange_rate"]
    assert names(ask(corpus, "", path="app/[id].tsx")) == ["RoutePage"]


def test_tests_are_left_out_or_asked_for(corpus: Indexed) -> None:
    assert names(ask(corpus, "refresh token is:test")) == ["test_refresh_token"]
    assert "test_refresh_token" not in names(ask(corpus, "refresh token -is:test"))
    assert "test_refresh_token" in names(ask(corpus, "refresh token"))


def test_negated_filters_leave_things_out(corpus: Indexed) -> None:
    assert {"python", "go"}.isdisjoint(
        hit["language"] for hit in ask(corpus, "-lang:python -lang:go", limit=50).body["results"]
    )
    assert all(
        not hit["file_path"].startswith("src/") for hit in ask(corpus, "-path:src", limit=50).body["results"]
    )


def test_an_unknown_filter_is_named_and_not_searched(corpus: Indexed) -> None:
    answer = ask(corpus, "owner:me refresh_token")

    assert names(answer)[0] == "refresh_token"
    assert any("owner:" in hint for hint in answer.body["hints"])


@pytest.mark.parametrize("query", ["::", "->", "==", "()", "…"])
def test_punctuation_alone_finds_nothing_and_says_why(corpus: Indexed, query: str) -> None:
    answer = ask(corpus, query)

    assert (answer.status, answer.body["total_hits"]) == (HTTPStatus.OK, 0)
    assert answer.body["hints"]


def test_a_language_name_with_punctuation_is_a_filter(corpus: Indexed) -> None:
    answer = ask(corpus, "C++ token")

    assert answer.body["total_hits"] == 0
    assert any("C++" in hint for hint in answer.body["hints"])


# ---- repositories -----------------------------------------------------------------------------------------


def test_a_repository_is_known_by_number_name_and_url(corpus: Indexed, other: Indexed) -> None:
    for name in (
        str(corpus.id),
        "octo/search",
        "Octo/Search",
        "https://github.com/octo/search",
        "https://github.com/octo/search.git",
        "git@github.com:octo/search.git",
    ):
        answer = corpus.service.get("/v1/search", {"q": "refresh", "repository": name})
        assert answer.body["repository"] == "octo/search", name
        assert {hit["repository"] for hit in answer.body["results"]} == {"octo/search"}


def test_several_repositories_are_searched_together(corpus: Indexed, other: Indexed) -> None:
    both = corpus.service.get("/v1/search", {"q": "refresh", "repository": [corpus.name, other.name]})
    inline = corpus.service.get("/v1/search", {"q": f"refresh repo:{corpus.name} repo:{other.name}"})

    for answer in (both, inline):
        assert answer.body["repository"] is None
        assert {hit["repository"] for hit in answer.body["results"]} == {corpus.name, other.name}


def test_repositories_of_the_query_and_of_the_parameter_all_hold(corpus: Indexed, other: Indexed) -> None:
    same = ask(corpus, f"refresh repo:{corpus.name}")
    none = ask(corpus, f"refresh repo:{other.name}")

    assert {hit["repository"] for hit in same.body["results"]} == {corpus.name}
    assert (none.status, none.body["results"]) == (HTTPStatus.OK, [])
    assert none.body["hints"]


def test_a_repository_can_be_left_out(corpus: Indexed, other: Indexed) -> None:
    answer = corpus.service.get("/v1/search", {"q": f"refresh -repo:{corpus.name}", "limit": 50})

    assert corpus.name not in {hit["repository"] for hit in answer.body["results"]}
    assert other.name in {hit["repository"] for hit in answer.body["results"]}


def test_an_unknown_repository_is_an_error_that_names_known_ones(corpus: Indexed) -> None:
    answer = corpus.service.get("/v1/search", {"q": "x", "repository": "octo/nowhere"})

    assert answer.status == HTTPStatus.NOT_FOUND
    assert "octo/nowhere" in answer.body["error"]["message"]
    assert "octo/search" in answer.body["error"]["message"]


def test_fifty_repositories_may_be_named_and_no_more(corpus: Indexed) -> None:
    fifty = corpus.service.get("/v1/search", {"q": "x", "repository": [corpus.name] * 50})
    more = corpus.service.get("/v1/search", {"q": "x", "repository": [corpus.name] * 51})

    assert (fifty.status, more.status) == (HTTPStatus.OK, HTTPStatus.BAD_REQUEST)
    assert "50" in more.body["error"]["message"]


# ---- the reply --------------------------------------------------------------------------------------------


def test_a_result_has_its_ten_fields_and_those_beside_them(corpus: Indexed) -> None:
    answer = ask(corpus, "refresh_token")

    hit = answer.body["results"][0]
    assert {key: hit[key] for key in hit if key in TEN_FIELDS} == {
        "entity_name": "refresh_token",
        "entity_type": "function",
        "file_path": "src/auth/tokens.py",
        "line_start": 6,
        "line_end": 8,
        "language": "python",
        "signature": "def refresh_token(session, token: str) -> str:",
        "snippet": "def refresh_token(session, token: str) -> str:\n"
        '    """Return a new access token for a refresh token."""\n'
        "    return session.renew(token, time())",
        "description": "Python function: refresh_token — Return a new access token for a refresh token.",
        "url": f"https://github.com/octo/search/blob/{corpus.commit}/src/auth/tokens.py#L6-L8",
    }
    beside = {key: hit[key] for key in hit if key not in TEN_FIELDS}
    assert beside == {
        "repository": "octo/search",
        "score": pytest.approx(1 / 61, abs=1e-6),
        "tiers": ["entities"],
        "kind": "function",
        "symbol": "refresh_token",
        "highlights": None,
    }


def test_a_method_says_what_it_is_and_of_what(corpus: Indexed) -> None:
    [hit] = [hit for hit in ask(corpus, "revoke").body["results"] if hit["entity_name"] == "revoke"]

    assert (hit["kind"], hit["symbol"]) == ("method", "TokenStore.revoke")


def test_a_snippet_ends_after_600_characters(corpus: Indexed) -> None:
    [hit] = [
        hit for hit in ask(corpus, "issue_invoice").body["results"] if hit["entity_name"] == "issue_invoice"
    ]

    assert len(hit["snippet"]) == 600
    assert hit["snippet"].startswith("def issue_invoice(customer, amount: int):\n")


def test_highlights_are_escaped_and_mark_what_the_query_met(corpus: Indexed) -> None:
    answer = ask(corpus, "invoice customer", highlight="true")

    [hit] = [hit for hit in answer.body["results"] if hit["entity_name"] == "issue_invoice"]
    description = hit["highlights"]["description"]
    assert (
        "Write an <mark>invoice</mark> for a &lt;b&gt;<mark>customer</mark>&lt;/b&gt; &amp; send"
        in description
    )
    assert set(re.findall(r"<[^>]*>", "".join(hit["highlights"].values()))) == {"<mark>", "</mark>"}
    assert "<mark>" not in hit["snippet"] + hit["entity_name"] + hit["description"]


def test_facets_count_all_hits_without_imports(corpus: Indexed) -> None:
    answer = ask(corpus, "", facets="language,entity_type", limit=1)

    facets = answer.body["facets"]
    assert "import" not in facets["entity_type"]
    assert (
        sum(facets["entity_type"].values()) == answer.body["total_hits"] == sum(facets["language"].values())
    )
    assert facets["language"]["python"] > facets["language"]["go"] == 1
    assert ask(corpus, "").body["facets"] is None


def test_pages_follow_each_other_without_repeating_a_hit(corpus: Indexed) -> None:
    whole = names(ask(corpus, "", limit=50))
    pages = [ask(corpus, "", limit=4, page=page) for page in range(3)]

    assert [name for page in pages for name in names(page)] == whole[:12]
    assert [page.body["page"] for page in pages] == [0, 1, 2]
    assert pages[0].body["pages"] == -(-pages[0].body["total_hits"] // 4)


def test_the_reply_says_which_commit_it_reflects(corpus: Indexed) -> None:
    for query in ("refresh_token", "nothing-like-this-anywhere"):
        [state] = ask(corpus, query).body["repositories"]
        assert (state["repository"], state["commit"], state["freshness"]) == (
            corpus.name,
            corpus.commit,
            "fresh",
        )


def test_a_repository_of_an_unknown_host_has_no_links(other: Indexed) -> None:
    [hit] = other.service.search("refresh_cache", repository=other.name)

    assert hit["url"] is None


# ---- at_least ---------------------------------------------------------------------------------------------


def test_a_commit_that_is_there_is_said_to_be_reached(corpus: Indexed) -> None:
    answer = ask(corpus, "token", at_least=corpus.commit[:12])

    assert answer.body["at_least"] == {"commit": corpus.commit[:12], "reached": True}


def test_a_commit_that_does_not_come_is_said_not_to_be_reached(corpus: Indexed) -> None:
    answer = ask(corpus, "token", at_least="f" * 40)

    assert answer.status == HTTPStatus.OK
    assert answer.body["at_least"] == {"commit": "f" * 40, "reached": False}


def test_a_commit_is_waited_for_in_one_repository(corpus: Indexed, other: Indexed) -> None:
    answer = corpus.service.get("/v1/search", {"q": "token", "at_least": corpus.commit})

    assert answer.status == HTTPStatus.BAD_REQUEST
    assert "at_least" in answer.body["error"]["message"]
