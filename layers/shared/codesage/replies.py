"""Outcomes -> replies: the only place that knows how an error looks over HTTP and to a queue."""

import json
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, TypeVar

from aws_lambda_powertools.utilities.batch import SqsFifoPartialProcessor, process_partial_response
from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext
from pydantic import ValidationError

from codesage.clients.sqs import make_visible_in
from codesage.errors import CodeSageError, Rejected, Superseded, Unauthenticated, Unavailable
from codesage.messages import Message
from codesage.settings import settings

LOG = logging.getLogger(__name__)

RETRY_SECONDS = 5  # what a caller is told to wait where nothing better is known
MAX_RECEIVES = 5  # the queues' maxReceiveCount; a test compares it with the template
JSON = "application/json; charset=utf-8"
INTERNAL = "Internal error; the log has the details."

M = TypeVar("M", bound=Message)


@dataclass(frozen=True, slots=True)
class Answer:
    """What leaves over HTTP: the body is an object of plain JSON values."""

    status: HTTPStatus
    body: Mapping[str, object]
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return json.dumps(self.body, ensure_ascii=False)

    @property
    def proxy_reply(self) -> dict[str, Any]:
        """The shape that API Gateway's proxy integration takes."""
        return {
            "statusCode": self.status,
            "headers": {"Content-Type": JSON, **self.headers},
            "body": self.text,
            "isBase64Encoded": False,
        }


def http_answer(ask: Callable[[], Answer]) -> Answer:
    """The answer, or the error that was raised instead; one nobody foresaw says nothing but that."""
    try:
        return ask()
    except CodeSageError as error:
        LOG.info("answered with %s: %s", type(error).__name__, error)
        return error_answer(error)
    except Exception:
        LOG.exception("unforeseen")
        return error_answer(CodeSageError(INTERNAL))


def error_answer(error: CodeSageError) -> Answer:
    """`{"error": {"type", "message"}}` with the status of the error's class."""
    kind = type(error)
    headers: dict[str, str] = {}
    if isinstance(error, Unavailable):
        headers["Retry-After"] = str(error.retry_after or RETRY_SECONDS)
    if isinstance(error, Unauthenticated):
        headers["WWW-Authenticate"] = "Bearer"
    name = "InternalError" if kind is CodeSageError else kind.__name__
    return Answer(kind.status, {"error": {"type": name, "message": str(error)}}, headers)


def batch_reply(
    event: dict[str, Any],
    context: LambdaContext,
    model: type[M],
    handle: Callable[[M, int], None],
    note_failure: Callable[[M, CodeSageError, bool], None],
    queue_url: str,
) -> PartialItemFailureResponse:
    """Handle each message of an SQS event; failed ones go back to the queue, sooner than it would by itself.

    Args:
        handle: takes the message and how often it was received, from 1.
        note_failure: takes the message, what went wrong, and whether no receipt follows.

    A Superseded message is done with. A Rejected one is not tried again: the same call would fail alike, so
    its failure is noted as final and it leaves the queue.
    """

    def on_record(record: SQSRecord) -> None:
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
