"""The AWS clients of this process, made on first use and kept; only endpoints differ between stacks.

They come from botocore, on which boto3 stands: the same clients, and boto3 would also import the transfer
manager of its S3 resources, which is a fifth of its time and used by nothing here.
"""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from botocore.client import BaseClient
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from botocore.model import OperationModel
from botocore.session import Session

from codesage.errors import Unavailable

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_secretsmanager import SecretsManagerClient
    from mypy_boto3_sqs import SQSClient

CONFIG = Config(
    retries={"mode": "standard", "total_max_attempts": 5},
    connect_timeout=3,
    read_timeout=30,
    max_pool_connections=32,
)

request_units: "Counter[str]" = Counter()
"""DynamoDB's units that this process has consumed, by operation. Callers look at differences."""


_making = threading.Lock()


@cache
def _session() -> Session:
    """Finds region, profile, endpoints and credentials as every AWS tool does."""
    return Session()


def _client(service: str) -> BaseClient:
    """One at a time: a session is not made for threads, the clients that it makes are."""
    with _making:
        return _session().create_client(service, config=CONFIG)


@cache
def dynamodb() -> "DynamoDBClient":
    client = cast("DynamoDBClient", _client("dynamodb"))
    client.meta.events.register("before-parameter-build.dynamodb.*", _ask_for_units)
    client.meta.events.register("after-call.dynamodb.*", _count_units)
    return client


def _ask_for_units(params: dict[str, object], **_: object) -> None:
    params.setdefault("ReturnConsumedCapacity", "TOTAL")


def _count_units(parsed: dict[str, Any], model: OperationModel, **_: object) -> None:
    consumed = parsed.get("ConsumedCapacity", [])
    for part in consumed if isinstance(consumed, list) else [consumed]:
        request_units[model.name] += round(part.get("CapacityUnits", 0))


@cache
def s3() -> "S3Client":
    return cast("S3Client", _client("s3"))


@cache
def sqs() -> "SQSClient":
    return cast("SQSClient", _client("sqs"))


@cache
def secretsmanager() -> "SecretsManagerClient":
    return cast("SecretsManagerClient", _client("secretsmanager"))


def code_of(error: ClientError) -> str:
    """AWS's own code of an error: `ConditionalCheckFailedException`, `NoSuchKey` …"""
    return error.response.get("Error", {}).get("Code", "")


@contextmanager
def aws_failures(what: str) -> Iterator[None]:
    """An error that the caller did not catch becomes Unavailable, naming `what`; AWS's text is its cause."""
    try:
        yield
    except (BotoCoreError, ClientError) as error:
        raise Unavailable(f"{what} is unavailable; try again later.") from error
