"""An organisation's repositories -> what is indexed, how far it is, what was left out and why."""

from pydantic import BaseModel

from codesage import trees
from codesage.clients.s3 import ObjectStore
from codesage.clients.store import Store
from codesage.errors import NotReady
from codesage.packs import pack_of
from codesage.records import text_of
from codesage.runs import Repository, Status
from codesage.skips import EXPLANATIONS, Skip


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


class RepositoryReport(BaseModel):
    """One repository as people and programs see it.

    `counts`: of the published commit, records by entity type, `files`, `bytes`, `duplicates`, `oversize`.
    `skips`: files without entities, by reason. `last_run`: what the newest finished run did.
    """

    id: int
    name: str
    web_url: str | None
    branch: str
    status: str
    freshness: str
    commit: str | None
    wanted: str | None
    indexed_at: int | None
    progress: Progress | None
    counts: dict[str, int]
    skips: dict[str, int]
    last_run: dict[str, int]
    last_failure: FailureReport | None


class RepositoriesReply(BaseModel):
    repositories: list[RepositoryReport]


def reports(org: str) -> RepositoriesReply:
    """All of them, by number."""
    store = Store(org)
    rows = [row for row in store.repositories() if row.status is not Status.REMOVED]
    return RepositoriesReply(repositories=[_report(store, row) for row in rows])


def report(org: str, repository_id: int) -> RepositoryReport:
    """Raises NotFound."""
    store = Store(org)
    return _report(store, store.repository(repository_id))


class FileReport(BaseModel):
    """Why a file is found, or why not.

    `reason` is a word of `skips.Skip`, `not_in_commit` for a path the published commit does not have, or null
    for a file with entities; `explanation` says the same to a person.
    """

    path: str
    commit: str
    reason: str | None
    explanation: str
    language: str | None
    size: int | None
    entities: dict[str, int]


def why(org: str, repository_id: int, path: str) -> FileReport:
    """Raises NotFound for an unknown repository, NotReady for one without a published commit."""
    store = Store(org)
    row = store.repository(repository_id)
    if row.commit is None or row.tree is None:
        raise NotReady(f"{row.labels.name} was never completely indexed; it is {row.status}.")
    tree = trees.decode(ObjectStore(org).tree(row.id, row.tree), row.tree)
    entry = next((entry for entry in tree.entries if text_of(entry.path) == path), None)
    if entry is None:
        explanation = f"commit {row.commit[:12]} has no such file"
        return FileReport(
            path=path,
            commit=row.commit,
            reason="not_in_commit",
            explanation=explanation,
            language=None,
            size=None,
            entities={},
        )
    item = store.file(row.id, tree.layout.key(pack_of(entry.path, tree.layout.packs)), entry.path)
    reason = entry.skip if item is None else item.skip
    return FileReport(
        path=path,
        commit=row.commit,
        reason=reason,
        explanation="it is indexed" if reason is None else EXPLANATIONS[Skip(reason)],
        language=None if item is None else item.language,
        size=entry.size,
        entities={} if item is None else dict(item.entities),
    )


def _report(store: Store, row: Repository) -> RepositoryReport:
    run = store.run(row.id, row.last_run) if row.last_run else None
    failure = row.last_failure
    progress = None
    if run is not None and row.run is not None:
        progress = Progress(
            commit=run.commit,
            packs_done=len(run.done),
            packs=len(run.packs),
            started_at=run.started_at,
            failure=run.failure,
        )
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
        progress=progress,
        counts=dict(row.counts),
        skips=dict(row.skips),
        last_run=dict(run.counts) if run is not None and row.run is None else {},
        last_failure=None
        if failure is None
        else FailureReport(reason=failure.reason, at=failure.at, commit=failure.commit),
    )
