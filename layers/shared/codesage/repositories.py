"""An organisation's repositories -> what is indexed, how far it is, what was left out and why; and to add,
change and remove them.
"""

import re
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated
from urllib.parse import urlsplit
from uuid import uuid4

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints
from pydantic_core import PydanticCustomError

from codesage import removal
from codesage.callers import Caller
from codesage.catalog import Catalog
from codesage.clients import sqs
from codesage.clients.github import IMPATIENT, GitHub, Known
from codesage.clients.store import Store
from codesage.errors import Forbidden, InvalidRequest, NotReady, Superseded
from codesage.ignores import problem_of_pattern
from codesage.links.pages import page_of
from codesage.messages import SnapshotRequest
from codesage.publishing import ask
from codesage.runs import Freshness, Repository, Run, Status, configured
from codesage.settings import settings

HOST = "github"  # the one host whose repositories can be added by name
NAME = re.compile(r"(?!\.{1,2}/)[\w.-]{1,100}/(?!\.{1,2}$)[\w.-]{1,100}", re.ASCII)
MAX_PATTERNS = 100
RETRY_SECONDS = 10  # until one that is being indexed may be worth another look


class Progress(BaseModel):
    """A run in flight. `started_at` is in Unix seconds."""

    commit: str
    packs_done: int
    packs: int
    started_at: int
    failure: str | None


class FailureReport(BaseModel):
    reason: str
    at: int
    commit: str | None


class RepositorySettings(BaseModel):
    """`exclude`: patterns of .gitignore's syntax, kept out of the index whatever the tree's own files say."""

    exclude: list[str]


class RepositoryReport(BaseModel):
    """One repository as people and programs see it.

    `counts`: of the published commit, records by entity type, `files`, `bytes`, `duplicates`, `oversize`.
    `languages`: its records by language. `skips`: files without entities, by reason. `last_run`: what the
    newest finished run did.
    """

    id: int
    name: str
    web_url: str | None
    branch: str
    status: Status
    freshness: Freshness
    commit: str | None
    wanted: str | None
    indexed_at: int | None
    progress: Progress | None
    counts: dict[str, int]
    languages: dict[str, int]
    skips: dict[str, int]
    last_run: dict[str, int]
    last_failure: FailureReport | None
    settings: RepositorySettings


class RepositoriesReply(BaseModel):
    repositories: list[RepositoryReport]


class Removed(BaseModel):
    """No longer found by anybody; the rest of it is cleared away within minutes."""

    id: int
    name: str


class AddRequest(BaseModel):
    """One of the two: `owner/name`, or the address of the repository's page on the host."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, StringConstraints(strip_whitespace=True, max_length=300)] | None = None
    url: Annotated[str, StringConstraints(strip_whitespace=True, max_length=300)] | None = None


def _good_pattern(pattern: str) -> str:
    problem = problem_of_pattern(pattern)
    if problem is not None:
        facts = {"pattern": repr(pattern), "problem": problem}
        raise PydanticCustomError("pattern", "The pattern {pattern} is refused: {problem}", facts)
    return pattern


Pattern = Annotated[
    str,
    StringConstraints(min_length=1, max_length=200, pattern=r"^[^\r\n\x00]*$"),
    AfterValidator(_good_pattern),
]


class ChangeRequest(BaseModel):
    """What is left out stays as it is; null or an empty list clears `exclude`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    exclude: Annotated[list[Pattern], Field(max_length=MAX_PATTERNS)] | None = None


def reports(caller: Caller) -> RepositoriesReply:
    """All that the caller may see, by number."""
    catalog = Catalog(caller)
    rows = catalog.rows()
    runs = catalog.store.newest_runs(rows)
    return RepositoriesReply(repositories=[_report(row, runs.get(row.id)) for row in rows])


def report(caller: Caller, repository_id: int) -> RepositoryReport:
    """Raises NotFound."""
    catalog = Catalog(caller)
    return _reported(catalog.store, catalog.row(repository_id))


def add(caller: Caller, request: AddRequest) -> RepositoryReport:
    """Register a repository of the host and ask for its first snapshot; safe to repeat.

    Raises:
        Forbidden: the key is limited to some repositories, and could not see this one.
        InvalidRequest: no such repository, or of a host that is not supported.
        Rejected, Unavailable: of the host.
    """
    if caller.repositories is not None:
        raise Forbidden("This key is limited to some repositories and cannot add others.")
    name = _name(request)
    known = GitHub(caller.org, IMPATIENT).repository(name)
    if known is None:
        raise InvalidRequest(
            f"The git host shows no repository {name}: it does not exist, or the organisation's token may not"
            " see it."
        )
    store = Store(caller.org)
    row = _added(store, known)
    sqs.send_snapshot(
        SnapshotRequest(
            org=row.org,
            host=HOST,
            host_id=known.host_id,
            delivery=str(uuid4()),
            labels=known.labels,
            adds=True,
        )
    )
    return _reported(store, row)


