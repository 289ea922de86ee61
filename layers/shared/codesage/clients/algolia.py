"""Records and queries <-> one organisation's index in Algolia; how its calls fail is `algolia_connection`."""

import json
import logging
import math
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeVar, cast
from urllib.parse import quote

from algoliasearch.http.verb import Verb

from codesage.clients.algolia_connection import (
    READER,
    TIMING,
    UNAVAILABLE,
    WRITER,
    Connection,
    NotThere,
    RecordRefused,
    Role,
    Timing,
)
from codesage.clients.secrets import secret
from codesage.errors import Misconfigured, Rejected, Unavailable
from codesage.filters import quoted
from codesage.records import MAX_RECORD_BYTES, Record, encoded
from codesage.settings import settings

LOG = logging.getLogger(__name__)

MAX_BATCH_RECORDS = 1_000
MAX_BATCH_BYTES = 5_000_000
ADDITION = '{"action":"addObject","body":%s}'
EMPTY_BATCH = '{"requests":[]}'
FIRST_POLL, LONGEST_POLL = 0.1, 2.0  # seconds between two looks at a task
MARKER_SECONDS = 30
SENDABLE = re.compile("[!-~]+")  # a header would be refused with the key in the words of the refusal
NO_SEARCH_KEY = (
    "Search is not configured on the server (ALGOLIA_APP_ID / ALGOLIA_SEARCH_API_KEY are missing)."
)
NO_ADMIN_KEY = "Search is not configured on the server (ALGOLIA_APP_ID / ALGOLIA_ADMIN_API_KEY are missing)."

MARKER_ID = "codesage-database"
MARKER_REPOSITORY = 0  # no repository has this number, and queries ask for numbers above it

INDEX_SETTINGS: Mapping[str, object] = {
    "searchableAttributes": [
        "entity_name",
        "description",
        "content",
        "parameters",
        "file_path",
        "joined_name",
    ],
    "attributesForFaceting": [
        "filterOnly(repository_id)",
        "entity_type",
        "language",
        "file_path",
        "filterOnly(folders)",
    ],
    "camelCaseAttributes": ["entity_name"],
    "customRanking": ["asc(is_test)", "desc(rank_weight)"],
    "highlightPreTag": "<mark>",
    "highlightPostTag": "</mark>",
    "hitsPerPage": 20,
    "maxValuesPerFacet": 100,
}

T = TypeVar("T")

_claiming = threading.Lock()
_claims: set[tuple[str, str, str]] = set()
_searching_only: set[str] = set()  # keys that were refused a list of the indices; asked once each


@dataclass(slots=True)
class Saved:
    """What became of records that were to be saved.

    Attributes:
        tasks: of the batches that were accepted.
        refused: objectIDs of the records that were not.
        bytes: of the records that were, as JSON: plans limit their average too.
    """

    tasks: list[int] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class _Addition:
    """A record, its compact JSON, and the bytes of that."""

    record: Record
    json: str
    size: int


def index_name(org: str) -> str:
    """One index per stack and organisation: two databases must never share one."""
    name = settings().algolia_index_name
    return name if org == "default" else f"{name}__org_{org}"


class SearchIndex:
    """Reads one organisation's index with its search-only key.

    Raises:
        Misconfigured: the key is missing. Unavailable: anything else.
    """

    def __init__(self, org: str, timing: Timing = TIMING) -> None:
        fields = secret(org, "algolia-search")
        self._connection = _connection(fields, "ALGOLIA_SEARCH_API_KEY", NO_SEARCH_KEY, READER, timing)
        self._path = f"/1/indexes/{quote(index_name(org), safe='')}"

    def search(self, parameters: Mapping[str, object]) -> dict[str, object]:
        """Algolia's reply as it is. A missing index is an empty one: nothing was published yet.

        Args:
            parameters: with `attributesToRetrieve`; a hit that lacks one of them makes the reply no reply.
        """
        form = {"hits": list, "nbHits": int, "nbPages": int}
        try:
            reply = self._connection.call(
                Verb.POST, f"{self._path}/query", parameters, reads=True, expects=form
            )
        except NotThere:
            return {"hits": [], "nbHits": 0, "page": 0, "nbPages": 0}
        except Rejected as error:
            raise Unavailable(UNAVAILABLE) from error
        _hits(reply, cast("Sequence[str]", parameters.get("attributesToRetrieve", ())))
        return reply

    def probe(self) -> None:
        """Whether the key works. A list of the indices is asked for where the key may see it, because a
        search, if only for nothing, counts as one; a missing index is no fault.

        Raises Unavailable.
        """
        if self._connection.key not in _searching_only:
            try:
                self._connection.call(Verb.GET, "/1/indexes", reads=True)
            except Rejected:
                _searching_only.add(self._connection.key)
            else:
                return
        self.search({"query": "", "hitsPerPage": 0})


