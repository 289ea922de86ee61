"""A hint -> a run -> packs -> a published commit: the indexing protocol, short enough to be read in one go.

Each stage is written as the service has it, effect by effect and in the service's order, and the decisions
are the service's own: the transitions are those of `codesage.runs`, and what a pack is and which of them
changed is said by `codesage.trees`. Left out is what the protocol does not turn on: how a tree is learned,
what is skipped and why, counts, what entities look like. `rules.<name>` marks where a rule is followed; the
other branch is what a test shows to be wrong.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeVar

from codesage.errors import CodeSageError, Rejected, Superseded, Unavailable
from codesage.items import FileItem
from codesage.messages import ParseRequest, SnapshotRequest
from codesage.packs import PackFile
from codesage.runs import (
    ANY,
    WAITING_PATIENCE,
    Repository,
    Run,
    Totals,
    WatchAction,
    begun,
    emptied,
    ended,
    failed,
    host_lags,
    is_current,
    layout_of_next_run,
    may_end,
    may_publish,
    noted,
    packs_to_do,
    published,
    retry_at,
    settled,
    watch_action,
)
from codesage.trees import Tree, changed_packs
from tests.model.world import MAX_RECEIVES, Entry, Steps, World, records_of

T = TypeVar("T")

PATIENCE, PAUSE = 60, 1  # seconds
LAG_RECEIPTS = 3
START_AGAIN = 5
BATCH_FILES = 2


# ---- a message arrives -------------------------------------------------------------------------------


def receipt(world: World, message: SnapshotRequest | ParseRequest, number: int) -> Steps[None]:
    """One receipt of a message. It returns when the message is done with, and raises when it comes back."""
    handle: Callable[[], Steps[None]]
    if isinstance(message, SnapshotRequest):
        stage = Snapshot(world, message, number)
        handle, note_failure = stage.handle, stage.note_failure
    else:
        pack = PackReceipt(world, message)
        handle, note_failure = pack.handle, pack.note_failure
    try:
        yield from handle()
    except Superseded:
        return
    except CodeSageError as error:
        final = isinstance(error, Rejected)
        yield from note_failure(error, final or number >= MAX_RECEIVES)
        if not final:
            raise


# ---- snapshot ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A hint that the repository may have moved becomes packs in the store and a message for each."""

    world: World
    request: SnapshotRequest
    receipt: int

    def handle(self) -> Steps[None]:
        row = yield from self.world.store.repository()
        for _ in range(START_AGAIN):
            try:
                yield from self._advance(row)
            except Superseded:
                row = yield from self.world.store.repository()
            else:
                return
        raise Unavailable("the row changes too fast")

    def note_failure(self, error: CodeSageError, final: bool) -> Steps[None]:
        store = self.world.store
        row = yield from store.repository()
        if row.run is None:
            if final:
                yield from self._give_up(error)
            return
        run = yield from store.run(row.run)
        if run.delivery == self.request.delivery:
            yield from store.note_failure(run.seq, str(error), final)
        elif final:
            yield from store.change("noted", lambda now: self._noted(now, run) if now.run == run.seq else now)

    def _give_up(self, error: CodeSageError) -> Steps[None]:
        """A refused hint is not started again by the watch; a push or the reconcile asks again."""
        store, now = self.world.store, self.world.now

        def fail(row: Repository) -> Repository:
            return row if row.run is not None else failed(row, str(error), self.request.after, now)

        before, after = yield from store.change("the hint failed", fail)
        if after is before:
            return
        if not isinstance(error, Rejected):
            yield from store.put_entry(Entry(after.last_run, retry_at(after, now, PAUSE)))
            return
        entry = yield from store.read_entry()
        if entry is not None and entry.due is not None:
            yield from store.take_entry(entry)

    def _advance(self, row: Repository) -> Steps[None]:
        world, request, rules = self.world, self.request, self.world.rules
        if row.run is not None and rules.one_run_in_flight:
            run = yield from world.store.run(row.run)
            yield from self._meet(row, run)
            return
        # Should this receipt be cut off before a run is recorded, the watch asks again.
        entry = Entry(row.last_run, world.now + WAITING_PATIENCE * PATIENCE)
        yield from world.store.put_entry(entry)
        rebuild = request.rebuild or row.rebuild
        version = world.parser_version
        head, question = yield from world.host.head()
        if host_lags(row, head, request) and self.receipt <= LAG_RECEIPTS and rules.lag_is_waited_out:
            raise Unavailable("the host lags behind its own webhook", retry_after=2)
        seen = row if rules.dirty_packs else replace(row, dirty=frozenset())
        if is_current(seen, head, version) and not rebuild:
            yield from world.store.change("settled", settled)
            yield from world.store.take_entry(entry)
            return
        base = None if rebuild else (yield from _published_tree(world, row))
        aim = seen if rules.target_stays else replace(seen, target=None)
        layout = layout_of_next_run(aim, _packs_needed(world, head), rebuild=rebuild)
        tree = world.host.tree(head, layout)
        run = Run(
            seq=row.last_run + 1,
            commit=head,
            tree=f"{head}-{row.last_run + 1}",
            layout=layout,
            parser_version=version,
            delivery=request.delivery,
            packs=packs_to_do(seen, layout, changed_packs(base, tree), version),
            started_at=world.now,
            heard_at=world.now,
        )
        world.asked[run.seq] = question
        after = request.after if row.wanted is None or rules.hint_is_kept_at_begin else row.wanted
        yield from world.store.begin(row, begun(row, run, after), run)
        yield from self._dispatch(run, tree, base)

    def _meet(self, row: Repository, run: Run) -> Steps[None]:
        """A run is in flight: resume it where this very message started it, else leave word for its end."""
        rules = self.world.rules
        if run.delivery == self.request.delivery and rules.resume:
            yield from self._resume(row, run)
            return

        def note(now: Repository) -> Repository:
            if now.run != run.seq and rules.wanted_needs_the_run:
                raise Superseded("the run ended meanwhile")
            return self._noted(now, run)

        yield from self.world.store.change("noted", note)

    def _noted(self, row: Repository, run: Run) -> Repository:
        rules = self.world.rules
        if self.request.after == run.commit and not rules.own_commit_is_not_wanted:
            return replace(row, wanted=run.commit)
        after = noted(row, self.request, run)
        return after if self.request.after is not None or rules.wanted_is_kept else replace(after, wanted=ANY)

    def _resume(self, row: Repository, run: Run) -> Steps[None]:
        world = self.world
        if run.attempt:
            yield from finish(world, run.seq)
            return
        yield from world.store.hear(run.seq, world.now, received=False)
        base = None if run.layout != row.layout else (yield from _published_tree(world, row))
        tree = world.host.tree(run.commit, run.layout)
        if not changed_packs(base, tree) <= run.packs:
            raise Rejected("the run does not cover what changed")
        yield from self._dispatch(run, tree, base)

    def _dispatch(self, run: Run, tree: Tree, base: Tree | None) -> Steps[None]:
        """Upload what is new, send a message per pack, then mark the run dispatched. All of it repeatable."""
        world = self.world
        for pack in sorted(changed_packs(base, tree)):
            number = run.layout.number_of(pack)
            yield f"upload pack {pack}"
            world.packs[tree.hashes[number]] = tree.packs[number]
        yield f"upload the tree of run {run.seq}"
        world.trees[run.tree] = tree
        attempt = run.attempt + 1
        for pack in sorted(run.packs):
            yield f"send update of {pack}"
            content = tree.hashes[run.layout.number_of(pack)]
            world.parses.send(_parse_request(run, pack, "update", content, attempt))
        yield from world.store.mark_dispatched(run.seq, attempt)
        if not run.packs:
            yield from finish(world, run.seq)


