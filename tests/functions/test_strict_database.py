"""A database as strict as AWS's between the functions and the local one, which lets more pass."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import urllib3
from starlette.requests import Request

from codesage.clients import table
from codesage.clients.aws import dynamodb
from codesage.errors import Unavailable
from tests.proxy import Ask, between
from tests.repositories import GitRepository
from tests.service import Service

FUNCTIONS = ("WebhookFunction", "SnapshotFunction", "ParserFunction", "SearchFunction")
MAX_ITEM_BYTES = 400 * 1024
MAX_KEYS = 100
KEY_BYTES = {"PK": 2048, "SK": 1024, "names_pk": 2048, "names_sk": 1024}
FILES = {
    "pkg/tokens.py": "import os\n\n\ndef refresh_token(session):\n    return session\n",
    "pkg/many.py": "".join(f"def f{number}():\n    return {number}\n\n\n" for number in range(150)),
    "/".join(["folder" * 8] * 40) + "/deep.py": "def deep():\n    return 1\n",
    "long.py": f"class {'A' * 100_000}:\n    def method(self):\n        return 1\n",
    "empty.py": "",
    "README.md": "# Guide\n\nText.\n",
}


class StrictDatabase:
    """Answers as AWS would where the local stand-in is more lenient.

    Attributes:
        refusals: what was refused, and why.
        calls: how often each operation was asked for.
    """

    def __init__(self) -> None:
        self.refusals: list[str] = []
        self.calls: Counter[str] = Counter()

    def pass_on(self, request: Request, body: bytes, ask: Ask) -> urllib3.BaseHTTPResponse:
        service, _, operation = request.headers.get("x-amz-target", "").partition(".")
        if not service.startswith("DynamoDB"):
            return ask()
        self.calls[operation] += 1
        problems = list(problems_of(json.loads(body)))
        if not problems:
            return ask()
        self.refusals += [f"{operation}: {problem}" for problem in problems]
        refusal = {"__type": "com.amazon.coral.validate#ValidationException", "message": problems[0]}
        return urllib3.HTTPResponse(json.dumps(refusal).encode(), status=400)


@dataclass
class HalfAnswers:
    """Leaves half of the items of a batch unprocessed, as a busy database does.

    Attributes:
        left: how many more batches it answers by half.
        asked: how many items each batch asked for.
    """

    left: int = 0
    asked: list[int] = field(default_factory=list)

    def answer(self, parsed: dict[str, Any], **_: object) -> None:
        [(name, items)] = parsed["Responses"].items()
        self.asked.append(len(items))
        if self.left:
            self.left -= 1
            answered = len(items) // 2
            parsed["UnprocessedKeys"] = {name: {"Keys": list(map(keys_of, items[answered:]))}}
            del items[answered:]


def problems_of(asked: Mapping[str, Any]) -> Iterator[str]:
    """Yield what AWS refuses a call for: keys twice or too many, empty or long key strings, large items."""
    actions = [action for each in asked.get("TransactItems", ()) for action in each.values()]
    written = [action.get("Key") or keys_of(action["Item"]) for action in actions]
    read = [key for names in asked.get("RequestItems", {}).values() for key in names["Keys"]]
    for keys in (written, read):
        if len({json.dumps(key, sort_keys=True) for key in keys}) < len(keys):
            yield "one key twice"
        if len(keys) > MAX_KEYS:
            yield f"{len(keys)} keys"
    items = [each["Item"] for each in (asked, *actions) if "Item" in each]
    for attributes in (*items, *(each["Key"] for each in (asked, *actions) if "Key" in each), *read):
        for name in KEY_BYTES.keys() & attributes.keys():
            if not 0 < size_of(attributes[name]) <= KEY_BYTES[name]:
                yield f"a {name} of {size_of(attributes[name])} bytes"
    for size in map(size_of_item, items):
        if size > MAX_ITEM_BYTES:
            yield f"an item of {size} bytes"


def keys_of(item: Mapping[str, Any]) -> dict[str, Any]:
    return {name: item[name] for name in ("PK", "SK")}


def size_of_item(item: Mapping[str, Any]) -> int:
    return sum(len(name.encode()) + size_of(value) for name, value in item.items())


def size_of(value: Mapping[str, Any]) -> int:
    """Bytes, near enough: texts in UTF-8, three for a list or map and one for each of its members."""
    [(kind, content)] = value.items()
    match kind:
        case "S" | "N" | "B":
            return len(content.encode())
        case "SS":
            return sum(len(text.encode()) for text in content)
        case "L":
            return 3 + sum(1 + size_of(member) for member in content)
        case "M":
            return 3 + len(content) + size_of_item(content)
        case _:
            return 1


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    return GitRepository(tmp_path / "strict")


def test_nothing_is_asked_that_aws_would_refuse(service: Service, repository: GitRepository) -> None:
    repository.commit(FILES)
    database = StrictDatabase()

    with between([service.stack.functions[name] for name in FUNCTIONS], "AWS_ENDPOINT_URL", database.pass_on):
        service.index(repository, "strict/hello")
        repository.commit({"pkg/tokens.py": None, "pkg/many.py": "def refreshed(): ...\n"})
        report = service.index(repository, "strict/hello")
        found = service.search("refreshed", repository="strict/hello")

    assert database.refusals == []
    assert report["status"] == "completed"
    assert [hit["file_path"] for hit in found] == ["pkg/many.py"]
    assert database.calls.keys() >= {"BatchGetItem", "GetItem", "PutItem", "Query", "TransactWriteItems"}


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"RequestItems": {"t": {"Keys": [table.key("a", "b"), table.key("a", "b")]}}}, "one key twice"),
        ({"TransactItems": [{"Delete": {"Key": table.key("a", "b")}}] * 2}, "one key twice"),
        ({"Key": table.key("", "b")}, "a PK of 0 bytes"),
        ({"Key": table.key("a", "b" * 1025)}, "a SK of 1025 bytes"),
        ({"Item": {**table.key("a", "b"), "text": {"S": "x" * 401 * 1024}}}, "an item of 410634 bytes"),
        ({"Item": {**table.key("a", "b"), "names_pk": {"S": ""}}}, "a names_pk of 0 bytes"),
    ],
)
def test_the_strict_database_refuses_what_aws_refuses(asked: dict[str, Any], problem: str) -> None:
    assert list(problems_of(asked)) == [problem]


@pytest.fixture
def keys(service: Service) -> Iterator[list[Any]]:
    """Keys of eight items."""
    keys = [table.key("O#strict", f"CURSOR#{number}") for number in range(8)]
    table.commit([table.put("O#strict", f"CURSOR#{number}", {"after": number}) for number in range(8)])
    yield keys
    table.commit([table.delete("O#strict", f"CURSOR#{number}") for number in range(8)])


@pytest.fixture
def halves(keys: list[Any], monkeypatch: pytest.MonkeyPatch) -> Iterator[HalfAnswers]:
    halves = HalfAnswers()
    monkeypatch.setattr(table.random, "uniform", lambda *_: 0)  # pauses of no length
    dynamodb().meta.events.register("after-call.dynamodb.BatchGetItem", halves.answer)
    yield halves
    dynamodb().meta.events.unregister("after-call.dynamodb.BatchGetItem", halves.answer)


def test_what_is_left_unprocessed_twice_is_read_in_the_end(keys: list[Any], halves: HalfAnswers) -> None:
    halves.left = 2

    items = table.get_many(keys)

    assert sorted(str(item["after"]) for item in items) == list("01234567")
    assert halves.asked == [8, 4, 2]


def test_a_database_that_leaves_some_unprocessed_for_ever_is_said_to_be_busy(
    keys: list[Any], halves: HalfAnswers
) -> None:
    halves.left = 1_000

    with pytest.raises(Unavailable, match="busy"):
        table.get_many(keys)
