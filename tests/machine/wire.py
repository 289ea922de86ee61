"""Every HTTP request of a receipt -> its answer, unless the receipt's fault says otherwise.

Boto3, the Algolia client and the git host's client all send through urllib3's connection pools, so this one
place sees each attempt to reach the outside, numbers it, and can fail it before or after its effect.
"""

import queue
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from enum import StrEnum
from functools import wraps
from http import HTTPStatus
from io import BytesIO
from typing import Any

from urllib3 import HTTPConnectionPool, HTTPResponse
from urllib3.exceptions import ReadTimeoutError

from tests.machine.history import Fault, Kind

_SERVICE = re.compile(r"/(\w+)/aws4_request")
JSON = {"content-type": "application/json"}
_here = threading.local()


class Killed(BaseException):
    """The process dies. No `except Exception` sees it."""


class State(StrEnum):
    STALLED = "stalled"
    ENDED = "ended"


class Receipt:
    """One call of a handler, in a thread of its own, that stops where its fault says.

    Attributes:
        result: what the handler returned, or the exception that ended it.
        calls: the outside calls it made, in words.
    """

    def __init__(self, name: str, handle: Callable[[], object], fault: Fault | None) -> None:
        self.name = name
        self.result: object = None
        self.calls: list[str] = []
        self._handle = handle
        self._fault = fault
        self._down: set[str] = set()
        self._dead = False
        self._states: queue.Queue[State] = queue.Queue()
        self._go: queue.Queue[bool] = queue.Queue()

    def start(self, threads: ThreadPoolExecutor) -> State:
        threads.submit(self._run)
        return self._states.get(timeout=60)

    def resume(self) -> State:
        self._go.put(True)
        return self._states.get(timeout=60)

    def kill(self) -> None:
        """End it where it sleeps."""
        self._go.put(False)
        self._states.get(timeout=60)

    def _run(self) -> None:
        _here.receipt = self
        try:
            self.result = self._handle()
        except (Exception, Killed) as error:
            self.result = error
        finally:
            _here.receipt = None
            self._states.put(State.ENDED)

    def call(self, pool: HTTPConnectionPool, words: str, send: Callable[[], Any]) -> Any:
        if self._dead:
            raise Killed
        service = words.partition(" ")[0]
        self.calls.append(words)
        if service in self._down:
            raise ReadTimeoutError(pool, "", "down")
        if self._fault is None or self._fault.at != len(self.calls):
            return send()
        self.calls[-1] += f"  <-- {self._fault.kind}"
        return self._fail(self._fault.kind, pool, service, send)

    def _fail(self, kind: Kind, pool: HTTPConnectionPool, service: str, send: Callable[[], Any]) -> Any:
        match kind:
            case Kind.KILL_BEFORE:
                self._die()
            case Kind.STALL_BEFORE:
                self._stall()
                return send()
            case Kind.REFUSED:
                body = BytesIO(b"{}")
                return HTTPResponse(body, JSON, status=HTTPStatus.FORBIDDEN, preload_content=False)
            case Kind.DOWN:
                self._down.add(service)
                raise ReadTimeoutError(pool, "", "down")
        answer = send()
        match kind:
            case Kind.STALL_AFTER:
                self._stall()
                return answer
            case Kind.LOST_DOWN:
                self._down.add(service)
        answer.drain_conn()
        if kind is Kind.KILL_AFTER:
            self._die()
        raise ReadTimeoutError(pool, "", "its reply is lost")

    def _die(self) -> None:
        self._dead = True
        raise Killed

    def _stall(self) -> None:
        self._states.put(State.STALLED)
        if not self._go.get():
            self._die()


@contextmanager
def tapped() -> Iterator[None]:
    """While it lasts, requests made in a receipt's thread go through the receipt."""
    original = HTTPConnectionPool.urlopen

    @wraps(original)
    def urlopen(pool: HTTPConnectionPool, method: str, url: str, *args: Any, **more: Any) -> Any:
        receipt: Receipt | None = getattr(_here, "receipt", None)
        if receipt is None:
            return original(pool, method, url, *args, **more)
        return receipt.call(
            pool, _words(pool, method, url, more), lambda: original(pool, method, url, *args, **more)
        )

    HTTPConnectionPool.urlopen = urlopen  # type: ignore[method-assign,assignment]
    try:
        yield
    finally:
        HTTPConnectionPool.urlopen = original  # type: ignore[method-assign]


def _words(pool: HTTPConnectionPool, method: str, url: str, more: dict[str, Any]) -> str:
    headers = {str(k).lower(): _text(v) for k, v in dict(more.get("headers") or {}).items()}
    service = _SERVICE.search(headers.get("authorization", ""))
    if service is None:
        return f"{'algolia' if '/1/indexes' in url else 'host'} {method} {url}"
    target = headers.get("x-amz-target", f"{method} {url}").rpartition(".")[2]
    return f"{service[1]} {target}"


def _text(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
