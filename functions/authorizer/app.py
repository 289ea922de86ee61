"""Authorizer: an API key becomes its organisation and scopes, for every route of the API."""

import logging
import time
from typing import TYPE_CHECKING, Any

from codesage.callers import context_of
from codesage.clients.keys import key_of, note_use
from codesage.errors import Unavailable
from codesage.keys import ApiKey, digest_of, is_token

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

LOG = logging.getLogger(__name__)

KEPT_SECONDS = 60  # a revoked key works at most this long in a function that has just seen it
MAX_KEPT = 1_024  # keys and unknown tokens; the one that was read first makes room

_kept: dict[str, tuple[float, ApiKey | None]] = {}


def token_of(event: dict[str, Any]) -> str | None:
    """The key of `Authorization: Bearer KEY`, else of `x-api-key: KEY`, whatever the case of the names."""
    headers = {name.lower(): str(value) for name, value in (event.get("headers") or {}).items()}
    scheme, _, token = headers.get("authorization", "").strip().partition(" ")
    if scheme.lower() == "bearer" and token.strip():
        return token.strip()
    return headers.get("x-api-key", "").strip() or None


def stored_key(token: str, now: float) -> ApiKey | None:
    """The key as it was stored less than KEPT_SECONDS ago; None for a token that opens nothing."""
    if not is_token(token):
        return None
    digest = digest_of(token)
    if digest in _kept:
        read_at, key = _kept[digest]
        if read_at <= now < read_at + KEPT_SECONDS:  # a clock that was set back keeps nothing either
            return key
        del _kept[digest]
    key = key_of(token)
    if len(_kept) >= MAX_KEPT:
        del _kept[next(iter(_kept))]
    _kept[digest] = now, key
    if key is not None and key.is_valid(now):
        _note(token, key, now)
    return key


def lambda_handler(event: dict[str, Any], _: "LambdaContext") -> dict[str, Any]:
    """The policy covers all routes of the stage, because a key's scopes are checked in the functions."""
    token = token_of(event)
    if token is None:
        raise Exception("Unauthorized")
    now = time.time()
    key = stored_key(token, now)
    if key is None or not key.is_valid(now):
        return policy("Deny", event["methodArn"], "nobody", {})
    return policy("Allow", event["methodArn"], key.id, context_of(key))


def policy(effect: str, method_arn: str, principal: str, context: dict[str, str]) -> dict[str, Any]:
    stage = "/".join(method_arn.split("/")[:2])
    statement = {"Action": "execute-api:Invoke", "Effect": effect, "Resource": f"{stage}/*"}
    return {
        "principalId": principal,
        "policyDocument": {"Version": "2012-10-17", "Statement": [statement]},
        "context": context,
    }


def _note(token: str, key: ApiKey, now: float) -> None:
    try:
        note_use(token, key, now)
    except Unavailable as error:  # who may come in does not depend on what is remembered of it
        LOG.warning("that key %s was used today could not be noted: %s", key.id, error)
