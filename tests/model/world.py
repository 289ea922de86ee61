"""What the stages stand on, as plain dictionaries: git host, table, queues, object store, search index.

Every method that the real service reaches over a network is a generator that yields once before each effect,
with words for it. Whoever runs the generators may there let another one go first, kill this one, or throw an
error into it; that is how each effect is cut off before and after it, and how workers overlap.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import islice
from random import Random
from typing import TypeVar

from codesage.errors import Superseded
from codesage.items import FileItem
from codesage.messages import CommitSha, Labels, ParseRequest, SnapshotRequest
from codesage.packs import PackFile
from codesage.runs import Layout, Repository, Run
from codesage.trees import Tree, TreeEntry, tree_of
from tests.model.rules import Rules

T = TypeVar("T")
Steps = Generator[str, None, T]
"""A worker's way through the outside world: it yields before each effect and returns its result."""

MAX_RECEIVES = 5
TOGETHER = 2  # actions that one transaction or one batch of records takes
LABELS = Labels(name="octo/hello", web_url=None, branch="main")


class Choices:
    """Every decision of a history, drawn from a seed or replayed; 0 is always the tame one.

    A history is its list of decisions: cutting the list or writing zeroes into it gives a simpler history,
    so a broken one can be made short. Past the end of a replayed list all decisions are 0.
    """

    def __init__(self, seed: int | None = None, replay: Sequence[int] = ()) -> None:
        self._draw = None if seed is None else Random(seed).random
        self._replay = replay
        self.made: list[int] = []
        self.quiet = False

    def pick(self, options: int) -> int:
        if self.quiet:
            return 0
        if self._draw is not None:
            choice = int(self._draw() * options)
        else:
            choice = self._replay[len(self.made)] % options if len(self.made) < len(self._replay) else 0
        self.made.append(choice)
        return choice


# ---- the git host ------------------------------------------------------------------------------------

Entity = tuple[int, str, int]  # line, name, and a number for what it says
Files = Mapping[str, tuple[Entity, ...]]


@cache
def records_of(path: str, blob: str, parser_version: int) -> Mapping[str, str]:
    """objectID -> record. Parsers of an even version overlook what is called `y`, and all sign their work."""
    records = {}
    for word in blob.split():
        line, name, body = word.split(":")
        if name != "y" or parser_version % 2:
            records[f"{path}:{line}:{name}"] = f"{body} by {parser_version}"
    return records


def blob_of(entities: Iterable[Entity]) -> str:
    return " ".join(f"{line}:{name}:{body}" for line, name, body in entities)


class Host:
    """A branch that moves, and for a few questions after a push still shows where it was."""

    def __init__(self) -> None:
        self.commits: list[CommitSha] = []
        self.files: dict[CommitSha, Files] = {}
        self.questions = 0
        self._trees: dict[tuple[CommitSha, Layout], Tree] = {}
        self._shown: CommitSha | None = None
        self._behind = 0

    @property
    def newest(self) -> CommitSha:
        return self.commits[-1]

    def push(self, files: Files, behind: int) -> None:
        """Args: behind: how many questions for the head are answered with the commit before."""
        commit = f"{len(self.commits) + 1:040x}"
        if self._behind == 0 and self.commits:
            self._shown, self._behind = self.newest, behind
        self.commits.append(commit)
        self.files[commit] = files

    def catch_up(self) -> None:
        self._behind = 0

    def head(self) -> Steps[tuple[CommitSha, int]]:
        """The head as the host shows it, and the number of this question."""
        yield "ask the host for its head"
        self.questions += 1
        if self._behind and self._shown is not None:
            self._behind -= 1
            return self._shown, self.questions
        return self.newest, self.questions

    def tree(self, commit: CommitSha, layout: Layout) -> Tree:
        """What any way of learning the tree gives; ways and skips are not the model's concern."""
        key = (commit, layout)
        if key not in self._trees:
            blobs = {path: blob_of(entities) for path, entities in self.files[commit].items()}
            entries = (TreeEntry(path, "100644", blob, len(blob)) for path, blob in blobs.items())
            self._trees[key] = tree_of(commit, layout, entries)
        return self._trees[key]

    def records(self, commit: CommitSha, parser_version: int) -> dict[str, str]:
        """What a clean rebuild of the commit holds."""
        found: dict[str, str] = {}
        for path, entities in self.files[commit].items():
            found |= records_of(path, blob_of(entities), parser_version)
        return found


# ---- queues ------------------------------------------------------------------------------------------

Message = SnapshotRequest | ParseRequest


@dataclass(slots=True, eq=False)
class Envelope:
    """A message in a queue: how often it was received, and by how many workers that are still alive."""

    message: Message
    receives: int = 0
    alive: int = 0
    deleted: bool = False


class Queue:
    """FIFO by group, at least once. A group goes on when no worker is left on its first message.

    That is what a visibility of six times the function's time limit gives. What the queue does not promise,
    and the model therefore does: the same message may come to a second worker while the first is at it.
    """

    def __init__(self) -> None:
        self.groups: dict[str, list[Envelope]] = {}
        self.dead = 0
        self._seen: set[str] = set()

    def send(self, message: Message) -> None:
        if message.deduplication_id not in self._seen:
            self._seen.add(message.deduplication_id)
            self.groups.setdefault(message.group_id, []).append(Envelope(message))

    def forget_duplicates(self) -> None:
        self._seen.clear()

    def waiting(self, *, again: bool = False) -> list[Envelope]:
        """First messages of their groups that nobody is at; with `again` those that one worker is at."""
        return [
            group[0]
            for group in self.groups.values()
            if group[0].alive == again and not group[0].deleted and group[0].receives < MAX_RECEIVES
        ]

    def released(self, envelope: Envelope) -> bool:
        """A worker is gone. Returns whether the message went to the dead letters by that."""
        envelope.alive -= 1
        exhausted = not envelope.deleted and envelope.receives >= MAX_RECEIVES
        if envelope.alive or not (envelope.deleted or exhausted):
            return False
        group = self.groups[envelope.message.group_id]
        group.remove(envelope)
        if not group:
            del self.groups[envelope.message.group_id]
        self.dead += exhausted
        return exhausted


# ---- the search index --------------------------------------------------------------------------------


class Index:
    """Accepts tasks at once and applies them in order, when it likes or when somebody waits for them."""

    def __init__(self, choices: Choices) -> None:
        self.records: dict[str, str] = {}
        self._tasks: list[Mapping[str, str | None]] = []
        self._choices = choices

    def save(self, records: Iterable[tuple[str, str]]) -> Steps[None]:
        for chunk in chunks(records):
            yield f"Algolia: save {', '.join(name for name, _ in chunk)}"
            self._tasks.append(dict(chunk))

    def delete(self, names: Iterable[str]) -> Steps[None]:
        for chunk in chunks(names):
            yield f"Algolia: delete {', '.join(chunk)}"
            self._tasks.append(dict.fromkeys(chunk))

    def wait(self) -> Steps[bool]:
        """Whether everything sent so far was applied before the deadline. Includes the barrier's task."""
        yield "Algolia: wait"
        if self._choices.pick(8) == 7:
            return False
        self.apply_all()
        return True

    def names_of(self, path: str) -> Steps[list[str]]:
        yield f"Algolia: list the ids of {path}"
        return [name for name in self.records if name.startswith(f"{path}:")]

    @property
    def accepted(self) -> set[str]:
        """Ids whose record was sent and is not searchable yet."""
        return {name for task in self._tasks for name, record in task.items() if record is not None}

    def apply_all(self) -> None:
        self.apply(len(self._tasks))

    def apply(self, count: int) -> None:
        for task in self._tasks[:count]:
            for name, record in task.items():
                if record is None:
                    self.records.pop(name, None)
                else:
                    self.records[name] = record
        del self._tasks[:count]


# ---- the table ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Entry:
    """The repository's line on the list of runs. `due` is set while a failed run waits for its next start."""

    run: int
    due: int | None


@dataclass(slots=True)
class Store:
    """Row, runs, entry on the list of runs, file items and entity items of one repository."""

    rules: Rules
    row: Repository = field(
        default_factory=lambda: Repository(id=1, org="default", host="github", host_id="7", labels=LABELS)
    )
    runs: dict[int, Run] = field(default_factory=dict)
    entry: Entry | None = None
    packs: dict[str, dict[str, FileItem]] = field(default_factory=dict)
    items: dict[str, dict[str, str]] = field(default_factory=dict)
    begins: list[Callable[[Repository, Run], None]] = field(default_factory=list)
    publishes: list[Callable[[Repository, Run], None]] = field(default_factory=list)

    def repository(self) -> Steps[Repository]:
        yield "read the row"
        return self.row

    def run(self, seq: int) -> Steps[Run]:
        yield f"read run {seq}"
        return self.runs[seq]

    def change(
        self, what: str, transition: Callable[[Repository], Repository]
    ) -> Steps[tuple[Repository, Repository]]:
        """Apply a pure transition to the row as it is; the same row twice where it changes nothing."""
        while True:
            before = yield from self.repository()
            after = transition(before)
            if after == before:
                return before, before
            yield f"write the row: {what}"
            if self._put_row(before, after):
                return before, self.row

    def begin(self, before: Repository, after: Repository, run: Run) -> Steps[None]:
        yield f"begin run {run.seq} to {run.commit[-2:]} for {sorted(run.packs)}"
        if not self._put_row(before, after):
            raise Superseded("the row is no longer as it was read")
        self.runs[run.seq] = run
        self.entry = Entry(run.seq, None)
        for told in self.begins:
            told(before, run)

    def publish(self, before: Repository, after: Repository, run: Run, now: int) -> Steps[None]:
        yield f"publish run {run.seq}"
        if self.runs[run.seq].published_at is not None or not self._put_row(before, after):
            raise Superseded("somebody else published it")
        self._update(run.seq, published_at=now)
        for told in self.publishes:
            told(self.row, run)

    def hear(self, seq: int, now: int, *, received: bool) -> Steps[None]:
        yield f"run {seq} is heard of"
        self._update(seq, heard_at=now, received=received)

    def note_failure(self, seq: int, reason: str, exhausted: bool) -> Steps[None]:
        yield f"note on run {seq}: {reason}{' (for good)' if exhausted else ''}"
        if not self.runs[seq].exhausted:
            self._update(seq, failure=reason, exhausted=exhausted)

    def mark_dispatched(self, seq: int, attempt: int) -> Steps[None]:
        yield f"run {seq} is dispatched"
        self._update(seq, attempt=attempt)

    def mark_done(self, seq: int, pack: str, leaves: bool) -> Steps[None]:
        yield f"pack {pack} of run {seq} is done{' and files leave it' if leaves else ''}"
        run = self.runs[seq]
        if pack not in run.done:
            leaving = run.leaving | {pack} if leaves else run.leaving
            self._update(seq, done=run.done | {pack}, leaving=leaving)

    def finish_run(self, seq: int, now: int) -> Steps[None]:
        yield f"run {seq} is finished"
        self._update(seq, finished_at=now)

    def read_entry(self) -> Steps[Entry | None]:
        yield "read the list of runs"
        return self.entry

    def take_entry(self, entry: Entry) -> Steps[None]:
        """Remove exactly this entry; one that was written meanwhile stays."""
        yield f"forget the entry of run {entry.run}"
        is_seen = self.entry == entry
        is_of_its_run = self.entry is not None and self.entry.run == entry.run
        if is_seen or (is_of_its_run and not self.rules.entry_is_forgotten_as_seen):
            self.entry = None

    def put_entry(self, entry: Entry) -> Steps[None]:
        yield f"the entry of run {entry.run} is due later"
        if self.entry is None or self.entry.run <= entry.run or not self.rules.entry_is_of_its_run:
            self.entry = entry

    def files(self, pack: str) -> Steps[dict[str, FileItem]]:
        yield f"read the file items of {pack}"
        return dict(self.packs.get(pack, {}))

    def entities(self, path: str) -> Steps[dict[str, str]]:
        yield f"read the entities of {path}"
        return dict(self.items.get(path, {}))

    def put_files(self, seq: int, pack: str, files: Iterable[FileItem]) -> Steps[None]:
        for chunk in chunks(files):
            marked = " ".join(f"{file.path}{' writing' if file.writing else ''}" for file in chunk)
            yield from self._write(seq, f"put the file items of {pack}: {marked}")
            self.packs.setdefault(pack, {}).update({file.path: file for file in chunk})

    def delete_files(self, seq: int, pack: str, paths: Iterable[str]) -> Steps[None]:
        for chunk in chunks(paths):
            yield from self._write(seq, f"delete the file items of {pack}: {' '.join(chunk)}")
            for path in chunk:
                self.packs.get(pack, {}).pop(path, None)

    def put_entities(self, seq: int, entities: Iterable[tuple[str, str]]) -> Steps[None]:
        for chunk in chunks(entities):
            yield from self._write(seq, f"put entities {', '.join(name for name, _ in chunk)}")
            for name, record in chunk:
                self.items.setdefault(_path(name), {})[name] = record

    def delete_entities(self, seq: int, names: Iterable[str]) -> Steps[None]:
        for chunk in chunks(names):
            yield from self._write(seq, f"delete entities {', '.join(chunk)}")
            for name in chunk:
                self.items.get(_path(name), {}).pop(name, None)

    def _write(self, seq: int, what: str) -> Steps[None]:
        """Before a write that is conditional on the run in flight."""
        yield what
        if self.row.run != seq:
            raise Superseded("the run is over")

    def _put_row(self, before: Repository, after: Repository) -> bool:
        if self.row.version != before.version:
            return False
        self.row = replace(after, version=before.version + 1)
        return True

    def _update(self, seq: int, **changes: object) -> None:
        self.runs[seq] = replace(self.runs[seq], **changes)  # type: ignore[arg-type]


def _path(name: str) -> str:
    return name.partition(":")[0]


# ---- all of it ---------------------------------------------------------------------------------------


@dataclass(slots=True)
class World:
    """One repository and everything around it.

    Attributes:
        parser_version: of the code that is deployed; a worker keeps what it started with.
        asked: run -> number of the question to the host whose answer it aims at.
        packs, trees: the object store, by content hash and by name.
    """

    rules: Rules
    choices: Choices
    host: Host
    store: Store
    index: Index
    hints: Queue
    parses: Queue
    now: int = 1_000
    parser_version: int = 1
    packs: dict[str, tuple[PackFile, ...]] = field(default_factory=dict)
    trees: dict[str, Tree] = field(default_factory=dict)
    asked: dict[int, int] = field(default_factory=dict)
    deliveries: Iterator[int] = field(default_factory=lambda: iter(range(1_000_000)))


def new_world(rules: Rules, choices: Choices) -> World:
    return World(rules, choices, Host(), Store(rules), Index(choices), Queue(), Queue())


def chunks(things: Iterable[T], size: int = TOGETHER) -> Iterator[tuple[T, ...]]:
    waiting = iter(things)
    while chunk := tuple(islice(waiting, size)):
        yield chunk
