"""A write request -> checked operations, the steps of one task."""

import json
import uuid
from collections.abc import Sequence
from enum import StrEnum
from http import HTTPStatus

from pydantic import BaseModel, ConfigDict, TypeAdapter

from local.algolia.building import Record
from local.algolia.errors import ApiError
from local.algolia.filters import parsed
from local.algolia.settings import Parameters

MAX_RECORD_BYTES = 10_000  # of compact JSON: the smallest plan's limit


class Action(StrEnum):
    """What one operation does. The first seven are the actions of a batch request."""

    ADD = "addObject"
    UPDATE = "updateObject"
    PARTIAL = "partialUpdateObject"
    PARTIAL_NO_CREATE = "partialUpdateObjectNoCreate"
    DELETE = "deleteObject"
    CLEAR = "clear"
    DROP = "delete"
    DELETE_BY = "deleteBy"
    SETTINGS = "settings"
    COPY = "copy"
    MOVE = "move"


BATCH_ACTIONS = frozenset(list(Action)[:7])
PATCHES = frozenset({Action.PARTIAL, Action.PARTIAL_NO_CREATE})
SAVES = PATCHES | {Action.ADD, Action.UPDATE}
NEEDS_OBJECT_ID = PATCHES | {Action.UPDATE, Action.DELETE}


class Operation(BaseModel):
    """One step of a task; what `body` holds depends on the action."""

    model_config = ConfigDict(frozen=True)

    action: Action
    body: Record = {}


OPERATIONS = TypeAdapter(list[Operation])


def checked(operations: Sequence[Operation]) -> list[Operation]:
    """The operations ready to be queued: each record has an objectID, fits, and all else can be carried out.

    Raises:
        ApiError: 400 naming the position of the first bad one, counted from 0; nothing is queued then.
    """
    return [_checked(position, operation) for position, operation in enumerate(operations)]


def _checked(position: int, operation: Operation) -> Operation:
    action, body = operation.action, operation.body
    if action in NEEDS_OBJECT_ID and "objectID" not in body:
        raise ApiError("Invalid object: objectID is missing", position=position)
    if action in PATCHES and any(
        isinstance(value, dict) and "_operation" in value for value in body.values()
    ):
        raise ApiError("Built-in operations are not supported by this server", position=position)
    if action in SAVES:
        body = {**body, "objectID": str(body.get("objectID") or uuid.uuid4().hex)}
        _check_size(position, body)
    elif action is Action.SETTINGS:
        Parameters.of(body, {})
    elif action is Action.DELETE_BY:
        filters = body.get("filters")
        if not isinstance(filters, str) or not filters.strip():
            raise ApiError("DeleteBy endpoint must contain at least one filter")
        parsed(filters)
    return Operation(action=action, body=body)


def _check_size(position: int, record: Record) -> None:
    size = len(json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode())
    if size > MAX_RECORD_BYTES:
        object_id = str(record["objectID"])
        raise ApiError(
            f"Record at the position {position} objectID={object_id} is too big"
            f" size={size}/{MAX_RECORD_BYTES} bytes. Please have a look at https://www.algolia.com/doc/guides/sending-and-managing-data/"
            "prepare-your-data/in-depth/index-and-records-size-and-usage-limitations/#record-size-limits",
            HTTPStatus.BAD_REQUEST,
            position=position,
            objectID=object_id,
        )
