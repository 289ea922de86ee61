"""Indices, records and waiting tasks <-> one SQLite file that survives a restart."""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from local.algolia.index import Record

SCHEMA = """
    create table if not exists indices (
        name text primary key, settings text not null, created text not null, updated text not null
    ) without rowid;
    create table if not exists records (
        index_name text not null, object_id text not null, body text not null,
        primary key (index_name, object_id)
    ) without rowid;
    create table if not exists tasks (
        id integer primary key autoincrement, index_name text not null, operations text not null
    );
"""


@dataclass(frozen=True, slots=True)
class StoredIndex:
    """An index without its records; times are ISO 8601 in UTC."""

    name: str
    settings: Mapping[str, JsonValue]
    created: str
    updated: str


@dataclass(frozen=True, slots=True)
class WaitingTask:
    """A task that was accepted and not yet carried out; `operations` is JSON."""

    id: int
    index_name: str
    operations: str


class Store:
    """The durable state. Used under the application's lock, from any thread.

    Args:
        path: the file; made when it is not there. A crash of the process loses nothing that was committed.
    """

    def __init__(self, path: Path) -> None:
        self._database = sqlite3.connect(path, check_same_thread=False)
        self._database.execute("pragma journal_mode = wal")
        self._database.execute("pragma synchronous = normal")
        self._database.executescript(SCHEMA)

    def close(self) -> None:
        self._database.close()

    def transaction(self) -> AbstractContextManager[object]:
        """Commits at its end, rolls back on an error."""
        return self._database

    # --- indices ---

    def indices(self) -> list[StoredIndex]:
        rows = self._database.execute("select name, settings, created, updated from indices order by name")
        return [StoredIndex(name, json.loads(settings), *times) for name, settings, *times in rows]

    def put_index(self, name: str, settings: Mapping[str, JsonValue], now: str) -> None:
        self._database.execute(
            "insert into indices values (?, ?, ?, ?)"
            " on conflict (name) do update set settings = excluded.settings, updated = excluded.updated",
            (name, json.dumps(settings), now, now),
        )

    def delete_index(self, name: str) -> None:
        self.clear_records(name)
        self._database.execute("delete from indices where name = ?", (name,))

    # --- records ---

    def records(self, name: str) -> Iterator[Record]:
        rows = self._database.execute("select body from records where index_name = ?", (name,))
        return (json.loads(body) for (body,) in rows)

    def put_record(self, name: str, record: Record) -> None:
        self._database.execute(
            "insert or replace into records values (?, ?, ?)", (name, record["objectID"], json.dumps(record))
        )

    def delete_record(self, name: str, object_id: str) -> None:
        self._database.execute(
            "delete from records where index_name = ? and object_id = ?", (name, object_id)
        )

    def clear_records(self, name: str) -> None:
        self._database.execute("delete from records where index_name = ?", (name,))

    # --- tasks ---

    def add_task(self, index_name: str, operations: str) -> int:
        """Ids rise and are never used twice, not even after a restart."""
        row = self._database.execute(
            "insert into tasks (index_name, operations) values (?, ?)", (index_name, operations)
        )
        if row.lastrowid is None:
            raise RuntimeError("SQLite gave no id for a new task")
        return row.lastrowid

    def finish_task(self, task_id: int) -> None:
        self._database.execute("delete from tasks where id = ?", (task_id,))

    def waiting_tasks(self) -> list[WaitingTask]:
        rows = self._database.execute("select id, index_name, operations from tasks order by id")
        return [WaitingTask(*row) for row in rows]

    def last_task_id(self) -> int:
        """0 before the first task."""
        row = self._database.execute("select seq from sqlite_sequence where name = 'tasks'").fetchone()
        return int(row[0]) if row else 0
