"""HTTP requests in the manner of Algolia's REST API -> answers from an `Application`, on loopback."""

import asyncio
import gzip
import json
import zlib
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, NoReturn, Protocol, Self
from urllib.parse import unquote

from pydantic import JsonValue, ValidationError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from local.algolia.application import Application
from local.algolia.errors import ApiError, UnknownIndexError
from local.algolia.faults import Fault, Faults
from local.algolia.operations import BATCH_ACTIONS, OPERATIONS, Action, Operation
from local.serve import LoopbackServer

LOGGED_REQUESTS = 10_000


class LoggedRequest(NamedTuple):
    """A request as it arrived, also one that then failed; `operations` counts those of a batch."""

    method: str
    path: str
    operations: int


@dataclass(frozen=True)
class Call:
    """A request that reached its endpoint.

    Attributes:
        application: what to ask.
        names: the decoded names in the path, in order: the index, then a record's or task's id.
        query: the URL's query parameters.
        body: the JSON body; empty for none.
    """

    application: Application
    names: list[str]
    query: Mapping[str, str]
    body: dict[str, JsonValue]

    def written(
        self, action: Action, body: dict[str, JsonValue], *, at: str = "updatedAt"
    ) -> dict[str, JsonValue]:
        """Queue one operation; the reply that such calls share."""
        accepted = self.application.submit(self.names[0], [Operation(action=action, body=body)])
        return {"taskID": accepted.task_id, at: _now(), "objectID": accepted.object_ids[0]}


Reply = dict[str, JsonValue]
NAME = "{}"


class Endpoint(NamedTuple):
    """One line of the wire contract.

    Attributes:
        method: of HTTP.
        path: segments after `/1/indexes`; `{}` stands for a percent-encoded name.
        answer: what makes the reply.
        searches: whether a search-only key may use it.
        status: of a good answer.
    """

    method: str
    path: tuple[str, ...]
    answer: Callable[[Call], Reply]
    searches: bool = False
    status: HTTPStatus = HTTPStatus.OK


def list_indices(call: Call) -> Reply:
    items: list[JsonValue] = [dict(item) for item in call.application.listing()]
    return {"items": items, "nbPages": 1}


def search_many(call: Call) -> Reply:
    results: list[JsonValue] = []
    for request in _requests(call.body):
        name = str(request.get("indexName", ""))
        results.append(call.application.search(name, {k: v for k, v in request.items() if k != "indexName"}))
    return {"results": results}


def get_objects(call: Call) -> Reply:
    """`null` stands for a record that is not there; a missing index is named in `message`."""
    results: list[JsonValue] = []
    message: Reply = {}
    for request in _requests(call.body):
        wanted = request.get("attributesToRetrieve")
        attributes = [str(name) for name in wanted] if isinstance(wanted, list) else ["*"]
        try:
            results.append(
                call.application.record(
                    str(request.get("indexName")), str(request.get("objectID")), attributes
                )
            )
        except ApiError as refusal:
            results.append(None)
            if isinstance(refusal, UnknownIndexError):
                message = {"message": str(refusal)}
    return {"results": results, **message}


def batch(call: Call) -> Reply:
    try:
        operations = OPERATIONS.validate_python(call.body.get("requests"))
    except ValidationError as error:
        fault = error.errors()[0]
        raise ApiError(
            f"Invalid batch: requests.{'.'.join(map(str, fault['loc']))}: {fault['msg']}"
        ) from error
    if any(operation.action not in BATCH_ACTIONS for operation in operations):
        raise ApiError("Invalid batch: unknown action")
    accepted = call.application.submit(call.names[0], operations)
    object_ids: list[JsonValue] = [*accepted.object_ids]
    return {"taskID": accepted.task_id, "objectIDs": object_ids}


def search_one(call: Call) -> Reply:
    return call.application.search(call.names[0], call.body)


def browse_page(call: Call) -> Reply:
    return call.application.browse(call.names[0], call.body)


def task_status(call: Call) -> Reply:
    _, task_id = call.names
    published = task_id.isdecimal() and call.application.is_published(int(task_id))
    return {"status": "published" if published else "notPublished", "pendingTask": not published}


def get_settings(call: Call) -> Reply:
    return call.application.settings(call.names[0])


def put_settings(call: Call) -> Reply:
    return call.written(Action.SETTINGS, call.body)


def delete_by(call: Call) -> Reply:
    return call.written(Action.DELETE_BY, call.body)


def clear(call: Call) -> Reply:
    return call.written(Action.CLEAR, {})


def copy_or_move(call: Call) -> Reply:
    operation, destination = call.body.get("operation"), call.body.get("destination")
    if operation not in ("copy", "move") or not isinstance(destination, str) or not destination:
        raise ApiError("Invalid operation: copy or move with a destination is expected")
    return call.written(Action(str(operation)), call.body)


def delete_index(call: Call) -> Reply:
    return call.written(Action.DROP, {}, at="deletedAt")


def add_object(call: Call) -> Reply:
    return call.written(Action.ADD, call.body, at="createdAt")


def get_object(call: Call) -> Reply:
    name, object_id = call.names
    return call.application.record(name, object_id, call.query.get("attributesToRetrieve", "*").split(","))


