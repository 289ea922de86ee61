"""The one table: reads, conditional writes and transactions, with AWS's errors turned into ours."""

import random
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from botocore.exceptions import ClientError

from codesage.clients.attributes import decode_item, encode, encode_item
from codesage.clients.aws import aws_failures, code_of, dynamodb
from codesage.errors import Superseded, Unavailable
from codesage.settings import settings

if TYPE_CHECKING:  # rows and records would come along, and pydantic with them
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef, TransactWriteItemTypeDef

    from codesage.items import Item

BUSY = frozenset({"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"})
"""Reasons of a cancelled transaction that botocore does not try again by itself."""

CONFLICT_TRIES = 12  # transactions on one row exclude each other, and packs of one run meet there


def get(pk: str, sk: str, consistent: bool = True) -> "Item | None":
    with aws_failures("The database"):
        reply = dynamodb().get_item(
            TableName=settings().table_name, Key=key(pk, sk), ConsistentRead=consistent
        )
    return decode_item(reply["Item"]) if "Item" in reply else None


def get_many(keys: "Sequence[dict[str, AttributeValueTypeDef]]") -> "list[Item]":
    """The items that exist, in no order; at most 100 keys."""
    waiting = list(keys)
    found: list[Item] = []
    for attempt in range(CONFLICT_TRIES):
        if not waiting:
            return found
        with aws_failures("The database"):
            reply = dynamodb().batch_get_item(
                RequestItems={settings().table_name: {"Keys": waiting, "ConsistentRead": True}}
            )
        found += map(decode_item, reply["Responses"][settings().table_name])
        unread = reply["UnprocessedKeys"].get(settings().table_name)
        waiting = (
            [] if unread is None else cast("list[dict[str, AttributeValueTypeDef]]", list(unread["Keys"]))
        )
        if waiting:
            pause(attempt)
    raise Unavailable("The database is busy; try again later.")


def query(pk: str, prefix: str = "") -> "Iterator[Item]":
    values: dict[str, AttributeValueTypeDef] = {":pk": encode(pk)}
    condition = "PK = :pk"
    if prefix:
        condition, values[":sk"] = "PK = :pk AND begins_with(SK, :sk)", encode(prefix)
    with aws_failures("The database"):
        pages = (
            dynamodb()
            .get_paginator("query")
            .paginate(
                TableName=settings().table_name,
                KeyConditionExpression=condition,
                ExpressionAttributeValues=values,
                ConsistentRead=True,
            )
        )
        for page in pages:
            yield from map(decode_item, page["Items"])


def increment(pk: str, sk: str, attribute: str, expires_at: int | None = None) -> int:
    """Count one up, atomically, from 1. The item goes some time after `expires_at`, in Unix seconds."""
    expression, values = f"ADD {attribute} :one", {":one": encode(1)}
    if expires_at is not None:
        expression, values[":end"] = f"{expression} SET expires_at = :end", encode(expires_at)
    with aws_failures("The database"):
        reply = dynamodb().update_item(
            TableName=settings().table_name,
            Key=key(pk, sk),
            UpdateExpression=expression,
            ExpressionAttributeValues=values,
            ReturnValues="UPDATED_NEW",
        )
    return cast("int", decode_item(reply["Attributes"])[attribute])


def key(pk: str, sk: str) -> "dict[str, AttributeValueTypeDef]":
    return {"PK": {"S": pk}, "SK": {"S": sk}}


def put(
    pk: str, sk: str, item: "Item", condition: str | None = None, values: Mapping[str, object] | None = None
) -> "TransactWriteItemTypeDef":
    action: TransactWriteItemTypeDef = {
        "Put": {"TableName": settings().table_name, "Item": {**key(pk, sk), **encode_item(item)}}
    }
    if condition is not None:
        action["Put"]["ConditionExpression"] = condition
    if values:
        action["Put"]["ExpressionAttributeValues"] = encode_item(values)
    return action


def update(
    pk: str,
    sk: str,
    expression: str,
    values: Mapping[str, object],
    names: Mapping[str, str] | None = None,
    condition: str = "attribute_exists(PK)",
) -> "TransactWriteItemTypeDef":
    action: TransactWriteItemTypeDef = {
        "Update": {
            "TableName": settings().table_name,
            "Key": key(pk, sk),
            "UpdateExpression": expression,
            "ConditionExpression": condition,
            "ExpressionAttributeValues": encode_item(values),
        }
    }
    if names:
        action["Update"]["ExpressionAttributeNames"] = dict(names)
    return action


def delete(
    pk: str, sk: str, condition: str | None = None, values: "Item | None" = None
) -> "TransactWriteItemTypeDef":
    action: TransactWriteItemTypeDef = {"Delete": {"TableName": settings().table_name, "Key": key(pk, sk)}}
    if condition is not None:
        action["Delete"]["ConditionExpression"] = condition
    if values:
        action["Delete"]["ExpressionAttributeValues"] = encode_item(values)
    return action


def check(
    pk: str, sk: str, condition: str, names: Mapping[str, str], values: "Item"
) -> "TransactWriteItemTypeDef":
    """An action that writes nothing and lets the whole transaction fail unless `condition` holds."""
    return {
        "ConditionCheck": {
            "TableName": settings().table_name,
            "Key": key(pk, sk),
            "ConditionExpression": condition,
            "ExpressionAttributeNames": dict(names),
            "ExpressionAttributeValues": encode_item(values),
        }
    }


def commit(actions: "list[TransactWriteItemTypeDef]") -> None:
    """All actions or none. One alone is written without a transaction, which would cost twice as much.

    Raises:
        Superseded: a condition does not hold.
        Unavailable: DynamoDB failed, or the same items stayed busy.
    """
    for attempt in range(CONFLICT_TRIES):
        try:
            with aws_failures("The database"):
                _send(actions)
        except Unavailable as error:
            reasons = _reasons(error.__cause__)
            if "ConditionalCheckFailed" in reasons:
                raise Superseded("a newer state is already there") from error
            if not reasons & BUSY:
                raise
            pause(attempt)
        else:
            return
    raise Unavailable("The database is busy; try again later.")


def _send(actions: "list[TransactWriteItemTypeDef]") -> None:
    match actions:
        case [{"Put": only}]:
            dynamodb().put_item(**only)
        case [{"Update": only}]:
            dynamodb().update_item(**only)
        case [{"Delete": only}]:
            dynamodb().delete_item(**only)
        case _:
            dynamodb().transact_write_items(TransactItems=actions)


def _reasons(cause: BaseException | None) -> frozenset[str]:
    """Why a write was refused, in the words of a transaction's cancellation."""
    if not isinstance(cause, ClientError):
        return frozenset()
    if code_of(cause) == "TransactionCanceledException":
        return frozenset(str(reason.get("Code")) for reason in cause.response.get("CancellationReasons", []))
    return frozenset({code_of(cause).removesuffix("Exception")})


def pause(attempt: int) -> None:
    """Longer with each attempt and never the same twice, so that two writers do not meet again."""
    time.sleep(random.uniform(0.005, 0.02 * 2 ** min(attempt, 7)))  # noqa: S311 - jitter, no secret
