"""Settings and stored records of one index -> a view to search, kept up to date write by write."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from pydantic import JsonValue

from local.algolia.building import Record, segments_of
from local.algolia.folding import Living, compacted, due, together
from local.algolia.segment import Mask, Segment
from local.algolia.settings import Parameters
from local.algolia.store import Records, Store
from local.algolia.view import View


class Fold(NamedTuple):
    """A large merge, made outside of the lock.

    Attributes:
        span: which of the view's segments.
        parts: these, with what lived of them when it began.
    """

    span: slice
    parts: Sequence[Living]

    def segment(self) -> Segment:
        return together(self.parts).segment


class Index:
    """One index. Not safe for concurrent use by itself; its views are.

    Writes are gathered until the view is looked at again, so that a task's records make one segment.

    Args:
        settings: of the index.
        records: where its records are stored; in memory without it.
        segments: what is already known of the stored records. All others are read now.

    Attributes:
        tokenised: how many records were read for their words so far.
    """

    def __init__(
        self,
        settings: Mapping[str, JsonValue],
        records: Records | None = None,
        segments: Sequence[Segment] = (),
    ) -> None:
        self.records = Store().records("") if records is None else records
        self.tokenised = 0
        self._added: dict[int, Record] = {}
        self._removed: list[int] = []
        self._settled = 0
        self._load(settings, segments)

    # --- writing ---

    def put(self, record: Record) -> None:
        """Add a record, in place of the one with the same objectID."""
        number, replaced = self.records.put(record)
        self._forget(replaced)
        self._added[number] = record

    def remove(self, object_id: str) -> None:
        """Remove a record; one that is not there is no error."""
        self._forget(self.records.delete(object_id))

    def remove_found(self, found: Mask) -> None:
        """Remove records by a mask over the view."""
        numbers = self.view.numbers[found].tolist()
        self.records.delete_numbers(numbers)
        self._removed += numbers

    def clear(self) -> None:
        self.remove_found(self.view.everything())

    def _forget(self, number: int | None) -> None:
        if number is not None and self._added.pop(number, None) is None:
            self._removed.append(number)

    # --- settings ---

    @property
    def settings(self) -> Mapping[str, JsonValue]:
        return self._settings

    def set_settings(self, settings: Mapping[str, JsonValue]) -> None:
        """Replace all settings. Where they shape the segments, all records are read again."""
        shape = Parameters.of(settings, {}).shape()
        self._load(settings, self.view.segments if shape == self.shape else ())

    def _load(self, settings: Mapping[str, JsonValue], segments: Sequence[Segment]) -> None:
        self._settings = dict(settings)
        self._parameters = Parameters.of(settings, {})
        self.shape = self._parameters.shape()
        self._settled = 0
        numbers = self.records.numbers()
        parts = [Living(segment, np.isin(segment.numbers, numbers)) for segment in segments]
        known = np.concatenate([np.zeros(0, np.int64), *(segment.numbers for segment in segments)])
        missing = np.setdiff1d(numbers, known).tolist()
        self._show(compacted(parts, self._read(self.records.numbered(missing)), settled=0))

    # --- the view ---

    @property
    def view(self) -> View:
        """What has been written so far."""
        if self._added or self._removed:
            alive = self._view.alive & ~np.isin(self._view.numbers, self._removed)
            parts = [Living(part.segment, part.of(alive)) for part in self._view.parts]
            new = self._read(self._added.items())
            self._show(compacted(parts, new, self._settled))
            self._added, self._removed = {}, []
        return self._view

    def record(self, place: int) -> Record:
        """A copy of the record at a place of the view."""
        return self.records.record(int(self.view.numbers[place]))

    def _read(self, records: Iterable[tuple[int, Record]]) -> Iterator[Living]:
        for segment in segments_of(records, self.shape):
            self.tokenised += len(segment)
            yield Living.all_of(segment)

    def _show(self, parts: Sequence[Living]) -> None:
        alive = np.concatenate([np.zeros(0, np.bool_), *(part.mask for part in parts)])
        self._view = View([part.segment for part in parts], alive, self._parameters.directions())

    def _parts(self) -> list[Living]:
        view = self.view
        return [Living(part.segment, part.of(view.alive)) for part in view.parts]

    # --- folding ---

    def begin_fold(self) -> Fold | None:
        """The large merge that is due, if any. Until it ends, smaller ones leave its segments alone."""
        parts = self._parts()
        span = due(parts)
        if span is None:
            return None
        self._settled = span.stop
        return Fold(span, parts[span])

    def end_fold(self, fold: Fold, segment: Segment) -> bool:
        """Show the merged segment, less what was removed meanwhile.

        Returns:
            False, and nothing is changed, where its parts were all read again meanwhile.
        """
        parts = self._parts()
        now = parts[fold.span]
        if [part.segment for part in now] != [part.segment for part in fold.parts]:
            return False
        alive = np.concatenate([part.mask[then.mask] for part, then in zip(now, fold.parts, strict=True)])
        parts[fold.span] = [Living(segment, alive)] if alive.any() else []
        self._settled = 0
        self._show(parts)
        return True
