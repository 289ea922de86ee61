"""A path of a repository -> its exact text and outline at one commit, or the reason why it is not there."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from codesage import packs, trees
from codesage.callers import Caller
from codesage.catalog import Catalog
from codesage.clients.s3 import ObjectStore
from codesage.clients.store import Store
from codesage.errors import CorruptObject, NotFound
from codesage.ignores import ignores_of
from codesage.items import FileItem, StoredEntity
from codesage.languages import language_of
from codesage.links import Hosts, link
from codesage.parameters import Whole
from codesage.records import text_of
from codesage.repositories import newest_run, not_indexed, not_ready
from codesage.runs import Freshness, Repository
from codesage.settings import settings
from codesage.skips import EXPLANATIONS, Skip
from codesage.texts import decoded, lines_of
from codesage.trees import Located

LOOKS = 3
TAIL_BYTES = 64 * 1024  # holds the table of most packs, so that one file takes two requests
MAX_REPLY_BYTES = 5_000_000  # Lambda takes 6 MB
MAX_OUTLINE_BYTES = 2_000_000  # of these; the text has the rest


def _text_form(path: str) -> str:
    """However its bytes were sent: as lone surrogates, or spelled out already."""
    try:
        return text_of(path)
    except UnicodeEncodeError:
        raise PydanticCustomError("text", "It is no valid text") from None


class FileParams(BaseModel):
    """A file, and the lines of it that are wanted: 1-based, both inclusive, as git hosts count them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: Annotated[
        str,
        BeforeValidator(_text_form),
        Field(min_length=1, description=r"As git has it; a byte that is no UTF-8 is written as `\xe9`."),
    ]
    start: Annotated[Whole, Field(ge=1, description="First line of the text; the first one if left out.")] = 1
    end: (
        Annotated[Whole, Field(ge=1, description="Last line of the text; the last one if left out.")] | None
    ) = None

    @field_validator("end")
    @classmethod
    def _is_forward(cls, end: int | None, others: ValidationInfo) -> int | None:
        if end is not None and end < others.data.get("start", 1):
            raise PydanticCustomError("order", "It comes before start")
        return end


class OutlineEntry(BaseModel):
    """One entity of the file, without its source. `kind` is finer than `entity_type`."""

    entity_name: str
    entity_type: str
    kind: str
    scope: str | None
    line_start: int
    line_end: int
    signature: str
    description: str
    parameters: list[str]
    return_type: str | None


class FileReply(BaseModel):
    r"""A file at a commit, and why it is found or not.

    `reason` is a word of `skips.Skip`, `not_in_commit` for a path the commit does not have, or null for a
    file with entities; `explanation` says the same to a person. `entities`: records by type.

    `text` is exact but for a byte-order mark; null where no text is kept. `lines` counts all of the file.
    `truncated`: the text ends early, at a line's end, because the reply would be too large; ask for the lines
    that are missing. `outline` is in the order of lines, always of the whole file, and of the same commit as
    the text; `outline_truncated`: it ends early. `updating`: the file is being written at this moment, so its
    outline is left out. `url` is null where the form of the host's links is not known.
    """

    repository: str
    path: str
    commit: str
    freshness: Freshness
    updating: bool
    reason: str | None
    explanation: str
    language: str | None
    size: int | None
    lines: int | None
    url: str | None
    text: str | None
    truncated: bool
    entities: dict[str, int]
    outline: list[OutlineEntry]
    outline_truncated: bool


@dataclass(frozen=True, slots=True)
class Sight:
    """A file, and what is stored of it, of one commit.

    Attributes:
        item: None where nothing is stored, or what is stored is of no commit that is known.
        entities: in the order of lines.
    """

    row: Repository
    located: Located
    item: FileItem | None = None
    entities: Sequence[StoredEntity] = ()
    updating: bool = False


def file(caller: Caller, repository_id: int, params: FileParams) -> FileReply:
    """The file as the published commit has it; as a run in flight has it where only that is stored.

    Raises:
        NotFound: unknown repository.
        NotReady: it has no published commit.
    """
    catalog = Catalog(caller)
    sight = _sight(catalog, repository_id, params.path)
    row, located, entry = sight.row, sight.located, sight.located.entry
    text = _text(row, located)
    lines = None if text is None else lines_of(text)
    wanted = None if lines is None else lines[params.start - 1 : params.end]
    outline = list(map(_outline_entry, sight.entities))
    listed, used = _fitting((entry.model_dump_json() for entry in outline), MAX_OUTLINE_BYTES)
    shown, _ = _fitting((_quoted(line)[1:-1] for line in wanted or ()), MAX_REPLY_BYTES - used)
    reason = _reason(sight)
    return FileReply(
        repository=row.labels.name,
        path=text_of(located.path),
        commit=located.commit,
        freshness=row.freshness,
        updating=sight.updating,
        reason=reason,
        explanation=_explanation(sight, reason),
        language=_language(located) if sight.item is None else sight.item.language,
        size=None if entry is None else entry.size,
        lines=None if lines is None else len(lines),
        url=None if entry is None else _url(row, located),
        text=None if wanted is None else "".join(wanted[:shown]),
        truncated=wanted is not None and shown < len(wanted),
        entities={} if sight.item is None else dict(sight.item.entities),
        outline=outline[:listed],
        outline_truncated=listed < len(outline),
    )


