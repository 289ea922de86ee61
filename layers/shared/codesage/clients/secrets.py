"""A secret's name -> its fields, read once per process for a few minutes."""

import json
import logging
import time

from codesage.clients.aws import aws_failures, code_of, secretsmanager
from codesage.settings import settings

LOG = logging.getLogger(__name__)

KEPT_SECONDS = 300  # a rotated secret is seen within this time
EMPTY_SECONDS = 5  # one that is still to be filled in, or that nobody has, is looked up again soon

_cache: dict[str, tuple[float, dict[str, str]]] = {}


def secret(org: str, name: str) -> dict[str, str]:
    """The fields of `<prefix>/<org>/<name>`; empty where it does not exist or is not a JSON object."""
    key = f"{settings().secret_prefix}/{org}/{name}"
    kept = _cache.get(key)
    if kept is not None and time.monotonic() < kept[0]:
        return kept[1]
    fields = _read(key)
    _cache[key] = (time.monotonic() + (KEPT_SECONDS if any(fields.values()) else EMPTY_SECONDS), fields)
    return fields


def _read(key: str) -> dict[str, str]:
    with aws_failures("The secret store"):
        client = secretsmanager()
        try:
            text = client.get_secret_value(SecretId=key).get("SecretString", "")
        except client.exceptions.ClientError as error:
            # A policy that names secrets up to their random ending allows none that does not exist.
            if code_of(error) in ("ResourceNotFoundException", "AccessDeniedException"):
                LOG.warning("the secret %s is not there, or may not be read", key)
                return {}
            raise
    try:
        fields = json.loads(text)
    except ValueError:
        return {}
    return {str(k): str(v) for k, v in fields.items()} if isinstance(fields, dict) else {}
