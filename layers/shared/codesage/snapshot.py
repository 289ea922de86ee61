"""A hint that a repository may have moved -> a run: packs in S3 and one message per pack to parse.

The hint is never believed. The host's branch head, asked for now, decides, so bursts, repeats and pushes out
of order collapse into one run for the newest commit.
"""

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from codesage import trees
from codesage.archives import Spool
from codesage.clients import sqs
from codesage.clients.algolia import Index
from codesage.clients.github import GitHub, Listed
from codesage.clients.s3 import ObjectStore
from codesage.clients.store import Store, database_id
from codesage.errors import NotFound, Rejected, Superseded, Unavailable
from codesage.languages import PARSER_VERSION
from codesage.messages import CommitSha, ParseRequest, SnapshotRequest
from codesage.packs import encode, pack_count
from codesage.publishing import finish
from codesage.runs import (
    Layout,
    Repository,
    Run,
    Status,
    begun,
    failed,
    is_current,
    noted,
    packs_to_do,
    relabelled,
    retry_at,
    settled,
)
from codesage.settings import settings
from codesage.skips import MAX_FILE_BYTES, Skip, skip_of_path, skip_of_text
from codesage.trees import Tree, TreeEntry, changed_packs, tree_of

LOG = logging.getLogger(__name__)

LAG_PAUSES = (2, 5, 15)  # seconds after which a host that lags behind its own webhook is asked again
MAX_FETCHED_BLOBS = 200
MAX_FILES = 200_000
MAX_TREE_BYTES = 2 * 1024**3
START_AGAIN = 5  # a row that changes under us more often than this is left to the message's next receipt


class HostLags(Unavailable):
    """The host still shows the commit before the push that it announced."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Where a run leads: the tree, and the packs whose text it must upload."""

    tree: Tree
    spool: Spool

    def pack(self, number: int) -> bytes:
        return encode(self.tree.packs[number], self.spool.read)


def snapshot(request: SnapshotRequest, receipt: int) -> None:
    """Handle one hint. Safe to repeat at any point.

    Args:
        receipt: how often this message was received, from 1.

    Raises:
        HostLags: ask again after one of LAG_PAUSES.
        CodeSageError: the message is tried again.
    """
    store = Store(request.org)
    row = _row(store, request)
    for _ in range(START_AGAIN):
        try:
            _advance(store, row, request, receipt)
        except Superseded:  # the row changed since it was read: decide anew
            row = store.repository(row.id)
        else:
            return
    raise Unavailable("The repository changes too fast; the hint is tried again.")


def note_failure(request: SnapshotRequest, reason: str, final: bool) -> None:
    """A receipt of the hint failed: remember why, where a person and the watch will find it.

    Args:
        final: no further receipt will come, because the queue gives up or trying again cannot help.
    """
    store = Store(request.org)
    row = store.find(request.host, request.host_id)
    if row is None or row.status is Status.REMOVED:
        return
    if row.run is not None:
        store.note_failure(row.id, row.run, reason, exhausted=final)
        return
    if final:
        now = int(time.time())
        _, after = store.change(row.id, lambda row: failed(row, reason, request.after, now))
        store.put_entry(row.id, after.last_run, retry_at(after, now, settings().pause_seconds))


def _row(store: Store, request: SnapshotRequest) -> Repository:
    if request.labels is None:
        row = store.find(request.host, request.host_id)
        if row is None:
            raise NotFound("A hint without labels names a repository that is not registered.")
        return row
    row = store.find_or_add(request.host, request.host_id, request.labels)
    return store.change(row.id, lambda row: relabelled(row, request.labels))[1]


def _advance(store: Store, row: Repository, request: SnapshotRequest, receipt: int) -> None:
    if row.status is Status.REMOVED:
        LOG.info("repository %s was removed; the hint is dropped", row.id)
        return
    if row.run is not None:
        _meet(store, row, store.run(row.id, row.run), request)
        return
    host = GitHub(request.org)
    head = host.head(row.host_id, row.labels.branch)
    if head is None:
        raise Rejected(f"The branch {row.labels.branch} does not exist on the host, or has no commit yet.")
    if head == request.before != request.after and receipt <= len(LAG_PAUSES):
        raise HostLags("The host lags behind its own webhook.", LAG_PAUSES[receipt - 1])
    if is_current(row, head, PARSER_VERSION) and not request.rebuild:
        store.change(row.id, settled)
        LOG.info("repository %s is already at %s", row.id, head)
        return
    with Spool() as spool:
        plan = plan_of(host, spool, row, head)
        _begin(store, row, request, plan)


def _meet(store: Store, row: Repository, run: Run, request: SnapshotRequest) -> None:
    """A run is in flight: resume it where this very message started it, else leave word for its end."""
    if run.delivery == request.delivery:
        _resume(store, row, run)
        return

    def note(now: Repository) -> Repository:
        if now.run != run.seq:
            raise Superseded("the run ended meanwhile")
        return noted(now, request, run)

    store.change(row.id, note)
    LOG.info("repository %s has run %s in flight; the hint is noted", row.id, run.seq)


def _resume(store: Store, row: Repository, run: Run) -> None:
    """The message that started the run came back: do what its first receipt was cut off from."""
    if run.attempt:
        finish(store, row.id, run.seq)
        return
    store.hear(row.id, run.seq, int(time.time()))
    with Spool() as spool:
        _dispatch(
            store, row, run, plan_of(GitHub(row.org), spool, replace(row, layout=run.layout), run.commit)
        )


