"""What people write into a search box, and what it means."""

import re
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codesage.errors import InvalidRequest
from codesage.queries import MAX_CHARACTERS, MAX_VALUES, Query, Terms, query_of
from local.algolia.query import parsed_query
from local.algolia.settings import Parameters


class Read(NamedTuple):
    """What the engine makes of a query's text."""

    words: tuple[str, ...]
    excluded: tuple[tuple[str, ...], ...]
    phrases: int


def read_by_the_engine(query: Query) -> Read:
    asked = parsed_query(Parameters.model_validate({"query": query.text, "advancedSyntax": query.advanced}))
    return Read(
        words=tuple(word.text for word in asked.words),
        excluded=tuple(tuple(word.text for word in phrase) for phrase in asked.excluded),
        phrases=sum(asked.words[span][0].quoted for span in asked.sequences),
    )


@pytest.mark.parametrize(
    ("q", "query"),
    [
        ("", Query()),
        ("refresh token", Query("refresh token")),
        ("  refresh\n\ttoken ", Query("refresh token")),
        ("repo:octo/hello open", Query("open", wanted=Terms(repositories=("octo/hello",)))),
        ("repository:12 x", Query("x", wanted=Terms(repositories=("12",)))),
        (
            "repo:https://host.example/octo/hello x",
            Query("x", wanted=Terms(repositories=("https://host.example/octo/hello",))),
        ),
        ("Lang:Python language:c++ x", Query("x", wanted=Terms(languages=("Python", "c++")))),
        ("path:src/auth type:class", Query(wanted=Terms(paths=("src/auth",), entity_types=("class",)))),
        (
            "path:/src/a path:./b path:*.py path:[id].tsx",
            Query(wanted=Terms(paths=("/src/a", "./b", "*.py", "[id].tsx"))),
        ),
        ('path:"my folder/x" y', Query("y", wanted=Terms(paths=("my folder/x",)))),
        ("lang:go, lang:go; open", Query("open", wanted=Terms(languages=("go",)))),
        (
            '-repo:a/b -lang:go -path:"my docs" -type:doc_section x',
            Query("x", unwanted=Terms(("a/b",), ("go",), ("my docs",), ("doc_section",))),
        ),
        ("close is:test", Query("close", is_test=True)),
        ("close -is:test", Query("close", is_test=False)),
        ("is:test close -is:test", Query("close", is_test=False)),
        ('"exact phrase" x', Query('"exact phrase" x', advanced=True)),
        ('"a:b type:class -x"', Query('"a:b type:class -x"', advanced=True)),
        ("open -file", Query("open -file", advanced=True)),
        ("open -_private", Query("open -_private", advanced=True)),
        ('open -"old file"', Query('open -"old file"', advanced=True)),
        ("a->b real-time -gone", Query("a->b real-time -gone", advanced=True)),
        ('x "::"', Query('x "::"')),
    ],
)
def test_a_query_is_read_as(q: str, query: Query) -> None:
    assert query_of(q) == query


@pytest.mark.parametrize(
    "code",
    [
        "std::vector",
        "path::PathBuf",
        "type::Id",
        "path:=os.Args",
        "label: x",
        "label:",
        "path:",
        "path:,",
        'path:""',
        'path:" "',
        'path:"unclosed x',
        'path:"src"),',
        "self.x:int",
        "x:int",
        "def f(x: int) -> str",
        "node:fs",
        "nginx:latest",
        "user:name)",
        "http://example.org/x",
        "file:///etc/hosts",
        "repo://x",
        "C:\\x\\y",
        "a->b",
        "x -> y",
        "git log --oneline -1 -l",
        "i-- - 1",
        "print(\"hello world\", end='')",
        'say "hello',
        "operator==",
        "@decorator $scope",
        "Node.js",
    ],
)
def test_code_is_searched_as_it_is_written(code: str) -> None:
    assert query_of(code) == Query(code)


@pytest.mark.parametrize(("q", "name"), [("owner:me x", "owner:"), ("-file:main.go x", "-file:")])
def test_a_filter_of_other_searches_is_left_out_and_named(q: str, name: str) -> None:
    query = query_of(q)

    assert query.text == "x"
    assert query.hints == (
        f"{name} is no filter here and was left out; filters are repo:, lang:, path:, type: and is:test.",
    )


def test_what_else_something_may_be_is_left_out_with_a_hint() -> None:
    query = query_of("is:fork x -is:open")

    assert (query.text, query.is_test) == ("x", None)
    assert query.hints == ("is: takes nothing but test; another value was left out.",)


@pytest.mark.parametrize(
    ("q", "text", "language"),
    [
        ("C++ vector", "vector", "cpp"),
        ("how is it done in c++?", "how is it done in", "cpp"),
        ("C#", "", "csharp"),
        ("F# pipe", "pipe", "fsharp"),
        (".NET client", "client", "csharp"),
        ("Objective-C category", "category", "objectivec"),
    ],
)
def test_a_language_with_punctuation_in_its_name_is_a_filter(q: str, text: str, language: str) -> None:
    query = query_of(q)

    assert (query.text, query.advanced) == (text, False)
    assert query.wanted == Terms(languages=(language,))
    assert [language in hint for hint in query.hints] == [True]


@pytest.mark.parametrize("word", ["C++", "Objective-C"])
def test_such_a_language_after_a_minus_is_unwanted(word: str) -> None:
    query = query_of(f"-{word} vector")

    assert (query.text, query.advanced) == ("vector", False)
    assert len(query.unwanted.languages) == 1


@pytest.mark.parametrize("q", ['"C++" vector', "C++11 vector", "g++ vector"])
def test_in_quotes_or_inside_a_longer_word_it_is_text(q: str) -> None:
    query = query_of(q)

    assert (query.text, query.wanted, query.hints) == (q, Terms(), ())


