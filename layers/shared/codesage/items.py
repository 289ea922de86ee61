"""Rows, runs, files and entities <-> DynamoDB items, as plain values."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from hashlib import sha256
from typing import Any, cast

from pydantic import TypeAdapter

from codesage.records import Record
from codesage.runs import Repository, Run

MAX_KEY_PATH = (
    600  # bytes of a path within a key (a sort key has 1024); a longer one stands there by its hash
)
MAX_NAME = 300  # code points of a name within the key of the index `names`
NAMED = frozenset({"class", "function", "terraform_block"})  # types whose names the index `names` holds

Item = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class FileItem:
    """What is stored of one file of a pack, so that an unchanged file is never parsed again.

    Attributes:
        writing: a batch with this file began; what Algolia and DynamoDB hold of it is unknown.
        entities: records by entity type.
        skip: reason why there are none, the parser's own reasons included.
        duplicates, oversize: see `records.FileRecords`.
    """

    path: str
    blob: str
    parser_version: int
    skip: str | None
    language: str | None
    size: int
    writing: bool = False
    entities: Mapping[str, int] = field(default_factory=dict)
    duplicates: int = 0
    oversize: int = 0


@dataclass(frozen=True, slots=True)
class StoredEntity:
    """A record as sent, and beside it what is stored and not sent."""

    record: Record
    kind: str
    scope: str | None
    commit: str


def path_key(path: str) -> str:
    """A path as it stands in a key: itself, or its hash where it is too long or not UTF-8."""
    raw = path.encode("utf-8", "surrogateescape")
    try:
        raw.decode()
    except UnicodeDecodeError:
        return f"?{sha256(raw).hexdigest()}"
    return path if len(raw) <= MAX_KEY_PATH else f"?{sha256(raw).hexdigest()}"


def entity_key(record: Record) -> str:
    """`<line, 8 digits>#<sha1>`."""
    return f"{record['line_start']:08}#{record['objectID'].rpartition('_')[2]}"


def name_key(name: str) -> str:
    return name.lower()[:MAX_NAME]


FILE_FIELDS = tuple(field.name for field in fields(FileItem) if field.name != "path")


def item_of_file(file: FileItem) -> dict[str, object]:
    item: dict[str, object] = {name: getattr(file, name) for name in FILE_FIELDS}
    if path_key(file.path) != file.path:
        item["path"] = file.path.encode("utf-8", "surrogateescape")
    return item


def file_of_item(item: Item) -> FileItem:
    raw = item.get("path")
    path = (
        raw.decode("utf-8", "surrogateescape")
        if isinstance(raw, bytes)
        else str(item["SK"]).removeprefix("FILE#")
    )
    return FileItem(path=path, **cast("dict[str, Any]", {name: item[name] for name in FILE_FIELDS}))


def item_of_entity(entity: StoredEntity, org: str) -> dict[str, object]:
    """The record's fields stand by themselves, so that the index `names` can project some of them."""
    record = entity.record
    item: dict[str, object] = {**record, "kind": entity.kind, "scope": entity.scope, "commit": entity.commit}
    if record["entity_type"] in NAMED:
        item["names_pk"] = f"O#{org}#N#{name_key(record['entity_name'])}"
        item["names_sk"] = f"{record['repository_id']}#{path_key(record['file_path'])}#{record['line_start']}"
    return item


ADDED: Item = {"joined_name": ""}
"""Fields of records that those stored by an older version lack, until their files are parsed again."""


def entity_of_item(item: Item) -> StoredEntity:
    record = cast("Record", {name: {**ADDED, **item}[name] for name in Record.__annotations__})
    return StoredEntity(record, str(item["kind"]), cast("str | None", item["scope"]), str(item["commit"]))


REPOSITORY = TypeAdapter(Repository)
RUN = TypeAdapter(Run)


def item_of_repository(row: Repository) -> dict[str, object]:
    return cast("dict[str, object]", REPOSITORY.dump_python(row))


def repository_of_item(item: Item) -> Repository:
    return REPOSITORY.validate_python(item)


def item_of_run(run: Run) -> dict[str, object]:
    return cast("dict[str, object]", RUN.dump_python(run))


def run_of_item(item: Item) -> Run:
    return RUN.validate_python(item)