def _packs_needed(world: World, commit: str) -> int:
    return 1 if len(world.host.files[commit]) < 3 else 2


def _published_tree(world: World, row: Repository) -> Steps[Tree | None]:
    if row.tree is None:
        return None
    yield "read the published tree"
    return world.trees[row.tree]


def _parse_request(run: Run, pack: str, phase: str, content: str, attempt: int) -> ParseRequest:
    return ParseRequest(
        org="default",
        repository_id=1,
        run=run.seq,
        pack=pack,
        content_hash=content,
        phase="remove" if phase == "remove" else "update",
        parser_version=run.parser_version,
        attempt=attempt,
    )


# ---- parser ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Work:
    """One file of a batch: what it is to become, what is known of it, and whether that may be believed."""

    file: PackFile
    before: FileItem | None
    records: dict[str, str]
    marked: bool


class PackReceipt:
    """A pack of a run becomes records in Algolia and items in the table, in two phases."""

    def __init__(self, world: World, request: ParseRequest) -> None:
        self._world = world
        self._request = request
        self._seq, self._pack = request.run, request.pack
        self._version = world.parser_version  # a worker is of the version that was deployed when it started

    def handle(self) -> Steps[None]:
        store = self._world.store
        row = yield from store.repository()
        if row.run != self._seq:
            raise Superseded("the run is over")
        if self._request.phase == "update" and self._request.parser_version != self._version:
            raise Unavailable("another version of the parser made this message")
        yield from store.hear(self._seq, self._world.now, received=True)
        run = yield from store.run(self._seq)
        if self._request.phase == "remove":
            yield from self._remove(row, run)
        elif self._pack in run.done:
            yield from finish(self._world, self._seq)
        else:
            yield from self._update(row, run)

    def note_failure(self, error: CodeSageError, final: bool) -> Steps[None]:
        yield from self._world.store.note_failure(self._seq, str(error), final)

    def _update(self, row: Repository, run: Run) -> Steps[None]:
        store, rules = self._world.store, self._world.rules
        files = {file.path: file for file in self._world.packs[self._request.content_hash]}
        stored = yield from store.files(self._pack)
        is_new = row.layout not in (None, run.layout) and rules.new_layout_is_marked
        has_older = not all(map(run.layout.owns, row.dirty)) and rules.left_layout_is_marked
        changed = (
            self._work(file, stored.get(path), unknown=is_new or has_older)
            for path, file in sorted(files.items())
            if not self._is_current(stored.get(path), file)
        )
        for batch in _batches(changed):
            yield from self._write_batch(batch)
            if self._is_out_of_time():
                yield from self._continue()
                return
        now = yield from store.files(self._pack)
        left = [file for path, file in now.items() if path not in files]
        if left and not rules.removal_after_publish:
            yield from self._remove_batch(left)
            yield from store.delete_files(self._seq, self._pack, [file.path for file in left])
        yield from store.mark_done(self._seq, self._pack, leaves=bool(left))
        yield from finish(self._world, self._seq)

    def _is_current(self, before: FileItem | None, file: PackFile) -> bool:
        return (
            before is not None
            and not before.writing
            and before.blob == file.blob
            and (before.parser_version == self._version or not self._world.rules.version_in_files)
        )

    def _work(self, file: PackFile, before: FileItem | None, *, unknown: bool) -> Work:
        marked = unknown if before is None else before.writing
        return Work(file, before, dict(records_of(file.path, file.blob, self._version)), marked)

    def _write_batch(self, batch: Sequence[Work]) -> Steps[None]:
        """Mark, save and wait, put items, delete and wait, delete items, unmark. The last one commits."""
        store, index, rules = self._world.store, self._world.index, self._world.rules
        yield from store.put_files(self._seq, self._pack, [self._item(work, writing=True) for work in batch])
        send: dict[str, str] = {}
        put: dict[str, str] = {}
        vanished: list[str] = []
        for work in batch:
            known = work.marked or work.before is not None
            stored = (yield from store.entities(work.file.path)) if known else {}
            changed = {name: text for name, text in work.records.items() if stored.get(name) != text}
            put |= changed
            send |= work.records if work.marked and rules.marks_are_sent_whole else changed
            vanished += [name for name in stored if name not in work.records]
        suspects = [work for work in batch if work.marked and rules.marks_are_listed]
        yield from index.save(send.items())
        if send or suspects:
            arrived = yield from index.wait()
            if not arrived and suspects and rules.listing_waits:
                raise Unavailable("what an earlier attempt sent cannot be listed yet")
        strays: list[str] = []
        for work in suspects:
            names = yield from index.names_of(work.file.path)
            strays += [name for name in names if name not in work.records and name not in vanished]
        yield from store.put_entities(self._seq, put.items())
        yield from self._delete_records([*vanished, *strays])
        yield from store.delete_entities(self._seq, vanished)
        yield from store.put_files(self._seq, self._pack, [self._item(work, writing=False) for work in batch])

    def _item(self, work: Work, *, writing: bool) -> FileItem:
        """Marked, it is the item as it was: what the file becomes is said by the unmarked one."""
        if writing and work.before is not None:
            return replace(work.before, writing=True)
        file = work.file
        return FileItem(file.path, file.blob, self._version, None, None, file.size, writing)

    def _remove(self, row: Repository, run: Run) -> Steps[None]:
        """Files that left the pack, or the whole pack of an older layout, whose paths may live on."""
        store = self._world.store
        if self._pack not in row.dirty:
            yield from finish(self._world, self._seq)
            return
        yield "read the tree of the run"
        here = {entry.path for entry in self._world.trees[run.tree].entries}
        foreign = not run.layout.owns(self._pack)
        stored = yield from store.files(self._pack)
        left = [file for path, file in stored.items() if foreign or path not in here]
        for batch in _batches(left):
            yield from self._remove_batch([file for file in batch if file.path not in here])
            yield from store.delete_files(self._seq, self._pack, [file.path for file in batch])
            if self._is_out_of_time():
                yield from self._continue()
                return
        yield from emptied_pack(self._world, self._seq, self._pack)

    def _remove_batch(self, files: Sequence[FileItem]) -> Steps[None]:
        store, index, rules = self._world.store, self._world.index, self._world.rules
        yield from store.put_files(self._seq, self._pack, [replace(file, writing=True) for file in files])
        suspects = [file for file in files if file.writing and rules.marks_are_listed]
        if suspects:
            arrived = yield from index.wait()
            if not arrived and rules.listing_waits:
                raise Unavailable("what an earlier attempt sent cannot be listed yet")
        items: list[str] = []
        strays: list[str] = []
        for file in files:
            items += yield from store.entities(file.path)
            if file in suspects:
                strays += yield from index.names_of(file.path)
        yield from self._delete_records(dict.fromkeys([*items, *strays]))
        yield from store.delete_entities(self._seq, items)

    def _delete_records(self, names: Iterable[str]) -> Steps[None]:
        names = list(names)
        yield from self._world.index.delete(names)
        if names and not (yield from self._world.index.wait()):
            raise Unavailable("a delete was not applied in time")

    def _is_out_of_time(self) -> bool:
        return self._world.choices.pick(10) == 9

    def _continue(self) -> Steps[None]:
        yield "send a continuation"
        continuation = self._request.continuation + 1
        self._world.parses.send(self._request.model_copy(update={"continuation": continuation}))


