"""An idle repository's records in Algolia <-> its items in DynamoDB: what differs is marked for the next run.

The sweep never writes a record itself. It marks the file, makes its pack dirty and asks for a snapshot, so
that the one way of writing repairs what no crash, and no fault of another's, should have left behind.
"""

import logging
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b

from codesage import trees
from codesage.clients.s3 import ObjectStore
from codesage.clients.store import MAX_REPAIRS, Store, organisations
from codesage.errors import CodeSageError, Superseded
from codesage.indexes import claimed_index
from codesage.items import FileItem
from codesage.packs import pack_of
from codesage.publishing import ask
from codesage.records import Record, encoded, text_of
from codesage.runs import Layout, Repository, Status

LOG = logging.getLogger(__name__)

MAX_STRAY_SHARE = 0.2  # a sweep that would remove more of a repository's records than this stops and says so
MIN_STRAYS = 20  # below it the share says nothing
KEPT_SECONDS = 86_400  # an object this young may belong to a run that is about to name it


@dataclass(slots=True)
class Differences:
    """What the sweep of one repository found.

    Attributes:
        files: pack -> path -> item of files whose records differ.
        strays: records that the index has and the database does not.
        total: records that the database has.
    """

    files: dict[str, dict[str, FileItem]] = field(default_factory=lambda: defaultdict(dict))
    strays: int = 0
    total: int = 0

    @property
    def is_suspicious(self) -> bool:
        return self.strays >= MIN_STRAYS and self.strays > MAX_STRAY_SHARE * max(1, self.total)


def sweep(until: float) -> dict[str, int]:
    """Sweep idle repositories, from where the last pass stopped, until the monotonic clock reaches `until`.

    Returns:
        How many repositories were `clean`, `repaired`, `guarded` or `busy`, and how many `objects` went.
    """
    seen: Counter[str] = Counter()
    for org in organisations():
        store = Store(org)
        start = store.cursor("sweep")
        rows = [row for row in store.repositories() if row.status is not Status.REMOVED]
        for row in [row for row in rows if row.id > start] or rows:
            if time.monotonic() > until:
                return dict(seen)
            # Before it begins: one that takes all of the time must not keep the sweep from those behind it.
            store.put_cursor("sweep", row.id)
            seen[_swept_safely(store, row)] += 1
            seen["objects"] += _clear_objects(store, row)
        store.put_cursor("sweep", 0)
    return dict(seen)


def _swept_safely(store: Store, row: Repository) -> str:
    try:
        return _swept(store, row)
    except CodeSageError as error:
        LOG.warning("repository %s could not be swept: %s", row.id, error)
        return "unavailable"


def _swept(store: Store, row: Repository) -> str:
    if row.run is not None or row.layout is None or row.target is not None:
        return "busy"
    found = differences(store, row, row.layout)
    if found.is_suspicious:
        LOG.error(
            "the sweep of repository %s would remove %s of %s records; it is left for a person to look at",
            row.id,
            found.strays,
            found.total,
        )
        return "guarded"
    if not found.files:
        return "clean"
    try:
        _mark(store, row, found)
    except Superseded:  # a run began meanwhile; the next sweep looks again
        return "busy"
    ask(row)
    return "repaired"


def differences(store: Store, row: Repository, layout: Layout) -> Differences:
    """Compare whole records. Every file of every pack is read, which is why the sweep is weekly."""
    index = claimed_index(row.org)
    found = Differences()
    left: dict[str, tuple[bytes, str]] = {
        record["objectID"]: (_digest(record), record["file_path"]) for record in index.records_of(row.id)
    }
    files = {pack: store.files(row.id, pack) for pack in sorted(layout.keys)}
    for pack, items in files.items():
        for path, item in items.items():
            stored = store.entities(row.id, path) if any(item.entities.values()) else {}
            found.total += len(stored)
            digests = {object_id: _digest(entity.record) for object_id, entity in stored.items()}
            indexed = {object_id: left.pop(object_id, (b"", ""))[0] for object_id in digests}
            if digests != indexed or item.writing or len(stored) != sum(item.entities.values()):
                found.files[pack][path] = item
    found.strays = len(left)
    _add_strays(found, files, layout, {path for _, path in left.values()})
    return found


def _add_strays(
    found: Differences, files: Mapping[str, Mapping[str, FileItem]], layout: Layout, paths: Iterable[str]
) -> None:
    """The files that stray records name; one that nobody knows gets an item, so that a run removes it."""
    by_text = {text_of(path): (pack, item) for pack, items in files.items() for path, item in items.items()}
    for text in paths:
        unknown = FileItem(text, blob="", parser_version=0, skip=None, language=None, size=0)
        pack, item = by_text.get(text, (layout.key(pack_of(text, layout.packs)), unknown))
        found.files[pack][item.path] = item


def _mark(store: Store, row: Repository, found: Differences) -> None:
    for pack, files in found.files.items():
        items = list(files.values())
        for start in range(0, len(items), MAX_REPAIRS):
            row = store.mark_for_repair(row, pack, items[start : start + MAX_REPAIRS])


def _clear_objects(store: Store, row: Repository) -> int:
    """Packs and trees that neither the published commit nor a run in flight names; returns how many went."""
    objects = ObjectStore(row.org)
    named = {row.tree} if row.tree else set()
    if row.run is not None:
        named.add(store.run(row.id, row.run).tree)
    old_trees = [
        name for name in objects.names_older_than("trees", row.id, KEPT_SECONDS) if name not in named
    ]
    old_packs = objects.names_older_than("packs", row.id, KEPT_SECONDS)
    if row.run is not None or (not old_trees and not old_packs):
        return 0
    try:
        kept = {n for tree in named for n in trees.decode(objects.tree(row.id, tree), tree).hashes.values()}
    except CodeSageError as error:
        LOG.warning("a tree of repository %s cannot be read, so its packs stay: %s", row.id, error)
        return 0
    old_packs = [name for name in old_packs if name not in kept]
    if store.repository(row.id).last_run != row.last_run:
        return 0  # a run began meanwhile, and may have use for what was old when it was listed
    objects.delete("trees", row.id, old_trees)
    objects.delete("packs", row.id, old_packs)
    if store.repository(row.id).last_run != row.last_run:
        # A run began between the look and the deletion, and may have named what went: it is made anew.
        ask(row, rebuild=True)
    return len(old_trees) + len(old_packs)


def _digest(record: Record) -> bytes:
    """Equal for equal records, whatever the order of their fields."""
    ordered = Record(**{name: record[name] for name in Record.__annotations__})  # type: ignore[literal-required,typeddict-item]
    return blake2b(encoded(ordered).encode(), digest_size=16).digest()
