"""Minutes -> as many random histories as fit; the first that breaks a promise is shrunk and printed."""

import random
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.machine.backend import Backend
from tests.machine.history import History, histories
from tests.machine.world import play

SHRINK_SECONDS = 120


@dataclass
class Soak:
    """What was done.

    Attributes:
        histories, steps: those that kept every promise.
        first: the first history that broke one, as it was drawn.
        broken: the shortest one found that does, and how.
    """

    histories: int = 0
    steps: int = 0
    first: History | None = None
    broken: tuple[History, BaseException] | None = None


def soak(
    backend: Backend, threads: ThreadPoolExecutor, minutes: float, seed_number: int | None = None
) -> Soak:
    """Play random histories for that long.

    Args:
        seed_number: the same histories again; None takes others each time.
    """
    done = Soak()
    until = time.monotonic() + minutes * 60

    with tempfile.TemporaryDirectory() as folder:

        @seed(random.SystemRandom().getrandbits(32) if seed_number is None else seed_number)
        @settings(
            max_examples=1_000_000,
            deadline=None,
            database=None,
            phases=(Phase.generate, Phase.shrink),
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
        )
        @given(histories())
        def run(history: History) -> None:
            nonlocal until
            if time.monotonic() > until:
                raise _TimeIsUp
            try:
                play(history, backend, Path(folder) / uuid4().hex, threads)
            except AssertionError as error:
                if done.broken is None:
                    done.first = history
                    until = time.monotonic() + SHRINK_SECONDS
                done.broken = history, error
                raise
            if done.broken is None:
                done.histories += 1
                done.steps += len(history.steps)

        try:
            run()
        except* (_TimeIsUp, AssertionError):
            pass
    return done


class _TimeIsUp(BaseException):
    """Neither a failure of the history at hand nor one that could be shrunk."""
