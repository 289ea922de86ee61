"""A history, step by step -> the real handlers, queues and stores; and what must be true of them.

Raises AssertionError where a promise is broken; `World.log` then says what happened.
"""

import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, assert_never

from codesage import packs, trees
from codesage.clients import sqs
from codesage.clients.attributes import decode_item
from codesage.clients.store import Store
from codesage.errors import CodeSageError
from codesage.items import file_of_item, item_of_entity
from codesage.messages import SnapshotRequest
from codesage.packs import pack_of
from codesage.runs import Repository as Row
from codesage.runs import Run
from functions.cleanup import app as cleanup
from functions.parser import app as parser
from functions.snapshot import app as snapshot
from functions.webhook import app as webhook
from local.githost.deliveries import signature
from local.githost.git import NO_COMMIT
from local.githost.payloads import RefChange, push_json
from local.pollers import sqs_event
from tests.machine.backend import PATIENT, SILENT, Backend, sized
from tests.machine.history import (
    Commit,
    Deploy,
    Drain,
    Fault,
    ForcePush,
    History,
    Lag,
    Parse,
    Rebuild,
    Resume,
    Revert,
    Snapshot,
    Step,
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
NUMBER = 1  # of the only repository of a new database
NAME = "octo/history"
QUIET_ROUNDS = 30
MAX_MESSAGES = 500


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


class Context:
    """What a handler asks of Lambda."""

    def __init__(self, milliseconds: int) -> None:
        self._milliseconds = milliseconds

    def get_remaining_time_in_millis(self) -> int:
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
        self._mail: list[tuple[str, dict[str, Any]]] = []
        self._held: list[tuple[Queue, MessageTypeDef]] = []
        self._asleep: list[Asleep] = []
        self._pushed: dict[str, str] = {}
        self._versions = {"snapshot": 1, "parser": 1}
        self._rebuilt: dict[tuple[str, int], Rebuilt] = {}
        backend.begin()
        backend.deploy(1, snapshot_too=True, parser_too=True)
        backend.patience(PATIENT)
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
                if Store(ORG).find("github", str(self._source.id)) is not None:
                    self._ask_to_rebuild()
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
            case Watch(silent, fault):
                self._watch(silent, fault)
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
        self._mail.append((f"delivery-{len(self._mail)}", push_json(host._sources, self._source, change, host.url)))
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
        event = {
            "body": body,
            "isBase64Encoded": False,
            "headers": headers,
            "pathParameters": {"org": ORG, "host": "github"},
        }
        self._run(f"webhook {delivery}", lambda: webhook.lambda_handler(event, None), fault, lambda _: None)

    def _ask_to_rebuild(self) -> None:
        host_id = str(self._source.id)
        delivery = f"rebuild-{len(self.log)}"
        sqs.send_snapshot(
            SnapshotRequest(org=ORG, host="github", host_id=host_id, delivery=delivery, rebuild=True)
        )

    def _deploy(self, step: Deploy) -> None:
        if step.snapshot:
            self._versions["snapshot"] = step.version
        if step.parser:
            self._versions["parser"] = step.version
        self._backend.deploy(step.version, snapshot_too=step.snapshot, parser_too=step.parser)

    def _watch(self, silent: bool, fault: Fault | None) -> None:
        if silent:  # nobody sleeps longer than a function may run, which is less than the watch's patience
            self._kill_all()
        self._backend.patience(SILENT if silent else PATIENT)
        self._run("watch", lambda: cleanup.lambda_handler({"schedule": "watch"}, UNHURRIED), fault, lambda _: None)

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

    def _handle(
        self, queue: Queue, pick: int, fault: Fault | None, kept: bool, context: Context
    ) -> None:
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
        self.log += [f"    {receipt.name}", *(f"        {n}. {call}" for n, call in enumerate(receipt.calls, 1))]
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
        """Nothing goes wrong any more: one true hint, every message, and the watch until it has no entry."""
        self.log.append("quiet")
        self._backend.githost.faults.clear()
        self._kill_all()
        version = self._versions["parser"]
        self._deploy(Deploy(version))
        self._drain()
        self._moved(lambda: None, told=False)
        self._repository.commits.append(self._repository.git("rev-parse", "HEAD"))
        ref = f"refs/heads/{self._branch}"
        self._moved_head(ref)
        for _ in range(QUIET_ROUNDS):
            self._drain()
            if not self._entries():
                return
            self._watch(silent=True, fault=None)
        raise AssertionError(f"the list of runs still holds {self._entries()}")

    def _moved_head(self, ref: str) -> None:
        self._deliver(len(self._mail) - 1, None)

    # ---- what must be true -----------------------------------------------------------------------------------

    def check(self) -> None:
        """At any time: what is published and what is under way both have is searchable; a run is on the list."""
        row = self._row()
        if row is None:
            return
        if row.run is not None:
            assert self._entries() == [{"run": row.run, "due": None}], f"run {row.run} is not on the list: {self._entries()}"
        if row.commit is None:
            assert NUMBER in self._hidden()
            return
        assert NUMBER not in self._hidden()
        states = [self._of(row.commit, row.parser_version)]
        states += [self._of(run.commit, run.parser_version) for run in self._unpublished(row)]
        promised = set.intersection(*(set(state.entities) for state in states))
        records = self._records()
        missing = promised - records.keys()
        assert not missing, f"unsearchable: {[states[0].entities[name] for name in missing]}"
        for name in promised:
            bodies = [dict(state.entities[name][1].record) for state in states]
            assert records[name] in bodies, f"an odd record: {records[name]}"

    def _unpublished(self, row: Row) -> list[Run]:
        """Runs since the published one, which have written some of their records."""
        store, found = Store(ORG), []
        for seq in range(row.last_run, 0, -1):
            run = store.run(NUMBER, seq)
            if run.published_at is not None:
                break
            found.append(run)
        return found

    def check_end(self) -> None:
        """Every store holds exactly what a clean rebuild of the head would give."""
        row = self._row()
        assert row is not None
        head, version = self._repository.git("rev-parse", "HEAD"), self._versions["parser"]
        assert (row.commit, row.status, row.run, row.wanted, row.parser_version) == (head, "completed", None, None, version), row
        assert (row.dirty, row.target, row.last_failure, row.labels.branch) == (frozenset(), None, None, self._branch), row
        assert row.layout is not None
        goal = self._of(head, version)
        assert dict(row.skips) == dict(goal.skips)
        assert {name: n for name, n in row.counts.items() if n} == dict(goal.counts)
        records = self._records()
        assert records == {name: dict(entity.record) for name, (_, entity) in goal.entities.items()}
        self._check_items(row, goal)
        self._check_objects(row, goal)

    def _check_items(self, row: Row, goal: Rebuilt) -> None:
        assert row.layout is not None
        files: dict[str, str] = {}
        entities: dict[tuple[str, str], object] = {}
        for item in self._items(f"O#{ORG}#R#{NUMBER}#"):
            pk, sk = str(item["PK"]), str(item["SK"])
            place = pk.removeprefix(f"O#{ORG}#R#{NUMBER}#")
            if place.startswith("E#"):
                entities[pk, sk] = {k: v for k, v in item.items() if k not in ("PK", "SK", "commit")}
                continue
            file = file_of_item(item)
            assert place == row.layout.key(pack_of(file.path, row.layout.packs)), f"an item of another layout: {item}"
            assert not file.writing, item
            assert file.parser_version == row.parser_version, item
            files[file.path] = file.blob
        assert files == {path: file.blob for path, file in goal.pack_files.items()}
        expected = {}
        for path, entity in goal.entities.values():
            key = f"O#{ORG}#R#{NUMBER}#E#{path}", f"{entity.record['line_start']:08}#{entity.record['objectID'].rpartition('_')[2]}"
            expected[key] = {k: v for k, v in item_of_entity(entity, ORG).items() if k != "commit"}
        assert entities == expected

    def _check_objects(self, row: Row, goal: Rebuilt) -> None:
        s3, bucket = self._backend.client("s3"), self._backend.outputs["BucketName"]
        tree_key = f"trees/{ORG}/{NUMBER}/{row.tree}"
        tree = trees.decode(s3.get_object(Bucket=bucket, Key=tree_key)["Body"].read(), tree_key)
        assert (tree.commit, tree.layout) == (row.commit, row.layout)
        assert tree.entries == goal.entries
        texts = {}
        for name in tree.hashes.values():
            pack = packs.decode(s3.get_object(Bucket=bucket, Key=f"packs/{ORG}/{NUMBER}/{name}")["Body"].read(), name)
            texts.update({path: pack.text(path) for path in pack.files})
        assert texts == goal.texts

    # ---- what the stores hold ------------------------------------------------------------------------------

    def _of(self, commit: str, version: int) -> Rebuilt:
        key = (self._tree_of(commit), version)
        if key not in self._rebuilt:
            self._rebuilt[key] = rebuilt(self._repository, commit, NUMBER, version)
        return self._rebuilt[key]

    @cached_property
    def _trees(self) -> dict[str, str]:
        return {}

    def _tree_of(self, commit: str) -> str:
        if commit not in self._trees:
            self._trees[commit] = self._repository.git("rev-parse", f"{commit}^{{tree}}")
        return self._trees[commit]

    def _row(self) -> Row | None:
        return Store(ORG).find("github", str(self._source.id))

    def _hidden(self) -> frozenset[int]:
        return Store(ORG).hidden()

    def _entries(self) -> list[Mapping[str, object]]:
        return [{"run": item["run"], "due": item["due"]} for item in self._items("RUNS")]

    def _items(self, prefix: str) -> list[dict[str, object]]:
        pages = self._backend.client("dynamodb").get_paginator("scan").paginate(TableName=self._backend.outputs["TableName"])
        items = [decode_item(item) for page in pages for item in page["Items"]]
        return [item for item in items if str(item["PK"]).startswith(prefix)]

    def _records(self) -> dict[str, dict[str, Any]]:
        body = json.dumps({"filters": f"repository_id={NUMBER}", "hitsPerPage": 1000})
        reply = self._backend.algolia_call("POST", "/browse", body)
        assert "cursor" not in reply
        hits: Any = reply.get("hits", [])
        return {hit["objectID"]: hit for hit in hits}


def play(history: History, backend: Backend, folder: Path, threads: ThreadPoolExecutor) -> World:
    """Take every step, come to rest, and compare. Raises AssertionError with the log of what happened."""
    with sized(history.pack_bytes, history.fetched):
        world = World(backend, folder, threads)
        try:
            for step in history.steps:
                world.take(step)
            world.come_to_rest()
            world.check()
            world.check_end()
        except BaseException as error:
            error.add_note("\n".join(world.log))
            raise
        finally:
            world.close()
    return world


__all__ = ["World", "play", "replace"]
