"""One call of Algolia's REST API -> the JSON of its reply, or one of two errors of ours.

The official client's own transporter chooses hosts, signs and compresses. The full client on top of it costs
0.75 s of import for models that we do not use. The transporter keeps the state of a request on itself, so
each thread has its own, per application, key and role.

What it does otherwise than is wanted here is changed below it, at its session: a host that refuses or resets
a connection is passed over like one that is too slow, nothing is sent again behind our back, and a reply that
it would reduce to a message is kept. What Algolia said can name the application or a host: it is for the log.
"""

import json
import logging
import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, cast
from urllib.parse import urlsplit

from algoliasearch.http.exceptions import AlgoliaException
from algoliasearch.http.hosts import Host, HostsCollection
from algoliasearch.http.request_options import RequestOptions
from algoliasearch.http.transporter_sync import TransporterSync
from algoliasearch.http.verb import Verb
from algoliasearch.search.config import SearchConfig
from requests import PreparedRequest, Response, Session, Timeout
from requests.exceptions import RequestException as TransportError
from urllib3.exceptions import HTTPError

from codesage.errors import Rejected, Unavailable
from codesage.settings import settings

LOG = logging.getLogger(__name__)

UNAVAILABLE = "Search is unavailable; try again later."
FIRST_PAUSE = 0.2  # seconds, doubling with each try
MAX_RETRY_AFTER = 900  # seconds; also the longest that a queue is told to wait
MAX_LOGGED = 500  # characters of a reply that is none


@dataclass(frozen=True, slots=True)
class Role:
    """What a connection is for.

    Attributes:
        tries: how often a call is made in all, as long as it fails in a way that may pass.
        patience: seconds after the beginning of the first try within which another one may begin.
    """

    name: str
    tries: int
    patience: float


READER = Role(
    "reader", tries=2, patience=1.0
)  # a later failure has timed out at every host: nobody waits twice
WRITER = Role("writer", tries=4, patience=15.0)  # the queue waits better than a function that is paid for


@dataclass(frozen=True, slots=True)
class Timing:
    """How long things take, in seconds, and the clock by which they do.

    Attributes:
        connect, read, write: the longest that one host is waited for, to connect and then for its reply.
        rest: how long a host that failed is passed over, as long as there is another one.
        now: monotonic.
    """

    connect: float = 1.0
    read: float = 2.0
    write: float = 15.0
    rest: float = 10.0
    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


TIMING = Timing()


class NotThere(Rejected):
    """404: the index, object or task does not exist."""


class RecordRefused(Rejected):
    """One record of a batch was refused, and the whole batch with it.

    Args:
        position: of the record, counted from 0 within the request.
    """

    def __init__(self, position: int) -> None:
        super().__init__("The search index refused a record.")
        self.position = position


class Connection:
    """Calls to one application with one key; for use from any thread."""

    def __init__(self, app_id: str, key: str, role: Role, timing: Timing = TIMING) -> None:
        self.app_id, self.key = app_id, key
        self.timing = timing
        self._role = role

    def call(
        self,
        verb: Verb,
        path: str,
        body: str | Mapping[str, object] | None = None,
        *,
        reads: bool = False,
        expects: Mapping[str, type] | None = None,
    ) -> dict[str, object]:
        """The reply's JSON. Every call of ours may be sent twice, so a failed one is tried again.

        Args:
            reads: a POST that changes nothing; it goes to the hosts for reading, as each GET does.
            expects: fields that a reply must have, with their types; without them it is none.

        Raises:
            Rejected: Algolia understood and refused; see its subclasses.
            Unavailable: everything else; `retry_after` where Algolia named a time that is too long to wait.
        """
        text = body if isinstance(body, str) else json.dumps(body or {}, ensure_ascii=False)
        data = None if verb == Verb.GET else text
        now, tries = self.timing.now, 0
        began = now()
        while True:
            try:
                return self._send(verb, path, data, reads, expects or {})
            except Unavailable as error:
                pause = _pause(tries, error.retry_after)
                tries += 1
                if tries == self._role.tries or now() + pause > began + self._role.patience:
                    raise
                self.timing.sleep(pause)

    def _send(
        self, verb: Verb, path: str, data: str | None, reads: bool, expects: Mapping[str, type]
    ) -> dict[str, object]:
        transporter = self._transporter()
        transporter.ready(self.timing.rest)
        options = RequestOptions(transporter.config).merge(data=data)
        try:
            answer = transporter.request(
                verb=verb, path=path, request_options=options, use_read_transporter=reads
            )
            reply = json.loads(answer.raw_data or "")
        except (AlgoliaException, TransportError, ValueError, TypeError, LookupError) as error:
            # What it raises for a refusal that is no JSON of Algolia's is whatever reading that ends with.
            said = transporter.session.reply
            LOG.warning("Algolia failed %s %s: %s", verb, path, _excerpt(said), exc_info=True)
            raise _failure(said) from error
        if not isinstance(reply, dict) or any(type(reply.get(name)) is not expects[name] for name in expects):
            LOG.warning(
                "Algolia's reply to %s %s has another form: %s",
                verb,
                path,
                _excerpt(transporter.session.reply),
            )
            raise Unavailable(UNAVAILABLE)
        return cast("dict[str, object]", reply)

    def _transporter(self) -> "_Transporter":
        kept: dict[tuple[object, ...], _Transporter] = _threads.__dict__.setdefault("transporters", {})
        endpoint = settings().algolia_endpoint
        key = (self.app_id, self.key, self._role, self.timing, endpoint)
        if key not in kept:
            kept[key] = _Transporter(_config(self.app_id, self.key, endpoint, self.timing))
        return kept[key]


