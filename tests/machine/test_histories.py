"""Promise 1: any history ends in exactly the clean rebuild, in Algolia, in DynamoDB and in S3.

`MACHINE_MINUTES` says for how long random histories are played.
"""

import gc
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.machine.backend import Backend
from tests.machine.history import (
    Commit,
    Drain,
    Fault,
    History,
    Kind,
    Parse,
    Remove,
    Resume,
    Revert,
    Snapshot,
    Sweep,
    Switch,
    Watch,
    Write,
)
from tests.machine.soak import soak
from tests.machine.world import THREADS, play

# A killed receipt leaves its sockets to the collector, as a killed process leaves them to the kernel.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

MINUTES = float(os.environ.get("MACHINE_MINUTES", "2.5"))
SEED = 1  # the same histories each time, so that a change is not blamed for what chance found
FEWEST = 50

ONE, OTHER, MORE = Write("a.py", 0), Write("a.py", 1), Write("src/b.py", 1)
LARGE = 1 << 22


@pytest.fixture(scope="module")
def backend(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Backend]:
    with Backend(tmp_path_factory.mktemp("machine")) as backend:
        yield backend
    gc.collect()  # here, where what receipts left behind is expected


@pytest.fixture(scope="module")
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(THREADS) as threads:
        yield threads


@pytest.mark.timeout(MINUTES * 60 + 400)
def test_random_histories_end_in_a_clean_rebuild(
    backend: Backend, threads: ThreadPoolExecutor, capsys: pytest.CaptureFixture[str]
) -> None:
    done = soak(backend, threads, MINUTES, SEED)

    with capsys.disabled():
        sys.stdout.write(f"\n{done.histories} histories of {done.steps} steps\n")
    if done.broken is not None:
        history, error = done.broken
        pytest.fail(f"{error!r}\nfirst: {done.first}\nshortest: {history}\n" + "\n".join(error.__notes__))
    assert done.histories >= FEWEST * min(1, MINUTES)


def test_an_end_of_a_run_does_not_bring_back_the_branch_that_it_knew(
    backend: Backend, threads: ThreadPoolExecutor, tmp_path: Path
) -> None:
    history = History(
        LARGE,
        200,
        (
            Commit((ONE,)), Drain(), Commit((OTHER,)), Snapshot(), Commit((MORE,)), Snapshot(),
            Switch("next"), Parse(), Drain(),
        ),
    )  # fmt: skip

    play(history, backend, tmp_path / "repository", threads)


@pytest.mark.parametrize("at", range(3, 7))
def test_a_watch_that_fails_a_run_slowly_leaves_the_next_run_on_the_list(
    backend: Backend, threads: ThreadPoolExecutor, tmp_path: Path, at: int
) -> None:
    slow = Fault(at, Kind.STALL_AFTER)
    history = History(
        LARGE,
        200,
        (Commit((ONE,)), Snapshot(), Watch(True, slow), Commit((OTHER,)), Snapshot(), Resume()),
    )

    play(history, backend, tmp_path / "repository", threads)


@pytest.mark.parametrize("at", range(20, 26))
def test_a_run_that_ends_during_a_removal_leaves_the_removal_on_the_list(
    backend: Backend, threads: ThreadPoolExecutor, tmp_path: Path, at: int
) -> None:
    slow = Fault(at, Kind.STALL_AFTER)
    history = History(LARGE, 200, (Commit((ONE,)), Snapshot(), Parse(fault=slow), Remove(), Resume()))

    play(history, backend, tmp_path / "repository", threads)


@pytest.mark.parametrize("at", range(7, 11))
def test_a_slow_sweep_leaves_a_pack_that_a_run_published_meanwhile(
    backend: Backend, threads: ThreadPoolExecutor, tmp_path: Path, at: int
) -> None:
    slow = Fault(at, Kind.STALL_BEFORE)
    history = History(
        LARGE,
        200,
        (
            Commit((ONE,)), Drain(), Commit((OTHER,)), Drain(),
            Sweep(True, slow), Revert(1), Snapshot(), Parse(), Resume(),
        ),
    )  # fmt: skip

    play(history, backend, tmp_path / "repository", threads)
