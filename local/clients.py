"""A service's name -> a boto3 client of its stand-in, with nothing of the user's own AWS settings in it."""

import os
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, overload

import boto3
import botocore.session
from botocore.config import Config

from local import ministack

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_secretsmanager import SecretsManagerClient
    from mypy_boto3_sqs import SQSClient

Service = Literal["sqs", "s3", "dynamodb", "secretsmanager", "lambda"]

# No profile, and files without one: a client must not fail because of what a user wrote for other accounts.
_NOBODY = {
    "profile": (None, None, None, None),
    "config_file": (None, None, os.devnull, None),
    "credentials_file": (None, None, os.devnull, None),
}
# One more try covers a kept connection that was closed; what does not listen on loopback will not soon.
_CONFIG = Config(max_pool_connections=32, retries={"mode": "standard", "total_max_attempts": 2})


class Clients:
    """Clients made on first use; each may be used by several threads.

    Args:
        urls: where each service's stand-in listens.
    """

    def __init__(self, urls: Mapping[Service, str]) -> None:
        self._urls = urls
        self._session = boto3.Session(botocore_session=botocore.session.Session(session_vars=_NOBODY))
        self._lock = threading.Lock()
        self._made: dict[Service, object] = {}

    @overload
    def __call__(self, service: Literal["sqs"]) -> "SQSClient": ...
    @overload
    def __call__(self, service: Literal["s3"]) -> "S3Client": ...
    @overload
    def __call__(self, service: Literal["dynamodb"]) -> "DynamoDBClient": ...
    @overload
    def __call__(self, service: Literal["secretsmanager"]) -> "SecretsManagerClient": ...
    @overload
    def __call__(self, service: Literal["lambda"]) -> "LambdaClient": ...
    def __call__(self, service: Service) -> object:
        with self._lock:  # a session is not made for several threads, its clients are
            if service not in self._made:
                self._made[service] = self._session.client(
                    service,
                    endpoint_url=self._urls[service],
                    region_name=ministack.REGION,
                    aws_access_key_id=ministack.ACCESS_KEY,
                    aws_secret_access_key=ministack.SECRET_KEY,
                    config=_CONFIG,
                )
            return self._made[service]
