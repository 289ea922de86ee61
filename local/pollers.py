"""Messages of a queue -> invocations of a function, as Lambda's event source mapping for SQS makes them.

Source: AWS's guide, "Using Lambda with Amazon SQS" and "Handling errors for an SQS event source".
"""

import json
import logging
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from botocore.exceptions import BotoCoreError, ClientError

from local import ministack
from local.lambdas import Function, FunctionStoppedError, InvokeResult
from local.template import EventSource

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import MessageAttributeValueOutputTypeDef, MessageTypeDef

# A stop waits for receives to return, so they are not longer; ministack looks ten times a second either way.
_WAIT_SECONDS: Final = 1
_PAUSE_AFTER_FAILURE_SECONDS: Final = 1.0

_log = logging.getLogger(__name__)


class Poller:
    """One event source mapping.

    As many threads as `function` has processes each receive, invoke and delete, so a batch is only received
    when a process is free for it. The queue itself keeps a FIFO group's messages from running side by side.
    """

    def __init__(self, source: EventSource, function: Function, sqs: "SQSClient") -> None:
        self._source = source
        self._function = function
        self._sqs = sqs
        self._stopping = threading.Event()
        self._threads = [
            threading.Thread(target=self._poll, name=f"{source.queue.name}-{number}", daemon=True)
            for number in range(min(function.concurrency, source.concurrency or function.concurrency))
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Take no further message. What is under way goes on until the function is stopped."""
        self._stopping.set()

    def join(self) -> None:
        """Wait until nothing is under way."""
        for thread in self._threads:
            thread.join()

    def _poll(self) -> None:
        while not self._stopping.is_set():
            try:
                messages = self._receive()
                if messages:
                    self._handle(messages)
            except (BotoCoreError, ClientError) as error:
                _log.warning("%s: %s", self._source.queue.name, error)
                self._stopping.wait(_PAUSE_AFTER_FAILURE_SECONDS)

    def _receive(self) -> "list[MessageTypeDef]":
        received = self._sqs.receive_message(
            QueueUrl=self._source.queue.url,
            MaxNumberOfMessages=self._source.batch_size,
            WaitTimeSeconds=_WAIT_SECONDS,
            MessageSystemAttributeNames=["All"],
            MessageAttributeNames=["All"],
        )
        return received.get("Messages", [])

    def _handle(self, messages: "list[MessageTypeDef]") -> None:
        try:
            result = self._function.invoke(sqs_event(messages, self._source.queue.arn))
        except FunctionStoppedError:
            # A stop is not the message's fault: it need not wait for its visibility after the next start.
            for message in messages:
                self._sqs.change_message_visibility(
                    QueueUrl=self._source.queue.url,
                    ReceiptHandle=message["ReceiptHandle"],
                    VisibilityTimeout=0,
                )
            return
        failed = failed_messages(
            result, [message["MessageId"] for message in messages], reports=self._source.reports_failures
        )
        done = [message for message in messages if message["MessageId"] not in failed]
        if done:
            self._sqs.delete_message_batch(
                QueueUrl=self._source.queue.url,
                Entries=[
                    {"Id": str(number), "ReceiptHandle": message["ReceiptHandle"]}
                    for number, message in enumerate(done)
                ],
            )


def sqs_event(messages: "Sequence[MessageTypeDef]", queue_arn: str) -> dict[str, object]:
    """What a handler gets for messages that were received with all their attributes."""
    return {
        "Records": [
            {
                "messageId": message["MessageId"],
                "receiptHandle": message["ReceiptHandle"],
                "body": message["Body"],
                "attributes": message.get("Attributes", {}),
                "messageAttributes": {
                    name: _message_attribute(value)
                    for name, value in message.get("MessageAttributes", {}).items()
                },
                "md5OfBody": message["MD5OfBody"],
                "eventSource": "aws:sqs",
                "eventSourceARN": queue_arn,
                "awsRegion": ministack.REGION,
            }
            for message in messages
        ]
    }


def _message_attribute(value: "MessageAttributeValueOutputTypeDef") -> dict[str, object]:
    text = {"stringValue": value["StringValue"]} if "StringValue" in value else {}
    return {**text, "stringListValues": [], "binaryListValues": [], "dataType": value["DataType"]}


def failed_messages(result: InvokeResult, message_ids: Sequence[str], *, reports: bool) -> set[str]:
    """Which of a batch's messages stay in the queue.

    Args:
        reports: the mapping has ReportBatchItemFailures. Without it any reply means that all are done.

    Returns:
        All of them where the function failed, or its reply is malformed: no mapping, a list of anything but
        item failures, an identifier that is empty or not of this batch. None of them where the reply or its
        list is null or empty.
    """
    everything = set(message_ids)
    if result.failed:
        return everything
    if not reports:
        return set()
    try:
        reply = json.loads(result.body)
    except ValueError:
        return everything
    failures = reply.get("batchItemFailures") if isinstance(reply, dict) else reply
    if failures is None:
        return set()
    if not isinstance(failures, list):
        return everything
    named = [item.get("itemIdentifier") if isinstance(item, dict) else None for item in failures]
    if not all(identifier in message_ids for identifier in named):
        return everything
    return {message_id for message_id in message_ids if message_id in named}
