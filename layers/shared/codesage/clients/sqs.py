"""Messages -> the two FIFO queues, and how many of them are there."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import cast

from codesage.clients.aws import aws_failures, sqs
from codesage.errors import Unavailable
from codesage.messages import ParseRequest, SnapshotRequest
from codesage.settings import settings

MAX_BATCH = 10  # SQS's own limit
MAX_PAUSE = 900


def send_snapshot(request: SnapshotRequest) -> None:
    with aws_failures("The queue"):
        sqs().send_message(
            QueueUrl=settings().snapshot_queue_url,
            MessageBody=request.model_dump_json(exclude_defaults=True),
            MessageGroupId=request.group_id,
            MessageDeduplicationId=request.deduplication_id,
        )


def send_parses(requests: Iterable[ParseRequest]) -> None:
    """All or an error; a caller that tries again sends all of them again, and repeats are harmless."""
    for batch in _batches(requests):
        with aws_failures("The queue"):
            reply = sqs().send_message_batch(
                QueueUrl=settings().parse_queue_url,
                Entries=[
                    {
                        "Id": str(position),
                        "MessageBody": request.model_dump_json(),
                        "MessageGroupId": request.group_id,
                        "MessageDeduplicationId": request.deduplication_id,
                    }
                    for position, request in enumerate(batch)
                ],
            )
        if reply.get("Failed"):
            raise Unavailable("The queue did not take every message; they are sent again.")


def make_visible_in(queue_url: str, receipt_handle: str, seconds: float) -> None:
    """The last act of a failing handler: try again sooner than the queue's own visibility timeout."""
    with aws_failures("The queue"):
        sqs().change_message_visibility(
            QueueUrl=queue_url, ReceiptHandle=receipt_handle, VisibilityTimeout=min(MAX_PAUSE, round(seconds))
        )


@dataclass(frozen=True, slots=True)
class Backlog:
    """Messages of one queue, as near as SQS counts.

    Attributes:
        waiting: nobody has taken them yet.
        in_flight: being handled, or waiting out the pause after a failure.
        dead: given up after their last receipt, and kept for a person to look at.
    """

    waiting: int
    in_flight: int
    dead: int


def backlog(queue_url: str) -> Backlog:
    with aws_failures("The queue"):
        own = _attributes(queue_url)
        dead = _attributes(_dead_letter_url(queue_url, own["RedrivePolicy"]))
    return Backlog(
        waiting=_count(own, "") + _count(own, "Delayed"),
        in_flight=_count(own, "NotVisible"),
        dead=_count(dead, "") + _count(dead, "NotVisible"),
    )


def _attributes(queue_url: str) -> Mapping[str, str]:
    reply = sqs().get_queue_attributes(QueueUrl=queue_url, AttributeNames=["All"])
    return cast("Mapping[str, str]", reply["Attributes"])


def _count(attributes: Mapping[str, str], state: str) -> int:
    return int(attributes[f"ApproximateNumberOfMessages{state}"])


def _dead_letter_url(queue_url: str, redrive_policy: str) -> str:
    """AWS wants both queues in one account and region, so their URLs differ in the name only."""
    name = json.loads(redrive_policy)["deadLetterTargetArn"].rpartition(":")[2]
    return f"{queue_url.rpartition('/')[0]}/{name}"


def _batches(requests: Iterable[ParseRequest]) -> Iterator[Sequence[ParseRequest]]:
    waiting = iter(requests)
    while batch := tuple(islice(waiting, MAX_BATCH)):
        yield batch