def _batches(things: Iterable[T]) -> Iterator[list[T]]:
    waiting = iter(things)
    while batch := list(islice(waiting, BATCH_FILES)):
        yield batch


# ---- publishing --------------------------------------------------------------------------------------


def finish(world: World, seq: int) -> Steps[None]:
    """Publish the run if its packs are done, start its removals, and end it if there are none left."""
    store = world.store
    row = yield from store.repository()
    run = yield from store.run(seq)
    if may_publish(row, run if world.rules.all_packs_before_publish or not run.done else _all_done(run)):
        now = world.now
        try:
            yield from store.publish(row, published(row, run, Totals(), now), run, now)
        except Superseded:
            yield from finish(world, seq)
            return
        row = yield from store.repository()
        run = replace(run, published_at=now)
    if row.run == seq and run.published_at is not None:
        for pack in sorted(row.dirty):
            yield f"send removal of {pack}"
            world.parses.send(_parse_request(run, pack, "remove", "", run.attempt))
        yield from end(world, row, run)


def _all_done(run: Run) -> Run:
    return replace(run, done=run.packs)


def emptied_pack(world: World, seq: int, pack: str) -> Steps[None]:
    """Nothing of the old commit remains in the pack."""

    def empty(row: Repository) -> Repository:
        if row.run != seq:
            raise Superseded("the run ended meanwhile")
        return emptied(row, pack)

    _, row = yield from world.store.change(f"{pack} is emptied", empty)
    run = yield from world.store.run(seq)
    yield from end(world, row, run)


