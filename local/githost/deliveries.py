"""An event and its JSON -> one signed request to a webhook, and what came back."""

import hashlib
import hmac
import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass

import urllib3

from codesage.errors import Unavailable

ANSWER_SECONDS = 10.0  # GitHub gives a webhook this long and does not try again


@dataclass(frozen=True, slots=True)
class Delivery:
    """What a webhook answered; `id` may be given to another delivery to repeat it."""

    id: str
    event: str
    status: int
    body: str

    @property
    def accepted(self) -> bool:
        return 200 <= self.status < 300


def signature(secret: str, body: bytes) -> str:
    """The value of `X-Hub-Signature-256`, over exactly these bytes."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def deliver(
    url: str, event: str, payload: Mapping[str, object], *, secret: str, delivery_id: str | None
) -> Delivery:
    """POST one event as GitHub does, once.

    Args:
        secret: signs the body; without one, an empty string, the signature's header is missing.
        delivery_id: None makes a new one.

    Raises:
        Unavailable: nobody answered in time.
    """
    # UTF-8 instead of escapes finds out a receiver that hashes what it parsed, not what it received.
    body = json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()
    identity = delivery_id or str(uuid.uuid4())
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "GitHub-Hookshot/codesage",
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": identity,
    }
    if secret:
        headers["X-Hub-Signature-256"] = signature(secret, body)
    try:
        answer = urllib3.request(
            "POST", url, body=body, headers=headers, timeout=ANSWER_SECONDS, retries=False
        )
    except urllib3.exceptions.HTTPError as error:
        raise Unavailable(f"the webhook at {url} did not answer") from error
    return Delivery(identity, event, answer.status, answer.data.decode(errors="replace"))
