"""What the protocol promises, checked against the model's world: at every step, and at rest."""

from dataclasses import dataclass, field

from codesage.runs import Repository, Run, is_current
from tests.model.world import World


class Broken(AssertionError):
    """A promise that a history broke. `promise` says which, in the same words each time."""

    def __init__(self, promise: str, detail: object = "") -> None:
        super().__init__(f"{promise} {detail}".strip())
        self.promise = promise


@dataclass(slots=True)
class Promises:
    """Watches one history.

    Attributes:
        searchable: ids that were searchable at the last publish and that every run begun since wants to keep.
        moved: pairs of ids of which one is searchable at any moment: of a file that the run in flight moves.
        answered: number of the question to the host whose answer is published.
        to_replace: number of the layout that the newest rebuild was asked to do away with.
    """

    world: World
    searchable: set[str] = field(default_factory=set)
    moved: list[tuple[str, str]] = field(default_factory=list)
    answered: int = 0
    runs_since: int = 0
    to_replace: int = 0

    def __post_init__(self) -> None:
        self.world.store.begins.append(self._begins)
        self.world.store.publishes.append(self._publishes)

    def rebuild_is_asked(self) -> None:
        """From now on only a newer layout than the published one is good enough at rest."""
        layout = self.world.store.row.layout
        self.to_replace = 0 if layout is None else layout.number

    def _begins(self, row: Repository, run: Run) -> None:
        self.searchable &= self.world.host.records(run.commit, run.parser_version).keys()
        self.runs_since += 1
        first = self.runs_since == 1 and row.commit is not None and not row.dirty
        self.moved = self._moves(row, run) if first else []

    def _publishes(self, row: Repository, run: Run) -> None:
        question = self.world.asked[run.seq]
        if question < self.answered:
            raise Broken("an answer of the host is published after a newer one", run)
        self.answered = question
        index = self.world.index
        records = self.world.host.records(run.commit, run.parser_version)
        self.searchable = {name for name in records if name in index.records}
        missing = records.keys() - self.searchable - index.accepted
        if missing:
            raise Broken("what is published was sent to Algolia before", missing)
        self.moved, self.runs_since = [], 0

    def _moves(self, row: Repository, run: Run) -> list[tuple[str, str]]:
        """Ids of whole files that leave one path and appear at another in the same commit."""
        assert row.commit is not None
        old, new = self.world.host.files[row.commit], self.world.host.files[run.commit]
        wanted = self.world.host.records(run.commit, run.parser_version)
        pairs = []
        for left in old.keys() - new.keys():
            for come in new.keys() - old.keys():
                if old[left] == new[come]:
                    names = [name for name in wanted if name.startswith(f"{come}:")]
                    pairs += [(left + name.removeprefix(come), name) for name in names]
        return [pair for pair in pairs if pair[0] in self.world.index.records]

    def check(self) -> None:
        """At every moment."""
        records = self.world.index.records
        missing = [name for name in self.searchable if name not in records]
        if missing:
            raise Broken("what both commits have is searchable at every moment", missing)
        lost = [pair for pair in self.moved if pair[0] not in records and pair[1] not in records]
        if lost:
            raise Broken("a moved file is searchable at one of its places", lost)

    def check_rest(self, *, marks_may_remain: bool, hints_were_heard: bool) -> None:
        """When nothing is under way any more."""
        world, store = self.world, self.world.store
        row, newest = store.row, world.host.newest
        if not is_current(row, newest, world.parser_version):
            raise Broken("the newest commit is published", row)
        is_asked = row.wanted is not None or row.rebuild
        if row.run is not None or store.entry is not None or row.dirty or is_asked:
            raise Broken("the row is at rest", (row, store.entry))
        rebuilt = world.host.records(newest, world.parser_version)
        stored = {name: text for items in store.items.values() for name, text in items.items()}
        if stored != rebuilt:
            raise Broken("the entity items are those of a clean rebuild", _difference(stored, rebuilt))
        if world.index.records != rebuilt:
            raise Broken(
                "the records are those of a clean rebuild", _difference(world.index.records, rebuilt)
            )
        assert row.layout is not None
        if hints_were_heard and row.layout.number <= self.to_replace:
            raise Broken("a rebuild that was asked for is done", row)
        tree = world.host.tree(newest, row.layout)
        wanted = {
            (row.layout.key(number), file.path): (file.blob, world.parser_version, False)
            for number, files in tree.packs.items()
            for file in files
        }
        there = {
            (pack, file.path): (file.blob, file.parser_version, file.writing)
            for pack, files in store.packs.items()
            for file in files.values()
        }
        if marks_may_remain:
            marked = {place for place, (*_, writing) in there.items() if writing}
            there = {place: fact for place, fact in there.items() if place not in marked}
            wanted = {place: fact for place, fact in wanted.items() if place not in marked}
        if there != wanted:
            raise Broken(
                "the file items are those of a clean rebuild",
                (there.items() - wanted.items(), wanted.items() - there.items()),
            )


def _difference(there: dict[str, str], wanted: dict[str, str]) -> str:
    return f"too much: {there.items() - wanted.items()}, missing: {wanted.items() - there.items()}"
