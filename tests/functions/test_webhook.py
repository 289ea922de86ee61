"""POST /webhooks/{org}/{host}: what is refused, what is ignored, and what reaches the queue."""

import hmac
import json
from collections.abc import Mapping
from hashlib import sha256
from uuid import uuid4

import pytest

from tests.service import Answer, Service
from tests.unit.test_webhooks import PUSH

PATH = "/webhooks/default/github"


def deliver(service: Service, body: bytes, event: str = "push", **headers: str) -> Answer:
    secret = service.stack.memory.get("webhook-secret")
    signature = "sha256=" + hmac.new(secret.encode(), body, sha256).hexdigest()
    sent: Mapping[str, str] = {
        "X-Hub-Signature-256": signature,
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": str(uuid4()),
        "Content-Type": "application/json",
        **headers,
    }
    return service.post(PATH, body, sent)


def rows(service: Service) -> int:
    return len(service.items("O#default"))


def test_a_bad_signature_is_401_and_nothing_is_queued(service: Service) -> None:
    before = rows(service)

    answer = deliver(service, json.dumps(PUSH).encode(), **{"X-Hub-Signature-256": "sha256=" + "0" * 64})

    assert answer.status == 401
    assert answer.body["error"]["type"] == "Unauthenticated"
    assert rows(service) == before


def test_a_signed_body_that_is_broken_is_400(service: Service) -> None:
    answer = deliver(service, b'{"ref": ')

    assert (answer.status, answer.body["error"]["type"]) == (400, "InvalidRequest")


def test_a_body_of_12_mb_is_refused_in_words(service: Service) -> None:
    answer = deliver(service, b"x" * 12_000_000)

    assert (answer.status, answer.body["error"]["type"]) == (413, "RequestTooLarge")


@pytest.mark.parametrize("event", ["ping", "star", "never_heard_of"])
def test_an_event_that_means_nothing_here_is_answered_with_its_reason(service: Service, event: str) -> None:
    answer = deliver(service, b"{}", event)

    assert answer.status == (200 if event == "ping" else 202)
    assert event in answer.body["ignored"]


def test_a_push_with_emoji_is_verified_over_its_raw_bytes(service: Service) -> None:
    literal = json.dumps({**PUSH, "ref": "refs/heads/other"}, ensure_ascii=False).encode()

    answer = deliver(service, literal, **{"x-hub-signature-256".upper(): _signature(service, literal)})

    assert answer.status == 202
    assert "refs/heads/other" in answer.body["ignored"]


def test_an_unsigned_delivery_does_not_block_the_real_one_with_its_id(service: Service) -> None:
    body = json.dumps({**PUSH, "ref": "refs/heads/other"}).encode()
    delivery = {"X-GitHub-Delivery": str(uuid4())}

    forged = service.post(PATH, body, {"X-GitHub-Event": "push", **delivery})
    real = deliver(service, body, **delivery)

    assert (forged.status, real.status) == (401, 202)


def test_a_large_push_is_taken_and_one_beyond_the_limit_is_left_to_the_reconcile(service: Service) -> None:
    def push_of(size: int) -> bytes:
        return json.dumps({**PUSH, "ref": "refs/heads/other", "padding": "x" * size}).encode()

    assert deliver(service, push_of(3_000_000)).status == 202
    assert deliver(service, push_of(5_500_000)).status == 202
    assert deliver(service, push_of(6_500_000)).status == 413


def test_an_unknown_host_and_an_unknown_organisation_are_refused(service: Service) -> None:
    assert service.post("/webhooks/default/nohost", b"{}", {}).status == 404
    assert service.post("/webhooks/nobody/github", b"{}", {}).status == 503
    assert service.post("/webhooks/No_Slug/github", b"{}", {}).status == 404


def _signature(service: Service, body: bytes) -> str:
    secret = service.stack.memory.get("webhook-secret")
    return "sha256=" + hmac.new(secret.encode(), body, sha256).hexdigest()
