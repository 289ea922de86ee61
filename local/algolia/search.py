"""An index and a query's parameters -> the reply that the service would give."""

import base64
import binascii
import json
import time
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from pydantic import JsonValue

from local.algolia.building import Record
from local.algolia.errors import ApiError
from local.algolia.filters import parsed, satisfying
from local.algolia.highlight import Highlighted, Highlighter
from local.algolia.index import Index
from local.algolia.matching import Matcher, Matches
from local.algolia.query import Query, parsed_query
from local.algolia.ranking import Ranker
from local.algolia.segment import Mask
from local.algolia.settings import MAX_HITS_PER_PAGE, Parameters, decoded_params
from local.algolia.view import View

MAX_FACET_CHARACTERS = 1000


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
    nothing = not ranker.found.any()
    if nothing and len(query.words) > 1 and parameters.remove_words_if_no_results == "allOptional":
        ranker, matches = _ranked(index, parameters, query.with_all_optional())
        removed = {"queryAfterRemoval": _after_removal(matches)}

    found = int(np.count_nonzero(ranker.found))
    offset, length = _window(parameters)
    shown = ranker.first(offset + length)[offset:]
    reply: dict[str, JsonValue] = {
        "hits": _hits(index, parameters, matches, ranker, shown),
        "nbHits": found,
        **_paging(parameters, found),
        **_facets(index.view, parameters, ranker.found),
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
    view, size = index.view, max(1, parameters.hits_per_page)
    waiting = view.by_object_id(np.flatnonzero(ranker.found), size + 1, after)
    page = waiting[:size]
    reply: dict[str, JsonValue] = {
        "hits": [retrieved(index.record(place), parameters.attributes_to_retrieve) for place in page],
        "nbHits": int(np.count_nonzero(ranker.found)),
        "hitsPerPage": parameters.hits_per_page,
        "page": 0,
        "nbPages": 1,
        "query": parameters.query,
        "params": "",
        "processingTimeMS": 1,
    }
    if len(waiting) > len(page):
        last = view.object_id(page[-1])
        reply["cursor"] = base64.urlsafe_b64encode(json.dumps(last).encode()).decode()
    return reply


def permitted(view: View, filters: str) -> Mask:
    """The records that satisfy a filter text; all of them for an empty one. The caller may change it."""
    return satisfying(parsed(filters), view) if filters.strip() else view.everything()


def retrieved(record: Record, attributes: Collection[str]) -> Record:
    """The record with the asked attributes, `objectID` always; `*` is all and `-name` leaves one out."""
    if "*" in attributes:
        hidden = {name[1:] for name in attributes if name.startswith("-")}
        return {name: value for name, value in record.items() if name not in hidden or name == "objectID"}
    return {name: value for name, value in record.items() if name in attributes or name == "objectID"}


def _ranked(index: Index, parameters: Parameters, query: Query) -> tuple[Ranker, list[Matches]]:
    view = index.view
    matcher = Matcher(view, index.shape, parameters)
    records = permitted(view, parameters.filters)
    for words in query.excluded:
        records &= ~matcher.with_phrase(words)
    matches = matcher.matches(query)
    return Ranker(view, index.shape, parameters, matches, records), matches


def _after_removal(matches: list[Matches]) -> str:
    """The query with the words that no record has marked; the real markup is not documented."""
    return " ".join(
        found.word.text if found.present.any() else f"<em>{found.word.text}</em>" for found in matches
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


def _hits(
    index: Index, parameters: Parameters, matches: list[Matches], ranker: Ranker, shown: Sequence[int]
) -> list[JsonValue]:
    words = [Highlighted(found.word.text, found.marks) for found in matches]
    highlighter = Highlighter(index.shape, parameters, words)
    hits: list[Record] = []
    for place in shown:
        record = index.record(place)
        kept = retrieved(record, parameters.attributes_to_retrieve)
        hits.append({**kept, **highlighter.results(record)})
    if parameters.get_ranking_info:
        for hit, info in zip(hits, ranker.info(shown), strict=True):
            hit["_rankingInfo"] = info
    return [*hits]


def _facets(view: View, parameters: Parameters, found: Mask) -> dict[str, JsonValue]:
    """`facets` and `facets_stats`; empty when no facet was asked for."""
    if not parameters.facets:
        return {}
    counted = [facetable.attribute for facetable in parameters.facetable() if facetable.counted]
    wanted = [name for name in counted if name in parameters.facets or "*" in parameters.facets]
    facets: dict[str, JsonValue] = {}
    statistics: dict[str, JsonValue] = {}
    for attribute in wanted:
        texts = view.texts(attribute, found)
        numbers = {} if texts else view.amounts(attribute, found)
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


def _decoded_cursor(cursor: JsonValue) -> str | None:
    if cursor is None:
        return None
    try:
        return str(json.loads(base64.urlsafe_b64decode(str(cursor))))
    except (ValueError, binascii.Error) as error:
        raise ApiError('Invalid value for "cursor" parameter') from error
