"""local.stack: a template and a data folder become a running service that a restart does not change."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from local.profile import Profile
from local.stack import Stack, StackError
from tests.functions.local_functions import until

TEMPLATE = """
Parameters:
  Environment: {Type: String}
  AlgoliaEndpoint: {Type: String}
  GitHubApiUrl: {Type: String}
Globals:
  Function:
    Handler: app.run
    MemorySize: 512
    Timeout: 60
    Environment: {Variables: {TABLE_NAME: !Ref Table, QUEUE_URL: !Ref Queue}}
Resources:
  Api: {Type: AWS::Serverless::Api, Properties: {StageName: !Ref Environment}}
  SendFunction:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: send
      Events:
        Any: {Type: Api, Properties: {RestApiId: !Ref Api, Path: "/{proxy+}", Method: ANY}}
  StoreFunction:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: store
      Events:
        Queue: {Type: SQS, Properties: {Queue: !GetAtt Queue.Arn, BatchSize: 1}}
        Hourly:
          Type: Schedule
          Properties: {Schedule: rate(1 hour), Input: '{"Records": [{"body": "hour"}]}'}
  Queue:
    Type: AWS::SQS::Queue
    Properties: {QueueName: !Sub "q-${Environment}.fifo", FifoQueue: true, VisibilityTimeout: 600}
  Table:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: !Sub "t-${Environment}"
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{AttributeName: PK, AttributeType: S}]
      KeySchema: [{AttributeName: PK, KeyType: HASH}]
  Bucket: {Type: AWS::S3::Bucket, Properties: {BucketName: !Sub "b-${Environment}"}}
  Secret:
    Type: AWS::SecretsManager::Secret
    Properties: {Name: s, SecretString: '{"TOKEN": "", "OTHER": ""}'}
Outputs:
  TableName: {Value: !Ref Table}
  QueueUrl: {Value: !Ref Queue}
"""

SEND = """
import os, uuid, boto3

sqs = boto3.client("sqs")

def run(event, context):
    sqs.send_message(QueueUrl=os.environ["QUEUE_URL"], MessageBody=event["path"],
                     MessageGroupId="g", MessageDeduplicationId=uuid.uuid4().hex)
    return {"statusCode": 202}
"""

STORE = """
import os, time, boto3

table = boto3.resource("dynamodb").Table(os.environ["TABLE_NAME"])

def run(event, context):
    [record] = event["Records"]
    table.put_item(Item={"PK": record["body"]})
    if record["body"] == "/wait":
        time.sleep(50)
"""


@pytest.fixture(scope="module")
def template(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("template")
    for name, source in {"send": SEND, "store": STORE}.items():
        (folder / name).mkdir()
        (folder / name / "app.py").write_text(source)
    (folder / "template.yaml").write_text(TEMPLATE)
    return folder / "template.yaml"


@pytest.fixture
def start(tmp_path, template):
    """Starts a stack on the test's data folder; it is stopped at the latest when the test ends."""
    started: list[Stack] = []

    def one(**options: float) -> Stack:
        stack = Stack(tmp_path / "data", port=0, template=template, **options).start()
        started.append(stack)
        return stack

    yield one
    for stack in started:
        stack.stop()


def post(stack: Stack, path: str) -> int:
    with urllib.request.urlopen(urllib.request.Request(stack.url + path, method="POST")) as reply:
        return int(reply.status)


def stored(stack: Stack) -> set[str]:
    items = stack.client("dynamodb").scan(TableName=stack.outputs["TableName"])["Items"]
    return {item["PK"]["S"] for item in items}


def waiting(stack: Stack) -> int:
    """Messages that are visible in the queue."""
    name = "ApproximateNumberOfMessages"
    given = stack.client("sqs").get_queue_attributes(
        QueueUrl=stack.outputs["QueueUrl"], AttributeNames=[name]
    )
    return int(given["Attributes"][name])


def test_a_request_goes_through_a_function_a_queue_and_a_function_into_the_table(start):
    stack = start()

    status = post(stack, "/a")

    assert status == 202
    until(lambda: stored(stack) == {"/a"})


def test_a_restart_finds_everything_as_it_was(start):
    first = start()
    first.remember("api_key", "k")
    post(first, "/a")
    until(lambda: stored(first) == {"/a"})
    first.client("s3").put_object(Bucket="b-local", Key="k", Body=b"text")
    before = first.profile
    first.stop()

    second = start()

    assert second.recovered is False
    assert second.profile == before
    assert stored(second) == {"/a"}
    assert second.client("s3").get_object(Bucket="b-local", Key="k")["Body"].read() == b"text"


def test_a_message_that_was_under_way_is_handled_again_after_a_restart(start):
    first = start()
    post(first, "/wait")
    until(lambda: stored(first) == {"/wait"})
    first.stop()

    second = start()
    second.client("dynamodb").delete_item(TableName="t-local", Key={"PK": {"S": "/wait"}})

    until(lambda: stored(second) == {"/wait"})


def test_the_queues_settings_follow_the_template_after_a_restart(start):
    start().stop()

    stack = start(time_factor=60)

    given = stack.client("sqs").get_queue_attributes(
        QueueUrl=stack.outputs["QueueUrl"], AttributeNames=["VisibilityTimeout"]
    )
    assert given["Attributes"] == {"VisibilityTimeout": "10"}


