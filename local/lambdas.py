"""An event -> a handler's reply, from a process of its own with the function's limits.

The handlers run under `awslambdaric`, the client that AWS's own image runs, so events, context, errors and
cold starts are the real ones. ministack can run handlers too, and was measured: 55 ms for a warm call against
0.7 ms here, and it neither ends a function at its timeout nor limits its memory nor tells a crash from an
error. What retries and dead letters are for could then not be tested, so this runtime is ours.
"""

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Mapping
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from local import ministack
from local.runtime import Invocation, Reply, RuntimeApi, error_reply
from local.template import Function as Declared

MAX_EVENT_BYTES: Final = 6 * 1024 * 1024
"""What Lambda takes in a call that is waited for."""

# Lambda allows 10 s for imports; a laptop that is busy with other things gets more.
_START_SECONDS = 60
_TAIL_BYTES = 4096


class FunctionStoppedError(Exception):
    """The stack is stopping: the function takes no further event, and the one under way was cut off."""


@dataclass(frozen=True)
class InvokeResult:
    """How one invocation ended.

    `body` is JSON: the handler's result, or `{"errorType", "errorMessage", ...}` where it failed.
    """

    body: bytes
    failed: bool
    duration: float
    """Seconds, the start of a process not counted."""
    log_tail: str
    """What the invocation printed, at most its last 4 KB."""

    @property
    def payload(self) -> object:
        return json.loads(self.body)

    @property
    def error_type(self) -> str | None:
        return self._error_field("errorType")

    @property
    def error_message(self) -> str | None:
        return self._error_field("errorMessage")

    def _error_field(self, name: str) -> str | None:
        document = self.payload if self.failed else None
        return str(document.get(name, "")) if isinstance(document, dict) else None


