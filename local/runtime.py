"""Events -> the replies of one Lambda execution environment, over the Runtime API that its child polls.

The child asks `next` and waits; the stack hands it an event; the child posts a response or an error. One
server per child, because nothing in the API's requests says which child is asking.
"""

import json
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import SimpleQueue
from typing import Final

from local.serve import LOOPBACK

MAX_REPLY_BYTES: Final = 6 * 1024 * 1024 + 100
"""What Lambda takes back from a function that is called and waited for."""

_PREFIX = "/2018-06-01/runtime"


@dataclass(frozen=True)
class Invocation:
    request_id: str
    event: bytes
    deadline: float
    """Seconds since the epoch."""
    function_arn: str


@dataclass(frozen=True)
class Reply:
    """What a function answered: its result as JSON, or the JSON of an error."""

    body: bytes
    failed: bool = False


def error_reply(kind: str, message: str) -> Reply:
    return Reply(json.dumps({"errorType": kind, "errorMessage": message}).encode(), failed=True)


class RuntimeApi:
    """The API of one environment.

    `ready` ends when the child asks for its first event, or fails to start: then it holds the reply that
    every caller gets.
    """

    def __init__(self) -> None:
        self.ready: Future[Reply | None] = Future()
        self._invocations: SimpleQueue[Invocation | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._current: tuple[str, Future[Reply]] | None = None
        self._ended: Reply | None = None
        self._server = _Server(self)
        threading.Thread(target=self._server.serve_forever, name="runtime-api", daemon=True).start()

    @property
    def address(self) -> str:
        return f"{LOOPBACK}:{self._server.server_port}"

    def hand_over(self, invocation: Invocation) -> Future[Reply]:
        """Give the child an event; it takes it at once when it is waiting."""
        reply: Future[Reply] = Future()
        with self._lock:
            self._current = (invocation.request_id, reply)
            if self._ended is not None:
                reply.set_result(self._ended)
        self._invocations.put(invocation)
        return reply

    def end(self, reply: Reply) -> None:
        """The child is gone: `reply` answers whatever waits for it, now or later."""
        with self._lock:
            self._ended = reply
            if not self.ready.done():
                self.ready.set_result(reply)
            # A child that answered and then crashed has answered.
            if self._current is not None and not self._current[1].done():
                self._current[1].set_result(reply)
        self._invocations.put(None)
        # shutdown() waits for the server's next look at its flag, up to half a second; nobody else need.
        threading.Thread(target=self._close, name="runtime-api-close", daemon=True).start()

    def _close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def next(self) -> Invocation | None:
        """Called for the child. Blocks; None means that there will be no further event."""
        self.started(None)
        return self._invocations.get()

    def started(self, failure: Reply | None) -> None:
        """Called for the child, when its handler is loaded or could not be."""
        with self._lock:
            if not self.ready.done():
                self.ready.set_result(failure)

    def answered(self, request_id: str, reply: Reply) -> bool:
        """Called for the child. False where nobody waits for that request."""
        if len(reply.body) > MAX_REPLY_BYTES:
            reply = error_reply(
                "Function.ResponseSizeTooLarge",
                f"Response payload size exceeded maximum allowed payload size ({MAX_REPLY_BYTES} bytes).",
            )
        with self._lock:
            if self._current is None or self._current[0] != request_id or self._current[1].done():
                return False
            self._current[1].set_result(reply)
            return True


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, api: RuntimeApi) -> None:
        super().__init__((LOOPBACK, 0), _Handler)
        self.api = api


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # keeps the connection
    # Without both, a warm call takes 90 ms: each reply would wait for the acknowledgement of its header.
    disable_nagle_algorithm = True
    wbufsize = -1
    server: _Server

    def do_GET(self) -> None:
        invocation = self.server.api.next() if self.path == f"{_PREFIX}/invocation/next" else None
        if invocation is None:
            self.close_connection = True
            return
        headers = {
            "Lambda-Runtime-Aws-Request-Id": invocation.request_id,
            "Lambda-Runtime-Deadline-Ms": str(int(invocation.deadline * 1000)),
            "Lambda-Runtime-Invoked-Function-Arn": invocation.function_arn,
            "Lambda-Runtime-Trace-Id": f"Root=1-{int(time.time()):08x}-{invocation.request_id[-12:]:0>24}",
        }
        self._send(HTTPStatus.OK, invocation.event, headers)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        steps = self.path.removeprefix(_PREFIX).strip("/").split("/")
        known = True
        match steps:
            case ["init", "error"]:
                self.server.api.started(Reply(body, failed=True))
            case ["invocation", request_id, ("response" | "error") as kind]:
                known = self.server.api.answered(request_id, Reply(body, failed=kind == "error"))
            case _:
                known = False
        self._send(HTTPStatus.ACCEPTED if known else HTTPStatus.BAD_REQUEST, b"{}", {})

    def _send(self, status: HTTPStatus, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Say nothing: every event is logged by the function itself."""
