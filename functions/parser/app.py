"""Parser: one pack of a run becomes records in Algolia and items in DynamoDB."""

import time
from functools import cache
from typing import TYPE_CHECKING, Any

from codesage.batches import batch_reply
from codesage.messages import ParseRequest
from codesage.parsing.child import ParserChild
from codesage.settings import settings
from codesage.update import Clock, PackReceipt, note_failure

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
    from aws_lambda_powertools.utilities.typing import LambdaContext

SOFT_SECONDS = 30  # of the function's time are left when no further batch is begun …
HARD_SECONDS = 30  # … and when no wait for a task goes on


@cache
def child() -> ParserChild:
    """Kept across calls: a warm child has its grammars loaded."""
    return ParserChild()


def lambda_handler(event: dict[str, Any], context: "LambdaContext") -> "PartialItemFailureResponse":
    left = time.monotonic() + context.get_remaining_time_in_millis() / 1000
    clock = Clock(soft=left - SOFT_SECONDS, hard=left - HARD_SECONDS)

    def handle(request: ParseRequest, _: int) -> None:
        PackReceipt(request, child().parse, clock).handle()

    return batch_reply(event, context, ParseRequest, handle, note_failure, settings().parse_queue_url)