def _begin(store: Store, row: Repository, request: SnapshotRequest, plan: Plan) -> None:
    Index(request.org).claim(database_id())
    layout, seq, now = plan.tree.layout, row.last_run + 1, int(time.time())
    published = None if row.tree is None or row.layout != layout else _published_hashes(row)
    changed = changed_packs(published, plan.tree)
    run = Run(
        seq=seq,
        commit=plan.tree.commit,
        tree=f"{plan.tree.commit}-{seq}",
        layout=layout,
        parser_version=PARSER_VERSION,
        delivery=request.delivery,
        packs=packs_to_do(row, layout, changed, PARSER_VERSION),
        started_at=now,
        heard_at=now,
        skips=plan.tree.skips,
    )
    store.begin(row, begun(row, run, request.after), run)
    _dispatch(store, store.repository(row.id), run, plan)


def _dispatch(store: Store, row: Repository, run: Run, plan: Plan) -> None:
    """Upload what the run needs, send a message per pack, then mark it dispatched. All of it repeatable."""
    objects = ObjectStore(row.org)
    hashes = {plan.tree.layout.key(number): (number, name) for number, name in plan.tree.hashes.items()}
    for pack in sorted(run.packs):
        number, name = hashes[pack]
        objects.put_pack(row.id, name, plan.pack(number))
    objects.put_tree(row.id, run.tree, trees.encode(plan.tree))
    attempt = run.attempt + 1
    sqs.send_parses(
        ParseRequest(
            org=row.org,
            repository_id=row.id,
            run=run.seq,
            pack=pack,
            content_hash=hashes[pack][1],
            phase="update",
            parser_version=run.parser_version,
            attempt=attempt,
        )
        for pack in sorted(run.packs)
    )
    store.mark_dispatched(row.id, run.seq, attempt)
    LOG.info("run %s of repository %s: %s packs to %s", run.seq, row.id, len(run.packs), run.commit)
    if not run.packs:
        finish(store, row.id, run.seq)


def _published_hashes(row: Repository) -> Mapping[int, str]:
    name = row.tree or ""
    return trees.decode(ObjectStore(row.org).tree(row.id, name), name).hashes


def plan_of(host: GitHub, spool: Spool, row: Repository, commit: CommitSha) -> Plan:
    """The commit's whole tree, from the host's archive, held against its listing where it has one."""
    listing = host.listing(row.host_id, commit)
    algorithm = "sha256" if len(commit) == 64 else "sha1"
    with host.archive(row.host_id, commit) as stream:
        spool.unpack(stream, algorithm)
    found = (
        _from_archive(spool)
        if listing is None
        else _from_listing(host, row.host_id, listing, spool, algorithm)
    )
    entries = _within_limits(found)
    layout = row.layout or Layout(1, pack_count(sum(entry.size for entry in entries if entry.has_text)))
    return Plan(tree_of(commit, layout, entries), spool)


def _from_archive(spool: Spool) -> list[TreeEntry]:
    return [_entry(spool, file.path, file.mode, file.blob, file.size) for file in spool.files.values()]


def _from_listing(
    host: GitHub, host_id: str, listing: list[Listed], spool: Spool, algorithm: str
) -> list[TreeEntry]:
    """The listing is the truth: what the archive left out or altered is fetched, or skipped with a reason."""
    lossy = {path.encode("utf-8", "surrogateescape").decode("utf-8", "replace"): path for path in spool.files}
    fetched = 0
    entries = []
    for listed in listing:
        path = lossy.get(listed.path, listed.path)  # listings cannot spell a name that is not UTF-8
        skip = skip_of_path(path, listed.mode, listed.size)
        if skip is not None:
            entries.append(TreeEntry(path, listed.mode, listed.blob, listed.size, skip))
            continue
        spooled = spool.files.get(path)
        if spooled is None or spooled.blob != listed.blob:
            if fetched == MAX_FETCHED_BLOBS:
                entries.append(TreeEntry(path, listed.mode, listed.blob, listed.size, Skip.NOT_IN_ARCHIVE))
                continue
            fetched += 1
            spool.replace(path, listed.mode, listed.blob, host.blob(host_id, listed.blob), algorithm)
        entries.append(_entry(spool, path, listed.mode, listed.blob, listed.size))
    return entries


def _entry(spool: Spool, path: str, mode: str, blob: str, size: int) -> TreeEntry:
    skip = skip_of_path(path, mode, size)
    if skip is None and size <= MAX_FILE_BYTES:
        skip = skip_of_text(path, spool.read(path))
    return TreeEntry(path, mode, blob, size, skip)


def _within_limits(entries: list[TreeEntry]) -> list[TreeEntry]:
    """What fits, in path order; the rest is skipped and counted, and fails nothing."""
    kept, files, total = [], 0, 0
    for entry in sorted(entries, key=lambda entry: entry.path):
        files += entry.has_text
        total += entry.size if entry.has_text else 0
        over = entry.has_text and (files > MAX_FILES or total > MAX_TREE_BYTES)
        kept.append(replace(entry, skip=Skip.OVER_LIMIT) if over else entry)
    return kept
