"""Records and queries <-> Algolia, through the official client's own transporter.

The transporter is the part of the package that chooses hosts, signs and retries. The full client on top of it
costs 0.75 s of import for models that we do not use. It keeps per-request state on itself, so each thread has
its own, per application, key and role. Whatever goes wrong becomes one of two errors of ours; the vendor's
text, which can name the application or a host, goes to the log only.
"""

import json
import logging
import random
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import cast
from urllib.parse import quote, urlsplit

from algoliasearch.http.exceptions import AlgoliaException, RequestException
from algoliasearch.http.hosts import Host, HostsCollection
from algoliasearch.http.request_options import RequestOptions
from algoliasearch.http.transporter_sync import TransporterSync
from algoliasearch.http.verb import Verb
from algoliasearch.search.config import SearchConfig
from requests.exceptions import RequestException as TransportError

from codesage.clients.secrets import secret
from codesage.errors import Misconfigured, Rejected, Unavailable
from codesage.filters import quoted
from codesage.records import MAX_RECORD_BYTES, Record, encoded, size_of
from codesage.settings import settings

LOG = logging.getLogger(__name__)

MAX_BATCH_RECORDS = 1_000
MAX_BATCH_BYTES = 5_000_000
WRITE_TRIES = 4
PROMPT_SECONDS = 1.0  # a search that failed later than this has timed out at every host: nobody waits twice
FIRST_POLL, LONGEST_POLL = 0.1, 2.0  # seconds between two looks at a task
UNAVAILABLE = "Search is unavailable; try again later."
NO_SEARCH_KEY = (
    "Search is not configured on the server (ALGOLIA_APP_ID / ALGOLIA_SEARCH_API_KEY are missing)."
)
NO_ADMIN_KEY = "Search is not configured on the server (ALGOLIA_APP_ID / ALGOLIA_ADMIN_API_KEY are missing)."

MARKER_ID = "codesage-database"
MARKER_REPOSITORY = 0  # no repository has this number, and queries ask for numbers above it

INDEX_SETTINGS: Mapping[str, object] = {
    "searchableAttributes": ["entity_name", "description", "content", "parameters", "file_path"],
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

_threads = threading.local()
_claims: set[tuple[str, str]] = set()
_searching_only: set[str] = set()  # keys that were refused a list of the indices; asked once each


@dataclass(slots=True)
class Saved:
    """Tasks of the records that were accepted, and objectIDs of those that were refused."""

    tasks: list[int] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)


class _NotThere(Rejected):
    """404: the index, object or task does not exist."""


def index_name(org: str) -> str:
    """One index per stack and organisation: two databases must never share one."""
    name = settings().algolia_index_name
    return name if org == "default" else f"{name}__org_{org}"


class SearchIndex:
    """Reads one organisation's index with its search-only key.

    Raises:
        Misconfigured: the key is missing. Unavailable: anything else.
    """

    def __init__(self, org: str) -> None:
        fields = secret(org, "algolia-search")
        app_id, key = fields.get("ALGOLIA_APP_ID", ""), fields.get("ALGOLIA_SEARCH_API_KEY", "")
        if not app_id or not key:
            raise Misconfigured(NO_SEARCH_KEY)
        self._key = key
        self._connection = _Connection(app_id, key, "read")
        self._path = f"/1/indexes/{quote(index_name(org), safe='')}"

    def search(self, parameters: Mapping[str, object]) -> dict[str, object]:
        """Algolia's reply as it is. A missing index is an empty one: nothing was published yet.

        Args:
            parameters: with `attributesToRetrieve`; a hit that lacks one of them makes the reply no reply.
        """
        try:
            reply = self._connection.call(Verb.POST, f"{self._path}/query", parameters, reads=True)
        except _NotThere:
            return {"hits": [], "nbHits": 0, "page": 0, "nbPages": 0}
        except Rejected as error:
            raise Unavailable(UNAVAILABLE) from error
        if not _answers(reply, cast("Sequence[str]", parameters.get("attributesToRetrieve", ()))):
            LOG.warning("Algolia's reply has another form than was asked for")
            raise Unavailable(UNAVAILABLE)
        return reply

    def probe(self) -> None:
        """Whether the key works. A list of the indices is asked for where the key may see it, because a
        search, if only for nothing, counts as one; a missing index is no fault.

        Raises Unavailable.
        """
        if self._key not in _searching_only:
            try:
                self._connection.call(Verb.GET, "/1/indexes", reads=True)
            except Rejected:
                _searching_only.add(self._key)
            else:
                return
        self.search({"query": "", "hitsPerPage": 0})


