"""A repository's number -> all that the stores hold of it, but for what names it or its commit."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import urllib3

from codesage.clients.attributes import decode_item
from tests.service import INDEX, Service

NAMES = frozenset({"PK", "objectID", "repository_id", "commit"})

Fields = Mapping[str, object]


@dataclass(frozen=True)
class Contents:
    """Equal for two repositories of equal trees, whatever their histories.

    Attributes:
        records: by the part of their objectID that the repository's number does not enter.
        entities, files: DynamoDB's items, by the rest of their keys.
    """

    records: Mapping[str, Fields]
    entities: Mapping[tuple[str, str], Fields]
    files: Mapping[tuple[str, str], Fields]


def contents(service: Service, repository_id: int) -> Contents:
    prefix = f"O#default#R#{repository_id}#"
    items = {
        (str(item["PK"]).removeprefix(prefix), str(item["SK"])): _unnamed(item, repository_id)
        for item in map(decode_item, service.items(prefix))
    }
    return Contents(
        records={
            str(record["objectID"]).partition("_")[2]: _unnamed(record, repository_id)
            for record in _records(service, repository_id)
        },
        entities={key: item for key, item in items.items() if key[0].startswith("E#")},
        files={key: item for key, item in items.items() if key[1].startswith("FILE#")},
    )


def _unnamed(fields: Fields, repository_id: int) -> Fields:
    kept = {name: value for name, value in fields.items() if name not in NAMES}
    if "names_sk" in kept:
        kept["names_sk"] = str(kept["names_sk"]).removeprefix(f"{repository_id}#")
    return kept


def _records(service: Service, repository_id: int) -> Iterator[Fields]:
    """The index may hold more of a repository than a page has."""
    algolia, memory = service.stack.algolia, service.stack.memory
    headers = {
        "x-algolia-application-id": str(memory.get("algolia-app-id")).upper(),
        "x-algolia-api-key": str(memory.get("algolia-admin-key")),
    }
    question: dict[str, Any] = {"filters": f"repository_id={repository_id}", "hitsPerPage": 1000}
    while True:
        page = urllib3.request(
            "POST", f"{algolia.url}/1/indexes/{INDEX}/browse", body=json.dumps(question), headers=headers
        ).json()
        yield from page["hits"]
        if "cursor" not in page:
            return
        question["cursor"] = page["cursor"]