def test_beside_a_language_filter_it_is_text() -> None:
    query = query_of("lang:go C++ bindings")

    assert (query.text, query.wanted.languages) == ("C++ bindings", ("go",))


@pytest.mark.parametrize(
    ("q", "read"),
    [
        ('x --flag -> y -1 -l "a phrase"', Read(("x", "flag", "y", "1", "l", "a", "phrase"), (), 1)),
        ('"a phrase" say "hello world', Read(("a", "phrase", "say", "hello", "world"), (), 1)),
        ('x (-y) "a"-b', Read(("x", "y", "a", "b"), (), 1)),
        ('print("hello world") -gone', Read(("print", "hello", "world"), (("gone",),), 0)),
        ('x -"::" "::" -gone', Read(("x",), (("gone",),), 0)),
        ('-"old file" open', Read(("open",), (("old", "file"),), 0)),
        ("operator-- -gone", Read(("operator",), (("gone",),), 0)),
    ],
)
def test_beside_real_syntax_nothing_else_is_misread(q: str, read: Read) -> None:
    assert read_by_the_engine(query_of(q)) == read


@pytest.mark.parametrize("q", ["::", "->", "==", '"::"', "{} ()", '-"->"', "_", "🎉"])
def test_a_query_without_a_word_is_only_punctuation(q: str) -> None:
    assert query_of(q).is_only_punctuation


@pytest.mark.parametrize("q", ["", "x", "a->b", "日本", "-gone", "repo:a/b", "C++"])
def test_a_query_with_a_word_or_with_no_text_is_not_only_punctuation(q: str) -> None:
    assert not query_of(q).is_only_punctuation


@pytest.mark.parametrize(
    "q",
    [
        "x" * 512,
        "é" * 256,
        "x" * 508 + "🎉",
        f"repo:octo/hello {'x' * 512} -path:docs is:test",
        f"  {'x' * 255}  \n {'x' * 256} ",
    ],
)
def test_a_query_of_512_bytes_is_accepted_whole(q: str) -> None:
    query = query_of(q)

    assert len(query.text.encode()) == 512


@pytest.mark.parametrize(
    "q",
    [
        "x" * 513,
        "é" * 300,
        "x" * 511 + "🎉",
        "x" * 511 + "\ud83c",
        "at frame in file\n" * 250,
        f"repo:octo/hello {'x' * 513}",
        "repo:a/b " * (MAX_CHARACTERS // 9 + 1),
    ],
)
def test_a_longer_query_is_refused(q: str) -> None:
    with pytest.raises(InvalidRequest) as refusal:
        query_of(q)

    assert str(refusal.value) == "query is too long; the limit is 512 bytes"


@pytest.mark.parametrize("sign", ["", "-"])
def test_a_filter_takes_50_values_and_no_more(sign: str) -> None:
    values = [f"{sign}path:p{number}" for number in range(MAX_VALUES)]

    query = query_of(" ".join(values))

    assert len(query.wanted.paths + query.unwanted.paths) == 50
    with pytest.raises(InvalidRequest, match=r"path: takes at most 50 values"):
        query_of(" ".join([*values, f"{sign}path:more"]))


def test_a_lone_surrogate_becomes_the_replacement_character() -> None:
    query = query_of('a\ud800 path:"\udfffb"')

    assert query == Query("a\ufffd", wanted=Terms(paths=("\ufffdb",)))


SYNTAX = st.sampled_from(
    [
        '"',
        '-"',
        "-",
        "--flag",
        "-gone",
        "repo:",
        "lang:go",
        "-type:x",
        "is:test",
        "owner:me",
        "C++",
        "::",
        " ",
    ]
)


@given(st.lists(SYNTAX | st.text(max_size=8), max_size=15).map("".join))
def test_any_text_is_a_query_that_the_engine_can_be_sent(q: str) -> None:
    query = query_of(q)

    assert len(query.text.encode()) <= 512
    assert query.text == " ".join(query.text.split())


@given(st.lists(st.text(st.characters(exclude_characters='"-:+#.', codec="utf-8"), min_size=1), max_size=20))
def test_without_syntax_every_word_is_kept(texts: list[str]) -> None:
    words = " ".join(texts)[:128].split()

    query = query_of(" ".join(words))

    assert query == Query(" ".join(words))


NO_SYNTAX = [
    "->",
    "--flag",
    "-1",
    "-l",
    "(-x)",
    'a"b',
    "x--y",
    "- y",
    '-a"b"',
    '-"::"',
    "word",
    "--",
    "key:-v",
]


@given(
    st.lists(st.sampled_from(NO_SYNTAX)),
    st.sampled_from(["", "-gone", '-"gone"', "-gone -gone"]),
    st.booleans(),
)
def test_the_engine_excludes_exactly_what_was_to_be_excluded(
    pieces: list[str], exclusion: str, is_unclosed: bool
) -> None:
    q = " ".join([*pieces[:50], exclusion, '"word' if is_unclosed else ""])

    read = read_by_the_engine(query_of(q))

    assert read.excluded == (("gone",),) * exclusion.count("gone")
    assert len(read.words) == len(re.findall(r"[a-z0-9]+", q)) - exclusion.count("gone")


@pytest.mark.parametrize(
    "piece",
    ['-"', '"', "a:", 'path:"', 'path:"x ', 'path:a"', "-a", "-_", "- ", " ", "é:", 'path:"" ', "C++ "],
)
def test_a_hostile_query_is_read_or_refused_before_the_time_is_up(piece: str) -> None:
    q = piece * (MAX_CHARACTERS // len(piece))

    try:
        text = query_of(q).text
    except InvalidRequest as refusal:
        text = str(refusal)

    assert len(text) <= 512
