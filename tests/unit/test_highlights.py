"""Highlighted texts are HTML in which only the engine's marks are markup."""

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codesage.highlights import highlighted
from local.algolia.index import Index
from local.algolia.search import search
from local.algolia.tokens import RUN

TAGS = ("<mark>", "</mark>")
UNMISTAKABLE = ("\ue000", "\ue001")  # private use: in none of the texts below
WORDS = [
    "foo",
    "bar",
    "os.path",
    "mark",
    "<mark>",
    "</mark>",
    "<b>",
    "&",
    "&lt;",
    '"',
    "'",
    " ",
    "\n",
    "é",
    "🚀",
]
TEXTS = st.lists(
    st.one_of(
        st.sampled_from(WORDS),
        st.characters(categories=["L", "N", "P", "S", "Z", "M"]),
    ),
    max_size=20,
).map("".join)


def marked_by_the_engine(text: str, query: str, tags: tuple[str, str]) -> str:
    """`text` as the embedded engine highlights it; the record is found by its name, whatever the text is."""
    index = Index({"searchableAttributes": ["name", "text"]})
    index.put({"objectID": "1", "name": "anchor", "text": text})
    tagged = {"highlightPreTag": tags[0], "highlightPostTag": tags[1]}

    reply = search(index, "i", {"query": f"anchor {query}", "optionalWords": query.split(), **tagged})

    return reply["hits"][0]["_highlightResult"]["text"]["value"]


@pytest.mark.parametrize(
    ("original", "marked", "expected"),
    [
        ("plain text", "plain text", "plain text"),
        ("plain text", "plain <mark>text</mark>", "plain <mark>text</mark>"),
        ("a < b & c", "a < <mark>b</mark> & c", "a &lt; <mark>b</mark> &amp; c"),
        ("<mark>x</mark>", "<mark>x</mark>", "&lt;mark&gt;x&lt;/mark&gt;"),
        (
            "<mark>x</mark>",
            "<mark><mark>x</mark></mark>",
            "&lt;mark&gt;<mark>x</mark>&lt;/mark&gt;",
        ),
        ("a <mark>", "a <<mark>mark</mark>>", "a &lt;<mark>mark</mark>&gt;"),
        ('say "it\'s"', 'say "<mark>it</mark>\'s"', "say &quot;<mark>it</mark>&#x27;s&quot;"),
        ("don't", "<mark>don't</mark>", "<mark>don&#x27;t</mark>"),
        ("a<b>", "<mark>a<b></mark>", "<mark>a&lt;b&gt;</mark>"),
        ("two words", "another <mark>text</mark>", "two words"),
        ("open", "<mark>open", "open"),
        ("whole", "<mark>whole</mark> and more", "whole"),
        ("whole and more", "<mark>whole</mark>", "whole and more"),
        ("foo</mark>", "<mark>foo</mark></mark>", "<mark>foo</mark>&lt;/mark&gt;"),
        ("", "", ""),
        ("not marked by the engine", "", "not marked by the engine"),
    ],
)
def test_only_marks_of_the_engine_are_markup(original: str, marked: str, expected: str) -> None:
    assert highlighted(original, marked) == expected


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (0, ""),
        (3, "one"),
        (4, "one "),
        (6, "one <mark>tw</mark>"),
        (7, "one <mark>two</mark>"),
        (99, "one <mark>two</mark> &amp;"),
    ],
)
def test_a_text_is_cut_by_its_own_characters_and_an_open_mark_is_closed(limit: int, expected: str) -> None:
    assert highlighted("one two &", "one <mark>two</mark> &", limit) == expected


@given(TEXTS, st.data())
def test_exactly_what_the_engine_marks_is_marked(text: str, data: st.DataObject) -> None:
    query = data.draw(st.sampled_from(RUN.findall(text) or ["mark"]))

    shown = highlighted(text, marked_by_the_engine(text, query, TAGS))

    expected = html.escape(marked_by_the_engine(text, query, UNMISTAKABLE))
    for letter, tag in zip(UNMISTAKABLE, TAGS, strict=True):
        expected = expected.replace(letter, tag)
    assert shown == expected


@given(TEXTS, st.integers(0, 40), st.data())
def test_what_is_shown_is_the_text_and_nothing_else(text: str, limit: int, data: st.DataObject) -> None:
    query = data.draw(st.sampled_from(RUN.findall(text) or ["mark"]))

    shown = highlighted(text, marked_by_the_engine(text, query, TAGS), limit)

    assert re.fullmatch("(?:[^<>]|<mark>[^<>]+</mark>)*", shown)
    assert html.unescape(re.sub("</?mark>", "", shown)) == text[:limit]


@given(TEXTS, TEXTS)
def test_any_marked_text_is_shown_safely(original: str, marked: str) -> None:
    shown = highlighted(original, marked)

    assert re.fullmatch("(?:[^<>]|<mark>[^<>]*</mark>)*", shown)
    assert html.unescape(re.sub("</?mark>", "", shown)) == original
