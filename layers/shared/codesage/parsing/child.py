"""Files -> outcomes, through one child process that may be killed.

Some inputs keep a parser written in C from ever returning, or end its process. No limit inside a process
helps then, so files are parsed in a child: a crash or a hang costs one file, and a new child takes the next.
Plain pipes only, as the Lambda runtime has no shared memory.
"""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from types import TracebackType
from typing import Self

from codesage.languages import Language
from codesage.parsing.frames import read_outcome, write_request
from codesage.parsing.outcome import Parsed, Skipped
from codesage.skips import Skip

_FILES_PER_CHILD = 500  # then a new one: parsers keep some memory that nothing gives back

_CLOSE_SECONDS = 5.0

# The child reads what strangers wrote, so it gets no credentials: only what an interpreter needs to start.
_INHERITED = ("PATH", "LD_LIBRARY_PATH")


class ParserChild:
    """Parses one file after another in a child that is started by the first and lives until `close`.

    One file at a time: not to be shared between threads.

    Args:
        seconds: wall-clock limit for one file.
        memory: limit of the child's address space, in bytes.
    """

    def __init__(self, seconds: float = 10.0, memory: int = 1 << 30) -> None:
        self._seconds = seconds
        self._memory = memory
        self._process: subprocess.Popen[bytes] | None = None
        self._files = 0

    @property
    def pid(self) -> int | None:
        """The child's process id; None while there is no child."""
        return self._process.pid if self._process else None

    def parse(self, source: bytes, language: Language, path: str) -> Parsed | Skipped:
        """Return what `codesage.parsing.parsed` gives for one file, or why the child did not live to tell."""
        if self._files >= _FILES_PER_CHILD:
            self.close()
        process = self._process or self._start()
        self._files += 1
        outcome = None
        try:
            outcome = self._exchange(process, source, language, path)
        finally:
            if outcome is None:  # whatever ended the exchange, the next file must not read this one's outcome
                self._kill(process)
        if outcome is not None:
            return outcome
        timed_out = process.returncode == -signal.SIGALRM
        return Skipped(Skip.PARSER_TIMEOUT if timed_out else Skip.PARSER_CRASH)

    def close(self) -> None:
        """End the child and wait for it. The next `parse` starts another."""
        if (process := self._process) is None:
            return
        _close_pipes(process)  # its sign to leave
        with suppress(subprocess.TimeoutExpired):
            process.wait(_CLOSE_SECONDS)
        self._kill(process)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _start(self) -> subprocess.Popen[bytes]:
        environment = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        environment["PYTHONPATH"] = os.pathsep.join(sys.path)  # the layers, wherever they are mounted
        self._files = 0
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "codesage.parsing.worker", str(self._seconds), str(self._memory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            start_new_session=True,  # a Ctrl-C at a terminal is for the parent to handle
        )
        return self._process

    def _exchange(
        self, process: subprocess.Popen[bytes], source: bytes, language: Language, path: str
    ) -> Parsed | Skipped | None:
        if process.stdin is None or process.stdout is None:
            raise ValueError("the child has no pipes")
        try:
            write_request(process.stdin, source, language, path)
            return read_outcome(process.stdout)
        except BrokenPipeError:
            return None

    def _kill(self, process: subprocess.Popen[bytes]) -> None:
        process.kill()  # no effect on one that is already ending: its exit status stays
        process.wait()
        _close_pipes(process)
        self._process = None


def _close_pipes(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        with suppress(BrokenPipeError):  # what was still to be sent has no reader
            if pipe is not None:
                pipe.close()
