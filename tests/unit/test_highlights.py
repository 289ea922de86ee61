"""Highlighted texts are HTML in which only the engine's marks are markup."""

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codesage.highlights import highlighted

WORDS = st.sampled_from(
    [
        "foo",
        "bar",
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
        "<",
        ">",
        "/",
    ]
)
TEXTS = st.lists(st.tuples(WORDS, st.booleans()), max_size=12)


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
        ("two words", "another <mark>text</mark>", "two words"),
        ("open", "<mark>open", "open"),
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


@given(TEXTS, st.integers(0, 40))
def test_what_is_shown_is_the_text_and_nothing_else(parts: list[tuple[str, bool]], limit: int) -> None:
    original = "".join(word for word, _ in parts)
    # As the engine does: marks stand around words of letters and digits.
    marked = "".join(f"<mark>{word}</mark>" if is_met and word.isalnum() else word for word, is_met in parts)

    shown = highlighted(original, marked, limit)

    assert html.unescape(re.sub("</?mark>", "", shown)) == original[:limit]
    assert set(re.findall("<[^>]*>?", shown)) <= {"<mark>", "</mark>"}
    assert re.fullmatch("[^<]*(<mark>[^<]*</mark>[^<]*)*", shown)
    if limit >= len(original):
        assert shown.count("<mark>") == sum(is_met and word.isalnum() for word, is_met in parts)
