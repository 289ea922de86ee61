"""A seed -> a history: pushes, crashes, repeats and silence at random, then quiet, then the promises."""

from bisect import bisect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import cast

from codesage.errors import CodeSageError, Rejected, Unavailable
from codesage.messages import SnapshotRequest
from codesage.runs import Repository, Run, is_current
from tests.model.promises import Broken, Promises
from tests.model.protocol import PATIENCE, ask, receipt, watch
from tests.model.rules import Rules
from tests.model.world import (
    LABELS,
    Choices,
    Entity,
    Envelope,
    Files,
    Message,
    Queue,
    Steps,
    World,
    new_world,
)

PATHS = ("a", "b", "c", "d")
MAX_LAG = 3  # questions; as many as a hint is repeated for
MAX_WORKERS = 4
LENGTH = 160  # mean of decisions about what happens next
ROUNDS = 20  # silence and a pass of the watch, until nothing is left
WEIGHTS = {
    "go_on": 62,
    "receive": 16,
    "kill": 3,
    "fail": 2,
    "push": 5,
    "late_hint": 2,
    "rebuild": 2,
    "deploy": 1,
    "watch": 3,
    "receive_again": 2,
    "silence": 1,
    "watched_silence": 2,
    "apply": 2,
    "stall": 2,
}
"""How often each thing happens. A history goes without some of them, so that the others meet more often."""

ALWAYS = ("go_on", "receive")
REST = 5_000  # steps within which a drained world comes to rest


@dataclass(slots=True, eq=False)
class Worker:
    """One call of a function.

    Attributes:
        effect: what it does when it is let go on.
        stalled: it is let go on only when no other is there to.
    """

    name: str
    steps: Steps[None]
    effect: str
    queue: Queue | None = None
    envelope: Envelope | None = None
    stalled: bool = False


