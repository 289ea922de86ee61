"""What a caller asks becomes a filter whose structure no value can change."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codesage.errors import InvalidRequest
from codesage.filters import Selection, filters, literal_path, path_hints, quoted
from local.algolia.filters import AllOf, AnyOf, Expression, Facet, Not, parsed

ANYWHERE = "repository_id > 0"
NO_IMPORTS = 'NOT entity_type:"import"'


def narrowed(*selections: Selection) -> str:
    """The filter without what every search is sent with."""
    return filters(*selections).removeprefix(f"{ANYWHERE} AND {NO_IMPORTS}").removeprefix(" AND ")


def test_without_anything_imports_are_left_out_and_so_is_the_marker() -> None:
    assert filters() == f"{ANYWHERE} AND {NO_IMPORTS}"


def test_an_empty_selection_changes_nothing() -> None:
    assert filters(Selection(), Selection(excluded=True)) == filters()


def test_everything_at_once_is_joined_with_and() -> None:
    asked = Selection((12,), ("Python",), ("function",), ("src/auth/tokens.py",), is_test=False)

    assert filters(asked, hidden=[3, 2]) == (
        "repository_id != 2 AND repository_id != 3 "
        'AND repository_id=12 AND language:"python" AND entity_type:"function" '
        'AND (folders:"src/auth/tokens.py" OR file_path:"src/auth/tokens.py") AND is_test=0'
    )


def test_several_values_of_a_field_are_alternatives() -> None:
    asked = Selection((1, 2), ("go", "rust"), ("class", "import"), ("a/", "b"), is_test=True)

    assert filters(asked) == (
        "(repository_id=1 OR repository_id=2) "
        'AND (language:"go" OR language:"rust") '
        'AND (entity_type:"class" OR entity_type:"import") '
        'AND (folders:"a" OR folders:"b" OR file_path:"b") AND is_test=1'
    )


def test_several_selections_all_hold() -> None:
    asked = narrowed(Selection(languages=("go", "python")), Selection(languages=("go",)))

    assert asked == '(language:"go" OR language:"python") AND language:"go"'


def test_what_two_selections_have_in_common_is_said_once() -> None:
    assert narrowed(Selection(paths=("a/",)), Selection(paths=("a/",))) == 'folders:"a"'


def test_every_value_of_an_excluding_selection_is_left_out_for_itself() -> None:
    unwanted = Selection((5, 6), ("go", "ts"), ("class",), ("x", "docs/"), is_test=True, excluded=True)

    assert narrowed(unwanted) == (
        'repository_id != 5 AND repository_id != 6 AND NOT language:"go" AND NOT language:"typescript" '
        'AND NOT entity_type:"class" AND NOT folders:"x" AND NOT file_path:"x" AND NOT folders:"docs" '
        "AND is_test=0"
    )


def test_an_unwanted_type_does_not_bring_imports_back() -> None:
    assert NO_IMPORTS in filters(Selection(entity_types=("class",), excluded=True))


def test_imports_are_found_where_they_are_asked_for() -> None:
    assert filters(Selection(entity_types=("import",))) == f'{ANYWHERE} AND entity_type:"import"'


def test_imports_that_are_both_wanted_and_unwanted_are_not_found() -> None:
    wanted = Selection(entity_types=("import",))

    asked = filters(wanted, replace(wanted, excluded=True))

    assert asked == f'{ANYWHERE} AND entity_type:"import" AND {NO_IMPORTS}'


@pytest.mark.parametrize(
    ("spelling", "language"),
    [("Python", "python"), ("py", "python"), (".TSX", "typescript"), ("golang", "go"), (" COBOL ", "cobol")],
)
def test_a_language_is_understood_in_its_spellings(spelling: str, language: str) -> None:
    assert narrowed(Selection(languages=(spelling,))) == f'language:"{language}"'


@pytest.mark.parametrize("excluded", [False, True])
def test_an_unknown_entity_type_is_refused_with_the_known_ones(excluded: bool) -> None:
    with pytest.raises(InvalidRequest, match="'method' is unknown; use one of class, function, "):
        filters(Selection(entity_types=("class", "method"), excluded=excluded))


@pytest.mark.parametrize("excluded", [False, True])
@pytest.mark.parametrize("path", ["", " ", "/", "./", ".", "//"])
def test_an_empty_path_is_refused(path: str, excluded: bool) -> None:
    with pytest.raises(InvalidRequest, match="path is empty"):
        filters(Selection(paths=("src", path), excluded=excluded))


@pytest.mark.parametrize("excluded", [False, True])
@pytest.mark.parametrize("language", ["", " "])
def test_an_empty_language_is_refused(language: str, excluded: bool) -> None:
    with pytest.raises(InvalidRequest, match="language is empty"):
        filters(Selection(languages=(language,), excluded=excluded))


@pytest.mark.parametrize("path", ["src/auth/", "/src/auth/", "./src//auth/", " src/./auth/ ", "src/auth/**"])
def test_a_path_that_ends_like_a_folder_is_only_a_folder(path: str) -> None:
    assert narrowed(Selection(paths=(path,))) == 'folders:"src/auth"'


@pytest.mark.parametrize("path", ["pages/[id].tsx", "/pages/[id].tsx", "./pages/[id].tsx"])
def test_another_path_is_a_folder_or_a_file_and_brackets_are_no_pattern(path: str) -> None:
    asked = narrowed(Selection(paths=(path,)))

    assert asked == '(folders:"pages/[id].tsx" OR file_path:"pages/[id].tsx")'


@pytest.mark.parametrize(
    ("path", "literal"),
    [
        ("src/**/*.py", "src"),
        ("src/a*/b.py", "src"),
        ("./src/auth/**", "src/auth"),
        ("/src/toke?.py", "src"),
        ("src/*/deep/**/x", "src"),
        ("**/test_*.py", None),
        ("*", None),
        ("/*.py", None),
        ("src/auth", "src/auth"),
        ("src/a.b/", "src/a.b"),
    ],
)
def test_a_pattern_is_reduced_to_the_folder_before_its_wildcards(path: str, literal: str | None) -> None:
    assert literal_path(path) == literal


def test_a_wanted_pattern_searches_its_folder() -> None:
    assert narrowed(Selection(paths=("src/**/*.py",))) == 'folders:"src"'


def test_beside_a_pattern_that_may_be_anywhere_other_paths_narrow_nothing() -> None:
    assert narrowed(Selection(paths=("src", "*.py", "docs"))) == ""


def test_an_unwanted_pattern_leaves_nothing_out() -> None:
    assert narrowed(Selection(paths=("src/*.py", "docs/"), excluded=True)) == 'NOT folders:"docs"'


def test_two_closing_stars_mean_the_folder_and_so_are_exact() -> None:
    unwanted = Selection(paths=("vendor/**",), excluded=True)

    assert narrowed(unwanted) == 'NOT folders:"vendor"'
    assert path_hints(["vendor/**"]) == []


def test_hints_say_what_was_made_of_each_pattern() -> None:
    assert path_hints(["src/**/*.py", "src/a.py", "*.go", "[id].tsx"]) == [
        "path src/**/*.py is a pattern, which searches of entities do not take; the folder src was searched.",
        "path *.go is a pattern, which searches of entities do not take; every folder was searched.",
    ]
    assert path_hints(["src/*.py", "src"], excluded=True) == [
        "path src/*.py is a pattern, which searches of entities do not take; it left nothing out."
    ]


def test_a_lone_surrogate_is_sent_as_the_replacement_character() -> None:
    assert quoted('a\udcff"') == '"a\ufffd\\""'


HOSTILE = [
    '"',
    "'",
    "\\",
    '\\"',
    " AND ",
    " OR ",
    "NOT ",
    "(",
    ")",
    ":",
    '" OR a:"',
    "\n",
    "<score=1>",
    "\ud800",
]
VALUES = st.lists(st.sampled_from(HOSTILE) | st.text(max_size=5), min_size=1, max_size=8).map("".join)


def as_sent(value: str) -> str:
    return "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in value)


@given(VALUES.filter(bool))
def test_any_value_comes_back_from_the_engine_as_it_was(value: str) -> None:
    assert parsed(f"language:{quoted(value)}") == Facet("language", as_sent(value))


def shape(expression: Expression) -> object:
    """The expression without the values of its facets."""
    match expression:
        case Facet(attribute, _):
            return attribute
        case Not(leaf):
            return "NOT", shape(leaf)
        case AnyOf(terms):
            return "OR", [shape(term) for term in terms]
        case AllOf(terms):
            return "AND", [shape(term) for term in terms]
    return expression


def facets(expression: Expression, attribute: str) -> list[str]:
    """Values of one attribute in the order they stand in the filter."""
    match expression:
        case Facet(name, value):
            return [value] if name == attribute else []
        case Not(leaf):
            return facets(leaf, attribute)
        case AnyOf(terms) | AllOf(terms):
            return [value for term in terms for value in facets(term, attribute)]
    return []


LANGUAGE = VALUES.map(lambda value: f"x{value}x")  # of no parser of ours, whatever it is
PATH = LANGUAGE.map(lambda value: re.sub("[/*?]", "_", value))


@given(
    st.lists(LANGUAGE, min_size=1, max_size=3, unique_by=lambda value: as_sent(value.lower())),
    st.lists(PATH, min_size=1, max_size=3, unique_by=as_sent),
    st.booleans(),
)
def test_no_value_changes_the_structure_of_a_filter(
    languages: list[str], paths: list[str], excluded: bool
) -> None:
    hostile = Selection((1, 2), tuple(languages), ("class",), tuple(paths), True, excluded)
    harmless = replace(
        hostile,
        languages=tuple(f"language{place}" for place in range(len(languages))),
        paths=tuple(f"path{place}" for place in range(len(paths))),
    )

    expression = parsed(filters(hostile, hidden={3}))

    assert shape(expression) == shape(parsed(filters(harmless, hidden={3})))
    assert facets(expression, "language") == [as_sent(language.lower()) for language in languages]
    assert facets(expression, "folders") == [as_sent(path) for path in paths]
    assert facets(expression, "file_path") == [as_sent(path) for path in paths]