def end(world: World, row: Repository, run: Run) -> Steps[None]:
    """Clear the run in flight once nothing is left to remove, and ask again if something newer is wanted."""
    store, rules = world.store, world.rules
    if not may_end(row, run):
        return

    def clear(now: Repository) -> Repository:
        if not may_end(now, run):
            return now
        return ended(now) if rules.wanted_is_kept else replace(ended(now), wanted=None)

    entry = Entry(run.seq, due=None)
    if not rules.entry_goes_last:
        yield from store.take_entry(entry)
    before, after = yield from store.change(f"run {run.seq} is over", clear)
    if after is before:
        return
    if before.wanted is not None:  # `after` says the same as long as what is wanted is kept
        yield from ask(world, after, rebuild=after.rebuild)
    yield from store.finish_run(run.seq, world.now)
    yield from store.take_entry(entry)


def ask(world: World, row: Repository, *, rebuild: bool = False) -> Steps[None]:
    """Send a hint that says: look at this repository, which is at this commit and was told of that one."""
    yield "send a hint"
    announced = row.wanted if world.rules.wanted_is_kept else None
    world.hints.send(
        SnapshotRequest(
            org="default",
            host="github",
            host_id="7",
            delivery=f"own {next(world.deliveries)}",
            rebuild=rebuild,
            before=row.commit,
            after=None if announced in (None, ANY) else announced,
        )
    )


