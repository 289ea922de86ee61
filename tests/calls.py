"""What the pipeline calls while a test looks -> how often each operation of each service was called."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import urllib3
from rich.table import Table
from starlette.requests import Request

from local.stack import Stack
from tests.proxy import Ask, between

PIPELINE = ("WebhookFunction", "SnapshotFunction", "ParserFunction")
S3_OPERATIONS = {"DELETE": "DeleteObject", "GET": "GetObject", "HEAD": "HeadObject", "PUT": "PutObject"}
IDS = re.compile(r"/(?:\d+|[0-9a-f]{40})(?=/|$)")

Costs = Counter[str]
"""`service operation` -> calls; beside them what they carried: records, and items read and written."""


class Meter:
    """Counts since its last `reset`."""

    def __init__(self, stack: Stack) -> None:
        self._stack = stack
        self._aws: Costs = Counter()
        self.reset()

    def reset(self) -> None:
        self._aws.clear()
        self._stack.algolia.requests.clear()
        self._stack.githost.requests.clear()
        self._operations = self._stack.algolia.operations.copy()

    @property
    def costs(self) -> Costs:
        costs = self._aws.copy()
        for request in self._stack.algolia.requests:
            path = request.path.removeprefix("/1/indexes/").partition("/")[2]
            costs[f"algolia {request.method} {IDS.sub('/*', '/' + path)}"] += 1
        for action, times in (self._stack.algolia.operations - self._operations).items():
            costs[f"algolia records {action}"] += times
        for method, path in self._stack.githost.requests:
            costs[f"host {method} {IDS.sub('/*', path)}"] += 1
        return costs

    def pass_on(self, request: Request, body: bytes, ask: Ask) -> urllib3.BaseHTTPResponse:
        """Count a call to AWS. S3 is the one service that does not name its operations."""
        reply = ask()
        service, _, operation = request.headers.get("x-amz-target", "").partition(".")
        match service.partition("_")[0]:
            case "":
                self._aws[f"s3 {S3_OPERATIONS[request.method]}"] += 1
            case "DynamoDB":
                self._aws[f"dynamodb {operation}"] += 1
                if operation == "TransactWriteItems":
                    self._aws["dynamodb items in transactions"] += len(json.loads(body)["TransactItems"])
                if operation == "Query":
                    self._aws["dynamodb items read by queries"] += json.loads(reply.data)["Count"]
            case "AmazonSQS":
                self._aws[f"sqs {operation}"] += 1
            case _:
                self._aws[f"{service} {operation}"] += 1
        return reply


@contextmanager
def metered(stack: Stack) -> Iterator[Meter]:
    """The pipeline's calls are counted until the end."""
    meter = Meter(stack)
    with between([stack.functions[name] for name in PIPELINE], "AWS_ENDPOINT_URL", meter.pass_on):
        yield meter


def table(title: str, columns: Mapping[str, Costs]) -> Table:
    """A row per kind of call."""
    table = Table("", *columns, title=title)
    for kind in sorted(set().union(*columns.values())):
        table.add_row(kind, *(f"{costs[kind]:,}" for costs in columns.values()))
    return table
