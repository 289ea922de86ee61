"""local.ministack: what the AWS stand-in holds outlives an orderly stop, and nothing else."""

import pytest

from local.clients import Clients
from local.ministack import MiniStack, StandInError
from local.stack import free_port


@pytest.fixture
def started(tmp_path):
    """Starts a stand-in on the test's folder, each time on another port."""
    running: list[MiniStack] = []

    def start() -> tuple[MiniStack, Clients, bool]:
        aws = MiniStack(tmp_path / "aws", free_port(0))
        kept = aws.start()
        running.append(aws)
        return aws, Clients(dict.fromkeys(("sqs", "s3", "dynamodb", "secretsmanager"), aws.url)), kept

    yield start
    for aws in running:
        aws.stop()


def close(clients: Clients) -> None:
    for service in ("sqs", "s3", "dynamodb", "secretsmanager"):
        clients(service).close()


def fill(clients: Clients) -> None:
    clients("s3").create_bucket(Bucket="bucket")
    clients("s3").put_object(Bucket="bucket", Key="a/b", Body=bytes(range(256)) * 1000)
    clients("dynamodb").create_table(
        TableName="table",
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": "PK", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}],
    )
    clients("dynamodb").put_item(TableName="table", Item=ITEM)
    clients("secretsmanager").create_secret(Name="secret", SecretString="whisper")
    queue = clients("sqs").create_queue(QueueName="queue.fifo", Attributes={"FifoQueue": "true"})["QueueUrl"]
    for number in range(2):
        clients("sqs").send_message(
            QueueUrl=queue,
            MessageBody=f"m{number}",
            MessageGroupId="g",
            MessageDeduplicationId=str(number),
        )


ITEM = {
    "PK": {"S": "é"},
    "set": {"SS": ["a", "b"]},
    "bytes": {"B": b"\x00\xff"},
    "number": {"N": "12345678901234567890"},
    "map": {"M": {"list": {"L": [{"BOOL": True}, {"NULL": True}]}}},
}


def test_everything_is_found_again_after_a_stop(started):
    aws, clients, _ = started()
    fill(clients)
    [held] = clients("sqs").receive_message(QueueUrl=f"{aws.url}/000000000000/queue.fifo")["Messages"]
    close(clients)
    aws.stop()

    aws, clients, kept = started()

    queue = f"{aws.url}/000000000000/queue.fifo"
    assert kept
    assert clients("s3").get_object(Bucket="bucket", Key="a/b")["Body"].read() == bytes(range(256)) * 1000
    found = clients("dynamodb").get_item(TableName="table", Key={"PK": {"S": "é"}})["Item"]
    assert found | {"set": sorted(found["set"]["SS"])} == ITEM | {"set": ["a", "b"]}
    assert clients("secretsmanager").get_secret_value(SecretId="secret")["SecretString"] == "whisper"
    assert "Messages" not in clients("sqs").receive_message(QueueUrl=queue), "the first one is under way"
    clients("sqs").delete_message(QueueUrl=queue, ReceiptHandle=held["ReceiptHandle"])
    [message] = clients("sqs").receive_message(QueueUrl=queue)["Messages"]
    assert message["Body"] == "m1"
    close(clients)


def test_a_repeated_message_is_still_known_after_a_stop(started):
    aws, clients, _ = started()
    fill(clients)
    close(clients)
    aws.stop()

    aws, clients, _ = started()
    clients("sqs").send_message(
        QueueUrl=f"{aws.url}/000000000000/queue.fifo",
        MessageBody="again",
        MessageGroupId="g",
        MessageDeduplicationId="1",
    )

    queue = f"{aws.url}/000000000000/queue.fifo"
    given = clients("sqs").get_queue_attributes(
        QueueUrl=queue, AttributeNames=["ApproximateNumberOfMessages"]
    )
    assert given["Attributes"]["ApproximateNumberOfMessages"] == "2"
    close(clients)


def test_nothing_is_left_after_a_kill(started):
    aws, clients, _ = started()
    fill(clients)
    close(clients)
    aws.stop()
    aws, _, kept = started()
    assert kept
    aws.kill()

    _, clients, kept = started()

    assert not kept
    assert clients("s3").list_buckets()["Buckets"] == []
    assert clients("dynamodb").list_tables()["TableNames"] == []
    close(clients)


def test_a_start_that_fails_leaves_the_state_for_the_next_one(started, tmp_path):
    aws, clients, _ = started()
    fill(clients)
    close(clients)
    port = int(aws.url.rsplit(":", 1)[1])
    aws.stop()
    other = MiniStack(tmp_path / "other", port)
    other.start()

    with pytest.raises(StandInError, match=f"port {port} is in use"):
        MiniStack(tmp_path / "aws", port).start()

    other.stop()
    _, clients, kept = started()
    assert kept
    assert clients("dynamodb").list_tables()["TableNames"] == ["table"]
    close(clients)