_threads = threading.local()


class _Session(Session):
    """Whatever keeps a whole reply from coming is a timeout, after which the transporter takes the next host.

    It sends once, where the one that the transporter would make sends a GET over https up to eleven times.
    And it follows no redirect, which would take our key along to wherever it leads.
    """

    def __init__(self) -> None:
        super().__init__()
        self.max_redirects = 0
        self.reply: Response | None = None  # the last one, unless nothing came since

    def send(self, request: PreparedRequest, **kwargs: Any) -> Response:
        self.reply = None
        try:
            self.reply = super().send(request, **kwargs)
        except (TransportError, HTTPError) as error:
            LOG.warning("Algolia's host did not answer %s", request.url, exc_info=True)
            raise Timeout(request=request) from error
        return self.reply


class _Transporter(TransporterSync):
    """The official one, with a session and with a memory of failing hosts that are ours."""

    def __init__(self, config: SearchConfig) -> None:
        super().__init__(config)
        self.session = self._session = _Session()

    def ready(self, rest: float) -> None:
        """Let hosts rest that failed within the last `rest` seconds, but never all that a call could take.

        By itself it would pass over a host for 300 s after a 5xx, even the only one, and give one that was
        slow a longer time at each further call.
        """
        hosts = cast("HostsCollection", self._config.hosts)
        for call in (hosts.read(), hosts.write()):
            for host in call:
                if host.retry_count:
                    host.up, host.retry_count = False, 0
                elif not host.up and time.time() - host.last_use > rest:
                    host.up = True
            if not any(host.up for host in call):
                for host in call:
                    host.up = True


def _config(app_id: str, key: str, endpoint: str, timing: Timing) -> SearchConfig:
    config = SearchConfig(app_id, key)
    config.compression_type = "gzip"
    config.max_rate_limit_retries = 0  # it would sleep as long as it is told; our own tries wait
    config.connect_timeout = round(timing.connect * 1000)
    config.read_timeout = round(timing.read * 1000)
    config.write_timeout = round(timing.write * 1000)
    if endpoint:
        parts = urlsplit(endpoint)
        config.hosts = HostsCollection([Host(parts.hostname or "", scheme=parts.scheme, port=parts.port)])
        config.proxies = None
        return config
    config.set_default_hosts()  # type: ignore[no-untyped-call]
    return config


def _failure(reply: Response | None) -> Rejected | Unavailable:
    """Args: `reply`: the last one, None where nothing came after all."""
    match None if reply is None else reply.status_code:
        case HTTPStatus.NOT_FOUND:
            return NotThere("The search index does not have it.")
        case HTTPStatus.UNAUTHORIZED | HTTPStatus.FORBIDDEN as status:
            return Rejected(
                f"The search index refused the key ({status}): check the application's id and keys."
            )
        case HTTPStatus.REQUEST_TIMEOUT | HTTPStatus.TOO_MANY_REQUESTS:
            return Unavailable(UNAVAILABLE, _told(reply))
        case int(status) if 400 <= status < 500:
            position = _position(reply)
            if position is None:
                return Rejected(f"The search index refused the request ({status}).")
            return RecordRefused(position)
        case _:
            return Unavailable(UNAVAILABLE, _told(reply))


def _position(reply: Response | None) -> int | None:
    """Of the record that the refusal is about, if it names one. Its words are no contract, its fields are."""
    try:
        body = None if reply is None else reply.json()
    except ValueError:
        return None
    position = body.get("position") if isinstance(body, dict) else None
    return position if type(position) is int else None


def _told(reply: Response | None) -> int | None:
    """Whole seconds after which Algolia wants to be asked again, where it says so; bounded."""
    text = "" if reply is None else reply.headers.get("retry-after", "").strip()
    seconds = int(text) if text.isdecimal() and len(text) < 10 else 0
    return min(seconds, MAX_RETRY_AFTER) or None


def _pause(tries: int, told: int | None) -> float:
    """Seconds before the next try, never fewer than `told`. Jitter, so that many do not come back at once."""
    backoff: float = FIRST_PAUSE * 2**tries * random.uniform(0.5, 1.0)  # noqa: S311 - jitter, no secret
    return max(backoff, (told or 0) * random.uniform(1.0, 1.25))  # noqa: S311


def _excerpt(reply: Response | None) -> str:
    return "no reply" if reply is None else f"{reply.status_code} {reply.text[:MAX_LOGGED]!r}"
