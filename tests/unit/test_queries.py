"""What people write into a search box, and what it means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codesage.queries import Query, query_of


@pytest.mark.parametrize(
    ("q", "query"),
    [
        ("refresh token", Query("refresh token")),
        ("", Query("")),
        ("repo:octo/hello open", Query("open", repositories=["octo/hello"])),
        ("Repository:12 lang:Python x", Query("x", repositories=["12"], languages=["Python"])),
        ("path:src/auth type:class", Query("", paths=["src/auth"], entity_types=["class"])),
        ('path:"a b/c" x', Query("x", paths=["a b/c"])),
        ("lang:go lang:rust", Query("", languages=["go", "rust"])),
        ("close is:test", Query("close", is_test=True)),
        ("close -is:test", Query("close", is_test=False)),
        ('"exact phrase" x', Query('"exact phrase" x', advanced=True)),
        ("open -file", Query("open -file", advanced=True)),
        ('""', Query("")),
        ("std::vector", Query("std::vector")),
        ("http://example.org/x", Query("http://example.org/x")),
        ("a->b --verbose", Query("a->b --verbose")),
        ("author:ada x", Query("x", unknown=["author:"])),
        ("-repo:x y", Query("y", unknown=["-repo:"])),
        ("key:value!", Query("key:value!")),
        ("x: y", Query("x: y")),
        ("operator== C++ .NET", Query("operator== C++ .NET")),
    ],
)
def test_what_a_query_says(q: str, query: Query) -> None:
    assert query_of(q) == query


@given(st.text(max_size=200))
def test_any_text_is_a_query_and_its_words_come_from_it(q: str) -> None:
    query = query_of(q)

    assert all(word in q for word in query.text.split(" "))
