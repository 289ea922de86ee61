"""local.pollers: messages of real queues, handled as Lambda's event source mapping handles them."""

import json
import uuid
from contextlib import contextmanager
from itertools import pairwise

import pytest

from local.clients import Clients
from local.lambdas import InvokeResult
from local.ministack import MiniStack
from local.pollers import Poller, failed_messages
from local.stack import free_port
from local.template import EventSource, Queue
from tests.functions.local_functions import running, until

HANDLER = """
import json

def run(event, context):
    print(json.dumps(event))
    bad = [r for r in event["Records"] if r["body"].startswith("bad")]
    if any(r["body"] == "bad: raise" for r in bad):
        raise ValueError("bad")
    if any(r["body"] == "wait" for r in event["Records"]):
        import time; time.sleep(60)
    return {"batchItemFailures": [{"itemIdentifier": r["messageId"]} for r in bad]}
"""


@pytest.fixture(scope="module")
def sqs(tmp_path_factory):
    aws = MiniStack(tmp_path_factory.mktemp("aws"), free_port(0))
    aws.start()
    client = Clients({"sqs": aws.url})("sqs")
    yield client
    client.close()
    aws.stop()


@pytest.fixture
def make_queue(sqs):
    def make(**attributes: str) -> Queue:
        name = f"{uuid.uuid4().hex}.fifo" if "FifoQueue" in attributes else uuid.uuid4().hex
        url = sqs.create_queue(QueueName=name, Attributes=attributes)["QueueUrl"]
        return Queue(name, f"arn:aws:sqs:us-east-1:000000000000:{name}", url, attributes)

    return make


@contextmanager
def polling(queue, sqs, folder, *, batch_size=1, concurrency=1, handler=HANDLER):
    with running(folder, handler, concurrency=concurrency) as function:
        poller = Poller(EventSource("F", queue, batch_size, None, reports_failures=True), function, sqs)
        poller.start()
        try:
            yield
        finally:
            poller.stop()
            function.stop()
            poller.join()


def counts(sqs, queue):
    """Messages of a queue, (to be received, under way)."""
    names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
    given = sqs.get_queue_attributes(QueueUrl=queue.url, AttributeNames=names)["Attributes"]
    return tuple(int(given[name]) for name in names)


def records(folder):
    """What the handler was given, one list of records for each invocation."""
    lines = (folder / "logs/F.log").read_text().splitlines()
    return [json.loads(line)["Records"] for line in lines if line.startswith('{"Records"')]


def test_a_message_that_is_handled_leaves_its_queue(sqs, make_queue, tmp_path):
    queue = make_queue()

    with polling(queue, sqs, tmp_path):
        sent = sqs.send_message(
            QueueUrl=queue.url,
            MessageBody="good",
            MessageAttributes={"from": {"DataType": "String", "StringValue": "a test"}},
        )
        until(lambda: records(tmp_path) and counts(sqs, queue) == (0, 0))

    [[record]] = records(tmp_path)
    assert record["messageId"] == sent["MessageId"]
    assert (record["body"], record["eventSource"], record["eventSourceARN"], record["awsRegion"]) == (
        "good",
        "aws:sqs",
        queue.arn,
        "us-east-1",
    )
    assert record["md5OfBody"] == sent["MD5OfMessageBody"]
    assert record["attributes"]["ApproximateReceiveCount"] == "1"
    assert record["attributes"].keys() >= {"SentTimestamp", "SenderId", "ApproximateFirstReceiveTimestamp"}
    assert record["messageAttributes"] == {
        "from": {
            "dataType": "String",
            "stringValue": "a test",
            "stringListValues": [],
            "binaryListValues": [],
        }
    }


def test_a_fifo_message_brings_its_group_and_its_deduplication_id(sqs, make_queue, tmp_path):
    queue = make_queue(FifoQueue="true")

    with polling(queue, sqs, tmp_path):
        sqs.send_message(
            QueueUrl=queue.url, MessageBody="good", MessageGroupId="g", MessageDeduplicationId="d"
        )
        until(lambda: records(tmp_path))

    [[record]] = records(tmp_path)
    assert record["attributes"]["MessageGroupId"] == "g"
    assert record["attributes"]["MessageDeduplicationId"] == "d"
    assert record["attributes"]["SequenceNumber"]


def test_only_the_failed_messages_of_a_batch_stay(sqs, make_queue, tmp_path):
    queue = make_queue(VisibilityTimeout="600")
    bodies = ["good", "bad", "good"]
    sqs.send_message_batch(
        QueueUrl=queue.url,
        Entries=[{"Id": str(number), "MessageBody": body} for number, body in enumerate(bodies)],
    )

    with polling(queue, sqs, tmp_path, batch_size=10):
        until(lambda: counts(sqs, queue) == (0, 1))

    assert [[record["body"] for record in batch] for batch in records(tmp_path)] == [bodies]


