"""The stand-ins of the local stack, with resources from the template, and the handlers in this process.

What the local stack adds to them, processes, pollers and a front, is left out: here a test decides which
message is handled when, and a crash is an exception that nothing stops.
"""

import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import patch

import urllib3

from codesage import packs, plans, reconcile, snapshot, update
from codesage.clients import algolia, aws, s3, secrets
from codesage.clients.algolia import index_name
from codesage.clients.store import database_id
from codesage.languages import PARSER_VERSION
from codesage.parsing.child import ParserChild
from codesage.settings import settings
from codesage.sweep import KEPT_SECONDS
from functions.parser import app as parser
from local import lambdas
from local.memory import Memory
from local.stack import Stack, _locked
from local.template import Template
from tests.machine.rebuild import Parse, parse_of_version
from tests.machine.wire import tapped

_now = time.time  # as it is; this module sets the one that others ask
TASK_DELAY = 0.01  # seconds until Algolia shows a write, so that not waiting for it has consequences
LONGEST_SLEEP = 0.003
BATCH_FILES = 2  # small numbers make small trees do what large ones do


class Backend(Stack):
    """The stand-ins alone.

    Args:
        data: an empty folder.
    """

    template: Template
    unforeseen: list[str]
    """What handlers logged of errors that nobody foresaw."""

    def __init__(self, data: Path) -> None:
        super().__init__(data, port=0, task_delay=TASK_DELAY)
        self._ahead = 0.0
        self._old_until = 0.0
        self.unforeseen = []
        self.http = urllib3.PoolManager(retries=False)

    def start(self) -> "Backend":
        self.data.mkdir(parents=True, exist_ok=True)
        with ExitStack() as running:
            lock = _locked(self.data / "lock", running)
            self.memory = Memory(self.data / "stack.json")
            self._start_stand_ins(running, lock)
            self.template = self._resolved_template()
            running.enter_context(patch.dict(os.environ, self._handler_variables()))
            running.enter_context(tapped())
            running.enter_context(_quick())
            running.enter_context(_own_versions())
            running.enter_context(patch.object(time, "time", lambda: _now() + self._ahead))
            running.enter_context(patch.object(s3, "datetime", _Clock(self._now_of_objects)))
            self.child = running.enter_context(ParserChild())
            running.callback(self.http.clear)
            running.enter_context(_heard(self.unforeseen))
            _forget_process()
            running.callback(_forget_process)
            self._running = running.pop_all()
        return self

    def _handler_variables(self) -> dict[str, str]:
        variables = lambdas._variables(self.template.functions[0], self.aws.url)
        return variables | {"POWERTOOLS_METRICS_DISABLED": "true"}

    def begin(self) -> None:
        """Everything is empty, as in a new account; numbers begin at 1."""
        self.http.request("POST", f"{self.aws.url}/_ministack/reset")
        self._create_resources(self.template)
        self.algolia_call("DELETE", "")
        self.githost.faults.clear()
        self.unforeseen.clear()
        self._old_until = 0.0
        self.cold_start()

    def cold_start(self) -> None:
        """A new process knows nothing of what the last one read."""
        algolia._claims.clear()
        secrets._cache.clear()
        database_id.cache_clear()

    def pass_time(self, seconds: float) -> None:
        """For whoever asks for the time in this process. A day makes the objects that there are now old."""
        self._ahead += seconds
        if seconds >= KEPT_SECONDS:
            self._old_until = _now()

    def _now_of_objects(self) -> datetime:
        """S3 stamps objects by its own clock, which nobody here sets; so their age is made from this end."""
        return datetime.fromtimestamp(max(_now(), self._old_until + KEPT_SECONDS), UTC)

    def deploy(self, version: int, *, snapshot_too: bool, parser_too: bool) -> None:
        """Another version of the parser's code, in the functions that were deployed."""
        if snapshot_too:
            vars(snapshot)["PARSER_VERSION"] = vars(reconcile)["PARSER_VERSION"] = version
        if parser_too:
            parse = parse_of_version(version, self.child.parse)
            vars(update)["PARSER_VERSION"] = version
            vars(parser)["child"] = lambda: _Parser(parse)

    def algolia_call(self, method: str, path: str, body: str = "") -> dict[str, object]:
        secret = {name: self.memory.get(name) or "" for name in ("algolia-app-id", "algolia-admin-key")}
        headers = {
            "x-algolia-application-id": secret["algolia-app-id"].upper(),
            "x-algolia-api-key": secret["algolia-admin-key"],
        }
        url = f"{self.algolia.url}/1/indexes/{index_name('default')}{path}"
        reply: dict[str, object] = self.http.request(method, url, body=body, headers=headers).json()
        return reply


def _forget_process() -> None:
    """Clients and facts that this process keeps are another stack's."""
    for kept in (aws.dynamodb, aws.s3, aws.sqs, aws.secretsmanager, settings, database_id):
        kept.cache_clear()
    secrets._cache.clear()
    algolia._claims.clear()


@contextmanager
def _own_versions() -> Iterator[None]:
    """What `deploy` changes is put back."""
    with (
        patch.object(snapshot, "PARSER_VERSION", PARSER_VERSION),
        patch.object(reconcile, "PARSER_VERSION", PARSER_VERSION),
        patch.object(update, "PARSER_VERSION", PARSER_VERSION),
        patch.object(parser, "child", parser.child),
    ):
        yield


class _Clock:
    """Stands where the store of objects asks for the time."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self.now = lambda _: now()


class _Parser:
    """Stands where the function keeps its child."""

    def __init__(self, parse: Parse) -> None:
        self.parse = parse


@contextmanager
def _heard(errors: list[str]) -> Iterator[None]:
    """The log of the package goes nowhere, but for errors that nobody foresaw."""
    package, answers = logging.getLogger("codesage"), logging.getLogger("codesage.batches")
    ear = _Ear(errors)
    package.addHandler(silence := logging.NullHandler())
    answers.addHandler(ear)
    with patch.object(package, "propagate", False):
        yield
    answers.removeHandler(ear)
    package.removeHandler(silence)


class _Ear(logging.Handler):
    def __init__(self, errors: list[str]) -> None:
        super().__init__(logging.ERROR)
        self._errors = errors

    def emit(self, record: logging.LogRecord) -> None:
        self._errors.append(self.format(record))


@contextmanager
def _quick() -> Iterator[None]:
    """Pauses end at once. No test waits for one; their lengths are tested where they are worked out."""
    sleep = time.sleep
    with (
        patch.object(time, "sleep", lambda seconds: sleep(min(seconds, LONGEST_SLEEP))),
        patch.object(update, "BATCH_FILES", BATCH_FILES),
    ):
        yield


@contextmanager
def sized(pack_bytes: int, fetched: int) -> Iterator[None]:
    """Packs of this mean size, and the delta way up to that many blobs."""
    with (
        patch.object(packs, "MAX_MEAN_PACK_BYTES", pack_bytes),
        patch.object(plans, "MAX_FETCHED_BLOBS", fetched),
    ):
        yield
