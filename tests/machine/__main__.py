"""`python -m tests.machine --minutes N`: thousands of histories on demand. Ends with 1 where one breaks a promise."""

import argparse
import logging
import sys
import time

from tests.machine.soak import soak


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.machine", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, help="the same histories again")
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)
    begun = time.monotonic()

    done = soak(arguments.minutes, arguments.seed)

    seconds = time.monotonic() - begun
    print(f"{done.histories} histories of {done.steps} steps in {seconds:.0f} s")
    if done.broken is None:
        return 0
    history, error = done.broken
    print(*error.__notes__, sep="\n")
    print(f"{type(error).__name__}: {error}\n\n{history}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
