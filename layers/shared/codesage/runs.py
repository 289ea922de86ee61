"""Repository row + run + what happened -> the next row: every state transition, as pure functions.

A run takes a repository to a commit, and one run per repository is in flight at a time. The row is written
with its version as condition, so a transition that was computed from an old row is computed again. The run's
own item only grows (packs done, packs to remove from), so a decision on an old copy of it is never wrong,
only early.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal

from codesage.messages import CommitSha, Labels, SnapshotRequest

ANY = "any"  # `wanted` when something may have changed and nobody said which commit
RETRY_PAUSES = (12, 60, 180, 720)  # before the watch starts a failed run again, in pauses of a message
# Times longer for a run that no parser has taken up: a receipt of its snapshot may last that much longer than
# one of a pack, and its packs may wait behind those of others.
WAITING_PATIENCE = 3


Freshness = Literal["fresh", "pending", "stale"]
"""Of answers: as new as anybody knows, something newer is on its way, or the last update failed."""


class Status(StrEnum):
    PENDING = "pending"
    PROCESSING = "processing"
    COMPLETED = "completed"
    FAILED = "failed"  # only for a repository that never completed
    REMOVED = "removed"  # a tombstone: its number is never used again


@dataclass(frozen=True, slots=True)
class Layout:
    """How a tree is cut into packs: `number` names it in keys, `packs` is a power of two."""

    number: int
    packs: int

    def key(self, pack: int) -> str:
        return f"{self.number}.{pack}"

    @property
    def keys(self) -> frozenset[str]:
        """Of all its packs."""
        return frozenset(map(self.key, range(self.packs)))

    def number_of(self, key: str) -> int:
        """The inverse of `key`."""
        return int(key.partition(".")[2])

    def owns(self, key: str) -> bool:
        return key.startswith(f"{self.number}.")


@dataclass(frozen=True, slots=True)
class Failure:
    """Why the newest attempt failed, in words a person can act on. `at` is in Unix seconds."""

    reason: str
    at: int
    commit: str | None = None


@dataclass(frozen=True, slots=True)
class Repository:
    """The row of one repository.

    Attributes:
        status: see design, "Repository status".
        commit, tree: the published commit and the name of its tree object; None before the first.
        wanted: newest head heard of while a run was in flight, ANY, or None. It stays until a run begins for
            it, or the published commit turns out to be the head.
        rebuild: a person asked for a rebuild while a run was in flight.
        run: number of the run in flight, or None. `last_run` is the newest number given.
        layout: of the published commit. `target`: one that runs aim at and none has published yet; it stays
            the target until one does, because what they wrote lies under its keys.
        dirty: packs whose records may be neither the published state nor another clean one, and packs that
            hold what is still to be removed.
        attempts: failed attempts since the last success. `version` guards every write of the row.
        counts: of the published tree: records by entity type, `files`, `bytes`.
        skips: of the published tree: files by skip reason.
        languages: of the published tree: records by language.
        exclude: patterns of what its owners keep out of the index without touching the tree.
        unsettled: newest run that may not know the newest settings; None once one that does was published.
    """

    id: int
    org: str
    host: str
    host_id: str
    labels: Labels
    status: Status = Status.PENDING
    commit: CommitSha | None = None
    tree: str | None = None
    wanted: str | None = None
    rebuild: bool = False
    indexed_at: int | None = None
    layout: Layout | None = None
    target: Layout | None = None
    parser_version: int = 0
    run: int | None = None
    last_run: int = 0
    dirty: frozenset[str] = frozenset()
    attempts: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    skips: Mapping[str, int] = field(default_factory=dict)
    languages: Mapping[str, int] = field(default_factory=dict)
    exclude: tuple[str, ...] = ()
    unsettled: int | None = None
    last_failure: Failure | None = None
    version: int = 0

    @property
    def freshness(self) -> Freshness:
        if self.run is not None or self.wanted is not None:
            return "pending"
        return "stale" if self.last_failure is not None else "fresh"


@dataclass(frozen=True, slots=True)
class Run:
    """One attempt to take a repository to a commit.

    Attributes:
        delivery: of the hint that started it, so that its redelivery resumes it.
        packs: keys of the packs to bring up to date; `done` those that are.
        leaving: packs from which files left; they are emptied after the publish.
        attempt: how often it was dispatched; 0 until all of its messages were sent once.
        heard_at: when a receipt was last noted. `failure`: reason of the newest failed receipt.
        exhausted: the last permitted receipt of one of its messages failed, for the reason in `failure`. The
            watch waits all the same until nothing is heard: receipts of other packs may still be at work.
        received: a parser has taken up one of its messages.
    """

    seq: int
    commit: CommitSha
    tree: str
    layout: Layout
    parser_version: int
    delivery: str
    started_at: int
    heard_at: int
    packs: frozenset[str] = frozenset()
    skips: Mapping[str, int] = field(default_factory=dict)
    done: frozenset[str] = frozenset()
    leaving: frozenset[str] = frozenset()
    attempt: int = 0
    published_at: int | None = None
    finished_at: int | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    failure: str | None = None
    exhausted: bool = False
    received: bool = False


@dataclass(frozen=True, slots=True)
class Totals:
    """What a published tree holds: records by entity type with `files` and `bytes`; files by skip reason;
    records by language."""

    counts: Mapping[str, int] = field(default_factory=dict)
    skips: Mapping[str, int] = field(default_factory=dict)
    languages: Mapping[str, int] = field(default_factory=dict)


class WatchAction(StrEnum):
    """What the watch does with an entry of the list of runs."""

    ASK = "ask"  # the run is over: ask for a snapshot, then forget the entry
    FAIL = "fail"
    CLEAR = "clear"  # the repository was removed: clear away what is left of it
    FINISH = "finish"  # every pack is done, and whoever should have published was cut off
    WAIT = "wait"


def relabelled(row: Repository, labels: Labels | None) -> Repository:
    return row if labels is None or labels == row.labels else replace(row, labels=labels)


def configured(row: Repository, exclude: tuple[str, ...]) -> Repository:
    """New settings hold from the next run on: a run is recorded only if the row is as it was planned with."""
    return row if exclude == row.exclude else replace(row, exclude=exclude, unsettled=row.last_run)


def noted(row: Repository, request: SnapshotRequest, run: Run) -> Repository:
    """A hint that came while `run` is in flight. The end of the run asks again if `wanted` is set.

    A hint for the run's own commit never overwrites an older one, and one without a head overwrites nothing.
    """
    if request.after is None or request.rebuild:
        return replace(row, wanted=row.wanted or ANY, rebuild=row.rebuild or request.rebuild)
    if request.after == run.commit:
        return row
    return replace(row, wanted=request.after)


def is_current(row: Repository, head: CommitSha, parser_version: int) -> bool:
    """Nothing to do: this very commit is published, by this parser and under the settings of now, and nothing
    is left half done."""
    is_whole = not row.dirty and row.target is None and row.unsettled is None
    return (row.commit, row.parser_version) == (head, parser_version) and is_whole


def settled(row: Repository) -> Repository:
    """The published commit is the head, so what was wanted is here. A run in flight decides for itself."""
    if row.run is not None:
        return row
    return replace(row, wanted=None, last_failure=None, attempts=0)


def layout_of_next_run(row: Repository, needed: int, *, rebuild: bool) -> Layout:
    """The layout a run must use.

    Args:
        needed: the pack count that suits the tree now.
        rebuild: begin a new layout, unless one is under way already.
    """
    if row.target is not None:
        return row.target
    if row.layout is None:
        return Layout(1, needed)
    return Layout(row.layout.number + 1, needed) if rebuild else row.layout


def packs_to_do(
    row: Repository, layout: Layout, changed: frozenset[str], parser_version: int
) -> frozenset[str]:
    """Changed packs, those an earlier run left dirty, and all of them for another parser or layout."""
    if row.layout != layout or row.parser_version != parser_version:
        return layout.keys
    return changed | frozenset(filter(layout.owns, row.dirty))


def begun(row: Repository, run: Run, after: CommitSha | None) -> Repository:
    """`run` is now in flight. What is wanted, or was announced by its hint, stays so unless it goes there.

    Args:
        after: the commit that the hint announced.
    """
    wanted = after if row.wanted in (None, ANY, run.commit) else row.wanted
    rebuilds = run.layout != row.layout
    return replace(
        row,
        run=run.seq,
        last_run=run.seq,
        target=run.layout if rebuilds else None,
        status=Status.PROCESSING if row.commit is None else row.status,
        dirty=row.dirty | run.packs,
        wanted=None if wanted in (run.commit, ANY) else wanted,
        rebuild=row.rebuild and not rebuilds,
    )


def published(row: Repository, run: Run, totals: Totals, now: int) -> Repository:
    """The run's commit becomes the repository's, once every pack is done.

    Dirty are from now on only packs to remove from: where files left, and every pack of an older layout.
    """
    older = row.layout.keys if row.layout is not None and row.layout != run.layout else frozenset()
    foreign = frozenset(pack for pack in row.dirty if not run.layout.owns(pack))
    return replace(
        row,
        status=Status.COMPLETED,
        commit=run.commit,
        tree=run.tree,
        layout=run.layout,
        target=None,
        parser_version=run.parser_version,
        dirty=run.leaving | older | foreign,
        indexed_at=now,
        attempts=0,
        counts=totals.counts,
        skips=totals.skips,
        languages=totals.languages,
        unsettled=None if row.unsettled is None or run.seq > row.unsettled else row.unsettled,
        last_failure=None,
    )


def may_publish(row: Repository, run: Run) -> bool:
    return row.run == run.seq and run.published_at is None and run.done >= run.packs


def emptied(row: Repository, pack: str) -> Repository:
    """Nothing of the old commit remains in `pack`."""
    return replace(row, dirty=row.dirty - {pack})


def may_end(row: Repository, run: Run) -> bool:
    return row.run == run.seq and run.published_at is not None and not row.dirty


def ended(row: Repository) -> Repository:
    """The last step of a run. What is wanted stays so until a snapshot has seen to it."""
    return replace(row, run=None)


def host_lags(row: Repository, head: CommitSha, request: SnapshotRequest) -> bool:
    """The host still shows the commit before a push that was announced, by this hint or by an earlier one."""
    announced = row.wanted if row.wanted not in (None, ANY) else request.after
    return head != announced and head in (request.before, row.commit) and announced is not None


def failed(row: Repository, reason: str, commit: CommitSha | None, now: int) -> Repository:
    """The run, or the attempt before one, is given up. `dirty` stays, so that the next run repairs it."""
    return replace(
        row,
        run=None,
        status=row.status if row.commit is not None else Status.FAILED,
        attempts=row.attempts + 1,
        last_failure=Failure(reason, now, commit),
    )


def empty(row: Repository) -> Repository:
    """The host has the repository and it has no commit yet: there is nothing to index, and nothing failed."""
    return replace(row, status=Status.COMPLETED, wanted=None, last_failure=None, attempts=0)


def removed(row: Repository) -> Repository:
    """Gone for everybody at once; what is left is cleared away later. Its number is never used again."""
    return replace(row, status=Status.REMOVED, run=None, wanted=None)


def to_repair(row: Repository, packs: frozenset[str]) -> Repository:
    """Files of these packs were found to differ from what is stored: the next run does them again."""
    return replace(row, dirty=row.dirty | packs)


def needs_run(row: Repository, head: CommitSha | None, parser_version: int) -> bool:
    """Whether an idle repository is behind its host's head, half done, or done by an older parser."""
    if row.run is not None or row.status is Status.REMOVED or head is None:
        return False
    return not is_current(row, head, parser_version)


def retry_at(row: Repository, now: int, pause: float) -> int:
    """When the watch may start a failed repository again: pauses grow with its attempts, up to an hour.

    Args:
        pause: seconds before a failed message is tried again for the first time.
    """
    return now + round(pause * RETRY_PAUSES[min(row.attempts, len(RETRY_PAUSES)) - 1])


def watch_action(row: Repository, run: Run | None, due: int | None, now: int, patience: float) -> WatchAction:
    """What an entry of the list of runs asks for.

    Args:
        run: the run of the entry, or None where none was ever recorded.
        due: when a failed repository may be started again, or None.
        patience: seconds of silence after which a run stands still; longer than a receipt can take.
    """
    if row.status is Status.REMOVED:
        return WatchAction.CLEAR
    if due is not None:
        return WatchAction.ASK if now >= due else WatchAction.WAIT
    if run is None or row.run != run.seq:
        return WatchAction.ASK
    if now - run.heard_at <= patience * (1 if run.received else WAITING_PATIENCE):
        return WatchAction.WAIT
    return (
        WatchAction.FINISH
        if run.attempt and (may_publish(row, run) or may_end(row, run))
        else WatchAction.FAIL
    )
