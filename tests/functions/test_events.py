"""Each real event in `events/` is understood by the function that it is for."""

import json
from pathlib import Path

import pytest

from tests.service import Service

EVENTS = Path(__file__).parents[2] / "events"


def answer(service: Service, function: str, event: str) -> dict[str, object]:
    payload = json.loads((EVENTS / event).read_text())
    result = service.stack.functions[function].invoke(payload)
    assert not result.failed, result.error_message
    reply = result.payload
    assert isinstance(reply, dict)
    return reply


def test_a_webhook_event_with_a_foreign_signature_is_401(service: Service) -> None:
    assert answer(service, "WebhookFunction", "webhook-push.json")["statusCode"] == 401


def test_a_search_event_is_answered(service: Service) -> None:
    reply = answer(service, "SearchFunction", "api-search.json")

    assert reply["statusCode"] == 200
    assert json.loads(str(reply["body"]))["query"] == "refresh token"


def test_an_unknown_key_is_denied_on_every_route_of_the_stage(service: Service) -> None:
    reply = answer(service, "AuthorizerFunction", "authorizer-request.json")

    assert reply["policyDocument"] == {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Action": "execute-api:Invoke",
                "Effect": "Deny",
                "Resource": "arn:aws:execute-api:eu-central-1:111122223333:a1b2c3d4e5/dev/*",
            }
        ],
    }


def test_a_hint_for_a_repository_the_host_does_not_know_ends_with_its_reason(service: Service) -> None:
    reply = answer(service, "SnapshotFunction", "sqs-snapshot.json")

    assert reply == {"batchItemFailures": []}
    report = service.report("octo/gone")
    assert report is not None
    assert (report["status"], report["commit"]) == ("failed", None)
    assert "404" in report["last_failure"]["reason"]


def test_a_pack_of_a_repository_that_does_not_exist_goes_back_to_the_queue(service: Service) -> None:
    reply = answer(service, "ParserFunction", "sqs-parse.json")

    assert reply == {"batchItemFailures": [{"itemIdentifier": "059f36b4-87a3-44ab-83d2-661975830a7d"}]}


@pytest.mark.parametrize("body", ["", "{}", "not json", '{"org": "Not A Slug", "host": "github"}'])
def test_a_message_that_nobody_understands_goes_back_by_its_own_id(service: Service, body: str) -> None:
    event = json.loads((EVENTS / "sqs-snapshot.json").read_text())
    event["Records"][0]["body"] = body

    result = service.stack.functions["SnapshotFunction"].invoke(event)

    [record] = event["Records"]
    assert result.payload == {"batchItemFailures": [{"itemIdentifier": record["messageId"]}]}


def test_the_schedule_of_the_watch_is_known(service: Service) -> None:
    assert answer(service, "CleanupFunction", "schedule-watch.json")["schedule"] == "watch"


@pytest.mark.parametrize("event", sorted(path.name for path in EVENTS.glob("*.json")))
def test_every_event_is_tried_here(event: str) -> None:
    assert f'"{event}"' in Path(__file__).read_text()