# ---- watch -------------------------------------------------------------------------------------------


def watch(world: World) -> Steps[None]:
    """Look at the entry once: a run that stands still is ended, a failed repository is started again."""
    store = world.store
    entry = yield from store.read_entry()
    if entry is None:
        return
    now = world.now
    row = yield from store.repository()
    run = (yield from store.run(entry.run)) if entry.run in store.runs else None
    match _action(world, row, run, entry.due, now):
        case WatchAction.ASK:
            yield from ask(world, row)
            yield from store.take_entry(entry)
        case WatchAction.FINISH:
            yield from finish(world, entry.run)
        case WatchAction.FAIL if run is not None:
            yield from _fail(world, run, now)
        case _:
            pass


def _action(world: World, row: Repository, run: Run | None, due: int | None, now: int) -> WatchAction:
    is_exhausted = due is None and run is not None and row.run == run.seq and run.exhausted
    if is_exhausted and not world.rules.exhausted_waits:
        return WatchAction.FAIL
    return watch_action(row, run, due, now, PATIENCE)


def _fail(world: World, run: Run, now: int) -> Steps[None]:
    def fail(row: Repository) -> Repository:
        return (
            failed(row, run.failure or "nothing was heard of it", run.commit, now)
            if row.run == run.seq
            else row
        )

    before, after = yield from world.store.change(f"run {run.seq} failed", fail)
    if after is not before:
        yield from world.store.put_entry(Entry(run.seq, retry_at(after, now, PAUSE)))
