"""A history, step by step -> the real handlers, queues and stores; and what must be true of them.

Raises AssertionError where a promise is broken; `World.log` then says what happened.
"""

import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, assert_never

from aws_lambda_powertools.utilities.typing import LambdaContext

from codesage import packs, trees
from codesage.clients import sqs
from codesage.clients.attributes import decode_item
from codesage.clients.store import Store, run_entries
from codesage.errors import CodeSageError
from codesage.items import entity_key, file_of_item, item_of_entity
from codesage.messages import Labels, SnapshotRequest
from codesage.packs import pack_of
from codesage.removal import remove
from codesage.runs import Repository as Row
from codesage.runs import Run, Status
from functions.cleanup import app as cleanup
from functions.parser import app as parser
from functions.snapshot import app as snapshot
from functions.webhook import app as webhook
from local.githost.deliveries import signature
from local.githost.git import NO_COMMIT
from local.githost.payloads import RefChange, push_json
from local.pollers import sqs_event
from tests.machine.backend import Backend, sized
from tests.machine.history import (
    Add,
    Commit,
    Deploy,
    Drain,
    Fault,
    ForcePush,
    History,
    Lag,
    Parse,
    Rebuild,
    Reconcile,
    Remove,
    Resume,
    Revert,
    Snapshot,
    Step,
    Sweep,
    Switch,
    Watch,
    Webhook,
)
from tests.machine.rebuild import Rebuilt, rebuilt
from tests.machine.repository import Repository
from tests.machine.wire import Killed, Receipt, State

if TYPE_CHECKING:
    from mypy_boto3_sqs.type_defs import MessageTypeDef

ORG = "default"
NAME = "octo/history"
QUIET_ROUNDS = 30
HOUR, DAY = 4_000, 100_000  # seconds, and some more: longer than any patience or pause
MAX_MESSAGES = 500
THREADS = 64  # receipts that sleep at once, and one that works


@dataclass(frozen=True)
class Queue:
    name: str
    url: str
    arn: str
    handler: Callable[[dict[str, Any], Any], Any]


@dataclass
class Asleep:
    """A receipt that sleeps, and what is to be done when it is over."""

    receipt: Receipt
    after: Callable[[], None]


class Context(LambdaContext):
    """What a handler asks of Lambda."""

    def __init__(self, milliseconds: int) -> None:
        self._milliseconds = milliseconds

    def get_remaining_time_in_millis(self) -> int:  # type: ignore[override]
        return self._milliseconds


HURRIED = Context(29_999)
UNHURRIED = Context(120_000)


