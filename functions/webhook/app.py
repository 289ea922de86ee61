"""Webhook: a host's signed event becomes one SnapshotRequest on the queue. No database, no host call."""

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from codesage.clients.secrets import secret
from codesage.clients.sqs import send_snapshot
from codesage.errors import Misconfigured
from codesage.replies import Answer, http_answer
from codesage.requests import Request
from codesage.webhooks import Event, Ignored, check_route, request_of

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext


def receive(host: str, event: Event) -> Answer:
    check_route(event.org, host)
    key = secret(event.org, f"{host}/webhook").get("WEBHOOK_SECRET", "")
    if not key.strip():
        raise Misconfigured(
            "The webhook's secret is not set; put it into WEBHOOK_SECRET of the host's secret."
        )
    request = request_of(host, event, key)
    if isinstance(request, Ignored):
        return Answer(request.status, {"ignored": request.reason})
    send_snapshot(request)
    return Answer(HTTPStatus.ACCEPTED, {"accepted": request.delivery})


def lambda_handler(event: dict[str, Any], _: "LambdaContext") -> dict[str, Any]:
    request, path = Request.of(event), event["pathParameters"]
    delivery = Event(path["org"], request.headers, request.body)
    return http_answer(lambda: receive(path["host"], delivery), request.id).proxy_reply
