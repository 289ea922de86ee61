"""Messages -> the two FIFO queues."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

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


def _batches(requests: Iterable[ParseRequest]) -> Iterator[Sequence[ParseRequest]]:
    waiting = iter(requests)
    while batch := tuple(islice(waiting, MAX_BATCH)):
        yield batch