# ---- of one commit -----------------------------------------------------------------------------------


def _sight(catalog: Catalog, repository_id: int, path: str) -> Sight:
    """Look until what is stored of the file is of one commit whose text is known.

    While a run goes on, a file's item changes before and after its entities do. So an item that is the same
    before and after they are read is theirs.
    """
    for _ in range(LOOKS):
        row = catalog.row(repository_id)
        if row.commit is None or row.tree is None:
            raise not_ready([not_indexed(catalog.store, row)])
        published = _located(row, row.tree, path)
        item = _item(catalog.store, row, published)
        sight = _seen(catalog.store, row, published, item)
        if sight is not None and item == _item(catalog.store, row, published):
            return sight
    return Sight(row, published, updating=True)


def _seen(store: Store, row: Repository, published: Located, item: FileItem | None) -> Sight | None:
    """None where the file's item is of a commit that is not known here."""
    if item is None or item.writing:
        return Sight(row, published, updating=item is not None)
    for located in _places(store, row, published):
        if located.entry is not None and located.entry.has_text and located.entry.blob == item.blob:
            entities = store.entities(row.id, located.path) if any(item.entities.values()) else {}
            return Sight(row, located, item, tuple(entities.values()))
    is_left_over = published.entry is None or not published.entry.has_text
    return Sight(row, published) if is_left_over else None


def _places(store: Store, row: Repository, published: Located) -> Iterator[Located]:
    """The path at the published commit, then at the one that the newest run leads or led to."""
    yield published
    if row.run is None and not row.dirty:
        return
    run = newest_run(store, row)
    if run is None or run.tree == row.tree:
        return
    try:
        yield _located(row, run.tree, published.path)
    except NotFound:  # not uploaded yet, or cleared away since the run failed
        return


def _item(store: Store, row: Repository, published: Located) -> FileItem | None:
    """A layout that is being written has the newer word about a path."""
    if row.target is not None:
        pack = row.target.key(packs.pack_of(published.path, row.target.packs))
        newer = store.file(row.id, pack, published.path)
        if newer is not None:
            return newer
    return store.file(row.id, published.pack, published.path)


def _located(row: Repository, tree: str, path: str) -> Located:
    return trees.locate(ObjectStore(row.org).tree(row.id, tree), tree, path)


# ---- what is said of it ------------------------------------------------------------------------------


def _text(row: Repository, located: Located) -> str | None:
    if located.entry is None or not located.entry.has_text:
        return None
    raw = _raw(ObjectStore(row.org), row.id, located.pack_name, located.path)
    language = language_of(located.path, raw)
    return decoded(raw, cookies=language is not None and language.name == "python")


def _raw(objects: ObjectStore, repository_id: int, name: str, path: str) -> bytes:
    """One file's bytes, by ranges of its pack: the table at the end, then the frame that has the file."""
    tail = objects.pack_tail(repository_id, name, TAIL_BYTES)
    is_whole = len(tail) < TAIL_BYTES
    length = packs.tail_length(tail, name)
    if length > len(tail):
        tail = objects.pack_tail(repository_id, name, length)
    place = packs.place_of(path, tail, name)
    if place is None:
        raise CorruptObject(f"pack {name}: it lacks a file of its tree")
    if is_whole:
        return packs.text_at(place, tail[place.start : place.end], name)
    return packs.text_at(place, objects.pack_part(repository_id, name, place.start, place.end), name)


def _reason(sight: Sight) -> str | None:
    entry = sight.located.entry
    if entry is None:
        return "not_in_commit"
    return entry.skip if sight.item is None else sight.item.skip


def _explanation(sight: Sight, reason: str | None) -> str:
    match reason:
        case None:
            return "it is being updated" if sight.updating else "it is indexed"
        case "not_in_commit":
            return f"commit {sight.located.commit[:12]} has no such file"
        case Skip.IGNORED if ignores_of({}, sight.row.exclude).excludes(sight.located.path):
            return "the repository's setting `exclude` leaves it out"
        case _:
            return EXPLANATIONS[Skip(reason)]


def _language(located: Located) -> str | None:
    language = None if located.entry is None or not located.entry.has_text else language_of(located.path)
    return None if language is None else language.name


def _url(row: Repository, located: Located) -> str | None:
    hosts = Hosts.of(settings().github_web_url, settings().gitlab_web_url)
    return link(row.labels.web_url, located.commit, located.path, hosts=hosts)


def _outline_entry(entity: StoredEntity) -> OutlineEntry:
    record = entity.record
    return OutlineEntry(
        entity_name=record["entity_name"],
        entity_type=record["entity_type"],
        kind=entity.kind,
        scope=entity.scope,
        line_start=record["line_start"],
        line_end=record["line_end"],
        signature=record["signature"],
        description=record["description"],
        parameters=record["parameters"],
        return_type=record["return_type"],
    )


# ---- within the limit of a reply ---------------------------------------------------------------------


def _fitting(parts: Iterable[str], limit: int) -> tuple[int, int]:
    """How many parts of a JSON text, from the first on, a reply of `limit` bytes holds; and their bytes.

    A reply's body is JSON, and stands as a string in the JSON that leaves the function.
    """
    count = used = 0
    for part in parts:
        size = len(_quoted(part).encode()) - 2
        if used + size > limit:
            break
        count, used = count + 1, used + size
    return count, used


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
