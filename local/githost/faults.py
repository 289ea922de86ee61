"""Faults a test asked for, and requests -> answers as an unreliable host would give them."""

import asyncio
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

REQUESTS_KEPT = 10_000


@dataclass(frozen=True, slots=True)
class _Fault:
    path_part: str
    delay: float = 0.0
    answer: Response | None = None
    cut_after: int | None = None


class Faults:
    """What goes wrong next. Each call adds faults for the next `times` requests whose path holds `path_part`.

    A request meets one fault: the oldest that fits it.
    """

    def __init__(self) -> None:
        self._waiting: list[_Fault] = []
        self._lags: dict[int, list[str]] = {}
        self._lock = threading.Lock()

    def answer(
        self,
        path_part: str,
        status: int,
        *,
        headers: Mapping[str, str] | None = None,
        body: str = '{"message": "Server Error"}',
        times: int = 1,
    ) -> None:
        """Answer with `status` instead of doing anything."""
        response = Response(body, status, headers, media_type="application/json")
        self._add(_Fault(path_part, answer=response), times)

    def drop(self, path_part: str, *, after_bytes: int = 0, times: int = 1) -> None:
        """Answer as always, but close the connection after that much of the body."""
        self._add(_Fault(path_part, cut_after=after_bytes), times)

    def delay(self, path_part: str, seconds: float, *, times: int = 1) -> None:
        """Answer as always, `seconds` late."""
        self._add(_Fault(path_part, delay=seconds), times)

    def lag(self, source_id: int, commit: str, times: int) -> None:
        """Let the next `times` reads of a head of that source see `commit`."""
        with self._lock:
            self._lags.setdefault(source_id, []).extend([commit] * times)

    def clear(self) -> None:
        with self._lock:
            self._waiting.clear()
            self._lags.clear()

    def take(self, path: str) -> _Fault | None:
        with self._lock:
            for fault in self._waiting:
                if fault.path_part in path:
                    self._waiting.remove(fault)
                    return fault
        return None

    def take_lag(self, source_id: int) -> str | None:
        with self._lock:
            commits = self._lags.get(source_id)
            return commits.pop(0) if commits else None

    def _add(self, fault: _Fault, times: int) -> None:
        with self._lock:
            self._waiting.extend([fault] * times)


@dataclass(frozen=True, slots=True)
class Unreliable:
    """An origin that notes every request as (method, path without query) and then meets its faults."""

    app: ASGIApp
    faults: Faults
    requests: deque[tuple[str, str]] = field(default_factory=lambda: deque(maxlen=REQUESTS_KEPT))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        self.requests.append((scope["method"], scope["path"]))
        fault = self.faults.take(scope["path"]) or _Fault("")
        await asyncio.sleep(fault.delay)
        if fault.cut_after is not None:
            send = _cut(send, fault.cut_after)
        await (fault.answer or self.app)(scope, receive, send)


def _cut(send: Send, after_bytes: int) -> Send:
    """A `send` that passes on that much body and never says that it was all: the server then hangs up."""
    left = after_bytes

    async def send_until_cut(message: Message) -> None:
        nonlocal left
        if message["type"] == "http.response.body":
            body = message.get("body", b"")[:left]
            left -= len(body)
            message = {"type": message["type"], "body": body, "more_body": True}
        await send(message)

    return send_until_cut