@dataclass(slots=True)
class History:
    """One history. `play` raises Broken when a promise does not hold.

    Attributes:
        log: what happened, in words.
        lost: a hint never came to anybody's ears, so only the reconcile can tell of its commit.
        refused: a message left its queue because trying again would not help.
        twins: two workers were at one message; the one that was killed may have done what the other did not.
        steps: effects that workers had.
    """

    rules: Rules
    choices: Choices
    log: list[str] = field(default_factory=list)
    lost: bool = False
    refused: bool = False
    twins: bool = False
    steps: int = 0
    world: World = field(init=False)
    promises: Promises = field(init=False)
    _workers: list[Worker] = field(default_factory=list)
    _late: list[SnapshotRequest] = field(default_factory=list)
    _names: int = 0
    _lags: bool = False

    def __post_init__(self) -> None:
        self.world = new_world(self.rules, self.choices)
        self.promises = Promises(self.world)
        self.world.store.begins.append(self._end_overlaps)

    def play(self) -> None:
        self._lags = self.choices.pick(2) == 1
        self._push()
        kept = [name for name in WEIGHTS if name in ALWAYS or self.choices.pick(3) < 2]
        happenings = [cast("Callable[[], None]", getattr(self, f"_{name}")) for name in kept]
        bounds = list(accumulate(WEIGHTS[name] for name in kept))
        for _ in range(LENGTH // 2 + self.choices.pick(LENGTH)):
            happenings[bisect(bounds, self.choices.pick(bounds[-1]))]()
        self.come_to_rest()

    # ---- what may happen ---------------------------------------------------------------------------------

    def _go_on(self) -> None:
        awake = [worker for worker in self._workers if not worker.stalled]
        if awake:
            self._advance(awake[self.choices.pick(len(awake))])
        elif not self._receive_one(again=False) and self._workers:
            self._advance(self._workers[0])

    def _stall(self) -> None:
        """A worker falls asleep, or one that slept wakes up."""
        if self._workers:
            worker = self._workers[self.choices.pick(len(self._workers))]
            worker.stalled = not worker.stalled

    def _receive(self) -> None:
        if len(self._workers) < MAX_WORKERS:
            self._receive_one(again=False)
        else:
            self._go_on()

    def _receive_again(self) -> None:
        """The queue gives a message that a worker is at to a second one."""
        self._receive_one(again=True)

    def _receive_one(self, *, again: bool) -> bool:
        world = self.world
        waiting = [(q, e) for q in (world.hints, world.parses) for e in q.waiting(again=again)]
        if not waiting:
            return False
        queue, envelope = waiting[self.choices.pick(len(waiting))]
        self.twins |= again
        self._receive_envelope(queue, envelope)
        return True

    def _receive_envelope(self, queue: Queue, envelope: Envelope) -> Worker:
        world, message = self.world, envelope.message
        envelope.receives += 1
        envelope.alive += 1
        if (
            isinstance(message, SnapshotRequest)
            and envelope.receives > MAX_LAG
            and message.after == world.host.newest
        ):
            world.host.catch_up()
        steps = receipt(world, message, envelope.receives)
        return self._start(worker_of(message), steps, queue, envelope)

    def _kill(self) -> None:
        if self._workers:
            worker = self._workers[self.choices.pick(len(self._workers))]
            self.log.append(f"  {worker.name}: KILLED before: {worker.effect}")
            self._is_killed(worker)

    def _fail(self) -> None:
        """The next effect fails, or the reply to the last one was lost."""
        if not self._workers:
            return
        worker = self._workers[self.choices.pick(len(self._workers))]
        refused = self.choices.pick(3) == 2 and worker.queue is not None
        self._fails(worker, Rejected("refused") if refused else Unavailable("away"))

    def _fails(self, worker: Worker, error: CodeSageError) -> None:
        refused = isinstance(error, Rejected)
        self.refused |= refused
        self.lost |= refused and worker.queue is self.world.hints
        self.log.append(f"  {worker.name}: {type(error).__name__} instead of: {worker.effect}")
        try:
            worker.effect = worker.steps.throw(error)
        except StopIteration:
            self._is_done(worker)
        except CodeSageError:
            self._is_killed(worker)  # it did not even come to note its failure

    def _push(self) -> None:
        world, choices = self.world, self.choices
        before = world.host.newest if world.host.commits else None
        files = self._changed(dict(world.host.files[before]) if before else {})
        world.host.push(files, behind=choices.pick(MAX_LAG + 1) if self._lags else 0)
        after = world.host.newest
        self.log.append(f"PUSH {after[-2:]}: {files}")
        hint = self._hint(before=before, after=after)
        match choices.pick(8):
            case 5:
                self._late.append(hint)
            case 6:
                world.hints.send(hint)
                self._late.append(self._hint(before=before, after=after))
            case 7:
                self.log.append("its hint is LOST")
                self.lost = True
            case _:
                world.hints.send(hint)

    def _late_hint(self) -> None:
        if self._late:
            hint = self._late.pop(self.choices.pick(len(self._late)))
            self.log.append(f"LATE HINT {hint.delivery}")
            self.world.host.catch_up()  # by then any lag is over
            self.world.hints.send(hint)

    def _rebuild(self) -> None:
        self.log.append("REBUILD is asked for")
        self.promises.rebuild_is_asked()
        self.world.hints.send(self._hint(rebuild=True))

    def _deploy(self) -> None:
        self.world.parser_version += 1
        self.log.append(f"DEPLOY parser {self.world.parser_version}")
        self.lost = True  # nobody sends a hint for it; the reconcile brings old versions up

    def _watch(self) -> None:
        if len(self._workers) < MAX_WORKERS:
            self._start("watch", watch(self.world))

    def _silence(self) -> None:
        """Longer than any call may take: all workers are dead, and a host that lagged shows its head."""
        self.log.append("SILENCE")
        for worker in list(self._workers):
            self._is_killed(worker)
        self.world.now += 20 * PATIENCE
        self.world.host.catch_up()
        self.world.hints.forget_duplicates()
        self.world.parses.forget_duplicates()

    def _watched_silence(self) -> None:
        self._silence()
        self._watch()
        while self._workers:
            self._advance(self._workers[0])

    def _apply(self) -> None:
        """Algolia gets to its oldest task although nobody waits."""
        self.world.index.apply(1)
        self.promises.check()

    # ---- trees and hints ---------------------------------------------------------------------------------

    def _changed(self, files: dict[str, tuple[Entity, ...]]) -> Files:
        if len(self.world.host.commits) > 1 and self.choices.pick(4) == 3:
            return self.world.host.files[self.world.host.commits[-2]]
        for _ in range(1 + self.choices.pick(2) + 3 * (not files)):
            path = PATHS[self.choices.pick(len(PATHS))]
            match self.choices.pick(5):
                case 3 if path in files:
                    del files[path]
                case 4 if path in files:
                    files[PATHS[self.choices.pick(len(PATHS))]] = files.pop(path)
                case _:
                    files[path] = self._entities()
        return files

    def _entities(self) -> tuple[Entity, ...]:
        lines = range(1, 1 + self.choices.pick(3))
        return tuple((line, "xy"[self.choices.pick(2)], self.choices.pick(2)) for line in lines)

    def _hint(
        self, *, before: str | None = None, after: str | None = None, rebuild: bool = False
    ) -> SnapshotRequest:
        self._names += 1
        name = "rebuild" if rebuild else f"push {str(after)[-2:]}"
        return SnapshotRequest(
            org="default",
            host="github",
            host_id="7",
            delivery=f"{name}, hint {self._names}",
            labels=LABELS,
            before=before,
            after=after,
            rebuild=rebuild,
        )

    # ---- workers -----------------------------------------------------------------------------------------

    def _start(
        self, name: str, steps: Steps[None], queue: Queue | None = None, envelope: Envelope | None = None
    ) -> Worker:
        self._names += 1
        worker = Worker(f"{name} #{self._names}", steps, next(steps), queue, envelope)
        self._workers.append(worker)
        return worker

    def _advance(self, worker: Worker) -> None:
        self.steps += 1
        self.log.append(f"  {worker.name}: {worker.effect}")
        try:
            worker.effect = next(worker.steps)
        except StopIteration:
            self._is_done(worker)
        except CodeSageError as error:
            self.log.append(f"  {worker.name}: failed: {error}")
            self._leaves(worker)  # its failure is noted: after the last receipt the watch goes on
        self.promises.check()

    def _end_overlaps(self, row: Repository, run: Run) -> None:
        """Two workers are at one message for a moment at most: the next run does not meet both."""
        second = [
            worker
            for worker in self._workers
            if worker.queue is self.world.parses
            and worker.envelope is not None
            and (worker.envelope.deleted or worker.envelope.alive > 1)
        ]
        for worker in second:
            self._is_killed(worker)

    def _is_done(self, worker: Worker) -> None:
        if worker.envelope is not None:
            worker.envelope.deleted = True
        self._leaves(worker)

    def _is_killed(self, worker: Worker) -> None:
        worker.steps.close()
        self._is_let_go(worker)

    def _is_let_go(self, worker: Worker) -> None:
        if self._leaves(worker) and worker.queue is self.world.hints:
            self.lost = True

    def _leaves(self, worker: Worker) -> bool:
        """Returns whether its message is dead by that."""
        self._workers.remove(worker)
        if worker.queue is None or worker.envelope is None:
            return False
        return worker.queue.released(worker.envelope)

    # ---- quiet -------------------------------------------------------------------------------------------

    def come_to_rest(self) -> None:
        self.choices.quiet = True
        self.log.append("QUIET")
        while self._late:
            self._late_hint()
        self._drain()
        self._check_that_no_hand_was_needed()
        self._watch_until_nothing_is_left()
        row = self.world.store.row
        is_newest = is_current(row, self.world.host.newest, self.world.parser_version)
        at_rest = is_newest and row.wanted is None and not row.rebuild
        if self.lost and not at_rest:
            self._silence()
            self.log.append("RECONCILE")
            self._start("reconcile", ask(self.world, row))
            self._drain()
            self._watch_until_nothing_is_left()
        self.promises.check_rest(marks_may_remain=self.twins, hints_were_heard=not self.lost)

    def _drain(self) -> None:
        world, bound = self.world, self.steps + REST
        while self._workers or world.hints.waiting() or world.parses.waiting():
            self._go_on()
            if self.steps > bound:
                raise Broken("queues run dry")
        world.index.apply_all()
        self.promises.check()

    def _check_that_no_hand_was_needed(self) -> None:
        """Crashes alone need no watch: redelivery brings every run to its end unless a message died."""
        world = self.world
        died = self.refused or self.twins or world.hints.dead or world.parses.dead
        if world.store.row.run is not None and not died:
            raise Broken("a run ends by redelivery alone", world.store.runs[world.store.row.run])

    def _watch_until_nothing_is_left(self) -> None:
        store = self.world.store
        for _ in range(ROUNDS):
            if store.entry is None:
                return
            self._silence()
            self._watch()
            self._drain()
        raise Broken("the watch comes to an end", (store.row, store.entry))


def worker_of(message: Message) -> str:
    if isinstance(message, SnapshotRequest):
        return f"snapshot of {message.delivery}"
    return f"{message.phase} of {message.pack} for run {message.run}"


# ---- many histories ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Found:
    """A broken history, as short as it could be made."""

    broken: Broken
    choices: tuple[int, ...]
    log: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join([f"{self.broken}", *self.log, f"choices: {list(self.choices)}"])


@dataclass(slots=True)
class Explored:
    """How much was seen, and the first broken history if there is one."""

    histories: int = 0
    steps: int = 0
    found: Found | None = None


def explore(rules: Rules, seeds: Iterable[int], *, shorten: bool = True) -> Explored:
    """Play one history per seed until one breaks."""
    explored = Explored()
    for seed in seeds:
        history = History(rules, Choices(seed))
        explored.histories += 1
        try:
            history.play()
        except Broken as broken:
            made = history.choices.made
            explored.found = shortest(rules, broken, made) if shorten else Found(broken, tuple(made), ())
            return explored
        finally:
            explored.steps += history.steps
    return explored


def shortest(rules: Rules, broken: Broken, choices: Sequence[int]) -> Found:
    """Cut decisions out and write zeroes over them for as long as the same promise stays broken."""
    best = list(choices)
    size = max(1, len(best) // 2)
    while size:
        place = 0
        while place < len(best):
            for shorter in (best[:place] + best[place + size :], _zeroed(best, place, size)):
                if shorter != best and _breaks(rules, shorter, broken.promise):
                    best = shorter
                    break
            else:
                place += size
        size //= 2
    history = History(rules, Choices(replay=best))
    try:
        history.play()
    except Broken as again:
        return Found(again, tuple(best), tuple(history.log))
    return Found(broken, tuple(choices), ())


def _zeroed(choices: Sequence[int], place: int, size: int) -> list[int]:
    end = min(len(choices), place + size)
    return [*choices[:place], *([0] * (end - place)), *choices[end:]]


def _breaks(rules: Rules, choices: Sequence[int], promise: str) -> bool:
    try:
        History(rules, Choices(replay=choices)).play()
    except Broken as broken:
        return broken.promise == promise
    return False
