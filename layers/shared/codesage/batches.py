"""An SQS event -> the messages of it that failed: the only place that knows how an error looks to a queue."""

import logging
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from aws_lambda_powertools.utilities.batch import SqsFifoPartialProcessor, process_partial_response
from pydantic import ValidationError

from codesage.clients.sqs import make_visible_in
from codesage.errors import CodeSageError, Rejected, Superseded, Unavailable
from codesage.messages import Message
from codesage.replies import INTERNAL
from codesage.settings import settings

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
    from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
    from aws_lambda_powertools.utilities.typing import LambdaContext

LOG = logging.getLogger(__name__)

MAX_RECEIVES = 5  # the queues' maxReceiveCount; a test compares it with the template

M = TypeVar("M", bound=Message)


def batch_reply(
    event: dict[str, Any],
    context: "LambdaContext",
    model: type[M],
    handle: Callable[[M, int], None],
    note_failure: Callable[[M, CodeSageError, bool], None],
    queue_url: str,
) -> "PartialItemFailureResponse":
    """Handle each message of an SQS event; failed ones go back to the queue, sooner than it would by itself.

    Args:
        handle: takes the message and how often it was received, from 1.
        note_failure: takes the message, what went wrong, and whether no receipt follows.

    A Superseded message is done with. A Rejected one is not tried again: the same call would fail alike, so
    its failure is noted as final and it leaves the queue.
    """

    def on_record(record: "SQSRecord") -> None:
        receipt = int(record.attributes.approximate_receive_count)
        error = _outcome(lambda: handle(model.model_validate_json(record.body), receipt))
        if error is None:
            return
        final = isinstance(error, Rejected)
        try:
            with suppress(ValidationError):  # nobody's message: there is nothing to note its failure on
                note_failure(model.model_validate_json(record.body), error, final or receipt >= MAX_RECEIVES)
        finally:
            if not final:
                make_visible_in(queue_url, record.receipt_handle, _pause(error, receipt))
        if not final:
            raise error

    processor = SqsFifoPartialProcessor(skip_group_on_error=True)
    processor.raise_on_entire_batch_failure = False  # one failed message of one is a partial failure too
    return process_partial_response(
        event=event,
        record_handler=on_record,
        processor=processor,
        context=context,
    )


def _outcome(handle: Callable[[], None]) -> CodeSageError | None:
    try:
        handle()
    except Superseded as error:
        LOG.info("dropped: %s", error)
    except CodeSageError as error:
        LOG.warning("failed: %s", error, exc_info=True)
        return error
    except Exception:
        LOG.exception("unforeseen")
        return CodeSageError(INTERNAL)
    return None


def _pause(error: CodeSageError, receipt: int) -> float:
    """Seconds until the next receipt: what the error asks for, else longer with each one."""
    if isinstance(error, Unavailable) and error.retry_after is not None:
        return error.retry_after
    growing: float = settings().pause_seconds * 2 ** (receipt - 1)
    return growing
