"""Entities become records exactly as the record rules say."""

import json
import operator
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha1

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codesage.entities import Entity, EntityType
from codesage.records import (
    MAX_RECORD_BYTES,
    Record,
    encoded,
    fitted,
    folders_of,
    is_test,
    joined_name,
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
        "joined_name": "refreshtoken token",
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


FOLDERS = ("test", "tests", "__tests__", "spec", "specs", "__mocks__", "e2e", "testing")
SCRIPTS = ("js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts")
TEST_NAMES = (
    "test_x.py", "test_.py", "x_test.py", "_test.py", "x_test.go", "XTest.java", "XTests.java", "Test.java",
    "XTest.cs", "XTests.cs", "x_spec.rb", "Größe_test.go", "a\nb_test.go",
    *(f"x.test.{script}" for script in SCRIPTS), *(f"x.y.spec.{script}" for script in SCRIPTS),
)  # fmt: skip
OTHER_NAMES = (
    "testing_tools.py", "latest.py", "test.py", "tests.py", "testx.py", "xtest.py", "test_x.pyi", "test_x.rs",
    "x_test.c", "x_spec.py", "x.test.md", "x.spec.json", "x.tests.js", "test.js", "spec.ts", "latest.java",
    "Contest.cs", "XTest.kt", "XTestCase.java", "spec_x.rb", "x_test.go.txt", "tests",
)  # fmt: skip


@pytest.mark.parametrize("spell", [str.lower, str.upper, str.title, str.swapcase])
@pytest.mark.parametrize("folder", FOLDERS)
def test_every_file_below_a_folder_of_tests_is_one(folder: str, spell: Callable[[str], str]) -> None:
    name = spell(folder)

    assert is_test(f"{name}/x.c")
    assert is_test(f"src/{name}/deep/below/README")


@pytest.mark.parametrize("folder", [*(f"x{name}" for name in FOLDERS), *(f"{name}x" for name in FOLDERS)])
def test_a_folder_that_only_sounds_like_one_of_tests_is_none(folder: str) -> None:
    assert not is_test(f"src/{folder}/latest.py")


@pytest.mark.parametrize("name", TEST_NAMES)
def test_a_test_is_known_by_its_name(name: str) -> None:
    assert is_test(name)
    assert is_test(f"src/auth/{name}")


@pytest.mark.parametrize("name", OTHER_NAMES)
def test_a_file_that_only_sounds_like_a_test_is_none(name: str) -> None:
    assert not is_test(name)
    assert not is_test(f"src/contest/{name}")


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


def test_the_size_is_that_of_the_utf8_json_and_not_of_characters_or_escapes() -> None:
    docstring = "é" * 3_000 + '"' * 500 + "\n" * 500
    empty, full = record_of(entity(), 1, "f.py", "python"), record_of(entity(), 1, "f.py", "python")
    empty["content"], full["content"] = "", docstring

    assert size_of(full) - size_of(empty) == 8_000
    assert len(docstring) == 4_000
    assert len(json.dumps(docstring)) - 2 == 20_000


def test_a_long_docstring_of_wide_characters_fits_and_ends_with_a_whole_one() -> None:
    wide = entity(body="def f():\n" + "\U0001f680" * 3_000, parameters=("p" * 3_000,))

    record = fitted(record_of(wide, 1, "f.py", "python"))

    assert MAX_RECORD_BYTES - 4 < size_of(record) <= MAX_RECORD_BYTES
    assert record["content"].rstrip("\U0001f680") == "def f():\n"
    assert record["parameters"] == ["p" * 3_000]


def test_what_a_path_alone_makes_too_big_is_counted_and_keeps_only_its_capped_texts() -> None:
    made = records_of([entity(parameters=("a", "b"))], 1, f"{'p' * 9_000}/f.py", "python")

    [record] = made.records
    assert made.oversize == 1
    assert size_of(record) > MAX_RECORD_BYTES
    assert (record["content"], record["parameters"], record["parameter_count"]) == ("", [], 2)
    assert (record["entity_name"], record["signature"]) == ("f", "def f():")


# ---- any text ----------------------------------------------------------------------------------------------

ANY = st.characters(codec=None)  # lone surrogates and controls included
HARD = st.sampled_from('\0\x1f\x7f"\\/\n\r\u2028é漢\U0001f680\ud800\udc80\udfff\ufffea:')
PIECE = st.lists(HARD | ANY, min_size=1, max_size=12).map("".join)  # as an alphabet, ANY would drown HARD
TEXT = PIECE | st.builds(operator.mul, PIECE, st.sampled_from([0, 50, 500, 2_500]))
SEGMENT = (st.binary(min_size=1, max_size=300) | st.text(min_size=1, max_size=60).map(str.encode)).map(
    lambda name: name.replace(b"/", b"_").replace(b"\0", b"_").decode("utf-8", "surrogateescape")
)
PATH = st.builds(
    lambda segments, times: "/".join(segments * times),
    st.lists(SEGMENT, min_size=1, max_size=5),
    st.sampled_from([1, 1, 2, 40]),
)
ENTITY = st.builds(
    Entity,
    entity_type=st.sampled_from(EntityType),
    kind=st.just("method"),
    name=TEXT,
    label=TEXT,
    line_start=st.integers(1, 10**6),
    line_end=st.integers(1, 10**6),
    signature=TEXT,
    doc=TEXT,
    parameters=st.lists(TEXT, max_size=12).map(tuple),
    return_type=st.none() | TEXT,
    body=TEXT,
    scope=st.none() | TEXT,
)
CAPPED = ("entity_name", "description", "signature", "return_type")


@given(ENTITY, PATH)
@settings(deadline=None)
def test_any_text_gives_a_record_of_valid_utf8_within_its_limits(any_entity: Entity, path: str) -> None:
    record = fitted(record_of(any_entity, 12, path, "python"))

    sent = encoded(record).encode()
    assert json.loads(sent) == record
    assert all(len(record[name] or "") <= 500 for name in CAPPED)  # type: ignore[literal-required]
    assert record["parameter_count"] == len(any_entity.parameters)
    assert record["lines_of_code"] >= 1
    assert sum(len(folder.encode()) for folder in record["folders"]) <= 1_500
    if len(sent) > MAX_RECORD_BYTES:
        assert (record["content"], record["parameters"]) == ("", [])


@given(ENTITY, PATH, st.sampled_from([-1, 0, 1, 2, 3]) | st.integers(-10, 10_000))
@settings(max_examples=300, deadline=None)
def test_a_record_is_trimmed_as_a_slow_reading_of_the_rules_says(
    any_entity: Entity, path: str, excess: int
) -> None:
    record = record_of(any_entity, 12, path, "python")
    missing = MAX_RECORD_BYTES + excess - size_of(record) - len(',""')
    record["parameters"] = [*record["parameters"], "p" * max(0, missing)]

    assert fitted(record) == slowly_fitted(record)


def slowly_fitted(record: Record) -> Record:
    """Step by step, character by character."""

    def excess(record: Record) -> int:
        return len(json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8")) - 8_999

    content, result = record["content"], record.copy()
    if excess(record) > 0:
        room = len(content.encode()) - excess(record)
        kept = ""
        for character in content:
            room -= len(character.encode())
            if room < 0:
                break
            kept += character
        result["content"] = kept
    if excess(result) > 0 and result["content"] == "":
        result["parameters"] = []
    return result


@given(ENTITY, PATH)
@settings(deadline=None)
def test_content_is_as_a_slow_reading_of_the_rules_says(any_entity: Entity, path: str) -> None:
    def clean(text: str) -> str:
        return "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in text)

    signature, lines = clean(any_entity.signature)[:500], clean(any_entity.body).split("\n")
    body = "\n".join(lines[:60])[:2_000]
    if any_entity.entity_type is EntityType.IMPORT:
        expected = clean(any_entity.signature)[:2_000]
    elif body[: len(signature)] == signature:
        expected = body
    else:
        expected = signature + "\n" + body

    assert record_of(any_entity, 12, path, "python")["content"] == expected


@given(ENTITY, ENTITY, PATH)
@settings(deadline=None)
def test_an_id_is_of_the_path_the_type_the_name_and_the_line_and_of_nothing_else(
    one: Entity, other: Entity, path: str
) -> None:
    twin = replace(
        other,
        entity_type=one.entity_type,
        name=one.name,
        line_start=one.line_start,
        line_end=one.line_end + 1,
    )

    ids = [record_of(each, 12, path, "python")["objectID"] for each in (one, twin)]

    name = record_of(one, 12, path, "python")["entity_name"]
    key = b":".join(
        [
            path.encode("utf-8", "surrogateescape"),
            one.entity_type.encode(),
            name.encode(),
            b"%d" % one.line_start,
        ]
    )
    assert ids == [f"12_{sha1(key, usedforsecurity=False).hexdigest()}"] * 2


@given(
    st.lists(
        st.builds(
            replace,
            ENTITY,
            entity_type=st.sampled_from([EntityType.CLASS, EntityType.IMPORT]),
            name=st.sampled_from(["f", "g", "f" * 500, "f" * 501]),
            line_start=st.integers(1, 2),
        ),
        max_size=8,
    ),
    PATH,
)
@settings(deadline=None)
def test_of_entities_with_one_key_the_first_stays_and_all_are_counted(crowd: list[Entity], path: str) -> None:
    first: dict[str, Record] = {}
    for each in crowd:
        record = fitted(record_of(each, 12, path, "python"))
        first.setdefault(record["objectID"], record)

    made = records_of(crowd, 12, path, "python")

    assert list(made.records) == list(first.values())
    assert list(made.facts) == list(first)
    assert all(len((scope or "").encode()) <= 4 * 500 for _, scope in made.facts.values())
    assert made.duplicates == len(crowd) - len(first)
    assert made.oversize == sum(size_of(record) > MAX_RECORD_BYTES for record in made.records)


@given(SEGMENT, SEGMENT)
@settings(deadline=None)
def test_the_text_of_any_path_is_valid_utf8_and_an_ordinary_one_stays(one: str, other: str) -> None:
    text = text_of(f"{one}/{other}")

    assert text.encode().decode() == text
    if not any("\udc80" <= character <= "\udcff" for character in one + other):
        assert text == f"{one}/{other}"


@pytest.mark.parametrize(
    ("name", "joined"),
    [
        ("parse_url", "parseurl url"),
        ("parseUrl", "parseurl url"),
        ("HTTPServerError", "httpservererror servererror error"),
        ("s3_bucket", "s3bucket 3bucket bucket"),
        ("_".join("abcdefghij"), "abcdefgh bcdefgh cdefgh defgh efgh fgh gh h"),
        ("parse", ""),
        ("__init__", ""),
    ],
)
def test_a_name_of_several_words_is_also_kept_joined(name: str, joined: str) -> None:
    assert joined_name(name) == joined