class World:
    """One history's repository, and the service that indexes it."""

    def __init__(self, backend: Backend, folder: Path, threads: ThreadPoolExecutor) -> None:
        self.log: list[str] = []
        self._backend = backend
        self._threads = threads
        self._sqs = backend.client("sqs")
        self._repository = Repository(folder)
        self._branch = "main"
        self._newest_told = -1
        self._told_branch: str | None = None  # the last hint's, unless hints came out of order
        self._mail: list[tuple[str, dict[str, Any]]] = []
        self._held: list[tuple[Queue, MessageTypeDef]] = []
        self._asleep: list[Asleep] = []
        self._pushed: dict[str, str] = {}
        self._versions = {"snapshot": 1, "parser": 1}
        self._rebuilt: dict[tuple[int, str, int], Rebuilt] = {}
        self._trees: dict[str, str] = {}
        backend.begin()
        backend.deploy(1, snapshot_too=True, parser_too=True)
        self._source = backend.githost.add(NAME, folder, None)
        by_name = {source.function: source.queue for source in backend.template.event_sources}
        self._snapshots = self._queue("snapshot", by_name["SnapshotFunction"], snapshot.lambda_handler)
        self._parses = self._queue("parse", by_name["ParserFunction"], parser.lambda_handler)

    @staticmethod
    def _queue(name: str, queue: Any, handler: Callable[[dict[str, Any], Any], Any]) -> Queue:
        return Queue(name, queue.url, queue.arn, handler)

    def close(self) -> None:
        for asleep in self._asleep:
            asleep.receipt.kill()
        self._backend.githost.remove(self._source)

    # ---- steps ---------------------------------------------------------------------------------------------

    def take(self, step: Step) -> None:
        self.log.append(f"{step}")
        self._take(step)
        self.check()

    def _take(self, step: Step) -> None:  # noqa: C901 - one line per kind of step
        match step:
            case Commit(changes, told):
                self._moved(lambda: self._repository.change(changes), told)
            case ForcePush(back, told):
                self._moved(lambda: self._repository.reset(self._repository.earlier(back)), told)
            case Revert(back, told):
                self._moved(lambda: self._repository.revert(self._repository.earlier(back)), told)
            case Switch(branch, told):
                self._branch = branch
                self._moved(lambda: self._repository.switch(branch), told)
            case Webhook(back, fault):
                if self._mail:
                    self._deliver(max(0, len(self._mail) - 1 - back), fault)
            case Rebuild():
                if self._row() is not None:
                    self._send_hint(rebuild=True)
            case Lag(back, times):
                self._backend.githost.lag(self._source.id, self._repository.earlier(back), times)
            case Deploy():
                self._deploy(step)
            case Snapshot(fault, kept):
                self._receive(self._snapshots)
                self._handle(self._snapshots, 0, fault, kept, UNHURRIED)
            case Parse(pick, fault, kept, hurried):
                self._receive(self._parses)
                self._handle(self._parses, pick, fault, kept, HURRIED if hurried else UNHURRIED)
            case Remove(fault):
                self._remove(fault)
            case Add():
                self._send_hint(adds=True)
            case Watch(later, fault):
                self._fire("watch", HOUR if later else 0, fault)
            case Reconcile(fault):
                self._fire("reconcile", 0, fault)
            case Sweep(later, fault):
                self._fire("sweep", DAY if later else 0, fault)
            case Resume(pick):
                if self._asleep:
                    self._resume(self._asleep.pop(pick % len(self._asleep)))
            case Drain():
                self._drain()
            case _:
                assert_never(step)

    def _moved(self, move: Callable[[], None], told: bool) -> None:
        move()
        ref = f"refs/heads/{self._branch}"
        change = RefChange(ref, self._pushed.get(ref, NO_COMMIT), self._repository.head)
        self._pushed[ref] = change.after
        host = self._backend.githost
        self._mail.append(
            (f"delivery-{len(self._mail)}", push_json(host._sources, self._source, change, host.url))
        )
        if told:
            self._deliver(len(self._mail) - 1, None)

    def _deliver(self, number: int, fault: Fault | None) -> None:
        """The hint itself, or a repeat of it that comes when the queue has forgotten the first."""
        delivery, payload = self._mail[number]
        body = json.dumps(payload)
        headers = {
            "X-GitHub-Event": "push",
            "X-GitHub-Delivery": f"{delivery}-{len(self.log)}",
            "X-Hub-Signature-256": signature(self._backend.memory.get("webhook-secret") or "", body.encode()),
            "Content-Type": "application/json",
        }
        in_order = fault is None and number > self._newest_told
        self._newest_told = max(self._newest_told, number)
        self._told_branch = payload["repository"]["default_branch"] if in_order else None
        event = {
            "httpMethod": "POST",
            "path": f"/webhooks/{ORG}/github",
            "body": body,
            "isBase64Encoded": False,
            "headers": headers,
            "pathParameters": {"org": ORG, "host": "github"},
            "requestContext": {"requestId": delivery},
        }
        self._run(
            f"webhook {delivery}", lambda: webhook.lambda_handler(event, UNHURRIED), fault, lambda _: None
        )

    def _send_hint(self, *, rebuild: bool = False, adds: bool = False) -> None:
        labels = Labels(name=NAME, web_url=None, branch=self._branch) if adds else None
        sqs.send_snapshot(
            SnapshotRequest(
                org=ORG,
                host="github",
                host_id=str(self._source.id),
                delivery=f"operator-{len(self.log)}",
                labels=labels,
                rebuild=rebuild,
                adds=adds,
            )
        )
        if adds:
            self._told_branch = self._branch

    def _remove(self, fault: Fault | None) -> None:
        row = self._row()
        if row is not None and row.status is not Status.REMOVED:
            self._run("remove", lambda: remove(ORG, row.id), fault, lambda _: None)

    def _deploy(self, step: Deploy) -> None:
        if step.snapshot:
            self._versions["snapshot"] = step.version
        if step.parser:
            self._versions["parser"] = step.version
        self._backend.deploy(step.version, snapshot_too=step.snapshot, parser_too=step.parser)

    def _fire(self, schedule: str, seconds: int, fault: Fault | None = None) -> None:
        if seconds:  # nobody sleeps for longer than a function may run
            self._kill_all()
            self._backend.pass_time(seconds)
        event = {"schedule": schedule}
        self._run(schedule, lambda: cleanup.lambda_handler(event, UNHURRIED), fault, lambda _: None)

    # ---- messages and receipts -----------------------------------------------------------------------------

    def _receive(self, queue: Queue) -> bool:
        """Hold every message that the queue gives out now, as parallel functions would."""
        some = False
        while True:
            reply = self._sqs.receive_message(
                QueueUrl=queue.url,
                MaxNumberOfMessages=1,
                WaitTimeSeconds=0,
                MessageSystemAttributeNames=["All"],
                MessageAttributeNames=["All"],
            )
            if not reply.get("Messages"):
                return some
            self._held += [(queue, message) for message in reply["Messages"]]
            some = True

    def _handle(self, queue: Queue, pick: int, fault: Fault | None, kept: bool, context: Context) -> None:
        held = [pair for pair in self._held if pair[0] == queue]
        if not held:
            return
        pair = held[pick % len(held)]
        self._held.remove(pair)
        message = pair[1]

        def done(receipt: Receipt) -> None:
            reply = receipt.result
            if reply == {"batchItemFailures": []} and not kept:
                self._sqs.delete_message(QueueUrl=queue.url, ReceiptHandle=message["ReceiptHandle"])
            else:
                self._show_again(queue, message)

        event = sqs_event([message], queue.arn)
        received = message["Attributes"]["ApproximateReceiveCount"]
        name = f"{queue.name} {message['MessageId'][:4]}, receipt {received}: {message['Body']}"
        self._run(name, lambda: queue.handler(event, context), fault, done)

    def _show_again(self, queue: Queue, message: "MessageTypeDef") -> None:
        with suppress(self._sqs.exceptions.ClientError):  # its receipt is over already
            self._sqs.change_message_visibility(
                QueueUrl=queue.url, ReceiptHandle=message["ReceiptHandle"], VisibilityTimeout=0
            )

    def _run(
        self, name: str, handle: Callable[[], object], fault: Fault | None, after: Callable[[Receipt], None]
    ) -> None:
        receipt = Receipt(name, handle, fault)
        asleep = Asleep(receipt, lambda: after(receipt))
        self._ended(asleep, receipt.start(self._threads))

    def _resume(self, asleep: Asleep) -> None:
        self.log.append(f"    resumed: {asleep.receipt.name}")
        self._ended(asleep, asleep.receipt.resume())

    def _ended(self, asleep: Asleep, state: State) -> None:
        receipt = asleep.receipt
        self.log += [
            f"    {receipt.name}",
            *(f"        {n}. {call}" for n, call in enumerate(receipt.calls, 1)),
        ]
        self.log.append(f"    {state}: {receipt.result!r}")
        if state is State.STALLED:
            self._asleep.append(asleep)
            return
        if isinstance(receipt.result, Killed):
            self._backend.cold_start()
        elif isinstance(receipt.result, BaseException):
            assert isinstance(receipt.result, CodeSageError), repr(receipt.result)
        asleep.after()

    def _kill_all(self) -> None:
        for asleep in self._asleep:
            self.log.append(f"    killed: {asleep.receipt.name}")
            asleep.receipt.kill()
            asleep.after()
        self._asleep.clear()

    def _drain(self) -> None:
        for asleep in self._asleep:
            self._resume(asleep)
        self._asleep.clear()
        for _ in range(MAX_MESSAGES):
            self._receive(self._snapshots)
            self._receive(self._parses)
            if not self._held:
                return
            self._handle(self._held[0][0], 0, None, False, UNHURRIED)
        raise AssertionError("the queues do not come to rest")

    # ---- the end -------------------------------------------------------------------------------------------

    def come_to_rest(self) -> None:
        """Nothing goes wrong any more; the watch works off its list, and the reconcile looks once."""
        self.log.append("quiet")
        self._backend.githost.faults.clear()
        self._kill_all()
        self._deploy(Deploy(self._versions["parser"]))
        self._settle()
        row = self._row()
        if row is not None and row.status is not Status.REMOVED and self._told_branch is not None:
            _compare("branch", row.labels.branch, self._told_branch)
        if row is None or (row.status is not Status.REMOVED and row.labels.branch != self._branch):
            self._moved(lambda: None, told=True)  # nothing but a webhook tells of a repository or a branch
        self._fire("reconcile", 0)
        self._settle()

    def _settle(self) -> None:
        for _ in range(QUIET_ROUNDS):
            self._drain()
            if not self._entries():
                return
            self._fire("watch", HOUR)
        raise AssertionError(f"the list of runs still holds {self._entries()}")

    def sweep(self) -> None:
        """A last look at all, which must find nothing to do."""
        self._fire("sweep", DAY)
        self._settle()

    # ---- what must be true ---------------------------------------------------------------------------------

    def check(self) -> None:
        """At any time: a run is on the list, and what is in the published tree and in all later is found."""
        assert not self._backend.unforeseen, self._backend.unforeseen[0]
        row = self._row()
        if row is None:
            return
        hidden = Store(ORG).hidden()
        if row.status is Status.REMOVED:
            assert row.id in hidden or not self._records(row.id), "records of a removed one can be found"
            return
        if row.run is not None:
            entries = self._entries()
            assert (row.id, row.run, None) in entries, f"run {row.run} is not on the list: {entries}"
        _compare("hidden", row.id in hidden, row.commit is None)
        if row.commit is None:
            return
        states = [self._of(row.id, row.commit, row.parser_version)]
        states += [self._of(row.id, run.commit, run.parser_version) for run in self._unpublished(row)]
        promised = set.intersection(*(set(state.entities) for state in states))
        records = self._records(row.id)
        missing = promised - records.keys()
        assert not missing, f"unsearchable: {[states[0].entities[name] for name in missing]}"
        for name in promised:
            bodies = [dict(state.entities[name][1].record) for state in states]
            assert records[name] in bodies, f"an odd record: {records[name]}"

    @staticmethod
    def _unpublished(row: Row) -> list[Run]:
        """Runs since the published one, which have written some of their records."""
        store, found = Store(ORG), []
        for seq in range(row.last_run, 0, -1):
            run = store.run(row.id, seq)
            if run.published_at is not None:
                break
            found.append(run)
        return found

    def check_end(self) -> None:
        """Every store holds exactly what a clean rebuild of the head would give."""
        assert not self._backend.unforeseen, self._backend.unforeseen[0]
        row = self._row()
        assert row is not None
        for number in [row.id for row in Store(ORG).repositories() if row.status is Status.REMOVED]:
            _compare("records of a removed one", self._records(number), {})
            _compare("items of a removed one", self._items(f"O#{ORG}#R#{number}#"), [])
            _compare("runs of a removed one", self._items(f"O#{ORG}#R#{number}", exact=True), [])
            objects = self._objects(f"packs/{ORG}/{number}/") | self._objects(f"trees/{ORG}/{number}/")
            _compare("objects of a removed one", objects.keys(), set())
        if row.status is Status.REMOVED:
            return
        head, version = self._repository.git("rev-parse", "HEAD"), self._versions["parser"]
        _compare("row", (row.commit, row.status, row.run), (head, Status.COMPLETED, None))
        _compare("row", (row.wanted, row.parser_version), (None, version))
        _compare("branch", row.labels.branch, self._branch)
        _compare("row", (row.dirty, row.target, row.last_failure), (frozenset(), None, None))
        goal = self._of(row.id, head, version)
        _compare("skips", dict(row.skips), dict(goal.skips))
        _compare("counts", {name: n for name, n in row.counts.items() if n}, dict(goal.counts))
        records = {name: entity.record for name, (_, entity) in goal.entities.items()}
        _compare("records", self._records(row.id), records)
        self._check_items(row, goal)
        self._check_objects(row, goal)

    def _check_items(self, row: Row, goal: Rebuilt) -> None:
        assert row.layout is not None
        prefix = f"O#{ORG}#R#{row.id}#"
        files: dict[str, str] = {}
        entities: dict[tuple[str, str], object] = {}
        for item in self._items(prefix):
            place, sort_key = str(item["PK"]).removeprefix(prefix), str(item["SK"])
            if place.startswith("E#"):
                entities[place.removeprefix("E#"), sort_key] = _facts(item)
                continue
            file = file_of_item(item)
            assert place == row.layout.key(pack_of(file.path, row.layout.packs)), f"of no pack: {item}"
            assert (file.writing, file.parser_version) == (False, row.parser_version), item
            files[file.path] = file.blob
        _compare("file items", files, {entry.path: entry.blob for entry in goal.entries if entry.has_text})
        expected = {
            (path, entity_key(entity.record)): _facts(item_of_entity(entity, ORG))
            for path, entity in goal.entities.values()
        }
        _compare("entity items", entities, expected)

    def _check_objects(self, row: Row, goal: Rebuilt) -> None:
        key = f"trees/{ORG}/{row.id}/{row.tree}"
        tree = trees.decode(self._objects(key)[key], key)
        assert (tree.commit, tree.layout) == (row.commit, row.layout)
        _compare("tree", tree.entries, goal.entries)
        texts = {}
        stored = self._objects(f"packs/{ORG}/{row.id}/")
        for name in tree.hashes.values():
            pack_key = f"packs/{ORG}/{row.id}/{name}"
            assert pack_key in stored, f"the published tree names {pack_key}, which is gone"
            pack = packs.decode(stored[pack_key], name)
            texts.update({path: pack.text(path) for path in pack.files})
        _compare("texts", texts, goal.texts)

    # ---- what the stores hold ------------------------------------------------------------------------------

    def _of(self, number: int, commit: str, version: int) -> Rebuilt:
        key = (number, self._tree_of(commit), version)
        if key not in self._rebuilt:
            self._rebuilt[key] = rebuilt(self._repository, commit, number, version)
        return self._rebuilt[key]

    def _tree_of(self, commit: str) -> str:
        if commit not in self._trees:
            self._trees[commit] = self._repository.git("rev-parse", f"{commit}^{{tree}}")
        return self._trees[commit]

    def _row(self) -> Row | None:
        return Store(ORG).find("github", str(self._source.id))

    def _entries(self) -> list[tuple[int, int, int | None]]:
        """Repository, run, and when it is due, of each line of the list of runs."""
        return [(entry.repository_id, entry.run, entry.due) for entry in run_entries()]

    def _items(self, prefix: str, *, exact: bool = False) -> list[dict[str, object]]:
        """Every item whose partition key begins so."""
        scan = self._backend.client("dynamodb").get_paginator("scan")
        pages = scan.paginate(TableName=self._backend.outputs["TableName"])
        items = [decode_item(item) for page in pages for item in page["Items"]]
        return [
            item
            for item in items
            if (str(item["PK"]) == prefix if exact else str(item["PK"]).startswith(prefix))
        ]

    def _objects(self, prefix: str) -> dict[str, bytes]:
        s3, bucket = self._backend.client("s3"), self._backend.outputs["BucketName"]
        listed = s3.list_objects_v2(Bucket=bucket, Prefix=prefix).get("Contents", [])
        keys = [entry["Key"] for entry in listed]
        return {key: s3.get_object(Bucket=bucket, Key=key)["Body"].read() for key in keys}

    def _records(self, number: int) -> dict[str, dict[str, Any]]:
        body = json.dumps({"filters": f"repository_id={number}", "hitsPerPage": 1000})
        reply = self._backend.algolia_call("POST", "/browse", body)
        assert "cursor" not in reply
        hits: Any = reply.get("hits", [])
        return {hit["objectID"]: hit for hit in hits}


def _compare(what: str, found: object, expected: object) -> None:
    """An assertion that says what differs also where pytest does not rewrite it."""
    assert found == expected, f"{what}: {found}\ninstead of: {expected}"


def _facts(item: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in item.items() if name not in ("PK", "SK", "commit")}


def play(history: History, backend: Backend, folder: Path, threads: ThreadPoolExecutor) -> World:
    """Take every step, come to rest, and compare. Raises AssertionError with the log of what happened."""
    with sized(history.pack_bytes, history.fetched):
        world = World(backend, folder, threads)
        try:
            for step in history.steps:
                world.take(step)
            world.come_to_rest()
            world.check_end()
            world.sweep()
            world.check_end()
        except BaseException as error:
            error.add_note("\n".join(world.log))
            raise
        finally:
            world.close()
    return world