class Index:
    """Writes one organisation's index with its admin key."""

    def __init__(self, org: str) -> None:
        fields = secret(org, "algolia-admin")
        app_id, key = fields.get("ALGOLIA_APP_ID", ""), fields.get("ALGOLIA_ADMIN_API_KEY", "")
        if not app_id or not key:
            raise Misconfigured(NO_ADMIN_KEY)
        self._connection = _Connection(app_id, key, "write")
        self._path = f"/1/indexes/{quote(index_name(org), safe='')}"

    def claim(self, database: str) -> None:
        """Make the index this database's own, and bring its settings up to date; once per process.

        Raises:
            Rejected: another database has claimed it. Each numbers its repositories from 1, and a delete in
                one would remove the other's records.
        """
        claim = (self._path, database)
        if claim in _claims:
            return
        marker = self._marker()
        if marker is None:
            body = {"objectID": MARKER_ID, "repository_id": MARKER_REPOSITORY, "database": database}
            self.wait([self._batch([{"action": "addObject", "body": body}])], time.monotonic() + 30)
            marker = self._marker()
        if marker not in (None, database):
            raise Rejected(
                "The search index belongs to another database; set AlgoliaIndexName to an index of your own."
            )
        self._apply_settings()
        _claims.add(claim)

    def save(self, records: Iterable[Record]) -> "Saved":
        """Send records in batches. They are accepted then, not yet searchable.

        One oversized record fails its whole batch, so each that could be goes alone; what Algolia refuses is
        left out and named.
        """
        saved = Saved()

        def fitting() -> Iterator[str]:
            for record in records:
                if size_of(record) <= MAX_RECORD_BYTES:
                    yield _add_action(record)
                else:
                    self._save_alone(record, saved)

        saved.tasks += [self._post_batch(batch) for batch in _batches(fitting())]
        return saved

    def _save_alone(self, record: Record, saved: "Saved") -> None:
        try:
            saved.tasks.append(self._post_batch([_add_action(record)]))
        except Rejected:
            size, name, path = size_of(record), record["entity_name"][:80], record["file_path"][:200]
            LOG.warning("Algolia refused a record of %s bytes: %s in %s", size, name, path)
            saved.refused.add(record["objectID"])

    def delete(self, object_ids: Iterable[str]) -> list[int]:
        """Delete by id; an id that is not there is no error. Returns the tasks."""
        actions = (
            json.dumps({"action": "deleteObject", "body": {"objectID": object_id}})
            for object_id in object_ids
        )
        return [self._post_batch(batch) for batch in _batches(actions)]

    def barrier(self, repository_id: int) -> int:
        """A task that changes nothing: once it is published, so is whatever was sent before it."""
        return self._batch([{"action": "deleteObject", "body": {"objectID": f"{repository_id}_none"}}])

    def wait(self, tasks: Sequence[int], until: float) -> bool:
        """Whether every task was published before the monotonic clock reached `until`."""
        pause = FIRST_POLL
        waiting = list(tasks)
        while waiting:
            reply = self._connection.call(Verb.GET, f"{self._path}/task/{waiting[-1]}")
            if reply.get("status") == "published":
                waiting.pop()
                continue
            if time.monotonic() + pause > until:
                return False
            time.sleep(pause)
            pause = min(pause * 2, LONGEST_POLL)
        return True

    def ids_of_file(self, repository_id: int, file_path: str) -> list[str]:
        """Every objectID that the index holds of one file.

        A filter compares without regard to case, so files that differ only in that are told apart here.
        """
        filters = f"repository_id={repository_id} AND file_path:{quoted(file_path)}"
        hits = self._browse(filters, ["objectID", "file_path"])
        return [str(hit["objectID"]) for hit in hits if hit["file_path"] == file_path]

    def records_of(self, repository_id: int) -> Iterator[Record]:
        """Every record of a repository, whole, in no order."""
        for hit in self._browse(f"repository_id={repository_id}", list(Record.__annotations__)):
            yield cast("Record", {name: hit.get(name) for name in Record.__annotations__})

    def delete_repository(self, repository_id: int) -> None:
        """Sent and not waited for: Algolia applies an index's tasks in order."""
        body = {"filters": f"repository_id={repository_id}"}
        with suppress(_NotThere):
            self._connection.call(Verb.POST, f"{self._path}/deleteByQuery", body)

    def _browse(self, filters: str, attributes: Sequence[str]) -> Iterator[dict[str, object]]:
        parameters: dict[str, object] = {
            "filters": filters,
            "hitsPerPage": 1000,
            "attributesToRetrieve": attributes,
        }
        while True:
            try:
                reply = self._connection.call(Verb.POST, f"{self._path}/browse", parameters, reads=True)
            except _NotThere:  # no index yet: nothing was ever sent
                return
            yield from cast("list[dict[str, object]]", reply["hits"])
            if "cursor" not in reply:
                return
            parameters = {**parameters, "cursor": reply["cursor"]}

    def _marker(self) -> str | None:
        try:
            return str(self._connection.call(Verb.GET, f"{self._path}/{MARKER_ID}").get("database"))
        except _NotThere:
            return None

    def _apply_settings(self) -> None:
        """Written only where one of ours differs: a write makes Algolia go through the whole index."""
        try:
            live = self._connection.call(Verb.GET, f"{self._path}/settings")
        except _NotThere:
            live = {}
        if any(live.get(name) != value for name, value in INDEX_SETTINGS.items()):
            self._connection.call(Verb.PUT, f"{self._path}/settings", INDEX_SETTINGS)

    def _batch(self, requests: Sequence[Mapping[str, object]]) -> int:
        return self._post_batch([json.dumps(request) for request in requests])

    def _post_batch(self, actions: Sequence[str]) -> int:
        body = f'{{"requests":[{",".join(actions)}]}}'
        return cast("int", self._connection.call(Verb.POST, f"{self._path}/batch", body)["taskID"])


