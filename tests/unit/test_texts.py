"""Texts can always be sent on, and their lines joined are the text."""

from hypothesis import given
from hypothesis import strategies as st

from codesage.parsing.source import source_of
from codesage.texts import decoded, lines_of


@given(st.binary(max_size=60), st.booleans())
def test_any_bytes_have_a_text_that_can_be_sent_on(raw: bytes, cookies: bool) -> None:
    text = decoded(raw, cookies=cookies)

    assert text.encode().decode() == text


@given(st.text(st.sampled_from("a\r\n\x0b\x0c\x1c\x85\u2028"), max_size=20))
def test_lines_end_where_the_parser_ends_them(text: str) -> None:
    lines = lines_of(text)

    # The parser counts what follows the last line end as a line, also where nothing does.
    assert len(source_of(text.encode()).line_starts) == len(lines) + (not text or text[-1] in "\r\n")
    assert "".join(lines) == text


def test_a_codec_that_lets_lone_surrogates_through_does_no_harm() -> None:
    assert decoded(b"# coding: utf-7\n+2AA-\n", cookies=True) == "# coding: utf-7\n?\n"
