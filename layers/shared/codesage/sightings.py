"""Hits of the index + what the database holds -> the commit at which each hit's lines are what the hit says.

A repository that has been idle for a while is at its published commit. Otherwise a hit may be of the
published commit, of a run in flight, or left over by one that failed, and rows, items and index are read at
different moments. The stored item decides: a hit that equals it has the lines of the commit that wrote it.
One that still differs when the index is asked again was saved by a run that did not put its item.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from codesage.clients.store import Store
from codesage.items import StoredEntity
from codesage.records import Record
from codesage.runs import Repository, Status

LOOKS = 3
SETTLED_SECONDS = 30  # longer than an answer of the index can take: it is of the state that the row shows
RECORD_FIELDS = tuple(name for name in Record.__annotations__ if name != "joined_name")
"""What tells whether a hit is the stored record. `joined_name` follows from the name, and records that were
sent before there was one lack it."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """Hits in the engine's order, the rows of their repositories, and by objectID what is known of each.

    A commit is None where nothing tells which one the hit is of; then it gets no link. `stored` lacks hits
    whose item is not there.
    """

    reply: Mapping[str, object]
    records: Sequence[Record]
    rows: Mapping[int, Repository]
    stored: Mapping[str, StoredEntity]
    commits: Mapping[str, str | None]

    @property
    def doubts(self) -> dict[str, Record]:
        return {r["objectID"]: r for r in self.records if self.commits[r["objectID"]] is None}

    def row_of(self, record: Record) -> Repository:
        return self.rows[record["repository_id"]]


def sighting(store: Store, ask: Callable[[], Mapping[str, object]]) -> Sighting:
    """Ask the index, again where a hit is in doubt, until every hit has its commit or stays in doubt."""
    seen, lasting = _look(store, ask), set[str]()
    for _ in range(LOOKS - 1):
        doubted = seen.doubts
        if len(lasting) == len(doubted):
            break
        seen = _look(store, ask)
        lasting = {name for name, record in seen.doubts.items() if doubted.get(name) == record}
    of_runs = {n: _commit_of_a_run(store, seen.row_of(seen.doubts[n]), seen.stored.get(n)) for n in lasting}
    return replace(seen, commits={**seen.commits, **of_runs})


def _look(store: Store, ask: Callable[[], Mapping[str, object]]) -> Sighting:
    reply = ask()
    hits: Sequence[Record] = reply["hits"]  # type: ignore[assignment]
    rows, stored = _seen(store, hits)
    records = [record for record in hits if _is_there(rows.get(record["repository_id"]))]
    commits = {r["objectID"]: _commit(r, rows[r["repository_id"]], stored) for r in records}
    return Sighting(reply, records, rows, stored, commits)


def _seen(store: Store, records: Sequence[Record]) -> tuple[dict[int, Repository], dict[str, StoredEntity]]:
    """Rows and items of the hits.

    A row that changed while the items were read is given without its items: every hit of it is in doubt.
    """
    if not records:
        return {}, {}
    rows, stored = store.rows_and_stored(records)
    moving = {number for number, row in rows.items() if not _is_settled(row)}
    if not moving:
        return rows, stored
    for number, row in store.rows(moving).items():
        if row.version != rows[number].version:
            stored = {n: e for n, e in stored.items() if e.record["repository_id"] != number}
            rows[number] = row
    return rows, stored


def _is_there(row: Repository | None) -> bool:
    """The list of hidden repositories may be a few seconds old; a removed one is gone at once."""
    return row is not None and row.status is not Status.REMOVED


def _is_settled(row: Repository) -> bool:
    return _is_idle(row) and time.time() - (row.indexed_at or 0) > SETTLED_SECONDS


def _is_idle(row: Repository) -> bool:
    return row.run is None and not row.dirty and row.target is None


def _commit(record: Record, row: Repository, stored: Mapping[str, StoredEntity]) -> str | None:
    entity = stored.get(record["objectID"])
    if entity is None or any(entity.record[name] != record[name] for name in RECORD_FIELDS):  # type: ignore[literal-required]
        return None
    return row.commit if _is_idle(row) else entity.commit


def _commit_of_a_run(store: Store, row: Repository, stored: StoredEntity | None) -> str | None:
    """Of the one run that can have saved a record without its item; None where there may be several.

    An item that the run has put already is newer than the hit, whose save is still to be seen in the index.
    """
    if row.attempts > 1 or (row.run is not None and row.attempts):
        return None
    commit = None
    if row.run is not None:
        commit = store.run(row.id, row.run).commit
    elif row.last_failure is not None and row.dirty:
        commit = row.last_failure.commit
    return None if stored is not None and stored.commit == commit else commit
