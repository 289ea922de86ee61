"""Histories told by hand, for rules that chance is too slow to miss. Each returns a history about to end."""

from collections.abc import Callable, Mapping

from codesage.errors import Rejected

from tests.model.explorer import USUAL, History, Worker
from tests.model.rules import Rules
from tests.model.world import Choices, Entity

OLD: Mapping[str, tuple[Entity, ...]] = {"a": ((1, "x", 0),), "b": ((1, "x", 0),), "c": ()}


class Story(History):
    """A history in which nothing happens by chance."""

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules, Choices(), USUAL)

    def is_worked_up_to(self, name: str, effect: str) -> Worker:
        """Start what the name begins with, let it go on until it is about to have this effect, and stop it."""
        queues = (self.world.hints, self.world.parses)
        worker = next(
            self.receive(queue, envelope)
            for queue in queues
            for envelope in queue.waiting()
            if self.name_of(envelope.message).startswith(name)
        )
        while not worker.effect.startswith(effect):
            self.advance(worker)
        worker.stalled = True
        return worker

    def is_drained_but_for(self, sleeper: Worker | None = None) -> None:
        while self.goes_on_without(sleeper):
            pass


def a_file_comes_back_before_its_old_layout_was_emptied(rules: Rules) -> History:
    story = Story(rules)
    story.push(OLD)
    story.is_drained_but_for()
    story.push({"b": (), "c": (), "d": ()})
    story.is_drained_but_for()
    story.push({**OLD, "d": ()})
    story.is_drained_but_for()
    story.push({"b": (), "c": (), "d": ()}, hint=False)
    story.rebuild()
    story.is_worked_up_to("snapshot of rebuild", "ask the host").stalled = False
    while not story.world.store.row.dirty >= {"1.0"} or story.world.store.row.layout is None:
        story.goes_on_without(None)
    while story.world.store.row.layout and story.world.store.row.layout.number == 1:
        story.goes_on_without(None)
    story.fail(story.is_worked_up_to("remove of 1.0", "read the entities of a"), Rejected("refused"))
    story.watched_silence()
    story.push({**OLD, "a": ((2, "x", 0),)})
    return story


def a_worker_outlives_its_failed_run(rules: Rules) -> History:
    story = Story(rules)
    story.push(OLD)
    story.is_drained_but_for()
    story.push({**OLD, "a": ((1, "x", 1),), "b": ((1, "x", 1),)})
    story.is_worked_up_to("snapshot", "read the row").stalled = False
    while not story.world.parses.waiting():
        story.goes_on_without(None)
    sleeper = story.is_worked_up_to("update of 1.0", "Algolia: save")
    story.fail(story.is_worked_up_to("update of 1.1", "Algolia: save"), Rejected("refused"))
    story.is_drained_but_for(sleeper)
    story.watch_passes()
    story.push({**OLD, "a": ((2, "x", 0),)})
    story.rebuild()
    story.is_drained_but_for(sleeper)
    return story


STORIES: Mapping[str, Callable[[Rules], History]] = {
    "left_layout_is_marked": a_file_comes_back_before_its_old_layout_was_emptied,
    "exhausted_waits": a_worker_outlives_its_failed_run,
}
"""Rule -> a history that needs it."""
