"""Writes and questions to one application -> tasks carried out in order, and answers.

A write is only queued: it is stored durably, gets a task id, and no search sees it until its task is
published. Tasks of all indices are published in the order they came, each `task_delay` seconds after its
arrival. No thread does it: every call first publishes what is due. Only large merges have a thread.
"""

import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue

from local.algolia.building import Record
from local.algolia.errors import ApiError
from local.algolia.index import Index
from local.algolia.indices import IndexFold, Indices
from local.algolia.operations import OPERATIONS, Operation, checked
from local.algolia.search import browse, retrieved, search
from local.algolia.shelf import Shelf
from local.algolia.store import Store


class Accepted(NamedTuple):
    """A write's task, and the objectID of each of its operations (empty text for one without)."""

    task_id: int
    object_ids: list[str]


class _Waiting(NamedTuple):
    task_id: int
    index_name: str
    operations: Sequence[Operation]
    due: float


class Application:
    """All indices of one application.

    Safe for concurrent use: one lock guards everything but large merges, because tasks are ordered across
    indices and because searching in several threads at once would be hardly faster in Python.

    Args:
        folder: keeps the SQLite file and the segments; made when it is not there.
        task_delay: seconds between accepting a task and publishing it.
    """

    def __init__(self, folder: Path, task_delay: float = 0.0) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._task_delay = task_delay
        self._lock = threading.Lock()
        self._store = Store(folder / "algolia.sqlite")
        self._shelf = Shelf(folder / "segments", self._store)
        self._indices = self._loaded()
        self._folding: threading.Thread | None = None
        self._closed = False
        self._waiting: deque[_Waiting] = deque()
        for task in self._store.waiting_tasks():
            operations = OPERATIONS.validate_json(task.operations)
            self._waiting.append(_Waiting(task.id, task.index_name, operations, self._due()))

    def close(self) -> None:
        """Waiting tasks stay stored and are published after the next start."""
        with self._lock:
            self._closed = True
            folding = self._folding
        if folding is not None:
            folding.join()
        with self._lock:
            self._store.close()

    def submit(self, index_name: str, operations: Sequence[Operation]) -> Accepted:
        """Queue a task.

        Raises:
            ApiError: 400 if any operation is bad; then none is queued.
        """
        ready = checked(operations)
        with self._lock:
            with self._store.transaction():
                task_id = self._store.add_task(index_name, OPERATIONS.dump_json(ready).decode())
            self._waiting.append(_Waiting(task_id, index_name, ready, self._due()))
            self._publish_due()
        return Accepted(task_id, [str(operation.body.get("objectID", "")) for operation in ready])

    def is_published(self, task_id: int) -> bool:
        """Raises ApiError, a 404, for an id that was never given out."""
        with self._lock:
            self._publish_due()
            if not 0 < task_id <= self._store.last_task_id():
                raise ApiError("Task does not exist", HTTPStatus.NOT_FOUND)
            return all(task.task_id != task_id for task in self._waiting)

    def search(self, name: str, parameters: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        with self._reading(name) as index:
            return search(index, name, parameters)

    def browse(self, name: str, parameters: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        with self._reading(name) as index:
            return browse(index, parameters)

    def settings(self, name: str) -> dict[str, JsonValue]:
        """Those that were set; the real service lists the defaults of all others too."""
        with self._reading(name) as index:
            return dict(index.settings)

    def record(self, name: str, object_id: str, attributes: Sequence[str] = ("*",)) -> Record:
        """Raises ApiError, a 404, if the index or the record is not there."""
        with self._reading(name) as index:
            record = index.records.find(object_id)
            if record is None:
                raise ApiError("ObjectID does not exist", HTTPStatus.NOT_FOUND)
            return retrieved(record, attributes)

    def listing(self) -> list[dict[str, JsonValue]]:
        """What `GET /1/indexes` shows of each index, by name."""
        with self._lock:
            self._publish_due()
            listed: list[dict[str, JsonValue]] = []
            for stored in self._store.indices():
                index = self._indices[stored.name]
                size = index.records.size()
                waiting = sum(task.index_name == stored.name for task in self._waiting)
                listed.append(
                    {
                        "name": stored.name,
                        "createdAt": stored.created,
                        "updatedAt": stored.updated,
                        "entries": len(index.view),
                        "dataSize": size,
                        "fileSize": size,
                        "lastBuildTimeS": 0,
                        "numberOfPendingTasks": waiting,
                        "pendingTask": waiting > 0,
                    }
                )
            return listed

    @contextmanager
    def _reading(self, name: str) -> Iterator[Index]:
        with self._lock:
            self._publish_due()
            yield self._indices[name]

    def _due(self) -> float:
        return time.monotonic() + self._task_delay

    def _publish_due(self) -> None:
        while self._waiting and self._waiting[0].due <= time.monotonic():
            task = self._waiting[0]
            with self._changing():
                for operation in task.operations:
                    self._indices.carry_out(task.index_name, operation)
                self._indices.keep()
                self._store.finish_task(task.task_id)
            self._waiting.popleft()
            if self._folding is None and (begun := self._indices.begin_fold()):
                self._folding = threading.Thread(target=self._fold, args=(begun,), daemon=True)
                self._folding.start()

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """A transaction; where it fails, the indices are loaded as the store still has them."""
        try:
            with self._store.transaction():
                yield
        except BaseException:
            self._indices = self._loaded()
            raise
        self._shelf.sweep()

    def _loaded(self) -> Indices:
        indices = Indices(self._store, self._shelf)
        with self._store.transaction():
            indices.keep()
        self._shelf.sweep()
        return indices

    def _fold(self, begun: IndexFold | None) -> None:
        """Make one large merge after the other, beside searches and writes."""
        while begun is not None:
            segment = begun.fold.segment()
            self._shelf.write(segment)
            with self._lock:
                with self._changing():
                    self._indices.end_fold(begun, segment)
                begun = None if self._closed else self._indices.begin_fold()
                if begun is None:
                    self._folding = None
