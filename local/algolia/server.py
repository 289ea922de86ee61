"""HTTP requests in the manner of Algolia's REST API -> answers from an `Application`, on loopback."""

import asyncio
import gzip
import json
import math
import time
import zlib
from collections import Counter, deque
from http import HTTPStatus
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, NoReturn, Protocol, Self

from pydantic import JsonValue
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from local.algolia.application import Application
from local.algolia.endpoints import Call, Endpoint, batch, endpoint_for, requests_in
from local.algolia.errors import ApiError
from local.algolia.faults import Fault, Faults
from local.serve import LoopbackServer

LOGGED_REQUESTS = 10_000
MAX_INTEGER = 2**63


class LoggedRequest(NamedTuple):
    """A request as it arrived, also one that then failed.

    `operations` counts those of a batch; `seconds` is what the answer took, from its body's last byte on.
    """

    method: str
    path: str
    operations: int
    seconds: float


class AlgoliaServer:
    """An Algolia application on loopback.

    Args:
        folder: keeps its records; the same folder gives them back after a restart.
        port: 0 takes a free one; `url` tells which.
        app_id: what `x-algolia-application-id` must say.
        admin_key: an API key that may do everything.
        search_key: an API key that may search and read records.
        task_delay: seconds until an accepted write can be found.

    Attributes:
        faults: what shall go wrong with the next requests.
        requests: the latest requests, oldest first.
        operations: how many operations of each batch action were accepted since the start.
    """

    def __init__(
        self,
        folder: Path,
        *,
        port: int = 0,
        app_id: str,
        admin_key: str,
        search_key: str,
        task_delay: float = 0.0,
    ) -> None:
        self.faults = Faults()
        self.requests: deque[LoggedRequest] = deque(maxlen=LOGGED_REQUESTS)
        self.operations: Counter[str] = Counter()
        self._app_id = app_id
        self._admin_key = admin_key
        self._search_key = search_key
        self._application = Application(folder, task_delay)
        self._server = LoopbackServer(self._serve, port)

    @property
    def url(self) -> str:
        return self._server.url

    @property
    def port(self) -> int:
        return self._server.port

    def start(self) -> Self:
        self._server.start()
        return self

    def stop(self) -> None:
        self._server.stop()
        self._application.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await Starlette()(scope, receive, send)  # start-up and shutdown messages
            return
        request = Request(scope, receive)
        path = request.url.path
        body = await request.body()
        fault = self.faults.take(path)
        if fault is None or fault.applied:
            response = await run_in_threadpool(self._answer, request, body)
        else:
            self._log(request, operations=0, seconds=0)
        if fault is not None:
            if fault.status is None:
                await _drop(receive, send)
                return
            response = _failing(fault)
        await response(scope, receive, send)

    def _answer(self, request: Request, body: bytes) -> Response:
        logged, begun = 0, time.perf_counter()
        try:
            endpoint, names = endpoint_for(request.method, request.scope["raw_path"].decode("latin-1"))
            self._authorize(request, endpoint)
            content = _json_object(body, request.headers.get("content-encoding", ""))
            if endpoint.answer is batch and isinstance(requests := content.get("requests"), list):
                logged = len(requests)
            reply = endpoint.answer(Call(self._application, names, dict(request.query_params), content))
            if logged:
                self.operations.update(str(operation["action"]) for operation in requests_in(content))
        except ApiError as refusal:
            return JSONResponse(refusal.body, refusal.status)
        finally:
            self._log(request, logged, time.perf_counter() - begun)
        return JSONResponse(reply, endpoint.status)

    def _authorize(self, request: Request, endpoint: Endpoint) -> None:
        key = request.headers.get("x-algolia-api-key")
        known = key in (self._admin_key, self._search_key)
        if request.headers.get("x-algolia-application-id") != self._app_id or not known:
            raise ApiError("Invalid Application-ID or API key", HTTPStatus.FORBIDDEN)
        if key != self._admin_key and not endpoint.searches:
            raise ApiError("Method not allowed with this API key", HTTPStatus.FORBIDDEN)

    def _log(self, request: Request, operations: int, seconds: float) -> None:
        self.requests.append(LoggedRequest(request.method, request.url.path, operations, seconds))


def _json_object(body: bytes, encoding: str) -> dict[str, JsonValue]:
    """The request's JSON object, empty for an empty body.

    Raises:
        ApiError: 400 for damaged gzip, for what is no JSON object, for numbers that no index can hold, and
            for lone surrogates, which no UTF-8 reply could carry.
    """
    try:
        text = gzip.decompress(body) if encoding == "gzip" else body
        content: JsonValue = json.loads(
            text or b"{}", parse_constant=_refused, parse_float=_finite, parse_int=_bounded
        )
        if rb"\ud" in text.lower():
            json.dumps(content, ensure_ascii=False).encode()
    except (OSError, EOFError, zlib.error, ValueError, RecursionError) as error:
        raise ApiError(f"Invalid JSON: {error}") from error
    if not isinstance(content, dict):
        raise ApiError("Invalid JSON: an object is expected")
    return content


def _refused(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text} is too large")
    return number


def _bounded(text: str) -> int:
    number = int(text)
    if abs(number) > MAX_INTEGER:
        raise ValueError(f"{text} is too large")
    return number


def _failing(fault: Fault) -> Response:
    status = HTTPStatus(fault.status or HTTPStatus.SERVICE_UNAVAILABLE)
    headers = {} if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
    return JSONResponse({"message": status.phrase, "status": int(status)}, status, headers)


class _Connection(Protocol):
    transport: asyncio.Transport


async def _drop(receive: Receive, send: Send) -> None:
    """Close the connection without an answer.

    ASGI has no message for it; uvicorn's `send` is a method of the object that holds the connection.
    """
    connection: _Connection = send.__self__  # type: ignore[attr-defined]
    connection.transport.abort()
    while (await receive())["type"] != "http.disconnect":
        pass
