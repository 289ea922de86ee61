"""A question and who asks it -> hits with links that show their lines, and what could not be searched.

A question costs one call of the index and one read of the database; naming repositories costs another read.
While an update is under way the index may be asked again, so that every link shows the lines of its hit.
"""

from collections.abc import Iterable, Mapping
from typing import Literal, cast

from pydantic import BaseModel

from codesage.callers import Caller
from codesage.catalog import Catalog
from codesage.clients.algolia import SearchIndex
from codesage.filters import filters
from codesage.highlights import highlighted
from codesage.links import Hosts, link_of_text
from codesage.queries import query_of
from codesage.questions import Facet, SearchParams, hints_of, question_of, selections_of
from codesage.reach import AtLeast, Reach, awaited, reach_of
from codesage.records import Record
from codesage.repositories import NotIndexed
from codesage.runs import Freshness, Repository
from codesage.settings import settings
from codesage.sightings import RECORD_FIELDS, Sighting, sighting

SNIPPET, SIGNATURE, DESCRIPTION = 600, 300, 300  # code points
FUSION_K = 60  # of reciprocal ranks, the usual constant
NOTHING = Sighting({"nbHits": 0, "nbPages": 0}, (), {}, {}, {})


class Highlights(BaseModel):
    """HTML: everything is escaped, and what the query met stands in `<mark>`."""

    entity_name: str
    description: str
    snippet: str


class Hit(BaseModel):
    """One result.

    `url` is null where the host's links are not known, or nothing tells which commit the hit is of. `score`
    falls with the place and compares within one reply only. `kind` is finer than `entity_type`: `method`,
    `interface` …; `symbol` is the name with its enclosing type. `highlights` only where they were asked for.
    """

    entity_name: str
    entity_type: str
    file_path: str
    line_start: int
    line_end: int
    language: str
    signature: str | None
    snippet: str
    description: str | None
    url: str | None
    repository: str
    score: float
    tiers: list[str] = ["entities"]
    kind: str | None
    symbol: str
    highlights: Highlights | None = None


class RepositoryState(BaseModel):
    """Which commit the hits of a repository reflect. `indexed_at` is in Unix seconds."""

    repository: str
    commit: str | None
    indexed_at: int | None
    freshness: Freshness


class SearchReply(BaseModel):
    """`repository` is the resolved `owner/name` where exactly one was asked for, else null.

    `repositories`: those of the results, and those asked for. `hints`: what of the question was taken
    otherwise than it was written. `facets`: counts over all hits, by value, only of what was asked for.
    """

    query: str
    repository: str | None
    total_hits: int
    page: int
    pages: int
    results: list[Hit]
    repositories: list[RepositoryState]
    not_indexed: list[NotIndexed]
    tiers: dict[str, str]
    incomplete: bool = False
    hints: list[str] = []
    facets: dict[Facet, dict[str, int]] | None = None
    at_least: AtLeast | None = None


def search(caller: Caller, params: SearchParams) -> SearchReply:
    """Ask the index once and shape what comes back.

    Raises:
        InvalidRequest: names the argument and its limit; before any credential is looked at.
        NotFound: a repository that is not known; the message names known ones.
        NotReady: none of the repositories asked for was ever completely indexed.
        Misconfigured, Unavailable: see `clients.algolia`.
    """
    query = query_of(params.q)
    selections = selections_of(params, query)
    filters(*selections)  # what is wrong with them is said before anything is looked up
    catalog = Catalog(caller)
    reach = reach_of(catalog, params.repository, query)
    at_least = None
    if params.at_least is not None:
        at_least = awaited(catalog, reach, params.at_least)
        reach = reach_of(catalog, params.repository, query)
    reach.refuse_unready()
    index = SearchIndex(caller.org)
    if query.is_only_punctuation or reach.is_empty:
        seen = NOTHING
    else:
        question = question_of(
            params, query, filters(*reach.selections, *selections, hidden=reach.hidden)
        ) | {"attributesToRetrieve": list(RECORD_FIELDS)}
        seen = sighting(catalog.store, lambda: index.search(question))
    return SearchReply(
        query=params.q,
        repository=reach.asked[0].labels.name if reach.asked and len(reach.asked) == 1 else None,
        total_hits=cast("int", seen.reply["nbHits"]),
        page=params.page,
        pages=cast("int", seen.reply["nbPages"]),
        results=_hits(seen, params),
        repositories=_states(reach.asked or (), seen.rows),
        not_indexed=list(reach.not_indexed),
        tiers={"entities": "ok"},
        hints=hints_of(params, query) + _hints(reach),
        facets=_facets(params, seen.reply),
        at_least=at_least,
    )


def _hints(reach: Reach) -> list[str]:
    if reach.asked is not None and not reach.asked:
        return ["No repository is named both by the parameter and by the query's repo:."]
    return []


def _states(asked: Iterable[Repository], found: Mapping[int, Repository]) -> list[RepositoryState]:
    rows = {row.id: row for row in asked if row.commit is not None} | dict(found)
    return [
        RepositoryState(
            repository=row.labels.name, commit=row.commit, indexed_at=row.indexed_at, freshness=row.freshness
        )
        for row in rows.values()
    ]


def _facets(params: SearchParams, reply: Mapping[str, object]) -> dict[Facet, dict[str, int]] | None:
    if not params.facets:
        return None
    counted = cast("Mapping[str, dict[str, int]]", reply.get("facets", {}))
    return {facet: counted.get(facet, {}) for facet in params.facets}


def _hits(seen: Sighting, params: SearchParams) -> list[Hit]:
    hosts = Hosts.of(settings().github_web_url, settings().gitlab_web_url)
    hits = []
    for place, record in enumerate(seen.records, 1 + params.page * params.limit):
        row, commit = seen.rows[record["repository_id"]], seen.commits[record["objectID"]]
        stored = seen.stored.get(record["objectID"])
        where = record["file_path"], record["line_start"], record["line_end"]
        scope = None if stored is None else stored.scope
        hits.append(
            Hit(
                entity_name=record["entity_name"],
                entity_type=record["entity_type"],
                file_path=record["file_path"],
                line_start=record["line_start"],
                line_end=record["line_end"],
                language=record["language"],
                signature=record["signature"][:SIGNATURE] or None,
                snippet=record["content"][:SNIPPET],
                description=record["description"][:DESCRIPTION] or None,
                url=commit and link_of_text(row.labels.web_url, commit, *where, hosts=hosts),
                repository=row.labels.name,
                score=round(1 / (FUSION_K + place), 6),
                kind=None if stored is None else stored.kind,
                symbol=f"{scope}.{record['entity_name']}" if scope else record["entity_name"],
                highlights=_highlights(record) if params.highlight else None,
            )
        )
    return hits


def _highlights(record: Record) -> Highlights:
    """Of the texts as they are shown: cut where they are, and escaped."""
    marked = cast("Mapping[str, Mapping[str, str]]", record.get("_highlightResult", {}))

    def html(name: Literal["entity_name", "description", "content"], limit: int | None = None) -> str:
        return highlighted(record[name], marked.get(name, {}).get("value", ""), limit)

    return Highlights(
        entity_name=html("entity_name"),
        description=html("description", DESCRIPTION),
        snippet=html("content", SNIPPET),
    )
