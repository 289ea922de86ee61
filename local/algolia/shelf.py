"""Segments of all indices <-> their files, so that no record is read again after a restart."""

import uuid
from collections.abc import Collection
from pathlib import Path

from local.algolia.segment import Segment
from local.algolia.segment_files import read_segment, write_segment
from local.algolia.settings import Shape
from local.algolia.store import Store


class Shelf:
    """The files that the store knows of. Used under the application's lock, but for `write`.

    Which files count changes together with the records, in the caller's transaction. A file that is missing
    or damaged costs no more than reading its records again.

    Args:
        folder: of the files; made when it is not there. Files that the store does not know are removed.
        store: remembers which file belongs to which index.
    """

    def __init__(self, folder: Path, store: Store) -> None:
        folder.mkdir(exist_ok=True)
        self._folder = folder
        self._store = store
        self._files: dict[Segment, str] = {}
        known = store.segment_files()
        for path in folder.iterdir():
            if path.name not in known:
                path.unlink()

    def load(self, index_name: str, shape: Shape) -> list[Segment]:
        """The sound segments of an index."""
        segments = []
        for file, owner in self._store.segment_files().items():
            if owner == index_name and (segment := read_segment(self._folder / file, shape)):
                self._files[segment] = file
                segments.append(segment)
        return segments

    def write(self, segment: Segment) -> None:
        """Write a segment's file; it counts from the next `keep` on."""
        file = f"{uuid.uuid4().hex}.segment"
        write_segment(self._folder / file, segment)
        self._files[segment] = file

    def keep(self, index_name: str, segments: Collection[Segment]) -> None:
        """Make these all segments of an index. Files of others are left to `sweep`."""
        for segment in segments:
            if segment not in self._files:
                self.write(segment)
        files = {self._files[segment] for segment in segments}
        before = {file for file, owner in self._store.segment_files().items() if owner == index_name}
        for file in before - files:
            self._store.delete_segment_file(file)
        for file in files - before:
            self._store.put_segment_file(file, index_name)

    def sweep(self) -> None:
        """Remove the files of segments that no index has any more; after the transaction."""
        known = self._store.segment_files()
        for segment, file in list(self._files.items()):
            if file not in known:
                del self._files[segment]
                (self._folder / file).unlink(missing_ok=True)