def put_object(call: Call) -> Reply:
    return call.written(Action.UPDATE, {**call.body, "objectID": call.names[1]})


def delete_object(call: Call) -> Reply:
    return call.written(Action.DELETE, {"objectID": call.names[1]}, at="deletedAt")


# The first that fits answers, so `*` and the named actions stand before the lines with two names.
ENDPOINTS = (
    Endpoint("GET", (), list_indices),
    Endpoint("POST", ("*", "queries"), search_many, searches=True),
    Endpoint("POST", ("*", "objects"), get_objects, searches=True),
    Endpoint("POST", (NAME, "batch"), batch),
    Endpoint("POST", (NAME, "query"), search_one, searches=True),
    Endpoint("POST", (NAME, "browse"), browse_page),
    Endpoint("GET", (NAME, "task", NAME), task_status),
    Endpoint("GET", (NAME, "settings"), get_settings),
    Endpoint("PUT", (NAME, "settings"), put_settings),
    Endpoint("POST", (NAME, "deleteByQuery"), delete_by),
    Endpoint("POST", (NAME, "clear"), clear),
    Endpoint("POST", (NAME, "operation"), copy_or_move),
    Endpoint("DELETE", (NAME,), delete_index),
    Endpoint("POST", (NAME,), add_object, status=HTTPStatus.CREATED),
    Endpoint("GET", (NAME, NAME), get_object, searches=True),
    Endpoint("PUT", (NAME, NAME), put_object),
    Endpoint("DELETE", (NAME, NAME), delete_object),
)


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
            self._log(request, operations=0)
        if fault is not None:
            if fault.status is None:
                await _drop(receive, send)
                return
            response = _failing(fault)
        await response(scope, receive, send)

    def _answer(self, request: Request, body: bytes) -> Response:
        logged = 0
        try:
            endpoint, names = _endpoint(request)
            self._authorize(request, endpoint)
            content = _json_object(body, request.headers.get("content-encoding", ""))
            if endpoint.answer is batch and isinstance(requests := content.get("requests"), list):
                logged = len(requests)
            reply = endpoint.answer(Call(self._application, names, dict(request.query_params), content))
            if logged:
                self.operations.update(str(operation["action"]) for operation in _requests(content))
        except ApiError as refusal:
            return JSONResponse(refusal.body, refusal.status)
        finally:
            self._log(request, logged)
        return JSONResponse(reply, endpoint.status)

    def _authorize(self, request: Request, endpoint: Endpoint) -> None:
        key = request.headers.get("x-algolia-api-key")
        known = key in (self._admin_key, self._search_key)
        if request.headers.get("x-algolia-application-id") != self._app_id or not known:
            raise ApiError("Invalid Application-ID or API key", HTTPStatus.FORBIDDEN)
        if key != self._admin_key and not endpoint.searches:
            raise ApiError("Method not allowed with this API key", HTTPStatus.FORBIDDEN)

    def _log(self, request: Request, operations: int) -> None:
        self.requests.append(LoggedRequest(request.method, request.url.path, operations))


def _endpoint(request: Request) -> tuple[Endpoint, list[str]]:
    """The line of the contract that a request is for, and the names in its path.

    The raw path is read, because a name may hold an encoded slash.
    """
    segments = request.scope["raw_path"].decode("ascii").strip("/").split("/")
    if segments[:2] == ["1", "indexes"]:
        for endpoint in ENDPOINTS:
            if request.method == endpoint.method and _fits(endpoint.path, segments[2:]):
                pairs = zip(endpoint.path, segments[2:], strict=True)
                return endpoint, [unquote(segment) for wanted, segment in pairs if wanted == NAME]
    raise ApiError("Path not supported by this server", HTTPStatus.NOT_FOUND)


def _fits(path: tuple[str, ...], segments: list[str]) -> bool:
    return len(path) == len(segments) and all(
        wanted == segment or (wanted == NAME and segment not in ("", "*"))
        for wanted, segment in zip(path, segments, strict=True)
    )


def _json_object(body: bytes, encoding: str) -> dict[str, JsonValue]:
    """The request's JSON object, empty for an empty body.

    Raises:
        ApiError: 400 for damaged gzip, for what is no JSON object, for `NaN`, and for lone surrogates, which
            no UTF-8 reply could carry.
    """
    try:
        text = gzip.decompress(body) if encoding == "gzip" else body
        content: JsonValue = json.loads(text, parse_constant=_refuse_constant) if text else {}
        if rb"\ud" in text.lower():
            json.dumps(content, ensure_ascii=False).encode()
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise ApiError(f"Invalid JSON: {error}") from error
    if not isinstance(content, dict):
        raise ApiError("Invalid JSON: an object is expected")
    return content


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _requests(body: Mapping[str, JsonValue]) -> list[dict[str, JsonValue]]:
    requests = body.get("requests")
    if not isinstance(requests, list) or not all(isinstance(request, dict) for request in requests):
        raise ApiError('Invalid body: "requests" must be a list of objects')
    return [request for request in requests if isinstance(request, dict)]


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


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
