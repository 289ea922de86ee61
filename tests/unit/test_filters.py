"""What a caller asks becomes a filter whose structure no value can change."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codesage.errors import InvalidRequest
from codesage.filters import filters, quoted


def test_without_anything_imports_are_left_out_and_so_is_the_marker() -> None:
    assert filters() == 'repository_id > 0 AND NOT entity_type:"import"'


def test_everything_at_once_is_joined_with_and() -> None:
    asked = filters(
        repositories=[12], hidden=[3, 2], language="Python", entity_type="function", path="src/auth/tokens.py"
    )

    assert asked == (
        "repository_id=12 AND repository_id != 2 AND repository_id != 3 "
        'AND language:"python" AND entity_type:"function" '
        'AND (folders:"src/auth/tokens.py" OR file_path:"src/auth/tokens.py")'
    )


def test_several_repositories_are_one_group() -> None:
    assert filters(repositories=[1, 2]).startswith("(repository_id=1 OR repository_id=2) AND ")


def test_a_path_that_ends_in_a_slash_is_only_a_folder() -> None:
    assert filters(path="/src/auth/").endswith('AND folders:"src/auth"')


def test_an_unknown_entity_type_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidRequest, match="class, function"):
        filters(entity_type="method")


@given(st.text())
def test_a_value_never_closes_its_quotes(value: str) -> None:
    inside = quoted(value)[1:-1]

    without_escapes = inside.replace("\\\\", "").replace('\\"', "")

    assert '"' not in without_escapes
    assert not without_escapes.endswith("\\")
    assert inside.replace('\\"', '"').replace("\\\\", "\\") == value or "\\" in value
