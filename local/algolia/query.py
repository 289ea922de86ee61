"""A query text -> the words to look for, and which of them must stand together."""

import re
from dataclasses import dataclass, replace

from local.algolia.english import STOP_WORDS
from local.algolia.settings import Parameters
from local.algolia.tokens import HYPHEN, RUN, SPLIT, all_chains, fold, is_joined

PAIRED_WORDS = 5  # neighbours among this many first words are also looked for as one word
FEWEST_TO_JOIN_ALL = 3
CHUNK = re.compile(r'-?"[^"]*"?|\S+')


@dataclass(frozen=True, slots=True)
class Word:
    """One query word.

    Attributes:
        text: folded.
        prefix: any indexed word that begins with it matches.
        quoted: part of a phrase; only the word itself matches.
        optional: a record need not have it.
    """

    text: str
    prefix: bool = False
    quoted: bool = False
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """What a query asks for.

    Attributes:
        words: in the order written.
        sequences: slices of `words` that must follow each other directly: phrases and hyphenated terms.
        joins: slices of `words` that are also looked for as one word.
        excluded: phrases, often of one word, that a record must not have.
    """

    words: tuple[Word, ...]
    sequences: tuple[slice, ...] = ()
    joins: tuple[slice, ...] = ()
    excluded: tuple[tuple[Word, ...], ...] = ()

    def with_all_optional(self) -> "Query":
        return replace(self, words=tuple(replace(word, optional=True) for word in self.words))


@dataclass(frozen=True, slots=True)
class _Term:
    """Query words that came as one piece: a lone word, a dotted or hyphenated chain, or a phrase."""

    words: tuple[Word, ...]
    is_sequence: bool = False
    is_joined: bool = False
    excluded: bool = False
    may_be_stop_word: bool = False


def parsed_query(parameters: Parameters) -> Query:
    """Read `parameters.query`; no words when it has neither letters nor digits.

    A stop word is dropped only where it stands alone between spaces, so that `get_or_create` stays whole,
    and never as a prefix or when nothing else would be left.
    """
    terms = [term for chunk in CHUNK.findall(parameters.query) for term in _terms(chunk, parameters)]
    wanted = _with_prefixes([term for term in terms if not term.excluded], parameters.query_type)
    if parameters.remove_stop_words and parameters.query_type != "prefixAll":
        wanted = [term for term in wanted if not _is_stop_word(term)] or wanted
    excluded = tuple(term.words for term in terms if term.excluded)

    words: list[Word] = []
    sequences: list[slice] = []
    joins: list[slice] = []
    for term in wanted:
        span = slice(len(words), len(words) + len(term.words))
        words += term.words
        if term.is_sequence:
            sequences.append(span)
        if term.is_joined:
            joins.append(span)
    optional = {fold(run) for text in parameters.optional_words for run in RUN.findall(text)}
    marked = tuple(replace(word, optional=word.text in optional) for word in words)
    joins += [join for join in _neighbour_joins(marked) if join not in joins and not _cuts(join, sequences)]
    return Query(marked, tuple(sequences), tuple(joins), excluded)


def _terms(chunk: str, parameters: Parameters) -> list[_Term]:
    """The terms of one piece of the query between spaces, or of one quoted phrase."""
    excluded = parameters.advanced_syntax and chunk.startswith("-")
    parts = SPLIT.split(chunk)
    runs = parts[1::2]
    words = tuple(Word(fold(run)) for run in runs)
    if not words:
        return []
    if parameters.advanced_syntax and (excluded or chunk.startswith('"')):
        return [
            _Term(tuple(replace(word, quoted=True) for word in words), is_sequence=True, excluded=excluded)
        ]
    return [
        _Term(
            words[first:stop],
            is_sequence=joint == HYPHEN,
            is_joined=is_joined(runs[first:stop], joint),
            may_be_stop_word=len(words) == 1,
        )
        for first, stop, joint in all_chains(parts[2:-1:2])
    ]


def _with_prefixes(terms: list[_Term], query_type: str) -> list[_Term]:
    def prefixed(term: _Term, words: tuple[Word, ...]) -> _Term:
        return replace(term, words=tuple(replace(word, prefix=not word.quoted) for word in words))

    if query_type == "prefixAll":
        return [prefixed(term, term.words) for term in terms]
    if query_type == "prefixNone" or not terms:
        return terms
    *others, last = terms
    return [*others, replace(last, words=(*last.words[:-1], *prefixed(last, last.words[-1:]).words))]


def _is_stop_word(term: _Term) -> bool:
    [word, *more] = term.words
    return term.may_be_stop_word and not more and not word.prefix and word.text in STOP_WORDS


def _neighbour_joins(words: tuple[Word, ...]) -> tuple[slice, ...]:
    """Each adjacent pair among the first words and, from three words on, all of them."""
    pairs = [
        slice(place, place + 2)
        for place in range(min(len(words), PAIRED_WORDS) - 1)
        if not (words[place].text[-1].isdigit() and words[place + 1].text[0].isdigit())
    ]
    if len(words) >= FEWEST_TO_JOIN_ALL:
        pairs.append(slice(0, len(words)))
    return tuple(pair for pair in pairs if not any(word.quoted for word in words[pair]))


def _cuts(join: slice, sequences: list[slice]) -> bool:
    """Whether the join would take words out of a sequence, or part of one."""
    return any(join.start < sequence.stop and sequence.start < join.stop for sequence in sequences)