class Index:
    """Writes one organisation's index with its admin key.

    Raises:
        Misconfigured: the key is missing.
        Rejected: Algolia refused; trying again will not help.
        Unavailable: anything else.
    """

    def __init__(self, org: str, timing: Timing = TIMING) -> None:
        fields = secret(org, "algolia-admin")
        self._connection = _connection(fields, "ALGOLIA_ADMIN_API_KEY", NO_ADMIN_KEY, WRITER, timing)
        self._path = f"/1/indexes/{quote(index_name(org), safe='')}"
        self._timing = timing

    def claim(self, database: str) -> None:
        """Make the index this database's own, and bring its settings up to date; once per process.

        Raises:
            Rejected: another database has claimed it. Each numbers its repositories from 1, and a delete in
                one would remove the other's records.
        """
        claim = (self._connection.app_id, self._path, database)
        with _claiming:  # who comes meanwhile finds it claimed
            if claim in _claims:
                return
            self._take(database)
            self._apply_settings()
            _claims.add(claim)

    def _take(self, database: str) -> None:
        marker = self._marker()
        if marker is None:
            body = {"objectID": MARKER_ID, "repository_id": MARKER_REPOSITORY, "database": database}
            self.wait([self._post([_action("addObject", body)])], MARKER_SECONDS)
            marker = self._marker()
        if marker not in (None, database):
            raise Rejected(
                "The search index belongs to another database; set AlgoliaIndexName to an index of your own."
            )

    def save(self, records: Iterable[Record]) -> Saved:
        """Send records in batches. They are accepted then, not yet searchable.

        A batch that fails is tried again alone: those before it are through. A record that Algolia refuses,
        because it is too big for the plan, is logged, named and left out, and the rest of its batch sent.
        """
        saved = Saved()
        additions = (_Addition(record, text := encoded(record), len(text.encode())) for record in records)
        for batch in _batches(additions, lambda addition: len(ADDITION % "") + addition.size):
            self._save_batch(sorted(batch, key=lambda addition: addition.size), saved)
        return saved

    def _save_batch(self, batch: list[_Addition], saved: Saved) -> None:
        """One refusal costs one more request, any number of them, n, at most 2n + 1: after the first one what
        is left goes on in halves. Args: `batch`: by size, the largest last."""
        pending, refusals = [batch], 0
        while pending:
            batch = pending.pop()
            try:
                saved.tasks.append(self._post([ADDITION % addition.json for addition in batch]))
            except RecordRefused as refusal:
                rest = _without_refused(batch, refusal, saved)
                middle = len(rest) // 2 if refusals else 0
                pending += [part for part in (rest[:middle], rest[middle:]) if part]
                refusals += 1
            else:
                saved.bytes += sum(addition.size for addition in batch)

    def delete(self, object_ids: Iterable[str]) -> list[int]:
        """Delete by id; an id that is not there is no error. Returns the tasks."""
        actions = (_action("deleteObject", {"objectID": object_id}) for object_id in object_ids)
        return [self._post(batch) for batch in _batches(actions, len)]

    def barrier(self, repository_id: int) -> int:
        """A task that changes nothing: once it is published, so is whatever was sent before it."""
        return self._post([_action("deleteObject", {"objectID": f"{repository_id}_none"})])

    def wait(self, tasks: Sequence[int], seconds: float, hard: float = math.inf) -> bool:
        """Whether every task is published within so many seconds, and before the clock reaches `hard`."""
        until = min(self._timing.now() + seconds, hard)
        pause = FIRST_POLL
        waiting = list(tasks)
        while waiting:
            reply = self._connection.call(
                Verb.GET, f"{self._path}/task/{waiting[-1]}", expects={"status": str}
            )
            if reply["status"] == "published":
                waiting.pop()
                continue
            left = until - self._timing.now()
            if left <= 0:
                return False
            self._timing.sleep(min(pause, left))
            pause = min(pause * 2, LONGEST_POLL)
        return True

    def ids_of_file(self, repository_id: int, file_path: str) -> list[str]:
        """Every objectID that the index holds of one file.

        A filter compares without regard to case, so files that differ only in that are told apart here.
        """
        filters = f"repository_id={repository_id} AND file_path:{quoted(file_path)}"
        hits = self._browse(filters, ["objectID", "file_path"])
        return [str(hit["objectID"]) for hit in hits if hit.get("file_path") == file_path]

    def records_of(self, repository_id: int) -> Iterator[Record]:
        """Every record of a repository, whole, in no order."""
        for hit in self._browse(f"repository_id={repository_id}", list(Record.__annotations__)):
            yield cast("Record", {name: hit.get(name) for name in Record.__annotations__})

    def delete_repository(self, repository_id: int) -> None:
        """Sent and not waited for: Algolia applies an index's tasks in order."""
        body = {"filters": f"repository_id={repository_id}"}
        with suppress(NotThere):
            self._connection.call(Verb.POST, f"{self._path}/deleteByQuery", body)

    def _browse(self, filters: str, attributes: Sequence[str]) -> Iterator[Mapping[str, object]]:
        parameters: dict[str, object] = {
            "filters": filters,
            "hitsPerPage": 1000,
            "attributesToRetrieve": attributes,
        }
        while True:
            try:
                reply = self._connection.call(
                    Verb.POST, f"{self._path}/browse", parameters, reads=True, expects={"hits": list}
                )
            except NotThere:  # no index yet: nothing was ever sent
                return
            yield from _hits(reply, ["objectID"])
            if "cursor" not in reply:
                return
            parameters = {**parameters, "cursor": reply["cursor"]}

    def _marker(self) -> str | None:
        path = f"{self._path}/{MARKER_ID}"
        try:
            return cast("str", self._connection.call(Verb.GET, path, expects={"database": str})["database"])
        except NotThere:
            return None

    def _apply_settings(self) -> None:
        """Written only where one of ours differs: a write makes Algolia go through the whole index."""
        try:
            live = self._connection.call(Verb.GET, f"{self._path}/settings")
        except NotThere:
            live = {}
        if any(live.get(name) != value for name, value in INDEX_SETTINGS.items()):
            self._connection.call(Verb.PUT, f"{self._path}/settings", INDEX_SETTINGS)

    def _post(self, actions: Sequence[str]) -> int:
        """Returns the task."""
        body = f'{{"requests":[{",".join(actions)}]}}'
        reply = self._connection.call(Verb.POST, f"{self._path}/batch", body, expects={"taskID": int})
        return cast("int", reply["taskID"])


