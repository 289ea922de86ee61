"""Query words and an oracle's index -> for each word, the records that have it, with typos and places.

A word can be met in several ways (as itself, as a prefix, in its other number, misspelt, as two words, or as
part of a joined word). Each way is a `Source`.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from local.algolia.english import other_numbers
from local.algolia.errors import ApiError
from local.algolia.query import Query, Word
from local.algolia.settings import Parameters
from tests.ranking_oracle.index import Index, Occurrence, Postings
from tests.ranking_oracle.typos import near

LONGEST_FIRST_PART = 12  # letters; longer words are not cut in two behind it
SHORTEST_PREFIX_PART = 3  # letters a cut's second part needs to stand for a longer word


@dataclass(frozen=True, slots=True)
class Source:
    """One way to meet a word.

    Attributes:
        postings: record -> where.
        typos: what each of these matches costs.
        exact: they count for the Exact criterion.
        marks: (indexed word, how many of its letters to highlight) for each indexed word involved.
    """

    postings: Postings
    typos: int
    exact: bool
    marks: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Matches:
    """Everything that meets one query word."""

    word: Word
    sources: tuple[Source, ...]

    @cached_property
    def typos(self) -> dict[int, int]:
        """Record -> fewest typos with which it has the word."""
        fewest: dict[int, int] = {}
        for source in sorted(self.sources, key=lambda source: -source.typos):
            fewest |= dict.fromkeys(source.postings, source.typos)
        return fewest

    @cached_property
    def marks(self) -> dict[str, int]:
        """Indexed word -> how many of its letters to highlight."""
        return {token: letters for source in self.sources for token, letters in source.marks}

    @cached_property
    def exact(self) -> set[int]:
        """Records that have the word whole and without typos."""
        return set[int]().union(*(source.postings for source in self.sources if source.exact))

    def is_whole_value(self, record: int) -> bool:
        """Whether the word, whole and without typos, is all of one of the record's values."""
        return any(
            place.whole
            for source in self.sources
            if source.exact
            for place in source.postings.get(record, ())
        )

    def places(self, records: Collection[int]) -> dict[int, list[Occurrence]]:
        """Where `records` have the word with the fewest typos; `records` must be a set or a dict."""
        found: dict[int, list[Occurrence]] = {record: [] for record in records if record in self.typos}
        for source in self.sources:
            for record in shared(source.postings, found):
                if self.typos[record] == source.typos:
                    found[record] += source.postings[record]
        return found


def shared(postings: Postings, records: Mapping[int, object]) -> list[int]:
    """The records in both, found by walking through the smaller."""
    if len(postings) <= len(records):
        return [record for record in postings if record in records]
    return [record for record in records if record in postings]


