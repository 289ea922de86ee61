"""A removed repository -> nothing of it anywhere, but for the tombstone that keeps its number."""

import logging
import time

from codesage.clients.s3 import ObjectStore
from codesage.clients.store import Store
from codesage.indexes import claimed_index
from codesage.runs import Repository
from codesage.settings import settings

LOG = logging.getLogger(__name__)


def remove(org: str, repository_id: int) -> None:
    """Hide the repository at once and leave what is stored of it to the watch, which has the keys for that.

    A parser that is at work right now may still send records. So the removal is over only when, past the
    parser's timeout, a second look finds nothing.
    """
    due = int(time.time() + settings().patience_seconds)
    Store(org).remove(repository_id, due)


def clear(row: Repository) -> bool:
    """Delete what is there now; safe to repeat. Returns whether nothing was there any more."""
    store, objects, index = Store(row.org), ObjectStore(row.org), claimed_index(row.org)
    left = len(list(index.records_of(row.id)))
    if left:
        index.delete_repository(row.id)
    layouts = {run.layout for run in store.runs(row.id)} | {row.layout, row.target} - {None}
    left += sum(
        store.clear_pack(row.id, pack) for layout in layouts if layout for pack in sorted(layout.keys)
    )
    for kind in ("packs", "trees"):
        names = objects.names_older_than(kind, row.id, age=0)
        objects.delete(kind, row.id, names)
        left += len(names)
    if not left:
        store.clear_runs(row.id)
    LOG.info("repository %s: %s things of it were left", row.id, left)
    return not left
