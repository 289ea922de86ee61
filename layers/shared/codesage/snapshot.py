"""A hint that a repository may have moved -> a run: packs in S3 and one message per pack to parse.

The hint is never believed. The host's branch head, asked for now, decides, so bursts, repeats and pushes out
of order collapse into one run for the newest commit.
"""

import logging
import time
from contextlib import suppress
from dataclasses import replace

from codesage import trees
from codesage.archives import Spool
from codesage.clients import sqs
from codesage.clients.github import GitHub
from codesage.clients.s3 import ObjectStore
from codesage.clients.store import RunEntry, Store
from codesage.errors import CodeSageError, NotFound, Rejected, Superseded, Unavailable
from codesage.languages import PARSER_VERSION
from codesage.messages import ParseRequest, SnapshotRequest
from codesage.plans import Plan, plan_of
from codesage.publishing import finish
from codesage.runs import (
    WAITING_PATIENCE,
    Layout,
    Repository,
    Run,
    Status,
    begun,
    empty,
    failed,
    host_lags,
    is_current,
    layout_of_next_run,
    noted,
    packs_to_do,
    relabelled,
    retry_at,
    settled,
)
from codesage.settings import settings
from codesage.trees import Tree, changed_packs

LOG = logging.getLogger(__name__)

LAG_PAUSES = (2, 5, 15)  # seconds after which a host that lags behind its own webhook is asked again
START_AGAIN = 5  # a row that changes under us more often than this is left to the message's next receipt


class HostLags(Unavailable):
    """The host still shows the commit before the push that it announced."""


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


def note_failure(request: SnapshotRequest, error: CodeSageError, final: bool) -> None:
    """A receipt of the hint failed: remember why, where a person and the watch will find it.

    Args:
        final: no further receipt will come, because the queue gives up or trying again cannot help.
    """
    store = Store(request.org)
    row = store.find(request.host, request.host_id)
    if row is None or row.status is Status.REMOVED:
        return
    if row.run is not None:
        _note_on_run(store, row, store.run(row.id, row.run), request, error, final)
    elif final:
        _give_up(store, row, request, error)


def _note_on_run(
    store: Store, row: Repository, run: Run, request: SnapshotRequest, error: CodeSageError, final: bool
) -> None:
    if run.delivery == request.delivery:
        store.note_failure(row.id, run.seq, str(error), exhausted=final)
    elif final:  # a hint that could not be noted is no fault of the run: its end asks again
        store.change(row.id, lambda now: noted(now, request, run) if now.run == run.seq else now)


def _give_up(store: Store, row: Repository, request: SnapshotRequest, error: CodeSageError) -> None:
    """No run came of the hint. The watch asks again, unless the host would only say the same; then a push or
    the reconcile does."""
    now = int(time.time())

    def fail(row: Repository) -> Repository:
        if row.run is not None or row.status is Status.REMOVED:
            return row  # no longer this hint's to judge
        # The watch's own hint will not say that a rebuild was asked for.
        return replace(failed(row, str(error), request.after, now), rebuild=row.rebuild or request.rebuild)

    before, after = store.change(row.id, fail)
    if after is before:
        return
    if not isinstance(error, Rejected):
        store.put_entry(row.id, after.last_run, retry_at(after, now, settings().pause_seconds))
        return
    entry = store.entry(row.id)
    if entry is not None and entry.due is not None:
        store.take_entry(entry)


def _row(store: Store, request: SnapshotRequest) -> Repository:
    if request.labels is None:
        row = store.find(request.host, request.host_id)
        if row is None:
            raise NotFound("A hint without labels names a repository that is not registered.")
        return row
    row = store.find_or_add(request.host, request.host_id, request.labels)
    if row.status is Status.REMOVED and request.adds:
        with suppress(Superseded):  # another message added it again first
            store.add_again(row, request.labels)
        row = store.find_or_add(request.host, request.host_id, request.labels)
    return store.change(row.id, lambda row: relabelled(row, request.labels))[1]