class Matcher:
    """Looks query words up in one index."""

    def __init__(self, index: Index, parameters: Parameters) -> None:
        self._index = index
        self._parameters = parameters
        restricted = parameters.restrict_searchable_attributes
        if unknown := set(restricted) - {found.name for found in index.searchable}:
            raise ApiError(f"restrictSearchableAttributes: {min(unknown)} is not in searchableAttributes")
        everywhere = frozenset(range(len(index.searchable)))
        self._refused = everywhere - self._attributes(restricted) if restricted else frozenset[int]()
        self._without_typos = self._attributes(parameters.disable_typo_tolerance_on_attributes)
        self._vocabulary = index.vocabulary

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
        return [Matches(word, tuple(found)) for word, found in zip(query.words, sources, strict=True)]

    def with_phrase(self, words: tuple[Word, ...]) -> set[int]:
        """The records that hold these words one after the other."""
        return set(self._following(words)[0].postings)

    # --- one word ---

    def _single(self, word: Word) -> Iterator[Source]:
        yield from self._correct(word)
        if word.quoted or self._parameters.typo_tolerance is False:
            return
        if edits := self._edits(word.text):
            for token, typos in near(self._vocabulary, word.text, edits, prefix=word.prefix):
                postings = self._postings(token, typos)
                if postings:
                    yield Source(postings, typos, False, ((token, len(token)),))
        if len(word.text) >= self._parameters.min_word_size_for_1_typo:
            yield from self._cut_in_two(word)

    def _correct(self, word: Word) -> Iterator[Source]:
        """The word without typos: itself, its other number, and what it is a prefix of."""
        same = {word.text}
        if self._parameters.ignore_plurals and not word.quoted:
            same |= other_numbers(word.text)
        for token in sorted(same):
            if postings := self._postings(token):
                yield Source(postings, 0, True, ((token, len(token)),))
        if word.prefix:
            for token in self._index.words_with_prefix(word.text):
                if token not in same and (postings := self._postings(token)):
                    yield Source(postings, 0, False, ((token, len(word.text)),))

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
        best: list[Source] = []
        for length in range(1, min(LONGEST_FIRST_PART, len(word.text) - 1) + 1):
            first, second = word.text[:length], word.text[length:]
            if first not in self._index.postings:
                continue
            prefix = word.prefix and len(second) >= SHORTEST_PREFIX_PART
            found = self._following((Word(first, quoted=True), Word(second, prefix=prefix, quoted=True)))[0]
            if found.postings and (not best or len(found.postings) > len(best[0].postings)):
                best = [Source(found.postings, 0, False, ((first, length), *self._marks(second, prefix)))]
        yield from best

    def _marks(self, text: str, prefix: bool) -> tuple[tuple[str, int], ...]:
        tokens = self._index.words_with_prefix(text) if prefix else [text]
        return tuple((token, len(text)) for token in tokens)

    # --- several words ---

    def _following(self, words: tuple[Word, ...]) -> list[Source]:
        """One source per word, of the places where all the words stand in order without a gap; no typos."""
        ways = [list(self._correct(word)) for word in words]
        records = set.intersection(*({record for way in found for record in way.postings} for found in ways))
        starts: dict[int, set[tuple[int, int]]] = {}
        for offset, found in enumerate(ways):
            for record in records:
                here = {
                    (place.attribute, place.position - offset)
                    for way in found
                    for place in way.postings.get(record, ())
                }
                starts[record] = starts[record] & here if offset else here
        return [
            Source(
                _at(found, starts, offset),
                0,
                not word.prefix,
                tuple(mark for way in found for mark in way.marks),
            )
            for offset, (word, found) in enumerate(zip(words, ways, strict=True))
        ]

    def _joined(self, words: tuple[Word, ...], join: slice) -> Iterator[tuple[int, Source]]:
        """The words of `join` met as one indexed word: each gets a place as if they stood side by side."""
        glued = "".join(word.text for word in words[join])
        prefix = words[join.stop - 1].prefix
        for token in self._index.words_with_prefix(glued) if prefix else [glued]:
            postings = self._postings(token)
            for offset, place in enumerate(range(join.start, join.stop)):
                if postings:
                    moved = {
                        record: tuple(found._replace(position=found.position + offset) for found in places)
                        for record, places in postings.items()
                    }
                    yield place, Source(moved, 0, False, ((token, len(glued)),))

    # --- attributes ---

    def _attributes(self, names: tuple[str, ...]) -> frozenset[int]:
        return frozenset(place for place, found in enumerate(self._index.searchable) if found.name in names)

    def _postings(self, token: str, typos: int = 0) -> Postings:
        """The word's postings, less the attributes that this search or this match may not use."""
        postings = self._index.postings.get(token, {})
        refused = self._refused | self._without_typos if typos else self._refused
        if not refused:
            return postings
        kept = {
            record: tuple(place for place in places if place.attribute not in refused)
            for record, places in postings.items()
        }
        return {record: places for record, places in kept.items() if places}


def _at(ways: list[Source], starts: dict[int, set[tuple[int, int]]], offset: int) -> Postings:
    """Of the ways' places, those `offset` words behind one of the starts."""
    found: dict[int, tuple[Occurrence, ...]] = {}
    for record, begins in starts.items():
        places = tuple(
            place
            for way in ways
            for place in way.postings.get(record, ())
            if (place.attribute, place.position - offset) in begins
        )
        if places:
            found[record] = places
    return found
