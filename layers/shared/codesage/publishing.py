"""A run whose packs are done -> the published commit; one whose packs are emptied -> its end."""

import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import cast
from uuid import uuid4

from codesage.clients import sqs
from codesage.clients.store import Store
from codesage.errors import Superseded
from codesage.items import Item
from codesage.messages import ParseRequest, SnapshotRequest
from codesage.runs import ANY, Repository, Run, Totals, emptied, ended, may_end, may_publish, published


def finish(store: Store, repository_id: int, seq: int) -> None:
    """Publish the run if its packs are done, start its removals, and end it if there are none left.

    Every receipt of a pack that is done comes here, so a receipt that is cut off anywhere below is made good
    by the next one, or by the watch.
    """
    row, run = store.repository(repository_id), store.run(repository_id, seq)
    if may_publish(row, run):
        now = int(time.time())
        totals = _totals(store.pack_counts(repository_id, run.layout.number), run.skips)
        try:
            store.publish(row, published(row, run, totals, now), run, now)
        except Superseded:  # another receipt published it, or a hint was noted in between: look again
            finish(store, repository_id, seq)
            return
        row, run = store.repository(repository_id), replace(run, published_at=now)
    if row.run == seq and run.published_at is not None:
        _send_removals(row, run)
        end(store, row, run)


def emptied_pack(store: Store, repository_id: int, seq: int, pack: str) -> None:
    """Nothing of the old commit remains in the pack."""

    def empty(row: Repository) -> Repository:
        if row.run != seq:
            raise Superseded("the run ended meanwhile")
        return emptied(row, pack)

    _, row = store.change(repository_id, empty)
    end(store, row, store.run(repository_id, seq))


def end(store: Store, row: Repository, run: Run) -> None:
    """Clear the run in flight once nothing is left to remove, and ask again if something newer is wanted.

    The entry on the list of runs goes last: whoever is cut off before that leaves it to the watch.
    """
    if not may_end(row, run):
        return

    def clear(now: Repository) -> Repository:
        return ended(now) if may_end(now, run) else now

    before, after = store.change(row.id, clear)
    if after is before:
        return
    if after.wanted is not None:
        ask(after, rebuild=after.rebuild)
    store.finish_run(row.id, run.seq, int(time.time()))


def ask(row: Repository, *, rebuild: bool = False) -> None:
    """Send a hint that says only: look at this repository; with `rebuild`, index it anew in any case.

    It carries no labels: those of a row that was read a while ago may be the old ones by now.
    """
    sqs.send_snapshot(
        SnapshotRequest(
            org=row.org,
            host=row.host,
            host_id=row.host_id,
            delivery=str(uuid4()),
            before=row.commit,
            after=None if row.wanted in (None, ANY) else row.wanted,
            rebuild=rebuild,
        )
    )


def _send_removals(row: Repository, run: Run) -> None:
    """One message per pack that is still to be emptied; the queue drops what it was given before."""
    if not row.dirty:
        return
    sqs.send_parses(
        ParseRequest(
            org=row.org,
            repository_id=row.id,
            run=run.seq,
            pack=pack,
            content_hash="",
            phase="remove",
            parser_version=run.parser_version,
            attempt=run.attempt,
        )
        for pack in sorted(row.dirty)
    )


def _totals(packs: Iterable[Item], tree_skips: Mapping[str, int]) -> Totals:
    sums: dict[str, Counter[str]] = {
        "counts": Counter(),
        "skips": Counter(tree_skips),
        "languages": Counter(),
    }
    for pack in packs:
        for name, total in sums.items():
            total.update(cast("Mapping[str, int]", pack.get(name, {})))
    return Totals(**{name: dict(total) for name, total in sums.items()})