class _LogFile:
    """Lines of several processes -> one file in which no line is torn."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("ab", buffering=0)
        self._lock = threading.Lock()

    def write(self, lines: bytes) -> None:
        with self._lock:
            if not self._file.closed:
                self._file.write(lines)

    def close(self) -> None:
        with self._lock:
            self._file.close()


class _Output:
    """What one process prints -> the log file, and the tail of the invocation under way.

    Everything is read under one lock, so `drain` after a reply has all that was printed before it.
    """

    def __init__(self, log: _LogFile) -> None:
        self._log = log
        self._lock = threading.Lock()
        self._read_end, self.write_end = os.pipe()
        os.set_blocking(self._read_end, False)
        self._unfinished = b""
        self._tail = b""

    def started(self) -> None:
        """The child holds the other end now."""
        os.close(self.write_end)
        threading.Thread(target=self._follow, name="function-output", daemon=True).start()

    def _follow(self) -> None:
        while True:
            select.select([self._read_end], [], [])
            with self._lock:
                if not self._read():
                    os.close(self._read_end)
                    self._read_end = -1
                    return

    def _read(self) -> bool:
        """Take in what is there; False at the end of the stream."""
        while self._read_end >= 0:
            try:
                printed = os.read(self._read_end, 1 << 16)
            except BlockingIOError:
                return True
            if not printed:
                self._take(b"\n" if self._unfinished else b"")
                return False
            self._take(printed)
        return False

    def _take(self, printed: bytes) -> None:
        self._tail = (self._tail + printed)[-_TAIL_BYTES:]
        lines, newline, self._unfinished = (self._unfinished + printed).rpartition(b"\n")
        self._log.write(lines + newline)

    def drain(self) -> str:
        """What was printed since the last call, at most its last 4 KB."""
        with self._lock:
            self._read()
            tail, self._tail = self._tail, b""
        return tail.decode(errors="replace")


class _Environment:
    """One child process that runs the handler for one event at a time."""

    def __init__(
        self, declared: Declared, variables: Mapping[str, str], temporary: Path, log: _LogFile
    ) -> None:
        self._declared = declared
        self._arn = f"arn:aws:lambda:{ministack.REGION}:{ministack.ACCOUNT}:function:{declared.name}"
        self._api = RuntimeApi()
        self._log = log
        self._output = _Output(log)
        self._temporary = tempfile.mkdtemp(prefix=f"{declared.name}-", dir=temporary)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "local.bootstrap", declared.handler],
            cwd=declared.code,
            env=dict(variables)
            | {
                "AWS_LAMBDA_RUNTIME_API": self._api.address,
                "AWS_LAMBDA_LOG_STREAM_NAME": uuid.uuid4().hex,
                "TMPDIR": self._temporary,
            },
            stdin=subprocess.DEVNULL,
            stdout=self._output.write_end,
            stderr=self._output.write_end,
            start_new_session=True,  # a group of its own, so that its children end with it
        )
        self._output.started()
        self.alive = True
        threading.Thread(target=self._watch, name=f"{declared.name}-exit", daemon=True).start()

    def _watch(self) -> None:
        status = self._process.wait()
        self.alive = False
        self._kill_group()  # what the child started is nobody's now
        self._api.end(error_reply("Runtime.ExitError", _exit_message(status)))
        shutil.rmtree(self._temporary, ignore_errors=True)

    def invoke(self, event: bytes) -> InvokeResult:
        request_id = str(uuid.uuid4())
        not_started = self._wait_until_ready()
        begun = time.monotonic()
        reply = not_started or self._reply(request_id, event)
        duration = time.monotonic() - begun
        if reply.failed and not self.alive:
            self._log.write(f"RequestId: {request_id} {reply.body.decode(errors='replace')}\n".encode())
        return InvokeResult(reply.body, reply.failed, duration, self._output.drain())

    def _wait_until_ready(self) -> Reply | None:
        try:
            not_started = self._api.ready.result(_START_SECONDS)
        except FutureTimeoutError:
            not_started = error_reply("Sandbox.Timedout", f"Init timed out after {_START_SECONDS} seconds")
        if not_started is not None:
            self.kill()
        return not_started

    def _reply(self, request_id: str, event: bytes) -> Reply:
        timeout = self._declared.timeout
        waiting = self._api.hand_over(Invocation(request_id, event, time.time() + timeout, self._arn))
        try:
            return waiting.result(timeout)
        except FutureTimeoutError:
            self.kill()
            return error_reply("Sandbox.Timedout", f"Task timed out after {timeout:.2f} seconds")

    def kill(self) -> None:
        self.alive = False
        self._kill_group()

    def _kill_group(self) -> None:
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return

    def wait(self) -> None:
        self._process.wait()


def _exit_message(status: int) -> str:
    if status < 0:
        return f"Runtime exited with error: signal: {signal.strsignal(-status) or -status}"
    return f"Runtime exited with error: exit status {status}"


class Function:
    """A function as AWS would run it, with at most `concurrency` processes, started when needed and kept.

    Args:
        aws_url: the AWS stand-in, which is all of AWS that the handler can reach.
        folder: `logs/<name>.log` in it takes everything that the handler prints; each process has a folder
            under `tmp` while it lives, for what Lambda would hold in /tmp.
    """

    def __init__(self, declared: Declared, concurrency: int, aws_url: str, folder: Path) -> None:
        self.name = declared.name
        self.concurrency = concurrency
        self._declared = declared
        self._variables = _variables(declared, aws_url)
        self._temporary = folder / "tmp"
        self._temporary.mkdir(parents=True, exist_ok=True)
        self._log = _LogFile(folder / "logs" / f"{declared.name}.log")
        self._changed = threading.Condition()
        self._idle: list[_Environment] = []
        self._busy: set[_Environment] = set()
        self._stopped = False

    def invoke(self, event: Mapping[str, object]) -> InvokeResult:
        """Hand the handler one event and wait for its end; waits first while all processes are busy.

        Raises:
            FunctionStoppedError: the stack is stopping.
        """
        return self.invoke_json(json.dumps(event).encode())

    def invoke_json(self, event: bytes) -> InvokeResult:
        environment = self._taken()
        try:
            result = environment.invoke(event)
        finally:
            self._give_back(environment)
        if self._stopped and result.failed:
            raise FunctionStoppedError(self.name)
        return result

    def _taken(self) -> _Environment:
        with self._changed:
            while not self._stopped:
                while self._idle:
                    # The last one used: its caches are warm, and the others may have been for a burst.
                    environment = self._idle.pop()
                    if environment.alive:
                        self._busy.add(environment)
                        return environment
                if len(self._busy) < self.concurrency:
                    environment = _Environment(self._declared, self._variables, self._temporary, self._log)
                    self._busy.add(environment)
                    return environment
                self._changed.wait()
            raise FunctionStoppedError(self.name)

    def _give_back(self, environment: _Environment) -> None:
        with self._changed:
            self._busy.discard(environment)
            if environment.alive:
                self._idle.append(environment)
            self._changed.notify()

    @property
    def is_busy(self) -> bool:
        """Whether an event is under way."""
        with self._changed:
            return bool(self._busy)

    def kill(self) -> None:
        """End all its processes at once, as a crash of each would; the next event starts a new one."""
        with self._changed:
            environments = [*self._idle, *self._busy]
        for environment in environments:
            environment.kill()
        for environment in environments:
            environment.wait()

    def stop(self) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        self.kill()
        self._log.close()


def _variables(declared: Declared, aws_url: str) -> dict[str, str]:
    """A child's environment: Lambda's, the template's, and nothing of the user's own AWS settings."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "LANG": "C.UTF-8",
        "TZ": ":UTC",
        "AWS_ACCESS_KEY_ID": ministack.ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": ministack.SECRET_KEY,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_ENDPOINT_URL": aws_url,
        "AWS_REGION": ministack.REGION,
        "AWS_DEFAULT_REGION": ministack.REGION,
        "AWS_LAMBDA_FUNCTION_NAME": declared.name,
        "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(declared.memory),
        "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
        "AWS_LAMBDA_LOG_GROUP_NAME": f"/aws/lambda/{declared.name}",
        "LAMBDA_TASK_ROOT": str(declared.code),
        "_HANDLER": declared.handler,
        **declared.logging,
        **declared.environment,
    }
