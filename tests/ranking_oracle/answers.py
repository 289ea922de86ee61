"""An oracle's index and a query's parameters -> what the engine's reply must agree with."""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from pydantic import JsonValue

from local.algolia.filters import parsed
from local.algolia.highlight import Highlighted, Highlighter
from local.algolia.query import Query, parsed_query
from local.algolia.settings import Parameters
from tests.ranking_oracle.filters import numbers, satisfies, texts
from tests.ranking_oracle.index import Index
from tests.ranking_oracle.matching import Matcher, Matches
from tests.ranking_oracle.ranking import Ranker


class Answer(NamedTuple):
    """The comparable part of a reply; facet values without case."""

    found: int
    ids: list[str]
    infos: list[dict[str, JsonValue]]
    highlights: list[JsonValue]
    facets: dict[str, dict[str, int]]
    after_removal: str | None


def answer(index: Index, asked: Mapping[str, JsonValue]) -> Answer:
    parameters = Parameters.of(index.settings, asked)
    query = parsed_query(parameters)
    ranker, matches = _ranked(index, parameters, query)
    after_removal = None
    if not ranker.found and len(query.words) > 1 and parameters.remove_words_if_no_results == "allOptional":
        ranker, matches = _ranked(index, parameters, query.with_all_optional())
        words = [(found.word.text, found.typos) for found in matches]
        after_removal = " ".join(text if typos else f"<em>{text}</em>" for text, typos in words)
    shown = ranker.first(parameters.hits_per_page)
    words = [Highlighted(found.word.text, found.marks) for found in matches]
    highlighter = Highlighter(index.parameters.shape(), parameters, words)
    return Answer(
        len(ranker.found),
        [index.object_id(number) for number in shown],
        [ranker.info(number) for number in shown],
        [highlighter.results(index.records[number]).get("_highlightResult") for number in shown],
        {attribute: _counts(index, attribute, ranker.found) for attribute in parameters.facets},
        after_removal,
    )


def _ranked(index: Index, parameters: Parameters, query: Query) -> tuple[Ranker, list[Matches]]:
    matcher = Matcher(index, parameters)
    faceted = parameters.shape().faceted
    records = set(range(len(index.records)))
    if parameters.filters:
        expression = parsed(parameters.filters)
        records = {number for number in records if satisfies(index.records[number], expression, faceted)}
    for words in query.excluded:
        records -= matcher.with_phrase(words)
    matches = matcher.matches(query)
    return Ranker(index, parameters, matches, records), matches


def _counts(index: Index, attribute: str, found: set[int]) -> dict[str, int]:
    counts = Counter(
        value
        for number in found
        for value in {text.lower() for text in texts(index.records[number], attribute)}
    )
    if counts:
        return dict(counts)
    return dict(
        Counter(f"{value:g}" for number in found for value in numbers(index.records[number], attribute))
    )
