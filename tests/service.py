"""A running stack as tests see it: questions over HTTP, pushes, and what the stores really hold."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar
from urllib.parse import urlencode

import urllib3

from codesage.clients.keys import create_key
from codesage.keys import Scope
from local.githost import Source
from local.stack import Stack
from tests.repositories import GitRepository

PATIENCE_SECONDS = 60
INDEX = "codesage_code_entities"

T = TypeVar("T")


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: Any


class Service:
    """One stack, and an API key for it."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self._http = urllib3.PoolManager(retries=False)

    @cached_property
    def key(self) -> str:
        return create_key("default", "tests", list(Scope))[0]

    def get(self, path: str, query: Mapping[str, Any] | None = None, *, key: str | None = "") -> Answer:
        return self.request("GET", path, query, key=key)

    def request(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any] | None = None,
        *,
        body: bytes | None = None,
        key: str | None = "",
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """`key`: empty uses the tests' own, None sends none."""
        url = f"{self.stack.url}{path}?{urlencode(query or {}, doseq=True)}"
        sent = dict(headers or {})
        if key is not None:
            sent["Authorization"] = f"Bearer {key or self.key}"
        return self._answer(self._http.request(method, url, body=body, headers=sent))

    def post(self, path: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        return self._answer(
            self._http.request("POST", self.stack.url + path, body=body, headers=dict(headers))
        )

    def search(self, q: str, **parameters: Any) -> list[dict[str, Any]]:
        answer = self.get("/v1/search", {"q": q, **parameters})
        assert answer.status == 200, answer
        results: list[dict[str, Any]] = answer.body["results"]
        return results

    def push(self, repository: GitRepository, name: str, web_url: str | None = None) -> Source:
        """Announce the repository's head with a signed push."""
        source = self.stack.githost.add(name, repository.folder, web_url)
        delivery = self.stack.githost.push(source)
        assert delivery.status == 202, delivery
        return source

    def index(self, repository: GitRepository, name: str, web_url: str | None = None) -> dict[str, Any]:
        """Push, and wait until the head is searchable and nothing of an older commit is left."""
        self.push(repository, name, web_url)
        return self.indexed(name, repository.git("rev-parse", "HEAD"))

    def indexed(self, name: str, commit: str) -> dict[str, Any]:
        return eventually(
            lambda: self.report(name),
            lambda report: (
                report is not None and report["commit"] == commit and report["freshness"] == "fresh"
            ),
        )

    def quiet(self) -> None:
        """Wait until no message is left: tests that count what the stack does come after others."""
        sqs = self.stack.client("sqs")
        states = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]

        def waiting() -> int:
            urls = [self.stack.outputs[f"{name}QueueUrl"] for name in ("Snapshot", "Parse")]
            found = [sqs.get_queue_attributes(QueueUrl=url, AttributeNames=states) for url in urls]
            return sum(int(reply["Attributes"][state]) for reply in found for state in states)

        eventually(waiting, lambda left: left == 0)

    def report(self, name: str) -> dict[str, Any] | None:
        reports = self.get("/v1/repositories").body["repositories"]
        return next((report for report in reports if report["name"] == name), None)

    # ---- what the stores hold ---------------------------------------------------------------------------

    def algolia_records(self, repository_id: int) -> dict[str, dict[str, Any]]:
        """objectID -> record, as the index has it."""
        reply = self._algolia("browse", {"filters": f"repository_id={repository_id}", "hitsPerPage": 1000})
        assert "cursor" not in reply, "more records than one page"
        return {hit["objectID"]: hit for hit in reply["hits"]}

    def algolia_batch(self, requests: list[dict[str, Any]]) -> None:
        """Change the index behind the service's back."""
        self._algolia("batch", {"requests": requests})

    def _algolia(self, call: str, body: dict[str, Any]) -> Any:
        headers = {
            "x-algolia-application-id": str(self.stack.memory.get("algolia-app-id")).upper(),
            "x-algolia-api-key": str(self.stack.memory.get("algolia-admin-key")),
        }
        url = f"{self.stack.algolia.url}/1/indexes/{INDEX}/{call}"
        reply = self._http.request("POST", url, body=json.dumps(body), headers=headers)
        assert reply.status == 200, reply.data
        return reply.json()

    def items(self, partition_prefix: str) -> list[dict[str, Any]]:
        """Every item of the table whose PK begins so, as DynamoDB has it."""
        pages = (
            self.stack.client("dynamodb")
            .get_paginator("scan")
            .paginate(TableName=self.stack.outputs["TableName"])
        )
        items = [item for page in pages for item in page["Items"]]
        return [item for item in items if item["PK"]["S"].startswith(partition_prefix)]

    def run_entry(self, repository_id: int) -> list[dict[str, Any]]:
        """The repository's line on the list of runs in flight, if it has one."""
        return [item for item in self.items("RUNS") if item["SK"]["S"] == f"default#{repository_id}"]

    def objects(self, prefix: str) -> dict[str, bytes]:
        s3, bucket = self.stack.client("s3"), self.stack.outputs["BucketName"]
        keys = [
            entry["Key"] for entry in s3.list_objects_v2(Bucket=bucket, Prefix=prefix).get("Contents", [])
        ]
        return {key: s3.get_object(Bucket=bucket, Key=key)["Body"].read() for key in keys}

    @staticmethod
    def _answer(reply: urllib3.BaseHTTPResponse) -> Answer:
        try:
            body = reply.json()
        except ValueError:
            body = reply.data
        return Answer(reply.status, reply.headers, body)


def eventually(look: Callable[[], T], is_so: Callable[[T], bool]) -> T:
    """Look again until it is so; fails with what was seen last."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not is_so(seen := look()):
        assert time.monotonic() < deadline, f"still: {seen}"
        time.sleep(0.05)
    return seen
