"""Authorizer: an API key becomes its organisation and scopes, for every route of the API."""

import time
from functools import lru_cache
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from codesage.clients.keys import key_of
from codesage.keys import ApiKey

KEPT_SECONDS = 60  # a revoked key works at most this long in a function that has just seen it


def bearer_of(event: dict[str, Any]) -> str | None:
    """The key of `Authorization: Bearer KEY` or `x-api-key: KEY`, whatever the case of the names."""
    headers = {name.lower(): value for name, value in (event.get("headers") or {}).items()}
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token.strip():
        return str(token.strip())
    return headers.get("x-api-key") or None


@lru_cache(maxsize=1024)
def stored_key(token: str, _minute: int) -> ApiKey | None:
    return key_of(token)


def lambda_handler(event: dict[str, Any], _: LambdaContext) -> dict[str, Any]:
    """The policy covers all routes of the stage, because a key's scopes are checked in the functions."""
    token = bearer_of(event)
    if token is None:
        raise Exception("Unauthorized")
    now = time.time()
    key = stored_key(token, int(now // KEPT_SECONDS))
    if key is None or not key.is_valid(now):
        return policy("Deny", event["methodArn"], "nobody", {})
    context = {
        "org": key.org,
        "key_id": key.id,
        "scopes": " ".join(sorted(key.scopes)),
    }
    return policy("Allow", event["methodArn"], key.id, context)


def policy(effect: str, method_arn: str, principal: str, context: dict[str, str]) -> dict[str, Any]:
    stage = "/".join(method_arn.split("/")[:2])
    statement = {"Action": "execute-api:Invoke", "Effect": effect, "Resource": f"{stage}/*"}
    return {
        "principalId": principal,
        "policyDocument": {"Version": "2012-10-17", "Statement": [statement]},
        "context": context,
    }