class _Connection:
    """Calls of one role to one application, on a transporter of the calling thread."""

    def __init__(self, app_id: str, key: str, role: str) -> None:
        self._app_id, self._key, self._role = app_id, key, role

    def call(
        self, verb: Verb, path: str, body: str | Mapping[str, object] | None = None, *, reads: bool = False
    ) -> dict[str, object]:
        """The reply's JSON. Every call of ours may be sent twice, so a failed one is tried again.

        Raises:
            Rejected: Algolia understood and refused; `_NotThere` where the thing does not exist.
            Unavailable: everything else.
        """
        data = body if isinstance(body, str) else json.dumps(body or {}, ensure_ascii=False)
        reading = self._role == "read"
        tries = 2 if reading else WRITE_TRIES
        began = time.monotonic()
        for attempt in range(tries):
            try:
                return self._send(verb, path, data if verb != Verb.GET else None, reads)
            except Unavailable:
                if attempt + 1 == tries or (reading and time.monotonic() - began > PROMPT_SECONDS):
                    raise
                time.sleep(random.uniform(0.5, 1.0) * 0.2 * 2**attempt)  # noqa: S311 - jitter, no secret
        raise AssertionError("unreachable")

    def _send(self, verb: Verb, path: str, data: str | None, reads: bool) -> dict[str, object]:
        transporter = self._transporter()
        options = RequestOptions(transporter.config).merge(data=data)
        try:
            reply = transporter.request(
                verb=verb, path=path, request_options=options, use_read_transporter=reads
            )
            return cast("dict[str, object]", json.loads(reply.raw_data or ""))
        except RequestException as error:
            LOG.warning("Algolia refused %s", verb, exc_info=True)
            if error.status_code == 404:
                raise _NotThere("The search index does not have it.") from error
            if error.status_code == 429:
                raise Unavailable(UNAVAILABLE) from error
            raise Rejected("The search index refused the request.") from error
        except TransportError as error:
            LOG.warning("Algolia did not answer %s", verb, exc_info=True)
            self._pass_over_host(transporter)
            raise Unavailable(UNAVAILABLE) from error
        except (AlgoliaException, ValueError, TypeError) as error:
            LOG.warning("Algolia failed %s", verb, exc_info=True)
            self._forget(transporter)  # or one 5xx would silence its host for five minutes
            raise Unavailable(UNAVAILABLE) from error

    def _pass_over_host(self, transporter: TransporterSync) -> None:
        """The transporter fails over on timeouts and 5xx only. A host that refuses, resets or has no address
        is marked here, so that the next try takes another; with none left, all are tried again."""
        hosts = transporter.config.hosts
        up = [host for host in (hosts.read() + hosts.write() if hosts else []) if host.up]
        if len({id(host) for host in up}) < 2:
            self._forget(transporter)
            return
        up[0].up, up[0].last_use = False, time.time()

    def _forget(self, transporter: TransporterSync) -> None:
        transporter.close()
        _threads.transporters.clear()

    def _transporter(self) -> TransporterSync:
        kept: dict[tuple[str, ...], TransporterSync] = _threads.__dict__.setdefault("transporters", {})
        endpoint = settings().algolia_endpoint
        key = (self._app_id, self._key, self._role, endpoint)
        if key not in kept:
            kept[key] = TransporterSync(_config(self._app_id, self._key, endpoint))
        return kept[key]


