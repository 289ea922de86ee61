"""Query words and a view -> for each word, the records that have it, with typos and places.

A word can be met in several ways (as itself, as a prefix, in its other number, misspelt, as two words, or as
part of a joined word). Each way is a `Source`; the ranker asks the sources only for the records it ranks.
"""

import operator
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np

from local.algolia.english import other_numbers
from local.algolia.errors import ApiError
from local.algolia.occurrences import NONE, Chosen, Indexed, Occurrences, Span, records_of
from local.algolia.query import Query, Word
from local.algolia.segment import POSITION_SHIFT, WHOLE, Integers, Mask
from local.algolia.settings import Parameters, Shape
from local.algolia.view import View

LONGEST_FIRST_PART = 12  # letters; longer words are not cut in two behind it
SHORTEST_PREFIX_PART = 3  # letters a cut's second part needs to stand for a longer word
ABSENT = 255  # instead of a number of typos


@dataclass(frozen=True)
class Mark:
    """Indexed words to highlight; the first `letters` of each, or all of it."""

    words: Indexed
    letters: int | None


@dataclass(frozen=True)
class Source:
    """One way to meet a word.

    Attributes:
        occurrences: where.
        typos: what each of these matches costs.
        exact: they count for the Exact criterion.
        marks: what to highlight.
    """

    occurrences: Occurrences
    typos: int
    exact: bool
    marks: tuple[Mark, ...]


class Matches:
    """Everything that meets one query word in one view.

    Attributes:
        word: of the query.
        typos: per record, the fewest typos with which it has the word; `ABSENT` where it lacks it.
    """

    def __init__(self, word: Word, sources: Sequence[Source], view: View) -> None:
        self.word = word
        self._sources = sources
        self._view = view
        self.typos = np.full(len(view.alive), ABSENT, np.uint8)
        for source in sorted(sources, key=lambda source: -source.typos):
            self.typos[source.occurrences.records()] = source.typos
        self.typos[~view.alive] = ABSENT

    @cached_property
    def present(self) -> Mask:
        """The records that have the word."""
        return np.not_equal(self.typos, ABSENT)

    @cached_property
    def exact(self) -> Mask:
        """The records that have the word whole and without typos."""
        found = np.zeros(len(self.typos), np.bool_)
        for source in self._sources:
            if source.exact:
                found[source.occurrences.records()] = True
        return found

    def whole_values(self, wanted: Mask) -> Mask:
        """Of the wanted records, those where the word, whole and without typos, is all of a value."""
        found = np.zeros(len(self.typos), np.bool_)
        for source in self._sources:
            if source.exact:
                keys = source.occurrences.keys(wanted)
                found[records_of(keys[keys & WHOLE != 0])] = True
        return found

    def keys(self, wanted: Mask, *, first: bool = False) -> Integers:
        """Where the wanted records have the word with the fewest typos, rising.

        Args:
            first: of each indexed word in a record, the first place is enough.
        """
        found = [
            source.occurrences.keys(wanted & (self.typos == source.typos), first=first)
            for source in self._sources
        ]
        return np.sort(np.concatenate([NONE, *found]))

    @cached_property
    def marks(self) -> Mapping[str, int]:
        """Indexed word -> how many of its letters to highlight."""
        return {
            token: mark.letters or len(token)
            for source in self._sources
            for mark in source.marks
            for token in mark.words.texts(self._view.alive)
        }


