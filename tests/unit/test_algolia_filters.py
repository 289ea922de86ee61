"""The filter language of the engine: what it finds, and what it refuses with which words."""

import numpy as np
import pytest

from local.algolia.errors import ApiError
from local.algolia.filters import AllOf, AnyOf, Comparison, Facet, parsed
from local.algolia.index import Index
from local.algolia.search import permitted

SETTINGS = {"attributesForFaceting": ["filterOnly(repository_id)", "language", "entity_type", "folders"]}


@pytest.fixture
def index() -> Index:
    index = Index(SETTINGS)
    index.put(
        {
            "objectID": "a",
            "repository_id": 12,
            "language": "python",
            "entity_type": "function",
            "is_test": False,
            "folders": ["src", "src/auth"],
        }
    )
    index.put({"objectID": "b", "repository_id": 12, "language": "Python", "entity_type": "import"})
    index.put(
        {"objectID": "c", "repository_id": 1, "language": "go", "entity_type": "class", "is_test": True}
    )
    index.put({"objectID": "d", "repository_id": 1, "language": 'c"+\\', "secret": "yes"})
    return index


def found_by(index: Index, filters: str) -> set[str]:
    return {index.view.object_id(place) for place in np.flatnonzero(permitted(index.view, filters))}


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ("", "abcd"),
        ('repository_id=12 AND language:"python" AND NOT entity_type:"import"', "a"),
        ("repository_id=12", "ab"),
        ("repository_id:12", ""),
        ("repository_id != 12", "cd"),
        ("repository_id=1 OR repository_id=12", "abcd"),
        ("repository_id > 1", "ab"),
        ("repository_id <= 1", "cd"),
        ("repository_id:2 TO 12", "ab"),
        ("NOT repository_id=12", "cd"),
        ("language:PYTHON", "ab"),
        ("Language:python", ""),
        ("repository_id=1 AND language:python OR language:go", "c"),
        ("(language:go OR language:python) AND repository_id=12", "ab"),
        ("(repository_id=1 AND language:go) AND entity_type:class", "c"),
        ("language:'python'", "ab"),
        ('language:"c\\"+\\\\"', "d"),
        ('folders:"src/auth"', "a"),
        ("folders:src", "a"),
        ("secret:yes", ""),
        ("is_test=1", "c"),
        ("objectID:a", "a"),
        ("objectID:A", ""),
        ("NOT entity_type:import", "acd"),
        ("language:go<score=3> OR language:python<score=1>", "abc"),
        ('language:"AND"', ""),
    ],
)
def test_a_filter_finds_exactly_the_records_that_satisfy_it(index, filters, expected):
    assert found_by(index, filters) == set(expected)


def test_or_binds_tighter_than_and():
    expression = parsed("repository_id=1 AND language:a OR language:b")

    assert expression == AllOf(
        (Comparison("repository_id", "=", 1), AnyOf((Facet("language", "a"), Facet("language", "b"))))
    )


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        (
            "language:Important dates",
            "filters: Unexpected token string(dates) expected end of filter at col 19",
        ),
        (
            "(language:a AND language:b) OR language:c",
            "filters: filter (X AND Y) OR Z is not allowed, only (X OR Y) AND Z is allowed",
        ),
        (
            "language:c OR (language:a AND language:b)",
            "filters: filter X OR (Y AND Z) is not allowed, only X AND (Y OR Z) is allowed",
        ),
        ("language:a and language:b", "expected end of filter at col 11"),
        ("language:a OR repository_id=1", "filters: Different types are not allowed in the same OR."),
        ("language:a OR tagged", "filters: Different types are not allowed in the same OR."),
        ("NOT (language:a OR language:b)", "filters: Unexpected token ( expected attribute at col 4"),
        ('language:""', "expected value"),
        (":a", "expected attribute"),
        ("language:", "Unexpected token end of filter expected value at col 9"),
        ('language:"open', 'filters: Unexpected token " at col 9'),
        ("repository_id=many", "filters: Unexpected token string(many) expected numeric value at col 14"),
        ("repository_id=nan", "expected numeric value"),
        ("(language:a", "expected )"),
    ],
)
def test_a_bad_filter_is_refused_with_the_place_of_the_fault(filters, message):
    with pytest.raises(ApiError) as refusal:
        parsed(filters)

    assert message in str(refusal.value)
    assert refusal.value.status == 400


def test_a_quoted_value_cannot_add_a_clause(index):
    assert found_by(index, 'language:"x\\" OR language:\\"go"') == set()


def test_a_removed_record_satisfies_no_filter(index):
    index.remove("c")

    assert found_by(index, "repository_id=1") == {"d"}
    assert found_by(index, "language:go") == set()