def _connection(
    fields: Mapping[str, str], key_name: str, missing: str, role: Role, timing: Timing
) -> Connection:
    app_id, key = (fields.get(name, "").strip() for name in ("ALGOLIA_APP_ID", key_name))
    if not (SENDABLE.fullmatch(app_id) and SENDABLE.fullmatch(key)):
        raise Misconfigured(missing)
    return Connection(app_id, key, role, timing)


def _hits(reply: Mapping[str, object], attributes: Iterable[str]) -> list[Mapping[str, object]]:
    """The hits of a reply, each of which has what was asked for."""
    hits, wanted = cast("list[Mapping[str, object]]", reply["hits"]), set(attributes)
    if not all(isinstance(hit, dict) and wanted <= hit.keys() for hit in hits):
        LOG.warning("A hit of Algolia's lacks what was asked for")
        raise Unavailable(UNAVAILABLE)
    return hits


def _action(name: str, body: Mapping[str, object]) -> str:
    return json.dumps({"action": name, "body": body})


def _without_refused(batch: list[_Addition], refusal: RecordRefused, saved: Saved) -> list[_Addition]:
    """The batch without the record that was refused.

    Where that is one above our own limit, it goes with all that are at least as large: who puts thousands of
    such into one repository shall not cost thousands of requests.
    """
    place = refusal.position
    if not 0 <= place < len(batch):
        raise refusal
    end = len(batch) if batch[place].size > MAX_RECORD_BYTES else place + 1
    for addition in batch[place:end]:
        record = addition.record
        LOG.warning(
            "Algolia refused a record of %s bytes: %s %.80s in %.200s of repository %s",
            addition.size,
            record["entity_type"],
            record["entity_name"],
            record["file_path"],
            record["repository_id"],
        )
        saved.refused.add(record["objectID"])
    return batch[:place] + batch[end:]


def _batches(items: Iterable[T], size_of: Callable[[T], int]) -> Iterator[list[T]]:
    """At most MAX_BATCH_RECORDS each, and MAX_BATCH_BYTES with what stands around and between them."""
    batch: list[T] = []
    size = len(EMPTY_BATCH)
    for item in items:
        length = size_of(item) + 1  # and its comma
        if batch and (len(batch) == MAX_BATCH_RECORDS or size + length > MAX_BATCH_BYTES):
            yield batch
            batch, size = [], len(EMPTY_BATCH)
        batch.append(item)
        size += length
    if batch:
        yield batch
