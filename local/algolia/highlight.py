"""A record and the words a query met -> its `_highlightResult` and `_snippetResult`.

Values are not escaped, as in the real service: whoever shows them escapes everything but the tags.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from pydantic import JsonValue

from local.algolia.building import Record, texts_of
from local.algolia.settings import DEFAULT_POST_TAG, DEFAULT_PRE_TAG, Parameters, Shape
from local.algolia.tokens import RUN, Token, fold, tokens

SNIPPET_WORDS = 10

Leaf: TypeAlias = dict[str, JsonValue]


class Highlighted(NamedTuple):
    """A query word, and for each indexed word that met it how many of its letters to mark."""

    text: str
    marks: Mapping[str, int]


class Span(NamedTuple):
    """A stretch of a text to be marked, in code points, end exclusive."""

    start: int
    end: int


class Marked(NamedTuple):
    """What a query met in one text: merged spans in order, and the places of the words met."""

    spans: list[Span]
    words: set[int]


class Highlighter:
    """Highlights the hits of one query.

    Args:
        shape: tells the searchable attributes and which of them split camel case.
        parameters: tags, and the attributes to highlight or snippet.
        words: the query's words with the indexed words that met them; empty for an empty query.
    """

    def __init__(self, shape: Shape, parameters: Parameters, words: Sequence[Highlighted]) -> None:
        self._shape = shape
        self._parameters = parameters
        self._words = words

    def results(self, record: Record) -> dict[str, JsonValue]:
        """`_highlightResult`, and `_snippetResult` where snippets are asked for; absent when empty."""
        searchable = [found.name for found in self._shape.searchable_of(record)]
        wanted = self._parameters.attributes_to_highlight
        names = searchable if wanted is None else list(record) if "*" in wanted else list(wanted)
        results: dict[str, JsonValue] = {
            "_highlightResult": self._leaves(record, dict.fromkeys(names, 0), self._highlighted),
            "_snippetResult": self._leaves(record, self._snippet_lengths(), self._snippet),
        }
        return {name: leaves for name, leaves in results.items() if leaves}

    def _leaves(
        self, record: Record, lengths: dict[str, int], leaf_of: Callable[[str, str, int], Leaf]
    ) -> dict[str, JsonValue]:
        leaves: dict[str, JsonValue] = {}
        for name, length in lengths.items():
            value = record.get(name)
            found: list[JsonValue] = [leaf_of(name, text, length) for text in texts_of(value)]
            if isinstance(value, list):
                leaves[name] = found
            elif found:
                leaves[name] = found[0]
        return leaves

    def _snippet_lengths(self) -> dict[str, int]:
        """`content:20` asks for 20 words."""
        pairs = [entry.partition(":") for entry in self._parameters.attributes_to_snippet]
        return {name: int(words) if words.isdigit() else SNIPPET_WORDS for name, _, words in pairs}

    def _highlighted(self, attribute: str, text: str, _length: int) -> Leaf:
        marked = self._marked(attribute, text)
        leaf: Leaf = {
            "value": self._tagged(text, marked.spans),
            "matchLevel": self._level(marked),
            "matchedWords": [word.text for place, word in enumerate(self._words) if place in marked.words],
        }
        if marked.words:
            inside = [
                any(s.start <= run.start() and run.end() <= s.end for s in marked.spans)
                for run in RUN.finditer(text)
            ]
            leaf["fullyHighlighted"] = all(inside)
        return leaf

    def _snippet(self, attribute: str, text: str, length: int) -> Leaf:
        """`length` words of the text, beginning a little before the first match."""
        marked = self._marked(attribute, text)
        runs = list(RUN.finditer(text))
        if len(runs) > length:
            first_match = marked.spans[0].start if marked.spans else 0
            place = next(number for number, run in enumerate(runs) if run.end() > first_match)
            begin = max(0, min(place - length // 2, len(runs) - length))
            start = runs[begin].start() if begin else 0
            end = runs[begin + length - 1].end() if begin + length < len(runs) else len(text)
        else:
            start, end = 0, len(text)
        shown = [
            Span(s.start - start, s.end - start) for s in marked.spans if start <= s.start and s.end <= end
        ]
        ellipsis = self._parameters.snippet_ellipsis_text
        before, after = ellipsis if start else "", ellipsis if end < len(text) else ""
        return {
            "value": f"{before}{self._tagged(text[start:end], shown)}{after}",
            "matchLevel": self._level(marked),
        }

    def _level(self, marked: Marked) -> str:
        if not marked.words:
            return "none"
        return "full" if len(marked.words) == len(self._words) else "partial"

    def _marked(self, attribute: str, text: str) -> Marked:
        spans: list[Span] = []
        words: set[int] = set()
        for token in tokens(text, camel_case=attribute in self._shape.camel_case):
            for place, word in enumerate(self._words):
                letters = word.marks.get(token.text)
                if letters is not None:
                    words.add(place)
                    spans.append(Span(token.start, _end_of(text, token, letters)))
        return Marked(_merged(spans), words)

    def _tagged(self, text: str, spans: list[Span]) -> str:
        before = self._parameters.highlight_pre_tag or DEFAULT_PRE_TAG
        after = self._parameters.highlight_post_tag or DEFAULT_POST_TAG
        pieces, shown = [], 0
        for span in spans:
            pieces += [text[shown : span.start], before, text[span.start : span.end], after]
            shown = span.end
        return "".join([*pieces, text[shown:]])


def _end_of(text: str, token: Token, letters: int) -> int:
    """Where the token's first `letters` letters end in the text; folding may have changed their number."""
    if letters >= len(token.text):
        return token.end
    for end in range(token.start, token.end):
        if letters <= 0:
            return end
        letters -= len(fold(text[end])) if text[end].isalnum() else 0
    return token.end


def _merged(spans: list[Span]) -> list[Span]:
    """In order, overlapping ones made one; touching ones stay apart."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start < merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged
