"""Random choices -> a history: what happens to one repository, in order, printed as the code of itself."""

from dataclasses import dataclass
from enum import StrEnum

from hypothesis import strategies as st

PATHS = (
    "a.py",
    "src/a.py",
    "src/b.py",
    "tests/test_a.py",
    "docs/guide.md",
    "src/readme.md",
    "notes.txt",
    "logo.png",
    "vendor/lib.py",
)
RULE_FILES = (".codesageignore", ".gitattributes", "src/.codesageignore")
VARIANTS = 6
MAX_FAULT_AT = 32  # outside calls of one receipt; many have fewer, and then nothing goes wrong


class Kind(StrEnum):
    """What becomes of one outside call."""

    DOWN = "down"  # it fails without effect, and so does each later call of the receipt to that service
    REFUSED = "refused"  # the service answers 403
    LOST = "lost"  # carried out, its reply lost; the client's own next try gets through
    LOST_DOWN = "lost, then down"  # carried out, its reply lost, and nothing more gets through
    KILL_BEFORE = "kill before"  # the process dies before the call …
    KILL_AFTER = "kill after"  # … and right after it was carried out
    STALL_BEFORE = "stall before"  # the process sleeps before the call while others go on …
    STALL_AFTER = "stall after"  # … and right after it was carried out

    def __repr__(self) -> str:
        return f"Kind.{self.name}"


@dataclass(frozen=True)
class Fault:
    """Meets the outside call number `at` of one receipt, counted from 1."""

    at: int
    kind: Kind


# ---- what people do ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Write:
    """Put one of the texts that suit the path, moved down by some lines."""

    path: str
    variant: int
    shift: int = 0


@dataclass(frozen=True)
class Delete:
    path: str


@dataclass(frozen=True)
class Move:
    source: str
    target: str


Change = Write | Delete | Move


@dataclass(frozen=True)
class Commit:
    """Without changes, or with none that can be made, an empty commit. `told`: the webhook comes at once."""

    changes: tuple[Change, ...] = ()
    told: bool = True


@dataclass(frozen=True)
class ForcePush:
    """The branch goes to a commit that it, or another branch, once was at; 0 is the newest."""

    back: int
    told: bool = True


@dataclass(frozen=True)
class Revert:
    """A new commit with the tree of an earlier one."""

    back: int
    told: bool = True


@dataclass(frozen=True)
class Switch:
    """Another default branch, made at the current head if it is new."""

    branch: str
    told: bool = True


@dataclass(frozen=True)
class Webhook:
    """One of all events so far is delivered: late, again, or out of order; 0 is the newest."""

    back: int = 0
    fault: Fault | None = None


@dataclass(frozen=True)
class Rebuild:
    """The operator asks for a new layout."""


@dataclass(frozen=True)
class Remove:
    """The operator removes the repository."""

    fault: Fault | None = None


@dataclass(frozen=True)
class Add:
    """Somebody adds the repository, perhaps again."""


@dataclass(frozen=True)
class Lag:
    """The host shows an earlier head to the next who ask."""

    back: int = 1
    times: int = 1


@dataclass(frozen=True)
class Deploy:
    """Another parser version, for one function before the other, as deployments go."""

    version: int
    snapshot: bool = True
    parser: bool = True


# ---- what the service does ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Snapshot:
    """One receipt of the snapshot queue. `kept`: the message is not deleted although it was handled."""

    fault: Fault | None = None
    kept: bool = False


@dataclass(frozen=True)
class Parse:
    """One receipt of the parse queue, of any group. `hurried`: it has no time left after its first batch."""

    pick: int = 0
    fault: Fault | None = None
    kept: bool = False
    hurried: bool = False


@dataclass(frozen=True)
class Watch:
    """One pass of the watch. `later`: an hour later; whoever slept until then is dead."""

    later: bool = False
    fault: Fault | None = None


@dataclass(frozen=True)
class Reconcile:
    fault: Fault | None = None


@dataclass(frozen=True)
class Sweep:
    """`later`: a day later, when objects that no tree names may go."""

    later: bool = False
    fault: Fault | None = None


@dataclass(frozen=True)
class Resume:
    """A process that slept goes on."""

    pick: int = 0


@dataclass(frozen=True)
class Drain:
    """Every message is handled, and nothing goes wrong."""


Step = (
    Commit | ForcePush | Revert | Switch | Webhook | Rebuild | Remove | Add | Lag | Deploy
    | Snapshot | Parse | Watch | Reconcile | Sweep | Resume | Drain
)  # fmt: skip


@dataclass(frozen=True)
class History:
    """`pack_bytes`: mean size of a pack. `fetched`: blobs at most; for more, the archive is.

    It must cover what the texts of `.gitattributes` leave out of an archive, or that is not indexed, rightly.
    """

    pack_bytes: int
    fetched: int
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        steps = "".join(f"        {step!r},\n" for step in self.steps)
        head = f"History(\n    pack_bytes={self.pack_bytes},\n    fetched={self.fetched},\n"
        return f"{head}    steps=(\n{steps}    ),\n)"


def histories() -> st.SearchStrategy[History]:
    """Rounds of something that people do and of what the service then does about it."""
    free = st.tuples(_of_people(), st.lists(_of_service(), max_size=14)).map(lambda pair: (pair[0], *pair[1]))
    rounds = st.lists(st.one_of(free, _interrupted()), min_size=1, max_size=8)
    start = st.builds(Commit, st.lists(_writes(), min_size=1, max_size=7).map(tuple))
    begun = st.sampled_from(((Drain(),), ()))
    return st.builds(
        lambda pack_bytes, fetched, first, drained, rest: History(
            pack_bytes, fetched, (first, *drained, *(step for some in rest for step in some))
        ),
        st.sampled_from((200, 500, 1 << 22)),
        st.sampled_from((4, 200)),
        start,
        begun,
        rounds,
    )


RARELY = st.sampled_from((False, False, False, True))
MOSTLY = RARELY.map(lambda rarely: not rarely)
BACK = st.integers(0, 5)


def _writes() -> st.SearchStrategy[Write]:
    paths = st.sampled_from((*PATHS, *PATHS, *RULE_FILES))
    return st.builds(Write, paths, st.integers(0, VARIANTS - 1), st.integers(0, 2))


def _interrupted() -> st.SearchStrategy[tuple[Step, ...]]:
    """A run of which some packs are cut off, and which the watch then gives up. Chance alone makes few."""
    cut = st.builds(Parse, st.integers(0, 1), st.builds(Fault, st.integers(6, 22), st.sampled_from(Kind)))
    moved = st.builds(Write, st.sampled_from(("a.py", "src/b.py")), st.integers(0, 1), st.integers(0, 2))
    commit = st.builds(Commit, st.lists(moved, min_size=1, max_size=2).map(tuple))
    given_up = st.sampled_from(((), (Watch(True), Watch(True))))
    return st.builds(
        lambda people, cuts, end: (*people, Snapshot(), *cuts, *end),
        st.lists(commit | _of_people(), min_size=1, max_size=2),
        st.lists(cut, min_size=1, max_size=3),
        given_up,
    )


def _faults() -> st.SearchStrategy[Fault | None]:
    fault = st.builds(Fault, st.integers(1, MAX_FAULT_AT), st.sampled_from(Kind))
    return st.one_of(st.none(), fault, fault)


def _of_people() -> st.SearchStrategy[Step]:
    paths = st.sampled_from(PATHS)
    change = st.one_of(_writes(), _writes(), st.builds(Delete, paths), st.builds(Move, paths, paths))
    commit = st.builds(Commit, st.lists(change, max_size=4).map(tuple), MOSTLY)
    return st.one_of(
        commit, commit, commit, commit, commit,
        st.builds(ForcePush, BACK, MOSTLY),
        st.builds(Revert, BACK, MOSTLY),
        st.builds(Switch, st.sampled_from(("main", "next")), MOSTLY),
        st.builds(Webhook, BACK, _faults()),
        st.builds(Rebuild),
        st.builds(Remove, _faults()) | st.builds(Add),
        st.builds(Lag, BACK, st.integers(1, 4)),
        st.builds(Deploy, st.integers(1, 2), MOSTLY, MOSTLY),
    )  # fmt: skip


def _of_service() -> st.SearchStrategy[Step]:
    snapshot = st.builds(Snapshot, _faults(), RARELY)
    parse = st.builds(Parse, st.integers(0, 3), _faults(), RARELY, RARELY)
    watch = st.builds(Watch, st.booleans(), _faults())
    return st.one_of(
        snapshot, snapshot, snapshot,
        parse, parse, parse, parse, parse,
        watch,
        st.builds(Reconcile, _faults()) | st.builds(Sweep, st.booleans(), _faults()),
        st.builds(Resume, st.integers(0, 2)),
        st.builds(Drain),
    )  # fmt: skip
