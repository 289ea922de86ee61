"""A stack's outputs -> AWS clients of this process that reach its database and its functions.

For what needs no API key: making the first one, and starting upkeep by hand.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from codesage.callers import Caller
from codesage.errors import CodeSageError
from codesage.keys import Scope
from local import ministack
from local.cli.deployment import local_profile
from local.cli.errors import CommandError
from local.profile import Profile


@dataclass(frozen=True, slots=True)
class Invocation:
    """What a function replied; `error` is its message where it failed."""

    reply: object
    error: str | None


@contextmanager
def operating(stack: str | None) -> Iterator[Mapping[str, str]]:
    """Reach a deployed stack with the person's own AWS credentials, or with None the local one.

    Yields:
        The stack's outputs.

    Raises:
        CommandError: there is no such stack, AWS refused, or what was asked for failed.
    """
    try:
        if stack is None:
            profile = local_profile()
            use_local(profile)
            yield profile.outputs
        else:
            outputs = _outputs(stack)
            _use(outputs)
            yield outputs
    except CodeSageError as error:
        # An operator may know what a caller may not: that it was AWS's refusal, and which.
        cause = f" AWS: {error.__cause__}" if isinstance(error.__cause__, ClientError) else ""
        raise CommandError(f"{error}{cause}") from error
    except (BotoCoreError, ClientError) as error:
        raise CommandError(f"AWS: {error}") from error


def operator_of(org: str) -> Caller:
    """Whoever holds the stack's AWS credentials sees all of an organisation, without a key."""
    return Caller(org, key_id="operator", scopes=frozenset(Scope))


def use_local(profile: Profile) -> None:
    """Point the AWS clients that this process makes from now on at a local stack."""
    for name in ("AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_SESSION_TOKEN"):
        os.environ.pop(name, None)
    os.environ |= {
        "AWS_CONFIG_FILE": os.devnull,  # what a person wrote for other accounts must not matter here
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_ACCESS_KEY_ID": ministack.ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": ministack.SECRET_KEY,
        "AWS_REGION": profile.region,
        "AWS_DEFAULT_REGION": profile.region,
        "AWS_ENDPOINT_URL": profile.aws_url,
        "AWS_ENDPOINT_URL_LAMBDA": profile.lambda_url,
    }
    _use(profile.outputs)


def invoke(function: str, event: Mapping[str, object]) -> Invocation:
    """Run a function and wait for its reply."""
    answer = boto3.client("lambda").invoke(FunctionName=function, Payload=json.dumps(event).encode())
    reply: object = json.loads(answer["Payload"].read())
    if "FunctionError" not in answer:
        return Invocation(reply, None)
    message = reply.get("errorMessage") if isinstance(reply, dict) else None
    return Invocation(reply, str(message or "the function failed and said nothing"))


def _outputs(stack: str) -> dict[str, str]:
    described = boto3.client("cloudformation").describe_stacks(StackName=stack)["Stacks"]
    return {output["OutputKey"]: output["OutputValue"] for output in described[0].get("Outputs", [])}


def _use(outputs: Mapping[str, str]) -> None:
    """`codesage.settings` reads the environment. What only the functions use is left without a meaning."""
    try:
        known = {
            "TABLE_NAME": outputs["TableName"],
            "BUCKET_NAME": outputs["BucketName"],
            "SNAPSHOT_QUEUE_URL": outputs["SnapshotQueueUrl"],
            "PARSE_QUEUE_URL": outputs["ParseQueueUrl"],
            "SECRET_PREFIX": outputs["SecretPrefix"],
            "ALGOLIA_INDEX_NAME": outputs["AlgoliaIndexName"],
            "ALGOLIA_ENDPOINT": outputs.get("AlgoliaEndpoint", ""),  # an empty output is left out
        }
    except KeyError as error:
        raise CommandError(f"the stack has no output {error.args[0]}; is it CodeSage's?") from None
    others = ("GITHUB_API_URL", "GITHUB_WEB_URL", "GITLAB_WEB_URL", "CORS_ORIGIN")
    pauses = ("PAUSE_SECONDS", "PATIENCE_SECONDS")
    os.environ |= known | dict.fromkeys(others, "") | dict.fromkeys(pauses, "0")
