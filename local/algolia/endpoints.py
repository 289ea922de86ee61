"""One request of Algolia's REST API -> the call it stands for, and the reply's JSON."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from typing import NamedTuple, TypeAlias
from urllib.parse import unquote

from pydantic import JsonValue, ValidationError

from local.algolia.application import Application
from local.algolia.errors import ApiError, UnknownIndexError
from local.algolia.operations import BATCH_ACTIONS, OPERATIONS, Action, Operation

Reply: TypeAlias = dict[str, JsonValue]

NAME = "{}"
TASK_ID = re.compile(r"[0-9]{1,18}")


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
    for request in requests_in(call.body):
        name = str(request.get("indexName", ""))
        results.append(call.application.search(name, {k: v for k, v in request.items() if k != "indexName"}))
    return {"results": results}


def get_objects(call: Call) -> Reply:
    """`null` stands for a record that is not there; a missing index is named in `message`."""
    results: list[JsonValue] = []
    message: Reply = {}
    for request in requests_in(call.body):
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
    if not TASK_ID.fullmatch(task_id):
        raise ApiError("Invalid taskID")
    published = call.application.is_published(int(task_id))
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


def endpoint_for(method: str, raw_path: str) -> tuple[Endpoint, list[str]]:
    """The line of the contract that a request is for, and the decoded names in its path.

    Args:
        method: of HTTP.
        raw_path: still percent-encoded, because a name may hold a slash.

    Raises:
        ApiError: 404 when no line fits.
    """
    segments = raw_path.strip("/").split("/")
    if segments[:2] == ["1", "indexes"]:
        for endpoint in ENDPOINTS:
            if method == endpoint.method and _fits(endpoint.path, segments[2:]):
                pairs = zip(endpoint.path, segments[2:], strict=True)
                return endpoint, [unquote(segment) for wanted, segment in pairs if wanted == NAME]
    raise ApiError("Path not supported by this server", HTTPStatus.NOT_FOUND)


def _fits(path: tuple[str, ...], segments: list[str]) -> bool:
    return len(path) == len(segments) and all(
        wanted == segment or (wanted == NAME and segment not in ("", "*"))
        for wanted, segment in zip(path, segments, strict=True)
    )


def requests_in(body: Mapping[str, JsonValue]) -> list[dict[str, JsonValue]]:
    requests = body.get("requests")
    if not isinstance(requests, list) or not all(isinstance(request, dict) for request in requests):
        raise ApiError('Invalid body: "requests" must be a list of objects')
    return [request for request in requests if isinstance(request, dict)]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