def test_a_batch_stays_whole_when_the_handler_fails(sqs, make_queue, tmp_path):
    queue = make_queue(VisibilityTimeout="600")
    sqs.send_message_batch(
        QueueUrl=queue.url,
        Entries=[{"Id": "0", "MessageBody": "good"}, {"Id": "1", "MessageBody": "bad: raise"}],
    )

    with polling(queue, sqs, tmp_path, batch_size=10):
        until(lambda: records(tmp_path))

    assert sum(counts(sqs, queue)) == 2


def test_a_message_that_fails_five_times_becomes_a_dead_letter(sqs, make_queue, tmp_path):
    dead = make_queue(FifoQueue="true")
    redrive = json.dumps({"deadLetterTargetArn": dead.arn, "maxReceiveCount": 5})
    queue = make_queue(FifoQueue="true", VisibilityTimeout="0", RedrivePolicy=redrive)

    with polling(queue, sqs, tmp_path):
        for number, body in enumerate(["bad: raise", "good"]):
            sqs.send_message(
                QueueUrl=queue.url,
                MessageBody=body,
                MessageGroupId="g",
                MessageDeduplicationId=str(number),
            )
        until(lambda: counts(sqs, dead) == (1, 0) and counts(sqs, queue) == (0, 0))

    tries = [
        (record["body"], record["attributes"]["ApproximateReceiveCount"]) for [record] in records(tmp_path)
    ]
    assert tries == [("bad: raise", str(number)) for number in range(1, 6)] + [("good", "1")]


def test_messages_of_one_group_are_handled_one_after_the_other_and_groups_side_by_side(
    sqs, make_queue, tmp_path
):
    queue = make_queue(FifoQueue="true")
    handler = (
        "import json, time\n"
        "def run(event, context):\n"
        "    begun = time.time(); time.sleep(0.1)\n"
        "    [r] = event['Records']\n"
        "    print(json.dumps([r['attributes']['MessageGroupId'], r['body'], begun, time.time()]))\n"
    )
    for number in range(3):
        for group in "ab":
            sqs.send_message(
                QueueUrl=queue.url,
                MessageBody=str(number),
                MessageGroupId=group,
                MessageDeduplicationId=f"{group}{number}",
            )

    with polling(queue, sqs, tmp_path, concurrency=2, handler=handler):
        until(lambda: counts(sqs, queue) == (0, 0))

    spans = [json.loads(line) for line in (tmp_path / "logs/F.log").read_text().splitlines()]
    for group in "ab":
        own = sorted((begun, ended, body) for name, body, begun, ended in spans if name == group)
        assert [body for _, _, body in own] == ["0", "1", "2"]
        assert all(first[1] <= second[0] for first, second in pairwise(own))
    assert any(a[2] < b[3] and b[2] < a[3] for a in spans for b in spans if (a[0], b[0]) == ("a", "b"))


def test_a_message_under_way_is_visible_again_when_the_stack_stops(sqs, make_queue, tmp_path):
    queue = make_queue(VisibilityTimeout="600")
    sqs.send_message(QueueUrl=queue.url, MessageBody="wait")

    with polling(queue, sqs, tmp_path):
        until(lambda: records(tmp_path))

    assert counts(sqs, queue) == (1, 0)


# ---- partial batch responses -------------------------------------------------------------------------------

ALL = {"m0", "m1"}


@pytest.mark.parametrize(
    ("reply", "failed"),
    [
        ({"batchItemFailures": []}, set()),
        ({"batchItemFailures": None}, set()),
        ({}, set()),
        (None, set()),
        ({"batchItemFailures": [{"itemIdentifier": "m1"}]}, {"m1"}),
        ({"batchItemFailures": [{"itemIdentifier": "m1"}, {"itemIdentifier": "m1"}]}, {"m1"}),
        ({"batchItemFailures": [{"itemIdentifier": "m0"}, {"itemIdentifier": "m1"}]}, ALL),
        ({"batchItemFailures": [{"itemIdentifier": "unknown"}]}, ALL),
        ({"batchItemFailures": [{"itemIdentifier": "m1"}, {"itemIdentifier": "unknown"}]}, ALL),
        ({"batchItemFailures": [{"itemIdentifier": ""}]}, ALL),
        ({"batchItemFailures": [{"itemIdentifier": None}]}, ALL),
        ({"batchItemFailures": [{"itemIdentifier": ["m1"]}]}, ALL),
        ({"batchItemFailures": [{"ItemIdentifier": "m1"}]}, ALL),
        ({"batchItemFailures": ["m1"]}, ALL),
        ({"batchItemFailures": {"itemIdentifier": "m1"}}, ALL),
        ("m1", ALL),
    ],
)
def test_a_reply_decides_which_messages_stay(reply, failed):
    result = InvokeResult(json.dumps(reply).encode(), failed=False, duration=0, log_tail="")

    assert failed_messages(result, ["m0", "m1"], reports=True) == failed


def test_a_mapping_that_reports_no_failures_takes_any_reply_for_success():
    reply = {"batchItemFailures": [{"itemIdentifier": "m1"}]}
    result = InvokeResult(json.dumps(reply).encode(), failed=False, duration=0, log_tail="")

    assert failed_messages(result, ["m0", "m1"], reports=False) == set()
