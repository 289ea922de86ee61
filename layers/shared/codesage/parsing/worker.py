"""Requests on standard input -> outcomes on standard output, in the process that `child` starts and may lose.

Run as `python -m codesage.parsing.worker SECONDS BYTES`: the wall-clock limit for a file, and the limit of
the address space. The kernel enforces both; that of time ends the process by SIGALRM, which its parent reads
as a timeout, even if the parent itself is gone by then.
"""

import gc
import os
import resource
import signal
import sys

from codesage.parsing import parsed
from codesage.parsing.frames import read_request, write_outcome


def main(seconds: float, memory: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Whatever a library prints must not land between the frames.
    outcomes = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    # Syntax trees have no cycles, and the collector's walks over them cost a quarter of the time.
    gc.freeze()
    gc.disable()
    while request := read_request(sys.stdin.buffer):
        signal.setitimer(signal.ITIMER_REAL, seconds)
        outcome = parsed(*request)
        write_outcome(outcomes, outcome)
        signal.setitimer(signal.ITIMER_REAL, 0)


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]))
