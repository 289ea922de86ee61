"""Entities -> records: what Algolia ranks and DynamoDB keeps, one of each per entity.

The rules are `spec: records`; nothing here reads a clock, an environment or a network.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha1
from pathlib import PurePosixPath
from typing import TypedDict

from codesage.entities import Entity, EntityType

MAX_RECORD_BYTES = 8_999  # one oversized record fails its whole batch; 10 KB is the smallest plan's limit
MAX_TEXT = 500  # code points of name, description, signature and return type
MAX_CONTENT_LINES = 60
MAX_CONTENT = 2_000  # code points of a body
MAX_FOLDER_BYTES = 1_500  # of all ancestor folders together
MAX_JOINED_WORDS = 8  # of a name; their joined texts grow with the square of their number

RANK_WEIGHTS = {
    EntityType.CLASS: 3,
    EntityType.FUNCTION: 2,
    EntityType.TERRAFORM_BLOCK: 2,
    EntityType.DOC_SECTION: 1,
    EntityType.IMPORT: 0,
}

TEST_FOLDERS = frozenset({"test", "tests", "__tests__", "spec", "specs", "__mocks__", "e2e", "testing"})
TEST_FILE = re.compile(
    r"test_.*\.py|.*_test\.py|.*_test\.go|.*\.(test|spec)\.(js|jsx|mjs|cjs|ts|tsx|mts|cts)"
    r"|.*Tests?\.java|.*Tests?\.cs|.*_spec\.rb",
    re.DOTALL,
)
NAMED_IN_CODE = frozenset({EntityType.CLASS, EntityType.FUNCTION, EntityType.TERRAFORM_BLOCK})
NAME_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class Record(TypedDict):
    """The 17 public fields, and two that only help searching and are never returned: `folders` narrows to a
    folder, `joined_name` finds `parse_url` by `parseUrl`."""

    objectID: str
    repository_id: int
    file_path: str
    language: str
    entity_type: str
    entity_name: str
    description: str
    parameters: list[str]
    return_type: str | None
    line_start: int
    line_end: int
    signature: str
    content: str
    rank_weight: int
    is_test: bool
    parameter_count: int
    lines_of_code: int
    folders: list[str]
    joined_name: str


@dataclass(frozen=True, slots=True)
class FileRecords:
    """The records of one file, each beside the entity facts that are stored but not sent.

    Attributes:
        records: in source order, no objectID twice.
        facts: objectID -> (kind, scope).
        duplicates: entities left out because an earlier one has the same objectID.
        oversize: records that stay above the limit after all trimming; Algolia may refuse them.
    """

    records: tuple[Record, ...]
    facts: dict[str, tuple[str, str | None]]
    duplicates: int
    oversize: int


def records_of(entities: Iterable[Entity], repository_id: int, path: str, language: str) -> FileRecords:
    """Args: entities of one file in source order; `path` as git has it, lone surrogates included."""
    records: dict[str, Record] = {}
    facts: dict[str, tuple[str, str | None]] = {}
    duplicates = oversize = 0
    for entity in entities:
        record = fitted(record_of(entity, repository_id, path, language))
        if record["objectID"] in records:
            duplicates += 1
            continue
        records[record["objectID"]] = record
        facts[record["objectID"]] = (
            entity.kind,
            None if entity.scope is None else _clean(entity.scope)[:MAX_TEXT],
        )
        oversize += size_of(record) > MAX_RECORD_BYTES
    return FileRecords(tuple(records.values()), facts, duplicates, oversize)


def record_of(entity: Entity, repository_id: int, path: str, language: str) -> Record:
    """The record before trimming. Every text field is valid UTF-8 and has its own cap applied."""
    name = _clean(entity.name)[:MAX_TEXT]
    label = f"{entity.label} — {entity.doc}" if entity.doc else entity.label
    signature = _clean(entity.signature)[:MAX_TEXT]
    parameters = [_clean(parameter) for parameter in entity.parameters]
    return Record(
        objectID=object_id(repository_id, path, entity.entity_type, name, entity.line_start),
        repository_id=repository_id,
        file_path=text_of(path),
        language=language,
        entity_type=str(entity.entity_type),
        entity_name=name,
        description=_clean(label)[:MAX_TEXT],
        parameters=parameters,
        return_type=None if entity.return_type is None else _clean(entity.return_type)[:MAX_TEXT],
        line_start=entity.line_start,
        line_end=entity.line_end,
        signature=signature,
        content=content_of(entity, signature),
        rank_weight=RANK_WEIGHTS[entity.entity_type],
        is_test=is_test(path),
        parameter_count=len(parameters),
        lines_of_code=max(1, entity.line_end - entity.line_start + 1),
        folders=folders_of(text_of(path)),
        joined_name=joined_name(name) if entity.entity_type in NAMED_IN_CODE else "",
    )


def object_id(repository_id: int, path: str, entity_type: str, name: str, line_start: int) -> str:
    """`<repository_id>_<sha1>`. A path that is not UTF-8 is hashed by its own bytes, like no other."""
    key = f"{path}:{entity_type}:{name}:{line_start}".encode("utf-8", "surrogateescape")
    return f"{repository_id}_{sha1(key, usedforsecurity=False).hexdigest()}"


def content_of(entity: Entity, signature: str) -> str:
    """Signature, newline, body; only the body where it already starts with the signature.

    An import has no body, and is its whole statement.
    """
    if entity.entity_type is EntityType.IMPORT:
        return _clean(entity.signature)[:MAX_CONTENT]
    body = _clean(entity.body)
    body = "\n".join(body.split("\n")[:MAX_CONTENT_LINES])[:MAX_CONTENT]
    return body if body.startswith(signature) else f"{signature}\n{body}"


def is_test(path: str) -> bool:
    """By folder in any letter case, or by file name; `spec: records`, "is_test"."""
    pure = PurePosixPath(path)
    return any(part.lower() in TEST_FOLDERS for part in pure.parts[:-1]) or bool(
        TEST_FILE.fullmatch(pure.name)
    )


def folders_of(path: str) -> list[str]:
    """Every ancestor folder: `src/auth/tokens.py` -> `["src", "src/auth"]`.

    Their texts grow with the square of the depth, so the deepest, beyond MAX_FOLDER_BYTES, are left out.
    """
    parts = path.split("/")[:-1]
    folders, left = [], MAX_FOLDER_BYTES
    for depth in range(len(parts)):
        folder = "/".join(parts[: depth + 1])
        left -= len(folder.encode())
        if left < 0:
            break
        folders.append(folder)
    return folders


def joined_name(name: str) -> str:
    """Return `readfilelines filelines lines` of `read_file_lines` and `readFileLines`; none for one word.

    The engine cuts names at `_` and at humps, and so finds them by their words. By the words joined, from
    each on, it finds a name in somebody else's spelling, and by a beginning of that: `fileLi`. As the value
    is never one word alone, none is an exact match of it, which a name in the spelling asked for is.
    """
    words = [word.lower() for word in NAME_WORD.findall(name)[:MAX_JOINED_WORDS]]
    return " ".join("".join(words[first:]) for first in range(len(words))) if len(words) > 1 else ""


def encoded(record: Record) -> str:
    """The compact JSON that is measured and sent."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def size_of(record: Record) -> int:
    """Bytes of the record's compact UTF-8 JSON, which is what Algolia bills and limits."""
    return len(encoded(record).encode())


def fitted(record: Record) -> Record:
    """Shorten `record` until it fits Algolia's record limit.

    Returns:
        `record` itself where it has at most MAX_RECORD_BYTES bytes;
        else a copy with `content` cut by the excess, never inside a character;
        else, with `content` empty, one without `parameters` (`parameter_count` stays).
        May still be too big: `size_of` tells, and the caller counts it as oversize.

    Source: `spec: records`, "The 9000-byte trim". One pass is enough, because removing n bytes of
    source removes at least n bytes of JSON.
    """
    excess = size_of(record) - MAX_RECORD_BYTES
    if excess <= 0:
        return record
    content = record["content"].encode()
    shorter = record.copy()
    shorter["content"] = content[: max(0, len(content) - excess)].decode(errors="ignore")
    if size_of(shorter) > MAX_RECORD_BYTES:
        shorter["parameters"] = []
    return shorter


def text_of(path: str) -> str:
    """A path as valid UTF-8: bytes that are none stand as `\\xe9`, which keeps such names apart."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _clean(text: str) -> str:
    """Lone surrogates cannot be sent: the replacement character stands in."""
    return LONE_SURROGATE.sub("\ufffd", text)
