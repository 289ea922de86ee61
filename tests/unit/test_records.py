"""Entities become records exactly as the record rules say."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codesage.entities import Entity, EntityType
from codesage.records import (
    MAX_RECORD_BYTES,
    encoded,
    fitted,
    folders_of,
    is_test,
    object_id,
    record_of,
    records_of,
    size_of,
    text_of,
)

BODY = '''def refresh_token(session, token: str) -> str:
    """Return a new access token for a refresh token."""
    claims = decode(token)
    if claims.expired:
        raise Expired(token)
    session.touch(claims.user)
    return sign(claims.user)'''

REFRESH_TOKEN = Entity(
    entity_type=EntityType.FUNCTION,
    kind="function",
    name="refresh_token",
    label="Python function: refresh_token",
    doc="Return a new access token for a refresh token.",
    parameters=("session", "token: str"),
    return_type="str",
    line_start=42,
    line_end=48,
    signature="def refresh_token(session, token: str) -> str:",
    body=BODY,
)


def entity(**changes: object) -> Entity:
    fields: dict[str, object] = {
        "entity_type": EntityType.FUNCTION,
        "kind": "function",
        "name": "f",
        "label": "Python function: f",
        "line_start": 1,
        "line_end": 1,
        "signature": "def f():",
        "body": "def f(): ...",
    }
    return Entity(**{**fields, **changes})  # type: ignore[arg-type]


def test_the_worked_example_comes_out_exactly() -> None:
    record = record_of(REFRESH_TOKEN, 12, "src/auth/tokens.py", "python")

    assert record == {
        "objectID": "12_07946c80715046c23e5533f046a8e8b6c92231e5",
        "repository_id": 12,
        "file_path": "src/auth/tokens.py",
        "language": "python",
        "entity_type": "function",
        "entity_name": "refresh_token",
        "description": "Python function: refresh_token — Return a new access token for a refresh token.",
        "parameters": ["session", "token: str"],
        "return_type": "str",
        "line_start": 42,
        "line_end": 48,
        "signature": "def refresh_token(session, token: str) -> str:",
        "content": BODY,
        "rank_weight": 2,
        "is_test": False,
        "parameter_count": 2,
        "lines_of_code": 7,
        "folders": ["src", "src/auth"],
    }


def test_a_body_that_does_not_start_with_the_signature_stands_below_it() -> None:
    wrapped = entity(signature="def f(a, b):", body="def f(\n    a,\n    b,\n): ...")

    content = record_of(wrapped, 1, "f.py", "python")["content"]

    assert content == "def f(a, b):\ndef f(\n    a,\n    b,\n): ..."


def test_an_import_is_its_statement() -> None:
    statement = entity(entity_type=EntityType.IMPORT, signature="import os", body="")

    assert record_of(statement, 1, "f.py", "python")["content"] == "import os"


@pytest.mark.parametrize(
    ("lines", "kept"), [(60, 60), (61, 60)], ids=["sixty lines stay", "a sixty-first line is cut"]
)
def test_a_body_keeps_at_most_sixty_lines(lines: int, kept: int) -> None:
    long = entity(body="\n".join(["def f():", *["    x"] * (lines - 1)]))

    assert len(record_of(long, 1, "f.py", "python")["content"].split("\n")) == kept


def test_a_body_keeps_at_most_2000_code_points() -> None:
    wide = entity(body="def f():" + "é" * 3000)

    assert len(record_of(wide, 1, "f.py", "python")["content"]) == 2000


def test_the_second_entity_with_one_key_is_counted_and_left_out() -> None:
    twins = [entity(body="def f(): 1"), entity(body="def f(): 2")]

    made = records_of(twins, 1, "min.js", "javascript")

    assert [record["content"] for record in made.records] == ["def f(): 1"]
    assert made.duplicates == 1


@pytest.mark.parametrize(
    "path",
    [
        "Tests/helpers.py",
        "src/__tests__/x.ts",
        "spec/a.rb",
        "pkg/testing/x.go",
        "test_x.py",
        "a/x_test.py",
        "x_test.go",
        "x.test.tsx",
        "x.spec.mjs",
        "FooTest.java",
        "FooTests.java",
        "BarTest.cs",
        "a_spec.rb",
        "E2E/x.js",
        "__mocks__/x.js",
    ],
)
def test_files_that_are_tests(path: str) -> None:
    assert is_test(path)


@pytest.mark.parametrize(
    "path", ["src/contest/latest.py", "testing_tools.py", "test.py", "tests.py", "x.test.md"]
)
def test_files_that_only_look_like_tests(path: str) -> None:
    assert not is_test(path)


def test_every_ancestor_folder_is_listed() -> None:
    assert folders_of("src/auth/tokens.py") == ["src", "src/auth"]
    assert folders_of("README.md") == []


def test_two_paths_that_are_no_utf8_keep_different_ids_and_spellings() -> None:
    one, other = "latin\udce9.py", "latin\udce8.py"

    assert object_id(1, one, "function", "f", 1) != object_id(1, other, "function", "f", 1)
    assert (text_of(one), text_of(other)) == ("latin\\xe9.py", "latin\\xe8.py")


def test_a_record_of_exactly_the_limit_is_left_alone() -> None:
    record = record_of(entity(), 1, "f.py", "python")
    record["content"] += "x" * (MAX_RECORD_BYTES - size_of(record))

    assert fitted(record) is record


def test_one_byte_over_the_limit_costs_content_its_last_character() -> None:
    record = record_of(entity(), 1, "f.py", "python")
    record["content"] += "x" * (MAX_RECORD_BYTES - size_of(record)) + "é"

    shorter = fitted(record)

    assert shorter["content"] == record["content"][:-1]


def test_parameters_go_only_when_no_content_is_left() -> None:
    many = entity(parameters=tuple("p" * 100 for _ in range(100)))

    record = fitted(record_of(many, 1, "f.py", "python"))

    assert (record["content"], record["parameters"], record["parameter_count"]) == ("", [], 100)


TEXT = st.text(st.characters(codec=None), max_size=3000)  # lone surrogates and controls included


@given(name=TEXT, body=TEXT, doc=TEXT, parameters=st.lists(TEXT, max_size=20))
def test_any_text_gives_a_record_that_is_valid_utf8_and_fits(
    name: str, body: str, doc: str, parameters: list[str]
) -> None:
    any_entity = entity(
        name=name, body=body, doc=doc, parameters=tuple(parameters), label=f"Python function: {name}"
    )

    record = fitted(record_of(any_entity, 1, "a/b.py", "python"))

    assert size_of(record) <= MAX_RECORD_BYTES
    assert json.loads(encoded(record).encode()) == record
    assert record["parameter_count"] == len(parameters)
