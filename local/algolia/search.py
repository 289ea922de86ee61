"""An index and a query's parameters -> the reply that the service would give."""

import base64
import binascii
import json
import time
from collections.abc import Collection, Mapping
from typing import TypeVar

from pydantic import JsonValue

from local.algolia.errors import ApiError
from local.algolia.filters import parsed, satisfying
from local.algolia.highlight import Highlighter
from local.algolia.index import Index, Record
from local.algolia.matching import Matcher, Matches
from local.algolia.query import Query, parsed_query
from local.algolia.ranking import Ranker
from local.algolia.settings import MAX_HITS_PER_PAGE, Parameters, decoded_params

MAX_FACET_CHARACTERS = 1000

Value = TypeVar("Value", str, float)


def search(index: Index, name: str, body: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Answer one query.

    Args:
        index: what to search; the caller sees to it that nobody changes it meanwhile.
        name: of the index, only echoed.
        body: the query's parameters.

    Raises:
        ApiError: 400 for a bad parameter or filter.
    """
    began = time.perf_counter()
    given = decoded_params(body)
    parameters = Parameters.of(index.settings, given)
    query = parsed_query(parameters)
    ranker, matches = _ranked(index, parameters, query)
    removed: dict[str, JsonValue] = {}
    if not ranker.found and len(query.words) > 1 and parameters.remove_words_if_no_results == "allOptional":
        ranker, matches = _ranked(index, parameters, query.with_all_optional())
        removed = {"queryAfterRemoval": _after_removal(matches)}

    highlighter = Highlighter(index, parameters, matches)
    offset, length = _window(parameters)
    reply: dict[str, JsonValue] = {
        "hits": [
            _hit(index, number, parameters, highlighter, ranker)
            for number in ranker.first(offset + length)[offset:]
        ],
        "nbHits": len(ranker.found),
        **_paging(parameters, len(ranker.found)),
        **_facets(index, parameters, ranker.found),
        "exhaustiveNbHits": True,
        "exhaustiveTypo": True,
        "exhaustive": {"nbHits": True, "typo": True, **({"facetsCount": True} if parameters.facets else {})},
        "query": parameters.query,
        "params": "&".join(f"{key}={value}" for key, value in given.items()),
        "index": name,
        "renderingContent": {},
        **removed,
    }
    if offset and offset >= parameters.pagination_limited_to:
        limit = parameters.pagination_limited_to
        reply |= {
            "nbHits": 0,
            "nbPages": 0,
            "message": f"you can only fetch the {limit} hits for this query. You can extend the number of"
            " hits returned via the paginationLimitedTo index parameter or use the browse method.",
        }
    return {**reply, "processingTimeMS": round(1000 * (time.perf_counter() - began))}


def browse(index: Index, body: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """One page of all records that satisfy a query, by objectID.

    The service orders pages by custom ranking. Here the cursor is the last objectID, so that writes between
    two pages neither repeat nor hide a record; no caller may rely on either order.
    """
    given = decoded_params(body)
    parameters = Parameters.of(index.settings, {"hitsPerPage": MAX_HITS_PER_PAGE, **given})
    after = _decoded_cursor(given.get("cursor"))
    ranker, _ = _ranked(index, parameters, parsed_query(parameters))
    waiting = sorted(
        object_id for object_id in map(index.object_id, ranker.found) if after is None or object_id > after
    )
    page = waiting[: max(1, parameters.hits_per_page)]
    numbers = [number for number in map(index.number_of, page) if number is not None]
    reply: dict[str, JsonValue] = {
        "hits": [retrieved(index.record(number), parameters.attributes_to_retrieve) for number in numbers],
        "nbHits": len(ranker.found),
        "hitsPerPage": parameters.hits_per_page,
        "page": 0,
        "nbPages": 1,
        "query": parameters.query,
        "params": "",
        "processingTimeMS": 1,
    }
    if len(waiting) > len(page):
        reply["cursor"] = base64.urlsafe_b64encode(json.dumps(page[-1]).encode()).decode()
    return reply


def permitted(index: Index, filters: str) -> set[int]:
    """The records that satisfy a filter text; all of them for an empty one."""
    return satisfying(parsed(filters), index) if filters.strip() else index.everything()


def retrieved(record: Record, attributes: Collection[str]) -> Record:
    """The record with the asked attributes, `objectID` always; `*` is all and `-name` leaves one out."""
    if "*" in attributes:
        hidden = {name[1:] for name in attributes if name.startswith("-")}
        return {name: value for name, value in record.items() if name not in hidden or name == "objectID"}
    return {name: value for name, value in record.items() if name in attributes or name == "objectID"}


def _ranked(index: Index, parameters: Parameters, query: Query) -> tuple[Ranker, list[Matches]]:
    matcher = Matcher(index, parameters)
    records = permitted(index, parameters.filters)
    for words in query.excluded:
        records -= matcher.with_phrase(words)
    matches = matcher.matches(query)
    return Ranker(index, parameters, matches, records), matches


def _after_removal(matches: list[Matches]) -> str:
    """The query with the words that no record has marked; the real markup is not documented."""
    return " ".join(
        matches.word.text if matches.sources else f"<em>{matches.word.text}</em>" for matches in matches
    )


def _window(parameters: Parameters) -> tuple[int, int]:
    """Where the wanted hits begin and how many they are, inside `paginationLimitedTo`."""
    by_offset = parameters.offset is not None or parameters.length is not None
    length = (parameters.length or 0) if by_offset else parameters.hits_per_page
    offset = (parameters.offset or 0) if by_offset else parameters.page * parameters.hits_per_page
    return offset, max(0, min(length, parameters.pagination_limited_to - offset))


def _paging(parameters: Parameters, found: int) -> dict[str, JsonValue]:
    if parameters.offset is not None or parameters.length is not None:
        return {"offset": parameters.offset or 0, "length": parameters.length or 0}
    size = parameters.hits_per_page
    reachable = min(found, parameters.pagination_limited_to)
    return {"page": parameters.page, "nbPages": -(-reachable // size) if size else 0, "hitsPerPage": size}


def _hit(
    index: Index, number: int, parameters: Parameters, highlighter: Highlighter, ranker: Ranker
) -> dict[str, JsonValue]:
    record = index.record(number)
    hit = {**retrieved(record, parameters.attributes_to_retrieve), **highlighter.results(record)}
    if parameters.get_ranking_info:
        hit["_rankingInfo"] = ranker.info(number)
    return hit


def _facets(index: Index, parameters: Parameters, found: set[int]) -> dict[str, JsonValue]:
    """`facets` and `facets_stats`; empty when no facet was asked for."""
    if not parameters.facets:
        return {}
    counted = [facetable.attribute for facetable in parameters.facetable() if facetable.counted]
    wanted = [name for name in counted if name in parameters.facets or "*" in parameters.facets]
    facets: dict[str, JsonValue] = {}
    statistics: dict[str, JsonValue] = {}
    for attribute in wanted:
        texts = _counts(index.facet_sets(attribute), found)
        numbers = {} if texts else _counts(index.number_sets(attribute), found)
        counts = {**texts, **{f"{number:g}": count for number, count in numbers.items()}}
        commonest = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[
            : parameters.max_values_per_facet
        ]
        if commonest:
            facets[attribute] = {value[:MAX_FACET_CHARACTERS]: count for value, count in commonest}
        if numbers:
            total = sum(number * count for number, count in numbers.items())
            statistics[attribute] = {
                "min": min(numbers), "max": max(numbers), "avg": total / sum(numbers.values()), "sum": total,
            }  # fmt: skip
    return {"facets": facets, **({"facets_stats": statistics} if statistics else {})}


def _counts(sets: Mapping[Value, set[int]], found: set[int]) -> dict[Value, int]:
    counts = {value: len(records & found) for value, records in sets.items()}
    return {value: count for value, count in counts.items() if count}


def _decoded_cursor(cursor: JsonValue) -> str | None:
    if cursor is None:
        return None
    try:
        return str(json.loads(base64.urlsafe_b64decode(str(cursor))))
    except (ValueError, binascii.Error) as error:
        raise ApiError('Invalid value for "cursor" parameter') from error
