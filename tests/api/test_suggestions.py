"""What somebody types into a box -> names, whatever goes wrong."""

from http import HTTPStatus
from typing import Any

import pytest

from codesage.clients.keys import create_key
from codesage.keys import Scope
from local.algolia.faults import Fault
from tests.api.conftest import Indexed, indexed
from tests.service import Answer, Service

GETTERS = "".join(f"def get_{number % 40:02}(self): pass\n\n\n" for number in range(400))
FILES: dict[str, str | bytes | None] = {
    "names.py": GETTERS + "class Getter:\n    pass\n\n\nimport getpass\n",
    "vectors.md": "# Vectors\n\nText.\n\n## A & B <C>\n\nText about vec.\n",
    "plain.py": 'def unrelated():\n    """It speaks of vec and get."""\n',
}


@pytest.fixture(scope="module")
def getters(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Indexed:
    return indexed(service, "octo/getters", tmp_path_factory.mktemp("getters"), FILES, None)


@pytest.fixture
def key(service: Service) -> str:
    """A key of the test's own, so that no other test uses up its minute."""
    return create_key("default", "suggestions", [Scope.SEARCH])[0]


def ask(service: Service, key: str, q: str, **parameters: Any) -> Answer:
    return service.get("/v1/suggestions", {"q": q, **parameters}, key=key)


def suggested(service: Service, key: str, q: str, **parameters: Any) -> list[str]:
    answer = ask(service, key, q, **parameters)
    assert answer.status == HTTPStatus.OK
    assert list(answer.body) == ["suggestions"]
    names: list[str] = answer.body["suggestions"]
    return names


def test_names_are_suggested_once_each_and_imports_are_not(getters: Indexed, key: str) -> None:
    names = suggested(getters.service, key, f"repo:{getters.name} get", limit=20)

    assert names
    assert len(names) == len(set(names))
    assert all(name.lower().startswith("get") for name in names)
    assert "getpass" not in names


def test_a_name_that_is_not_met_is_not_suggested(getters: Indexed, key: str) -> None:
    names = suggested(getters.service, key, f"repo:{getters.name} vec")

    assert names == ["Vectors"]


def test_a_suggestion_is_exact_text_that_finds_what_it_names(getters: Indexed, key: str) -> None:
    [name] = suggested(getters.service, key, f"repo:{getters.name} A & B")

    assert name == "A & B <C>"
    hits = getters.service.search(f'"{name}"', repository=getters.name)
    assert hits[0]["entity_name"] == name


@pytest.mark.parametrize(("q", "is_asked"), [("g", False), (" g ", False), ("", False), ("ge", True)])
def test_two_characters_are_needed(getters: Indexed, key: str, q: str, is_asked: bool) -> None:
    assert bool(suggested(getters.service, key, q)) is is_asked


@pytest.mark.parametrize(
    "q", ["lang:python", "repo:octo/getters", "::", "repo:octo/nowhere get", "type:nothing get"]
)
def test_a_query_without_words_or_with_a_bad_filter_suggests_nothing(
    getters: Indexed, key: str, q: str
) -> None:
    assert suggested(getters.service, key, q) == []


@pytest.mark.parametrize(
    ("limit", "count"), [("0", 0), ("1", 1), ("20", 20), ("21", 0), ("-1", 0), ("many", 0), ("", 10)]
)
def test_a_bad_limit_suggests_nothing(getters: Indexed, key: str, limit: str, count: int) -> None:
    assert len(suggested(getters.service, key, f"repo:{getters.name} get", limit=limit)) == count


@pytest.mark.parametrize("q", ["a" * 513, "get " * 1_000, "é" * 300])
def test_a_long_prefix_suggests_nothing_and_the_engine_is_not_asked(
    getters: Indexed, key: str, q: str
) -> None:
    before = len(getters.service.stack.algolia.requests)

    assert suggested(getters.service, key, q) == []
    assert len(getters.service.stack.algolia.requests) == before


def test_a_failing_engine_suggests_nothing(getters: Indexed, key: str) -> None:
    faults = getters.service.stack.algolia.faults
    faults.add(Fault(path="/query", status=400))

    try:
        assert suggested(getters.service, key, "get") == []
    finally:
        faults.clear()
    assert suggested(getters.service, key, "get")


def test_only_a_missing_key_and_too_many_questions_are_errors(getters: Indexed, key: str) -> None:
    service = getters.service

    nobody = service.get("/v1/suggestions", {"q": "get"}, key=None)
    answers = [ask(service, key, "g") for _ in range(201)]

    assert nobody.status == HTTPStatus.UNAUTHORIZED
    # The minute may have turned in between, so of 201 at least one is refused, and none of the first 100.
    assert {answer.status for answer in answers[:100]} == {HTTPStatus.OK}
    refused = [answer for answer in answers if answer.status == HTTPStatus.TOO_MANY_REQUESTS]
    assert refused
    assert refused[0].body["error"]["type"] == "TooManyRequests"
    assert 1 <= int(refused[0].headers["Retry-After"]) <= 60
