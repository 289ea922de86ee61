"""A data folder -> SQS, S3, DynamoDB and Secrets Manager on loopback, whose state outlives a restart.

ministack writes its state when it stops, not before. So it runs under `_serve` below, which stops it in an
orderly way even when the stack that started it is killed, and leaves the marker `clean` once all is written.
A start without that marker finds nothing that it could trust, and begins empty.
"""

import logging
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

from local.serve import LOOPBACK

REGION = "us-east-1"
ACCOUNT = "000000000000"
# Any pair does; ministack checks no signature. An access key of twelve digits would choose another account.
ACCESS_KEY = SECRET_KEY = "local"  # noqa: S105

_SERVICES = "sqs,s3,dynamodb,secretsmanager"
_START_SECONDS = 60
_STOP_SECONDS = 60


class StandInError(Exception):
    """ministack did not start; the message says why or where its log is."""


class MiniStack:
    """One ministack process and its state.

    Args:
        folder: holds the state and the log. One process at a time may use it.
        port: a free port of loopback.
        keep_open: file descriptors that the process inherits, so that a lock on `folder` outlasts a parent
            that was killed.
    """

    def __init__(self, folder: Path, port: int, keep_open: tuple[int, ...] = ()) -> None:
        self._folder = folder
        self._clean = folder / "clean"
        self._log = folder / "ministack.log"
        self._port = port
        self._keep_open = keep_open
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self._port}"

    def start(self) -> bool:
        """Start it and wait until it answers.

        Returns:
            Whether it begins with what the last run left; False where that run ended without writing its
            state, or where there was none.

        Raises:
            StandInError: it ended at once, or does not answer.
        """
        if _answers(self._port):
            raise StandInError(f"port {self._port} is in use")
        kept = self._clean.exists()
        if not kept and self._folder.exists():
            shutil.rmtree(self._folder)
        self._folder.mkdir(parents=True, exist_ok=True)
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "local.ministack", str(self._clean)],
                env=self._environment(),
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                pass_fds=self._keep_open,
                start_new_session=True,  # Ctrl-C in a terminal is for the stack, which stops this one last
            )
        self._wait_until_ready(self._process)
        self._clean.unlink(missing_ok=True)  # only now: a start that fails must not cost the state
        return kept

    def _environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "BIND_HOST": LOOPBACK,
            "MINISTACK_HOST": LOOPBACK,
            "GATEWAY_PORT": str(self._port),
            "MINISTACK_REGION": REGION,
            "MINISTACK_ACCOUNT_ID": ACCOUNT,
            "SERVICES": _SERVICES,
            "PERSIST_STATE": "1",
            "STATE_DIR": str(self._folder / "state"),
            "S3_PERSIST": "1",
            "S3_DATA_DIR": str(self._folder / "s3"),
            "SFTP_ENABLED": "0",
            "IOT_MTLS_ENABLED": "0",
            "DOCKER_HOST": f"unix://{self._folder / 'no-docker'}",
            "TMPDIR": str(self._folder),
            "LOG_LEVEL": "WARNING",
        }

    def _wait_until_ready(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while process.poll() is None and time.monotonic() < deadline:
            try:
                with urllib.request.urlopen(f"{self.url}/_ministack/ready", timeout=5):  # noqa: S310
                    return
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                time.sleep(0.02)
        self.kill()
        raise StandInError(f"ministack did not start; its log is {self._log}")

    def stop(self) -> None:
        """Stop it and wait until its state is written."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._ended()

    def kill(self) -> None:
        """End it as a power cut would; the next start begins empty."""
        if self._process is not None:
            self._process.kill()
            self._ended()

    def _ended(self) -> None:
        if self._process is not None:
            self._process.wait()
            if self._process.stdin is not None:
                self._process.stdin.close()
            self._process = None


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((LOOPBACK, port)) == 0


def _stop_with_parent() -> None:
    """Wait for the end of standard input, whose other end only the stack holds."""
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)


class _FailedWrites(logging.Handler):
    """Counts what ministack could not write, which it only logs."""

    count = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.count += record.levelno >= logging.ERROR


def _serve(clean: Path) -> None:
    from ministack.app import main  # here, because the stack imports this module without needing ministack

    failed_writes = _FailedWrites()
    logging.getLogger("persistence").addHandler(failed_writes)
    threading.Thread(target=_stop_with_parent, name="parent", daemon=True).start()
    sys.argv[1:] = []
    main()
    if failed_writes.count == 0:
        clean.touch()
    os._exit(0)  # all is written, and ministack's threads would keep the process for another second


if __name__ == "__main__":
    _serve(Path(sys.argv[1]))
