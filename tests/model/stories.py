"""Histories told by hand, for rules that chance is slow to miss."""

from collections.abc import Callable, Mapping

from codesage.errors import Rejected, Unavailable
from tests.model.explorer import History, Worker, worker_of
from tests.model.rules import Rules
from tests.model.world import MAX_RECEIVES, Choices, Files

TREE: Files = {"a": ((1, "x", 0),), "b": ((1, "x", 0),), "c": ()}  # `a` is in the first of two packs


class Story(History):
    """A history in which nothing happens by chance."""

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules, Choices())

    def push(self, files: Files, *, behind: int = 0) -> None:
        self.push_unheard(files, behind=behind)
        self.world.hints.send(self._hint(after=self.world.host.newest))

    def push_unheard(self, files: Files, *, behind: int = 0) -> None:
        """A push whose hint is not needed, because the next one asks for the head anyway."""
        self.world.host.push(files, behind=behind)
        self.log.append(f"PUSH {self.world.host.newest[-2:]}: {files}")

    def rebuild(self) -> None:
        self.log.append("REBUILD is asked for")
        self.promises.rebuild_is_asked()
        self.world.hints.send(self._hint(rebuild=True))

    def watch_once(self) -> None:
        self._watch()
        self.go_on_until(lambda: False)

    def silence_and_watch(self) -> None:
        self._watched_silence()

    def worker_before(self, name: str, effect: str) -> Worker:
        """Have a message received by the worker of this name, and let it fall asleep before this effect."""
        self.go_on_until(lambda: self._is_waiting(name))
        queue, envelope = next(
            (queue, envelope)
            for queue in (self.world.hints, self.world.parses)
            for envelope in queue.waiting()
            if worker_of(envelope.message).startswith(name)
        )
        worker = self._receive_envelope(queue, envelope)
        while not worker.effect.startswith(effect):
            self._advance(worker)
        worker.stalled = True
        return worker

    def refuse(self, worker: Worker) -> None:
        """The worker meets an error for which it is not tried again."""
        worker.stalled = False
        self._fails(worker, Rejected("refused"))

    def fail_every_receipt(self, name: str, effect: str) -> None:
        """The message of this name goes to the dead letters; each of its receipts notes why."""
        for _ in range(MAX_RECEIVES):
            worker = self.worker_before(name, effect)
            self._fails(worker, Unavailable("away"))
            while worker in self._workers:
                self._advance(worker)

    def go_on_until(self, has_come: Callable[[], bool]) -> None:
        """Let everybody work who is not asleep, until this is so or nothing is left to do."""
        while not has_come():
            awake = [worker for worker in self._workers if not worker.stalled]
            if awake:
                self._advance(awake[0])
            elif not self._receive_one(again=False):
                return

    def _is_waiting(self, name: str) -> bool:
        waiting = [*self.world.hints.waiting(), *self.world.parses.waiting()]
        return any(worker_of(envelope.message).startswith(name) for envelope in waiting)


def a_file_returns_before_its_old_layout_is_emptied(story: Story) -> None:
    story.push(TREE)
    story.go_on_until(lambda: False)
    story.push_unheard({"b": (), "c": (), "d": ()})
    story.rebuild()
    story.refuse(story.worker_before("remove of 1.0", "read the entities of a"))
    story.silence_and_watch()
    story.push({**TREE, "a": ((2, "x", 0),)})


def a_worker_outlives_its_failed_run(story: Story) -> None:
    story.push(TREE)
    story.go_on_until(lambda: False)
    story.push({**TREE, "a": ((1, "x", 1),), "b": ((1, "x", 1),)})
    story.worker_before("update of 1.0", "Algolia: save")
    story.refuse(story.worker_before("update of 1.1", "Algolia: save"))
    story.watch_once()
    story.push_unheard({**TREE, "a": ((2, "x", 0),)})
    story.rebuild()


def a_hint_comes_while_its_host_shows_what_was_wanted(story: Story) -> None:
    story.push(TREE)
    worker = story.worker_before("update of 1.0", "Algolia: save")
    story.push({**TREE, "a": ((1, "x", 1),)})
    story.go_on_until(lambda: False)
    story.refuse(worker)
    story.silence_and_watch()
    story.push({**TREE, "a": ((1, "x", 2),)}, behind=1)


def a_hint_dies_before_the_entry_of_the_last_run_is_gone(story: Story) -> None:
    story.push({"a": ((1, "x", 0),)})
    story.worker_before("update of 1.0", "forget the entry of run 1")
    story.push({"a": ((1, "x", 1),)})
    story.fail_every_receipt("snapshot of push 02", "ask the host for its head")


STORIES: Mapping[str, Callable[[Story], None]] = {
    "left_layout_is_marked": a_file_returns_before_its_old_layout_is_emptied,
    "exhausted_waits": a_worker_outlives_its_failed_run,
    "hint_is_kept_at_begin": a_hint_comes_while_its_host_shows_what_was_wanted,
    "entry_is_forgotten_as_seen": a_hint_dies_before_the_entry_of_the_last_run_is_gone,
}
"""Rule -> a history that needs it, up to where quiet begins."""
