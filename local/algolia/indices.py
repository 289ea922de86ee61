"""Operations -> indices in memory and in the store, always changed together."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from pydantic import JsonValue

from local.algolia.errors import UnknownIndexError
from local.algolia.index import Index, Record
from local.algolia.operations import Action, Operation
from local.algolia.search import permitted
from local.algolia.settings import Parameters
from local.algolia.store import Store

SETTINGS_SCOPE = "settings"


class Indices:
    """All indices of one application by name; used under the application's lock.

    Args:
        store: read whole at the start; later changes go to it inside the caller's transaction.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._by_name: dict[str, Index] = {}
        for stored in store.indices():
            self._by_name[stored.name] = _filled(stored.settings, store.records(stored.name))

    def __getitem__(self, name: str) -> Index:
        """Raises UnknownIndexError, a 404."""
        if name not in self._by_name:
            raise UnknownIndexError(name)
        return self._by_name[name]

    def carry_out(self, name: str, operation: Operation) -> None:
        """Writing to an index that is not there makes it; deleting from or of it does nothing."""
        body = operation.body
        match operation.action:
            case Action.ADD | Action.UPDATE:
                self._put(name, [body])
            case Action.PARTIAL | Action.PARTIAL_NO_CREATE:
                self._patch(name, body, create=operation.action is Action.PARTIAL)
            case Action.DELETE:
                self._delete(name, [str(body["objectID"])])
            case Action.DELETE_BY:
                self._delete_by(name, str(body["filters"]))
            case Action.CLEAR:
                self._replace(name, self._settings(name), ())
            case Action.DROP:
                self._drop(name)
            case Action.SETTINGS:
                self._set_settings(name, {**self._settings(name), **body})
            case Action.COPY | Action.MOVE:
                self._copy(name, str(body["destination"]), body.get("scope"))
                if operation.action is Action.MOVE:
                    self._drop(name)

    def _settings(self, name: str) -> Mapping[str, JsonValue]:
        return self._by_name[name].settings if name in self._by_name else {}

    def _made(self, name: str) -> Index:
        if name not in self._by_name:
            self._replace(name, {}, ())
        return self._by_name[name]

    def _put(self, name: str, records: Iterable[Record]) -> None:
        index = self._made(name)
        for record in records:
            index.put(record)
            self._store.put_record(name, record)

    def _patch(self, name: str, patch: Record, *, create: bool) -> None:
        index = self._made(name)
        number = index.number_of(str(patch["objectID"]))
        if number is not None:
            self._put(name, [{**index.record(number), **patch}])
        elif create:
            self._put(name, [patch])

    def _delete(self, name: str, object_ids: Iterable[str]) -> None:
        if name not in self._by_name:
            return
        for object_id in object_ids:
            self._by_name[name].remove(object_id)
            self._store.delete_record(name, object_id)

    def _delete_by(self, name: str, filters: str) -> None:
        if name in self._by_name:
            index = self._by_name[name]
            self._delete(name, [index.object_id(number) for number in permitted(index, filters)])

    def _drop(self, name: str) -> None:
        self._by_name.pop(name, None)
        self._store.delete_index(name)

    def _set_settings(self, name: str, settings: Mapping[str, JsonValue]) -> None:
        """Unnamed settings stay, `null` resets one to its default."""
        kept: dict[str, JsonValue] = {key: value for key, value in settings.items() if value is not None}
        index = self._made(name)
        if Parameters.of(kept, {}).shapes_the_index(Parameters.of(index.settings, {})):
            self._by_name[name] = _filled(kept, index.records())
        else:
            index.settings = kept
        self._store.put_index(name, kept, _now())

    def _copy(self, source: str, destination: str, scope: JsonValue) -> None:
        """Everything, or with `scope: ["settings", …]` the settings only; other scopes hold nothing here."""
        if source not in self._by_name:
            return
        index = self._by_name[source]
        if not scope:
            self._replace(destination, index.settings, index.records())
        elif isinstance(scope, list) and SETTINGS_SCOPE in scope:
            self._set_settings(destination, index.settings)

    def _replace(self, name: str, settings: Mapping[str, JsonValue], records: Iterable[Record]) -> None:
        self._store.clear_records(name)
        self._store.put_index(name, settings, _now())
        self._by_name[name] = Index(settings)
        self._put(name, records)


def _filled(settings: Mapping[str, JsonValue], records: Iterable[Record]) -> Index:
    index = Index(settings)
    for record in records:
        index.put(record)
    return index


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
