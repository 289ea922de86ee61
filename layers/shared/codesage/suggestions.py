"""What somebody is typing -> names that exist, best first. A suggestion box that fails is an empty one."""

import logging
import time
from collections.abc import Mapping, Sequence
from typing import Annotated, cast

from pydantic import BaseModel, Field

from codesage.callers import Caller
from codesage.catalog import Catalog
from codesage.clients import rates
from codesage.clients.algolia import SearchIndex
from codesage.errors import CodeSageError
from codesage.filters import filters
from codesage.parameters import Whole, read_query
from codesage.queries import query_of
from codesage.questions import SearchParams, question_of, selections_of
from codesage.reach import reach_of

LOG = logging.getLogger(__name__)

MIN_CHARACTERS = 2
PER_MINUTE = 100  # for one key
KEPT_SECONDS = 5  # an answer holds for a client that asks again: what is hidden since may show so long


class SuggestionParams(BaseModel):
    """What is being typed; filters in it hold as in a search. Anything out of bounds suggests nothing."""

    q: str = ""
    limit: Annotated[Whole, Field(ge=1, le=20)] = 10


class Suggestions(BaseModel):
    """Names exactly as they stand in the code: plain text, to be escaped by whoever shows them."""

    suggestions: list[str]


def suggestions(caller: Caller, query: Mapping[str, Sequence[str]]) -> Suggestions:
    """At most `limit` (1 to 20, default 10) distinct names that begin like `q`, in the index's order.

    Whatever is wrong, with the parameters too, gives an empty list, because it must not break the page.

    Args:
        query: parameters of a URL, each with all its values.

    Raises:
        TooManyRequests: the key has asked PER_MINUTE times within this minute.
    """
    rates.take(caller.org, caller.key_id, PER_MINUTE, time.time())
    try:
        return Suggestions(suggestions=_names(caller, read_query(SuggestionParams, query)))
    except CodeSageError as error:
        LOG.info("no suggestions: %s", error)
        return Suggestions(suggestions=[])


def _names(caller: Caller, asked: SuggestionParams) -> list[str]:
    query = query_of(asked.q)
    if len(query.text.strip()) < MIN_CHARACTERS or query.is_only_punctuation:
        return []
    catalog = Catalog(caller)
    reach = reach_of(catalog, (), query)
    if reach.is_empty:
        return []
    params = SearchParams(q=asked.q, limit=2 * asked.limit)
    filter_text = filters(*reach.selections, *selections_of(params, query), hidden=reach.hidden)
    question = question_of(params, query, filter_text) | {
        "attributesToRetrieve": ["entity_name"],
        "restrictSearchableAttributes": ["entity_name"],
        "removeWordsIfNoResults": "none",  # a name without one of the words typed is noise here
    }
    hits = cast("Sequence[Mapping[str, str]]", SearchIndex(caller.org).search(question)["hits"])
    return list(dict.fromkeys(hit["entity_name"] for hit in hits))[: asked.limit]
