"""Snapshot: a hint becomes packs in S3 and one ParseRequest per changed pack."""

from typing import TYPE_CHECKING, Any

from codesage.batches import batch_reply
from codesage.messages import SnapshotRequest
from codesage.settings import settings
from codesage.snapshot import note_failure, snapshot

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
    from aws_lambda_powertools.utilities.typing import LambdaContext


def lambda_handler(event: dict[str, Any], context: "LambdaContext") -> "PartialItemFailureResponse":
    queue = settings().snapshot_queue_url
    return batch_reply(event, context, SnapshotRequest, snapshot, note_failure, queue)
