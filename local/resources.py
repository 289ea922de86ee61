"""A resolved template -> its queues, tables, buckets and secrets, made in the AWS stand-in.

Making them again changes nothing that they hold: a restart finds messages, items, objects and secret values
as they were, and only brings the queues' settings up to date.
"""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from local.template import Queue, Secret, Table, Template

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import CreateTableInputTypeDef
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_secretsmanager import SecretsManagerClient
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.literals import QueueAttributeNameType

    QueueAttributes = Mapping[QueueAttributeNameType, str]

# SQS takes these when a queue is made and never again.
_FIXED_ATTRIBUTES = {"FifoQueue"}


def create_queues(sqs: "SQSClient", template: Template) -> None:
    """Dead-letter queues first: a redrive policy must name a queue that exists."""
    for queue in sorted(template.queues, key=lambda queue: queue.dead_letters):
        _create_queue(sqs, queue)


def _create_queue(sqs: "SQSClient", queue: Queue) -> None:
    attributes = cast("QueueAttributes", queue.attributes)
    try:
        sqs.get_queue_url(QueueName=queue.name)
    except sqs.exceptions.QueueDoesNotExist:
        sqs.create_queue(QueueName=queue.name, Attributes=attributes)
        return
    changing = {name: value for name, value in attributes.items() if name not in _FIXED_ATTRIBUTES}
    sqs.set_queue_attributes(QueueUrl=queue.url, Attributes=changing)


def create_tables(dynamodb: "DynamoDBClient", template: Template) -> None:
    existing = set(dynamodb.list_tables()["TableNames"])
    for table in template.tables:
        if table.name not in existing:
            _create_table(dynamodb, table)


def _create_table(dynamodb: "DynamoDBClient", table: Table) -> None:
    dynamodb.create_table(**cast("CreateTableInputTypeDef", table.definition))
    dynamodb.get_waiter("table_exists").wait(TableName=table.name, WaiterConfig={"Delay": 1})
    if table.expiry_attribute is not None:
        dynamodb.update_time_to_live(
            TableName=table.name,
            TimeToLiveSpecification={"AttributeName": table.expiry_attribute, "Enabled": True},
        )


def create_buckets(s3: "S3Client", template: Template) -> None:
    existing = {bucket["Name"] for bucket in s3.list_buckets()["Buckets"]}
    for name in template.buckets:
        if name not in existing:
            s3.create_bucket(Bucket=name)


def create_secrets(secrets: "SecretsManagerClient", template: Template, values: Mapping[str, str]) -> None:
    """Make the template's secrets and fill in what they leave empty.

    Args:
        values: a value for each field that the template's secrets leave empty, by the field's name. A value
            that a secret already has is kept, for it may be an operator's.
    """
    for secret in template.secrets:
        held = _held_value(secrets, secret)
        fields = {
            name: value or values.get(name, "") for name, value in json.loads(held or secret.value).items()
        }
        if held is None:
            secrets.create_secret(
                Name=secret.name, Description=secret.description, SecretString=json.dumps(fields)
            )
        elif json.loads(held) != fields:
            secrets.put_secret_value(SecretId=secret.name, SecretString=json.dumps(fields))


def _held_value(secrets: "SecretsManagerClient", secret: Secret) -> str | None:
    try:
        return secrets.get_secret_value(SecretId=secret.name)["SecretString"]
    except secrets.exceptions.ResourceNotFoundException:
        return None