def change(caller: Caller, repository_id: int, request: ChangeRequest) -> RepositoryReport:
    """Change settings. They decide over the whole tree anew, at once and without a push.

    Raises NotFound.
    """
    catalog = Catalog(caller)
    row = catalog.row(repository_id)
    if "exclude" in request.model_fields_set:
        exclude = tuple(request.exclude or ())
        row = catalog.store.change(row.id, lambda now: configured(now, exclude))[1]
        if row.unsettled is not None:  # also where an earlier call changed it and could not ask
            ask(row)
    return _reported(catalog.store, row)


def remove(caller: Caller, repository_id: int) -> Removed:
    """Raises NotFound."""
    row = Catalog(caller).row(repository_id)
    removal.remove(row.org, row.id)
    return Removed(id=row.id, name=row.labels.name)


def progress_of(store: Store, row: Repository) -> str:
    """How far a repository is that was never completely indexed: `processing: 3 of 8 packs done, …`."""
    run = None if row.run is None else store.run(row.id, row.run)
    if run is None:
        return "pending: its first run has not begun"
    seconds = max(0, int(time.time()) - run.started_at)
    return f"{row.status}: {len(run.done)} of {len(run.packs)} packs done, started {seconds} s ago"


def newest_run(store: Store, row: Repository) -> Run | None:
    """The run in flight, else the last one; None before the first, and once the last one is forgotten."""
    return store.newest_runs([row]).get(row.id)


class NotIndexed(BaseModel):
    """A repository that was asked for and cannot be searched yet. `retry_after` is in seconds."""

    repository: str
    reason: str
    retry_after: int | None


def not_indexed(store: Store, row: Repository) -> NotIndexed:
    """Why a repository without a published commit has no answers."""
    name = row.labels.name
    if row.status is Status.COMPLETED:
        return NotIndexed(repository=name, reason="it has no commit yet", retry_after=None)
    if row.status is Status.FAILED and row.last_failure is not None:
        reason = f"indexing failed: {row.last_failure.reason.rstrip('.')}"
        return NotIndexed(repository=name, reason=reason, retry_after=None)
    return NotIndexed(repository=name, reason=progress_of(store, row), retry_after=RETRY_SECONDS)


def not_ready(items: Sequence[NotIndexed]) -> NotReady:
    """The error for repositories of which none can be searched."""
    waits = [item.retry_after for item in items if item.retry_after is not None]
    reasons = " ".join(f"{item.repository}: {item.reason}." for item in items)
    return NotReady(reasons, min(waits, default=None))


def _name(request: AddRequest) -> str:
    """`owner/name`, of one of the two. Raises InvalidRequest, without the URL, which may hold a password."""
    if (request.name is None) == (request.url is None):
        raise InvalidRequest("Give either name or url.")
    name = request.name
    if request.url is not None:
        page, supported = page_of(request.url), urlsplit(settings().github_web_url)
        if page is None or page.host != supported.hostname:
            raise InvalidRequest(
                f"url: only repositories of {supported.scheme}://{supported.hostname} are supported."
            )
        name = page.path
    if name is None or not NAME.fullmatch(name):
        raise InvalidRequest("A repository is named owner/name, of letters, digits, '.', '_' and '-'.")
    return name


def _added(store: Store, known: Known) -> Repository:
    """The row; a removed repository begins anew under a new number."""
    row = store.find_or_add(HOST, known.host_id, known.labels)
    if row.status is not Status.REMOVED:
        return row
    with suppress(Superseded):  # somebody else added it again first
        store.add_again(row, known.labels)
    return store.find_or_add(HOST, known.host_id, known.labels)


def _reported(store: Store, row: Repository) -> RepositoryReport:
    return _report(row, newest_run(store, row))


def _report(row: Repository, run: Run | None) -> RepositoryReport:
    failure = row.last_failure
    return RepositoryReport(
        id=row.id,
        name=row.labels.name,
        web_url=row.labels.web_url,
        branch=row.labels.branch,
        status=row.status,
        freshness=row.freshness,
        commit=row.commit,
        wanted=row.wanted,
        indexed_at=row.indexed_at,
        progress=None if run is None or row.run is None else _progress(run),
        counts=dict(row.counts),
        languages=dict(row.languages),
        skips=dict(row.skips),
        last_run=dict(run.counts) if run is not None and row.run is None else {},
        last_failure=None
        if failure is None
        else FailureReport(reason=failure.reason, at=failure.at, commit=failure.commit),
        settings=RepositorySettings(exclude=list(row.exclude)),
    )


def _progress(run: Run) -> Progress:
    return Progress(
        commit=run.commit,
        packs_done=len(run.done),
        packs=len(run.packs),
        started_at=run.started_at,
        failure=run.failure,
    )
