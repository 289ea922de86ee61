"""A question and the organisation it comes from -> hits with links that show their lines."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Annotated, Literal, cast
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from codesage.clients.algolia import SearchIndex
from codesage.clients.store import Store
from codesage.errors import InvalidRequest, NotFound, NotReady
from codesage.filters import filters
from codesage.links import link
from codesage.runs import Repository, Status
from codesage.settings import settings
from codesage.sightings import RECORD_FIELDS, Sighting, sighting

MAX_QUERY_BYTES = 512  # what Algolia takes
MAX_REPOSITORIES = 50
SNIPPET, SIGNATURE, DESCRIPTION = 600, 300, 300  # code points
RETRY_SECONDS = 10


class SearchParams(BaseModel):
    """What a caller may ask. `page` counts from 0."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    q: str
    type: Literal["entities"] = "entities"
    repository: Annotated[tuple[str, ...], Field(max_length=MAX_REPOSITORIES)] = ()
    language: str | None = None
    entity_type: str | None = None
    path: str | None = None
    limit: Annotated[int, Field(ge=1, le=50)] = 10
    page: Annotated[int, Field(ge=0)] = 0


class Hit(BaseModel):
    """One result: the ten fields of `spec: search`, and where it stands."""

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
    tiers: list[str] = ["entities"]


class RepositoryState(BaseModel):
    """Which commit the hits of a repository reflect. `freshness`: `fresh`, `pending` or `stale`."""

    repository: str
    commit: str | None
    indexed_at: int | None
    freshness: str


class NotIndexed(BaseModel):
    """A repository that was asked for and cannot be searched yet. `retry_after` is in seconds."""

    repository: str
    reason: str
    retry_after: int | None


class SearchReply(BaseModel):
    """`repository` is the resolved `owner/name` where exactly one was asked for."""

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


def search_params(query: Mapping[str, Sequence[str]]) -> SearchParams:
    """Parameters of a URL, each with all its values.

    Raises:
        InvalidRequest: names the parameter and its limit. Checked before any credential is looked at.
    """
    single = {name: values[-1] for name, values in query.items() if name != "repository"}
    try:
        params = SearchParams.model_validate({**single, "repository": tuple(query.get("repository", ()))})
    except ValidationError as error:
        problem = error.errors()[0]
        name = ".".join(str(part) for part in problem["loc"])
        raise InvalidRequest(f"{name}: {problem['msg']}.") from error
    if len(params.q.encode("utf-8", "replace")) > MAX_QUERY_BYTES:
        raise InvalidRequest("query is too long; the limit is 512 bytes")
    return params


def search(org: str, params: SearchParams) -> SearchReply:
    """Ask Algolia once and shape what comes back.

    Raises:
        NotFound: a repository nobody registered; the message names the known ones.
        NotReady: none of the repositories asked for was ever completely indexed.
        Misconfigured, Unavailable: see `clients.algolia`.
    """
    store = Store(org)
    asked = _resolve(store, params.repository) if params.repository else []
    ready = [row for row in asked if row.commit is not None]
    not_indexed = [_not_indexed(store, row) for row in asked if row.commit is None]
    if asked and not ready:
        raise NotReady(" ".join(f"{item.repository}: {item.reason}" for item in not_indexed))
    index = SearchIndex(org)
    question = _question(params, [row.id for row in ready], store.hidden())
    seen = sighting(store, lambda: index.search(question))
    return SearchReply(
        query=params.q,
        repository=asked[0].labels.name if len(asked) == 1 else None,
        total_hits=cast("int", seen.reply["nbHits"]),
        page=params.page,
        pages=cast("int", seen.reply["nbPages"]),
        results=_hits(seen),
        repositories=[_state(row) for row in seen.rows.values()],
        not_indexed=not_indexed,
        tiers={"entities": "ok"},
    )


def _question(
    params: SearchParams, repositories: Sequence[int], hidden: Collection[int]
) -> dict[str, object]:
    """What Algolia is asked; `spec: search`, "Parameters sent with every query"."""
    return {
        "query": params.q,
        "filters": filters(
            repositories=repositories,
            hidden=hidden,
            language=params.language,
            entity_type=params.entity_type,
            path=params.path,
        ),
        "hitsPerPage": params.limit,
        "page": params.page,
        "highlightPreTag": "<mark>",
        "highlightPostTag": "</mark>",
        "removeWordsIfNoResults": "allOptional",
        "removeStopWords": True,
        "ignorePlurals": True,
        "queryLanguages": ["en"],
        "attributesToRetrieve": list(RECORD_FIELDS),
        "attributesToHighlight": [],
    }


def _resolve(store: Store, names: Iterable[str]) -> list[Repository]:
    """Each by its number, `owner/name` or URL; a later label wins nothing over an equal number."""
    rows = [row for row in store.repositories() if row.status is not Status.REMOVED]
    found = []
    for name in names:
        wanted = _named(name)
        row = next((row for row in rows if wanted in (str(row.id), row.labels.name.lower())), None)
        if row is None:
            known = ", ".join(sorted(row.labels.name for row in rows)[:20]) or "none yet"
            raise NotFound(f"The repository {name!r} is not known; known repositories: {known}.")
        found.append(row)
    return found


def _named(name: str) -> str:
    name = name.strip().lower()
    if "://" in name:
        name = urlsplit(name).path
    elif name.startswith("git@"):
        name = name.partition(":")[2]
    return name.strip("/").removesuffix(".git")


def _not_indexed(store: Store, row: Repository) -> NotIndexed:
    if row.status is Status.COMPLETED:
        return NotIndexed(repository=row.labels.name, reason="it has no commit yet", retry_after=None)
    if row.status is Status.FAILED and row.last_failure is not None:
        return NotIndexed(
            repository=row.labels.name, reason=f"indexing failed: {row.last_failure.reason}", retry_after=None
        )
    return NotIndexed(repository=row.labels.name, reason=progress_of(store, row), retry_after=RETRY_SECONDS)


def progress_of(store: Store, row: Repository) -> str:
    """`pending`, or `processing: 3 of 8 packs done`."""
    if row.run is None:
        return str(row.status)
    run = store.run(row.id, row.run)
    return f"{row.status}: {len(run.done)} of {len(run.packs)} packs done"


def _state(row: Repository) -> RepositoryState:
    return RepositoryState(
        repository=row.labels.name, commit=row.commit, indexed_at=row.indexed_at, freshness=row.freshness
    )


def _hits(seen: Sighting) -> list[Hit]:
    github_host = urlsplit(settings().github_web_url).hostname or ""
    hits = []
    for record in seen.records:
        row, commit = seen.rows[record["repository_id"]], seen.commits[record["objectID"]]
        where = record["file_path"], record["line_start"], record["line_end"]
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
                url=commit and link(row.labels.web_url, commit, *where, github_host=github_host),
                repository=row.labels.name,
            )
        )
    return hits
