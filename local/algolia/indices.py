"""Operations -> indices, changed in the store and in memory."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np
from pydantic import JsonValue

from local.algolia.building import Record
from local.algolia.errors import UnknownIndexError
from local.algolia.folding import Living, together
from local.algolia.index import Fold, Index
from local.algolia.operations import Action, Operation
from local.algolia.search import permitted
from local.algolia.segment import Segment
from local.algolia.settings import Parameters
from local.algolia.shelf import Shelf
from local.algolia.store import Store

SETTINGS_SCOPE = "settings"


class IndexFold(NamedTuple):
    """A fold, and the index it is for."""

    name: str
    of: Index
    fold: Fold


class Indices:
    """All indices of one application by name; used under the application's lock.

    Changes go to the store inside the caller's transaction. Where that fails, this object must be made anew.

    Args:
        store: of records and settings.
        shelf: of segments.
    """

    def __init__(self, store: Store, shelf: Shelf) -> None:
        self._store = store
        self._shelf = shelf
        self._by_name: dict[str, Index] = {}
        for stored in store.indices():
            shape = Parameters.of(stored.settings, {}).shape()
            segments = shelf.load(stored.name, shape)
            self._by_name[stored.name] = Index(stored.settings, store.records(stored.name), segments)

    def __getitem__(self, name: str) -> Index:
        """Raises UnknownIndexError, a 404."""
        if name not in self._by_name:
            raise UnknownIndexError(name)
        return self._by_name[name]

    @property
    def tokenised(self) -> int:
        """How many records the indices have read for their words."""
        return sum(index.tokenised for index in self._by_name.values())

    def carry_out(self, name: str, operation: Operation) -> None:
        """Writing to an index that is not there makes it; deleting from or of it does nothing."""
        body = operation.body
        match operation.action:
            case Action.ADD | Action.UPDATE:
                self._made(name).put(body)
            case Action.PARTIAL | Action.PARTIAL_NO_CREATE:
                self._patch(name, body, create=operation.action is Action.PARTIAL)
            case Action.DELETE | Action.DELETE_BY:
                self._delete(name, operation)
            case Action.CLEAR:
                self._made(name).clear()
            case Action.DROP:
                self._drop(name)
            case Action.SETTINGS:
                self._set_settings(name, {**self._settings(name), **body})
            case Action.COPY | Action.MOVE:
                self._copy_or_move(name, operation)

    def keep(self) -> None:
        """Bring all views up to date and their segments to the shelf."""
        for name, index in self._by_name.items():
            self._shelf.keep(name, index.view.segments)

    # --- folding ---

    def begin_fold(self) -> IndexFold | None:
        """Some large merge that is due."""
        for name, index in self._by_name.items():
            if fold := index.begin_fold():
                return IndexFold(name, index, fold)
        return None

    def end_fold(self, begun: IndexFold, segment: Segment) -> None:
        """Show the merged segment, unless its index has become another meanwhile."""
        if self._by_name.get(begun.name) is begun.of and begun.of.end_fold(begun.fold, segment):
            self._shelf.keep(begun.name, begun.of.view.segments)

    # --- operations ---

    def _settings(self, name: str) -> Mapping[str, JsonValue]:
        return self._by_name[name].settings if name in self._by_name else {}

    def _made(self, name: str) -> Index:
        if name not in self._by_name:
            self._store.put_index(name, {}, _now())
            self._by_name[name] = Index({}, self._store.records(name))
        return self._by_name[name]

    def _patch(self, name: str, patch: Record, *, create: bool) -> None:
        index = self._made(name)
        found = index.records.find(str(patch["objectID"]))
        if found is not None:
            index.put({**found, **patch})
        elif create:
            index.put(patch)

    def _delete(self, name: str, operation: Operation) -> None:
        if name not in self._by_name:
            return
        index = self._by_name[name]
        if operation.action is Action.DELETE:
            index.remove(str(operation.body["objectID"]))
        else:
            index.remove_found(permitted(index.view, str(operation.body["filters"])))

    def _drop(self, name: str) -> None:
        self._by_name.pop(name, None)
        self._store.delete_index(name)
        self._shelf.keep(name, ())

    def _set_settings(self, name: str, settings: Mapping[str, JsonValue]) -> None:
        """Unnamed settings stay, `null` resets one to its default."""
        kept: dict[str, JsonValue] = {key: value for key, value in settings.items() if value is not None}
        self._made(name).set_settings(kept)
        self._store.put_index(name, kept, _now())

    def _copy_or_move(self, source: str, operation: Operation) -> None:
        """Everything, or with `scope: ["settings", …]` the settings only; other scopes hold nothing here."""
        destination, scope = str(operation.body["destination"]), operation.body.get("scope")
        if source not in self._by_name or source == destination:
            return
        if scope:
            if isinstance(scope, list) and SETTINGS_SCOPE in scope:
                self._set_settings(destination, self._by_name[source].settings)
            if operation.action is Action.MOVE:
                self._drop(source)
            return
        self._drop(destination)
        self._store.put_index(destination, self._by_name[source].settings, _now())
        if operation.action is Action.MOVE:
            self._move(source, destination)
        else:
            self._copy(source, destination)

    def _move(self, source: str, destination: str) -> None:
        """Numbers stay, so no record is read again."""
        index = self._by_name[destination] = self._by_name.pop(source)
        self._store.hand_over(source, destination)
        index.records = self._store.records(destination)
        self._store.delete_index(source)

    def _copy(self, source: str, destination: str) -> None:
        """The copies of records get numbers in the same order, so segments need only new numbers."""
        index, records = self._by_name[source], self._store.records(destination)
        records.copy_from(source)
        view, segments = index.view, []
        if len(view):
            segment = together([Living(part.segment, part.of(view.alive)) for part in view.parts]).segment
            ranks = np.searchsorted(np.sort(segment.numbers), segment.numbers)
            segments = [replace(segment, numbers=records.numbers()[ranks])]
        self._by_name[destination] = Index(index.settings, records, segments)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