def test_secrets_are_filled_once_and_an_operators_value_is_kept(start):
    first = start()
    made = json.loads(first.client("secretsmanager").get_secret_value(SecretId="s")["SecretString"])
    first.client("secretsmanager").put_secret_value(SecretId="s", SecretString='{"TOKEN": "mine"}')
    first.stop()

    second = start()

    kept = json.loads(second.client("secretsmanager").get_secret_value(SecretId="s")["SecretString"])
    assert len(made["TOKEN"]) == 32
    assert made["OTHER"] == ""
    assert kept == {"TOKEN": "mine"}


def test_a_profile_is_there_for_its_owner_while_the_stack_runs(start, tmp_path):
    stack = start()
    path = tmp_path / "data/profile.json"

    stack.remember("api_key", "k")

    assert Profile.read(tmp_path / "data") == stack.profile
    assert stack.profile.api_key == "k"
    assert stack.profile.outputs == {
        "Url": stack.url,
        "TableName": "t-local",
        "QueueUrl": f"{stack.profile.aws_url}/000000000000/q-local.fifo",
    }
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "data/stack.json").stat().st_mode) == 0o600
    stack.stop()
    assert not path.exists()


def test_a_schedule_is_fired_by_hand(start):
    stack = start()

    result = stack.fire("hourly")

    assert result.failed is False
    assert stored(stack) == {"hour"}


def test_a_schedule_is_fired_when_its_time_has_passed(start):
    stack = start(time_factor=7200)

    until(lambda: stored(stack) == {"hour"})


def test_an_unknown_schedule_is_refused_with_the_names_of_the_others(start):
    with pytest.raises(KeyError, match="no schedule 'daily'; there are: hourly"):
        start().fire("daily")


def test_a_data_folder_serves_one_stack(start, tmp_path):
    start()

    with pytest.raises(StackError, match=f"data is in use by another stack .process {os.getpid()}"):
        start()


def test_a_port_that_is_taken_is_named_and_nothing_is_left_running(start, tmp_path, template):
    other = start()
    port = int(other.url.rsplit(":", 1)[1])
    stack = Stack(tmp_path / "second", port=port, template=template)

    with pytest.raises(StackError, match=f"port {port} is in use"):
        stack.start()

    Stack(tmp_path / "second", port=0, template=template).start().stop()


def test_boto3_needs_nothing_of_the_users_settings(start, monkeypatch):
    monkeypatch.setenv("AWS_PROFILE", "of-somebody-else")
    monkeypatch.setenv("AWS_ENDPOINT_URL_SQS", "http://127.0.0.1:1")

    stack = start()

    assert post(stack, "/a") == 202
    assert (
        stack.client("lambda").invoke(FunctionName="SendFunction", Payload=b'{"path": "/b"}')["StatusCode"]
        == 200
    )


# ---- unclean ends ------------------------------------------------------------------------------------------


@pytest.fixture
def killed(tmp_path, template) -> None:
    """A data folder whose stack was killed right after it had taken the request `/a`."""
    script = (
        "import sys; from pathlib import Path; from local.stack import Stack\n"
        "stack = Stack(Path(sys.argv[1]), port=0, template=Path(sys.argv[2]), time_factor=600).start()\n"
        "print(stack.url, flush=True); sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, tmp_path / "data", template],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        with urllib.request.urlopen(urllib.request.Request(f"{url}/a", method="POST")) as reply:
            assert reply.status == 202
        process.send_signal(signal.SIGKILL)


def test_a_killed_stack_loses_nothing(killed, start):
    stack = start()

    assert stack.recovered is False
    until(lambda: stored(stack) == {"/a"})


def test_a_stack_whose_stand_in_was_killed_begins_anew_and_pushes_its_sources_again(
    start, tmp_path, template
):
    first = start()
    first.remember("api_key", "k")
    post(first, "/a")
    until(lambda: stored(first) == {"/a"})
    source = tmp_path / "source"
    source.mkdir()
    (source / "a.py").write_text("def a(): ...\n")
    first.githost.add("acme/a", source)
    of_first = tmp_path / "data/algolia/of-the-first"
    of_first.touch()
    first.aws.kill()
    first.stop()

    port = int(first.url.rsplit(":", 1)[1])
    with socket.create_server(("127.0.0.1", port)), pytest.raises(StackError):
        Stack(tmp_path / "data", port=port, template=template).start()
    second = start()

    assert second.recovered is True
    assert second.profile.api_key is None
    assert not of_first.exists()
    until(lambda: stored(second) == {"/webhooks/default/github"})


# ---- the service's own template ----------------------------------------------------------------------------


def test_the_real_templates_resources_exist(stack):
    names = {queue.rsplit("/", 1)[-1] for queue in stack.client("sqs").list_queues()["QueueUrls"]}
    table = stack.client("dynamodb").describe_table(TableName=stack.outputs["TableName"])["Table"]
    expiry = stack.client("dynamodb").describe_time_to_live(TableName=stack.outputs["TableName"])
    secret = stack.client("secretsmanager").get_secret_value(SecretId="codesage/local/default/algolia-admin")

    assert names == {
        "codesage-local-snapshot.fifo",
        "codesage-local-snapshot-dead.fifo",
        "codesage-local-parse.fifo",
        "codesage-local-parse-dead.fifo",
    }
    assert [index["IndexName"] for index in table["GlobalSecondaryIndexes"]] == ["names"]
    assert expiry["TimeToLiveDescription"]["AttributeName"] == "expires_at"
    assert stack.client("s3").head_bucket(Bucket=stack.outputs["BucketName"])
    assert all(json.loads(secret["SecretString"]).values())


def test_the_real_health_check_answers_without_a_key(stack):
    with urllib.request.urlopen(f"{stack.url}/health") as reply:
        assert reply.status == 200
