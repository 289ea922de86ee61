"""Indices, records, segment files and waiting tasks <-> one SQLite file that survives a restart."""

import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import JsonValue

from local.algolia.building import Record

SCHEMA = """
    create table if not exists indices (
        name text primary key, settings text not null, created text not null, updated text not null
    ) without rowid;
    create table if not exists records (
        number integer primary key autoincrement,
        index_name text not null, object_id text not null, body text not null,
        unique (index_name, object_id)
    );
    create table if not exists segments (
        file text primary key, index_name text not null
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


class Put(NamedTuple):
    """A stored record's number, and the one of the record that it took the place of."""

    number: int
    replaced: int | None


class Store:
    """The durable state. Used under the application's lock, from any thread.

    Args:
        path: the file; made when it is not there. A crash of the process loses nothing that was committed.
            None keeps everything in memory.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._database = sqlite3.connect(path or ":memory:", check_same_thread=False)
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
        self.records(name).clear()
        self._database.execute("delete from indices where name = ?", (name,))

    def records(self, name: str) -> "Records":
        return Records(self._database, name)

    def hand_over(self, source: str, destination: str) -> None:
        """Give all records of one index, numbers included, to another that has none."""
        self._database.execute(
            "update records set index_name = ? where index_name = ?", (destination, source)
        )

    # --- segment files ---

    def segment_files(self) -> dict[str, str]:
        """Each file's name, and the index that it belongs to."""
        return dict(self._database.execute("select file, index_name from segments"))

    def put_segment_file(self, file: str, index_name: str) -> None:
        self._database.execute("insert or replace into segments values (?, ?)", (file, index_name))

    def delete_segment_file(self, file: str) -> None:
        self._database.execute("delete from segments where file = ?", (file,))

    # --- tasks ---

    def add_task(self, index_name: str, operations: str) -> int:
        """Ids rise and are never used twice, not even after a restart."""
        return _row_id(
            self._database.execute(
                "insert into tasks (index_name, operations) values (?, ?)", (index_name, operations)
            )
        )

    def finish_task(self, task_id: int) -> None:
        self._database.execute("delete from tasks where id = ?", (task_id,))

    def waiting_tasks(self) -> list[WaitingTask]:
        rows = self._database.execute("select id, index_name, operations from tasks order by id")
        return [WaitingTask(*row) for row in rows]

    def last_task_id(self) -> int:
        """0 before the first task."""
        row = self._database.execute("select seq from sqlite_sequence where name = 'tasks'").fetchone()
        return int(row[0]) if row else 0


class Records:
    """The records of one index. Each has a number that rises with time and is never used twice."""

    def __init__(self, database: sqlite3.Connection, index_name: str) -> None:
        self._database = database
        self._name = index_name

    def put(self, record: Record) -> Put:
        """Add a record, in place of the one with the same objectID."""
        object_id = record["objectID"]
        replaced = self.delete(str(object_id))
        added = self._database.execute(
            "insert into records (index_name, object_id, body) values (?, ?, ?)",
            (self._name, object_id, json.dumps(record, ensure_ascii=False, separators=(",", ":"))),
        )
        return Put(_row_id(added), replaced)

    def delete(self, object_id: str) -> int | None:
        """The number of the deleted record; None where there was none."""
        deleted = self._database.execute(
            "delete from records where index_name = ? and object_id = ? returning number",
            (self._name, object_id),
        ).fetchall()
        return deleted[0][0] if deleted else None

    def delete_numbers(self, numbers: Collection[int]) -> None:
        self._database.execute(
            "delete from records where number in (select value from json_each(?))", (json.dumps([*numbers]),)
        )

    def clear(self) -> None:
        self._database.execute("delete from records where index_name = ?", (self._name,))

    def copy_from(self, source: str) -> None:
        """Add copies of another index's records, in its order."""
        self._database.execute(
            "insert into records (index_name, object_id, body)"
            " select ?, object_id, body from records where index_name = ? order by number",
            (self._name, source),
        )

    def record(self, number: int) -> Record:
        """Raises KeyError for a number that is not there (any more)."""
        row = self._database.execute("select body from records where number = ?", (number,)).fetchone()
        if row is None:
            raise KeyError(number)
        record: Record = json.loads(row[0])
        return record

    def find(self, object_id: str) -> Record | None:
        row = self._database.execute(
            "select body from records where index_name = ? and object_id = ?", (self._name, object_id)
        ).fetchone()
        return None if row is None else json.loads(row[0])

    def numbers(self) -> NDArray[np.int64]:
        rows = self._database.execute("select number from records where index_name = ?", (self._name,))
        return np.sort(np.fromiter((number for (number,) in rows), np.int64))

    def numbered(self, numbers: Collection[int]) -> Iterator[tuple[int, Record]]:
        """These records with their numbers, by number."""
        rows = self._database.execute(
            "select number, body from records where number in (select value from json_each(?))"
            " order by number",
            (json.dumps([*numbers]),),
        )
        return ((number, json.loads(body)) for number, body in rows)

    def size(self) -> int:
        """Bytes of the records' JSON."""
        row = self._database.execute(
            "select coalesce(sum(length(cast(body as blob))), 0) from records where index_name = ?",
            (self._name,),
        ).fetchone()
        return int(row[0])


def _row_id(cursor: sqlite3.Cursor) -> int:
    if cursor.lastrowid is None:
        raise RuntimeError("SQLite gave no id for a new row")
    return cursor.lastrowid