def _advance(store: Store, row: Repository, request: SnapshotRequest, receipt: int) -> None:
    if row.status is Status.REMOVED:
        LOG.info("repository %s was removed; the hint is dropped", row.id)
        return
    if row.run is not None:
        _meet(store, row, store.run(row.id, row.run), request)
        return
    # Should this receipt be cut off before a run is recorded, the watch asks again.
    due = round(time.time() + WAITING_PATIENCE * settings().patience_seconds)
    store.put_entry(row.id, row.last_run, due)
    entry = RunEntry(row.org, row.id, row.last_run, due)
    rebuild = request.rebuild or row.rebuild
    host = GitHub(request.org)
    head = host.head(row.host_id, row.labels.branch)
    if head is None and row.commit is None:
        store.change(row.id, empty)
        store.take_entry(entry)
        return
    if head is None:
        raise Rejected(f"The branch {row.labels.branch} does not exist on the host, or has no commit yet.")
    if host_lags(row, head, request) and receipt <= len(LAG_PAUSES):
        raise HostLags("The host lags behind its own webhook.", LAG_PAUSES[receipt - 1])
    if is_current(row, head, PARSER_VERSION) and not rebuild:
        store.change(row.id, settled)
        store.take_entry(entry)
        LOG.info("repository %s is already at %s", row.id, head)
        return
    published = None if rebuild else _published(row)  # a rebuild believes nothing that is stored
    with Spool() as spool:

        def choose(needed: int) -> Layout:
            return layout_of_next_run(row, needed, rebuild=rebuild)

        _begin(store, row, request, plan_of(host, spool, row, head, published, choose), published)


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
    store.hear(row.id, run.seq, int(time.time()), received=False)
    published = None if run.layout != row.layout else _published(row)
    with Spool() as spool:
        plan = plan_of(GitHub(row.org), spool, row, run.commit, published, lambda _: run.layout)
        if not changed_packs(published, plan.tree) <= run.packs:
            raise Rejected("The rules of what is indexed changed since the run was recorded; it begins anew.")
        _dispatch(store, row, run, plan, published)


def _begin(
    store: Store, row: Repository, request: SnapshotRequest, plan: Plan, published: Tree | None
) -> None:
    tree, seq, now = plan.tree, row.last_run + 1, int(time.time())
    run = Run(
        seq=seq,
        commit=tree.commit,
        tree=f"{tree.commit}-{seq}",
        layout=tree.layout,
        parser_version=PARSER_VERSION,
        delivery=request.delivery,
        packs=packs_to_do(row, tree.layout, changed_packs(published, tree), PARSER_VERSION),
        started_at=now,
        heard_at=now,
        skips=tree.skips,
    )
    store.begin(row, begun(row, run, request.after), run)
    _dispatch(store, store.repository(row.id), run, plan, published)


def _dispatch(store: Store, row: Repository, run: Run, plan: Plan, published: Tree | None) -> None:
    """Upload what is new, send a message per pack, then mark the run dispatched. All of it repeatable.

    A pack that the published tree names is in S3 already, and stays there as long as a tree names it.
    """
    objects = ObjectStore(row.org)
    for pack in sorted(changed_packs(published, plan.tree)):
        number = run.layout.number_of(pack)
        objects.put_pack(row.id, plan.tree.hashes[number], plan.pack(number))
    objects.put_tree(row.id, run.tree, trees.encode(plan.tree))
    attempt = run.attempt + 1
    sqs.send_parses(
        ParseRequest(
            org=row.org,
            repository_id=row.id,
            run=run.seq,
            pack=pack,
            content_hash=plan.tree.hashes[run.layout.number_of(pack)],
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


def _published(row: Repository) -> Tree | None:
    """Raises NotFound or CorruptObject where it is lost; a rebuild needs none of it."""
    if row.tree is None:
        return None
    return trees.decode(ObjectStore(row.org).tree(row.id, row.tree), row.tree)