def _config(app_id: str, key: str, endpoint: str) -> SearchConfig:
    config = SearchConfig(app_id, key)
    config.compression_type = "gzip"
    config.max_rate_limit_retries = 0  # the transporter would sleep as long as it is told; our own tries wait
    config.connect_timeout, config.read_timeout, config.write_timeout = 1_000, 2_000, 15_000  # milliseconds
    if endpoint:
        parts = urlsplit(endpoint)
        config.hosts = HostsCollection([Host(parts.hostname or "", scheme=parts.scheme, port=parts.port)])
        config.proxies = None
        return config
    config.set_default_hosts()  # type: ignore[no-untyped-call]
    return config


def _answers(reply: object, attributes: Iterable[str]) -> bool:
    """Whether a query's reply has what a query's reply has, and each hit what was asked for."""
    if not isinstance(reply, dict) or not all(type(reply.get(name)) is int for name in ("nbHits", "nbPages")):
        return False
    hits = reply.get("hits")
    wanted = set(attributes)
    return isinstance(hits, list) and all(isinstance(hit, dict) and wanted <= hit.keys() for hit in hits)


def _add_action(record: Record) -> str:
    return f'{{"action":"addObject","body":{encoded(record)}}}'


def _batches(actions: Iterable[str]) -> Iterator[list[str]]:
    """At most MAX_BATCH_RECORDS and about MAX_BATCH_BYTES each."""
    batch: list[str] = []
    size = 0
    for action in actions:
        length = len(action.encode())
        if batch and (len(batch) == MAX_BATCH_RECORDS or size + length > MAX_BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(action)
        size += length
    if batch:
        yield batch
