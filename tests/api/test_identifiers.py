"""What programmers type -> the definition they mean, first."""

from typing import Any

import pytest

from tests.api.conftest import Indexed, indexed
from tests.service import Service

FILES: dict[str, str | bytes | None] = {
    "names.py": '''class SublimeCMD:
    """Runs things."""


class YouCompleteMe:
    """Completes words."""


def eye():
    """Sees."""


def ene():
    """Is one letter away from another."""


def parse_url(text):
    """Read an address."""


def x():
    """Has a short name."""


def xenon():
    """Begins like a short name."""


def operator_equals(one, other):
    """Stands for operator== here."""


def verbose():
    """What the option --verbose turns on."""


def read_lines_of_file(path):
    """Has a name of four words."""


def decorator():
    """Written with an at sign, @decorator."""
''',
    "names.ts": """export function parseUrl(text: string): string {
  return text;
}

export function scopeOf($scope: Scope): Scope {
  return $scope;
}
""",
    "languages.md": "# Sharp things\n\nHow C# and F# differ.\n\n# Plain things\n\nAbout nothing.\n",
}


@pytest.fixture(scope="module")
def identifiers(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Indexed:
    return indexed(service, "octo/identifiers", tmp_path_factory.mktemp("identifiers"), FILES, None)


def found(identifiers: Indexed, q: str, **parameters: Any) -> list[str]:
    hits = identifiers.service.search(q, repository=identifiers.name, **parameters)
    return [hit["entity_name"] for hit in hits]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("eye", "eye"),
        ("cmd", "SublimeCMD"),
        ("you complete me", "YouCompleteMe"),
        ("youcompleteme", "YouCompleteMe"),
        ("parse_url", "parse_url"),
        ("parseUrl", "parseUrl"),
        ("x", "x"),
        ("operator==", "operator_equals"),
        ("--verbose", "verbose"),
        ("@decorator", "decorator"),
        ("$scope", "scopeOf"),
        ("readLinesOfFile", "read_lines_of_file"),
        ("readLinesOf", "read_lines_of_file"),
        ("LinesOfFi", "read_lines_of_file"),
    ],
)
def test_the_exact_definition_comes_first(identifiers: Indexed, query: str, first: str) -> None:
    assert found(identifiers, query)[0] == first


def test_a_name_of_three_letters_is_not_mistaken_for_its_neighbour(identifiers: Indexed) -> None:
    assert "ene" not in found(identifiers, "eye")


def test_both_spellings_of_a_name_are_found_by_either(identifiers: Indexed) -> None:
    for query in ("parse_url", "parseUrl", "parse url"):
        assert {"parse_url", "parseUrl"} <= set(found(identifiers, query)), query


@pytest.mark.parametrize(
    ("query", "language"), [("C++", "cpp"), ("C#", "csharp"), ("F#", "fsharp"), (".NET", "csharp")]
)
def test_a_language_is_a_filter_and_not_a_letter(identifiers: Indexed, query: str, language: str) -> None:
    answer = identifiers.service.get("/v1/search", {"q": query, "repository": identifiers.name})

    assert answer.body["results"] == []
    assert any(query in hint and language in hint for hint in answer.body["hints"])


def test_a_quoted_language_is_a_word(identifiers: Indexed) -> None:
    assert found(identifiers, '"C#" differ') == ["Sharp things"]