class Matcher:
    """Looks query words up in one view."""

    def __init__(self, view: View, shape: Shape, parameters: Parameters) -> None:
        self._view = view
        self._parameters = parameters
        restricted = parameters.restrict_searchable_attributes
        if unknown := set(restricted) - {found.name for found in shape.searchable}:
            raise ApiError(f"restrictSearchableAttributes: {min(unknown)} is not in searchableAttributes")
        refused = {found.name for found in shape.searchable if restricted and found.name not in restricted}
        without_typos = {*refused, *parameters.disable_typo_tolerance_on_attributes}
        self._allowed = _allowed(shape, refused)
        self._allowed_with_typos = _allowed(shape, without_typos)

    def matches(self, query: Query) -> list[Matches]:
        """One `Matches` per word of the query, in its order."""
        sources: list[list[Source]] = [[] for _ in query.words]
        bound = {place for sequence in query.sequences for place in range(sequence.start, sequence.stop)}
        for place, word in enumerate(query.words):
            if place not in bound:
                sources[place] += self._single(word)
        for sequence in query.sequences:
            for place, source in enumerate(self._following(query.words[sequence]), sequence.start):
                sources[place].append(source)
        if self._parameters.typo_tolerance is not False:
            for join in query.joins:
                for place, source in self._joined(query.words, join):
                    sources[place].append(source)
        return [Matches(word, found, self._view) for word, found in zip(query.words, sources, strict=True)]

    def with_phrase(self, words: tuple[Word, ...]) -> Mask:
        """The records that hold these words one after the other."""
        found = np.zeros(len(self._view.alive), np.bool_)
        found[self._following(words)[0].occurrences.records()] = True
        return found

    # --- one word ---

    def _single(self, word: Word) -> Iterator[Source]:
        yield from self._correct(word)
        if word.quoted or self._parameters.typo_tolerance is False:
            return
        if edits := self._edits(word.text):
            yield from self._misspelt(word, edits)
        if len(word.text) >= self._parameters.min_word_size_for_1_typo:
            yield from self._cut_in_two(word)

    def _correct(self, word: Word) -> Iterator[Source]:
        """The word without typos: what it is a prefix of, itself, and its other number."""
        if word.prefix and (spans := self._spans(word.text, prefix=True)):
            yield self._source(spans, 0, letters=len(word.text))
        same = {word.text}
        if self._parameters.ignore_plurals and not word.quoted:
            same |= other_numbers(word.text)
        if spans := [span for text in sorted(same) for span in self._spans(text, prefix=False)]:
            yield self._source(spans, 0, exact=True)

    def _misspelt(self, word: Word, edits: int) -> Iterator[Source]:
        spans: dict[int, list[Span]] = defaultdict(list)
        for part in self._view.parts:
            near = part.segment.words.near(word.text, edits, prefix=word.prefix)
            for number, typos in zip(near.words.tolist(), near.typos.tolist(), strict=True):
                spans[typos].append(Span(part, range(number, number + 1)))
        for typos, found in spans.items():
            yield self._source(found, typos)

    def _edits(self, text: str) -> int:
        """How many edits the word may be off."""
        parameters = self._parameters
        if text.isdigit() and not parameters.allow_typos_on_numeric_tokens:
            return 0
        if text in parameters.disable_typo_tolerance_on_words:
            return 0
        return (len(text) >= parameters.min_word_size_for_1_typo) + (
            len(text) >= parameters.min_word_size_for_2_typos
        )

    def _cut_in_two(self, word: Word) -> Iterator[Source]:
        """The cut with the most matches, of those where both parts are indexed and follow each other."""
        best: Source | None = None
        most = 0
        for length in range(1, min(LONGEST_FIRST_PART, len(word.text) - 1) + 1):
            first, second = word.text[:length], word.text[length:]
            prefix = word.prefix and len(second) >= SHORTEST_PREFIX_PART
            if not self._spans(first, prefix=False) or not self._spans(second, prefix=prefix):
                continue
            found = self._following((Word(first, quoted=True), Word(second, prefix=prefix, quoted=True)))
            matched = len(np.unique(found[0].occurrences.records()))
            if matched > most:
                marks = (*found[0].marks, *found[1].marks)
                best, most = Source(found[0].occurrences, 0, exact=False, marks=marks), matched
        if best is not None:
            yield best

    # --- several words ---

    def _following(self, words: tuple[Word, ...]) -> list[Source]:
        """One source per word, of the places where all the words stand in order without a gap; no typos."""
        ways = [list(self._correct(word)) for word in words]
        wanted = reduce(operator.and_, map(self._having, ways), self._view.alive)
        keys = [
            np.concatenate([NONE, *(source.occurrences.keys(wanted) for source in found)]) for found in ways
        ]
        begins = [(found >> POSITION_SHIFT) - offset for offset, found in enumerate(keys)]
        starts = reduce(np.intersect1d, begins)
        return [
            Source(
                Chosen(found[np.isin(begin, starts)]),
                0,
                not word.prefix,
                tuple(mark for source in way for mark in source.marks),
            )
            for word, way, found, begin in zip(words, ways, keys, begins, strict=True)
        ]

    def _having(self, sources: Iterable[Source]) -> Mask:
        found = np.zeros(len(self._view.alive), np.bool_)
        for source in sources:
            found[source.occurrences.records()] = True
        return found

    def _joined(self, words: tuple[Word, ...], join: slice) -> Iterator[tuple[int, Source]]:
        """The words of `join` met as one indexed word: each gets a place as if they stood side by side."""
        glued = "".join(word.text for word in words[join])
        if spans := self._spans(glued, prefix=words[join.stop - 1].prefix):
            for offset, place in enumerate(range(join.start, join.stop)):
                yield place, self._source(spans, 0, letters=len(glued), moved=offset)

    # --- indexed words ---

    def _spans(self, word: str, *, prefix: bool) -> list[Span]:
        """Per part, the indexed words that are `word`, or that begin with it."""
        spans = []
        for part in self._view.parts:
            words = part.segment.words.with_prefix(word) if prefix else part.segment.words.same(word)
            if words:
                spans.append(Span(part, words))
        return spans

    def _source(
        self,
        spans: list[Span],
        typos: int,
        *,
        exact: bool = False,
        letters: int | None = None,
        moved: int = 0,
    ) -> Source:
        allowed = self._allowed_with_typos if typos else self._allowed
        words = Indexed(spans, moved, allowed)
        return Source(words, typos, exact, (Mark(words, letters),))


def _allowed(shape: Shape, refused: Collection[str]) -> Mask | None:
    """By attribute, whether a match in it counts; None where that is true of all."""
    if not any(found.name in refused for found in shape.searchable):
        return None
    return np.array([found.name not in refused for found in shape.searchable])
