"""What the pipeline calls while a test looks -> how often each operation of each outside service was called."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import urllib3
from rich.table import Table
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from local.lambdas import Function
from local.serve import LoopbackServer
from local.stack import Stack

PIPELINE = ("WebhookFunction", "SnapshotFunction", "ParserFunction")
METHODS = ("DELETE", "GET", "HEAD", "POST", "PUT")
S3_OPERATIONS = {"DELETE": "DeleteObject", "GET": "GetObject", "HEAD": "HeadObject", "PUT": "PutObject"}
HOP_BY_HOP = frozenset({"connection", "content-length", "date", "server", "transfer-encoding"})
IDS = re.compile(r"/(?:\d+|[0-9a-f]{40})(?=/|$)")

Costs = Counter[str]
"""`service operation` -> times, and beside the calls what they carried: records, actions and items."""


class CountingProxy:
    """Stands before the AWS stand-in, passes every request on, and counts it."""

    def __init__(self, aws_url: str) -> None:
        self.costs: Costs = Counter()
        self._aws_url = aws_url
        self._http = urllib3.PoolManager(maxsize=32, retries=False)
        self.server = LoopbackServer(Starlette(routes=[Route("/{path:path}", self._pass_on, methods=METHODS)]))

    async def _pass_on(self, request: Request) -> Response:
        body = await request.body()
        return await run_in_threadpool(self._answer, request, body)

    def _answer(self, request: Request, body: bytes) -> Response:
        target = request.scope["raw_path"].decode() + ("?" + request.url.query if request.url.query else "")
        headers = {name: value for name, value in request.headers.items() if name not in HOP_BY_HOP}
        reply = self._http.request(
            request.method, self._aws_url + target, body=body, headers=headers, decode_content=False
        )
        self._count(request, body, reply)
        kept = {name: value for name, value in reply.headers.items() if name.lower() not in HOP_BY_HOP}
        return Response(reply.data, reply.status, kept)

    def _count(self, request: Request, body: bytes, reply: urllib3.BaseHTTPResponse) -> None:
        service, _, operation = request.headers.get("x-amz-target", "").partition(".")
        if not operation:
            self.costs[f"s3 {S3_OPERATIONS[request.method]}"] += 1
            return
        service = {"AmazonSQS": "sqs", "secretsmanager": "secrets"}.get(service, "dynamodb")
        self.costs[f"{service} {operation}"] += 1
        if operation == "TransactWriteItems":
            self.costs["dynamodb items written in transactions"] += len(json.loads(body)["TransactItems"])
        if operation == "Query":
            self.costs["dynamodb items read by queries"] += json.loads(reply.data)["Count"]


@contextmanager
def counting(stack: Stack) -> Iterator[CountingProxy]:
    """Until the end the pipeline's calls to AWS go through a proxy. Its processes start anew at both ends."""
    proxy = CountingProxy(stack.aws.url)
    with ExitStack() as leaving:
        leaving.enter_context(proxy.server)
        for name in PIPELINE:
            leaving.callback(_redirect, stack.functions[name], stack.aws.url)
            _redirect(stack.functions[name], proxy.server.url)
        yield proxy


def _redirect(function: Function, aws_url: str) -> None:
    function._variables["AWS_ENDPOINT_URL"] = aws_url
    function.kill()


class Meter:
    """Counts from its making on."""

    def __init__(self, stack: Stack, proxy: CountingProxy) -> None:
        self._stack, self._proxy = stack, proxy
        self._operations = stack.algolia.operations.copy()
        proxy.costs.clear()
        stack.algolia.requests.clear()
        stack.githost.requests.clear()

    @property
    def costs(self) -> Costs:
        costs = self._proxy.costs.copy()
        for request in self._stack.algolia.requests:
            path = request.path.removeprefix("/1/indexes/").partition("/")[2]
            costs[f"algolia {request.method} {IDS.sub('/*', '/' + path)}"] += 1
        for action, times in (self._stack.algolia.operations - self._operations).items():
            costs[f"algolia records {action}"] += times
        for method, path in self._stack.githost.requests:
            costs[f"host {method} {IDS.sub('/*', path)}"] += 1
        return costs


def table(costs_by_size: dict[int, Costs]) -> Table:
    """One row per kind, one column per repository size."""
    sizes = sorted(costs_by_size)
    table = Table("call", *(f"{size:,} files" for size in sizes), title="what a one-function change costs")
    for kind in sorted(set().union(*costs_by_size.values())):
        table.add_row(kind, *(str(costs_by_size[size][kind]) for size in sizes))
    return table
