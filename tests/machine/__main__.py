"""Minutes -> random histories until one breaks a promise; then its log, and exit code 1.

`python -m tests.machine --minutes 60` plays thousands; `--seed` plays the same again.
"""

import argparse
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.machine.backend import Backend
from tests.machine.soak import soak
from tests.machine.world import THREADS


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.machine")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int)
    arguments = parser.parse_args()
    begun = time.monotonic()

    with (
        tempfile.TemporaryDirectory() as folder,
        Backend(Path(folder)) as backend,
        ThreadPoolExecutor(THREADS) as threads,
    ):
        done = soak(backend, threads, arguments.minutes, arguments.seed)

    seconds = time.monotonic() - begun
    sys.stdout.write(f"{done.histories} histories of {done.steps} steps in {seconds:.0f} s\n")
    if done.broken is None:
        return 0
    history, error = done.broken
    log = "\n".join(error.__notes__)
    sys.stdout.write(f"{log}\n{error!r}\n\nfirst: {done.first}\n\nshortest: {history}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
