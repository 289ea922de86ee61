"""Facts <-> DynamoDB: repositories, runs, files and entities. One table; `design: Data` draws its keys.

A store is made for one organisation: code that holds one cannot form another's key. Reads of the pipeline are
strongly consistent, and every write of a run is conditional on that run still being in flight.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, TypeVar, cast
from uuid import uuid4

from codesage.clients import table
from codesage.errors import NotFound, Superseded, Unavailable
from codesage.items import (
    FileItem,
    Item,
    StoredEntity,
    entity_key,
    entity_of_item,
    file_of_item,
    item_of_entity,
    item_of_file,
    item_of_repository,
    item_of_run,
    path_key,
    repository_of_item,
    run_of_item,
)
from codesage.messages import Labels
from codesage.records import Record
from codesage.runs import Repository, Run, removed, to_repair
from codesage.settings import settings

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef, TransactWriteItemTypeDef

MAX_TRANSACTION = 99  # actions beside the check of the run in flight; DynamoDB takes 100
MAX_REPAIRS = MAX_TRANSACTION
MAX_READ = 100  # keys of one batch, DynamoDB's own limit
CHANGE_TRIES = 50
RUN_KEPT_SECONDS = 90 * 86_400  # a finished run's item, for whoever asks what happened
NO_RUN = 0  # what the entry of a removal has in the place of a run
RUNS = "RUNS"
ORGS = "ORGS"
ENTRY_KEY_SEPARATOR = "#"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RunEntry:
    """One line of the list that the watch reads.

    Attributes:
        run: the run in flight when it was written.
        due: Unix seconds when a failed repository may be started again; None while the run is in flight.
    """

    org: str
    repository_id: int
    run: int
    due: int | None


class Store:
    """The facts of one organisation."""

    def __init__(self, org: str) -> None:
        self._org = org
        self._pk = f"O#{org}"

    # ---- repositories ---------------------------------------------------------------------------------

    def repository(self, repository_id: int) -> Repository:
        item = table.get(self._pk, f"REPO#{repository_id}")
        if item is None:
            raise NotFound(f"No repository has the number {repository_id}.")
        return repository_of_item(item)

    def repositories(self) -> list[Repository]:
        """All of them, tombstones included, by number."""
        rows = [repository_of_item(item) for item in table.query(self._pk, "REPO#")]
        return sorted(rows, key=lambda row: row.id)

    def find(self, host: str, host_id: str) -> Repository | None:
        """By the host's own id, which is what a repository is known by."""
        item = table.get(self._pk, f"HOST#{host}#{host_id}")
        return None if item is None else self.repository(cast("int", item["repository_id"]))

    def find_or_add(self, host: str, host_id: str, labels: Labels) -> Repository:
        """The row; a new one gets the next number and is hidden until its first commit is published."""
        row = self.find(host, host_id)
        if row is not None:
            return row
        row = Repository(id=next_repository_id(), org=self._org, host=host, host_id=host_id, labels=labels)
        try:
            table.commit(
                [
                    table.put(
                        self._pk, f"REPO#{row.id}", item_of_repository(row), "attribute_not_exists(PK)"
                    ),
                    table.put(
                        self._pk,
                        f"HOST#{host}#{host_id}",
                        {"repository_id": row.id},
                        "attribute_not_exists(PK)",
                    ),
                    self._hidden("ADD", row.id),
                    table.put(ORGS, self._org, {}),
                ]
            )
        except Superseded:  # another message added it first; its number holds, ours is never used
            return cast("Repository", self.find(host, host_id))
        return row

    def remove(self, repository_id: int, due: int) -> Repository:
        """Hide the repository from every search, end its run, and put it on the list to be cleared away.

        Args:
            due: Unix seconds before which the removal is not over.
        """
        for attempt in range(CHANGE_TRIES):
            before = self.repository(repository_id)
            after = removed(before)
            entry = {"run": NO_RUN, "due": due}
            try:
                table.commit(
                    [
                        self._put_row(before, after),
                        self._hidden("ADD", repository_id),
                        table.put(RUNS, self._entry_key(repository_id), entry),
                    ]
                )
            except Superseded:
                table.pause(attempt)
            else:
                return replace(after, version=before.version + 1)
        raise Unavailable("Too many writers change one repository at once.")

    def forget_removed(self, repository_id: int) -> None:
        """Nothing of the repository is left, so searches need not leave it out any more."""
        table.commit([self._hidden("DELETE", repository_id)])
        entry = self.entry(repository_id)
        if entry is not None:
            self.take_entry(entry)

    def add_again(self, tombstone: Repository, labels: Labels) -> None:
        """Add a removed repository anew, under a new number. Raises Superseded when somebody else did."""
        host, host_id = tombstone.host, tombstone.host_id
        row = Repository(id=next_repository_id(), org=self._org, host=host, host_id=host_id, labels=labels)
        host_key = f"HOST#{host}#{host_id}"
        table.commit(
            [
                table.put(self._pk, f"REPO#{row.id}", item_of_repository(row), "attribute_not_exists(PK)"),
                table.put(
                    self._pk,
                    host_key,
                    {"repository_id": row.id},
                    "repository_id = :old",
                    {":old": tombstone.id},
                ),
                self._hidden("ADD", row.id),
            ]
        )

    def hidden(self) -> frozenset[int]:
        """Numbers of repositories that no search may show."""
        item = table.get(self._pk, "HIDDEN", consistent=False)
        return frozenset() if item is None else cast("frozenset[int]", item.get("ids", frozenset()))

    def change(
        self, repository_id: int, transition: Callable[[Repository], Repository]
    ) -> tuple[Repository, Repository]:
        """Apply a pure transition to the row as it is, however many writers there are.

        Returns:
            The row before and after; the same object twice where the transition changes nothing.
        """
        for attempt in range(CHANGE_TRIES):
            before = self.repository(repository_id)
            after = transition(before)
            if after is before or after == before:
                return before, before
            try:
                table.commit([self._put_row(before, after)])
            except Superseded:
                table.pause(attempt)
            else:
                return before, replace(after, version=before.version + 1)
        raise Unavailable("Too many writers change one repository at once.")

    # ---- runs -----------------------------------------------------------------------------------------

    def run(self, repository_id: int, seq: int) -> Run:
        item = table.get(self._run_pk(repository_id), f"RUN#{seq}")
        if item is None:
            raise NotFound(f"Repository {repository_id} has no run {seq}.")
        return run_of_item(item)

    def newest_runs(self, rows: Iterable[Repository]) -> dict[int, Run]:
        """Repository -> its newest run, where it is not forgotten."""
        keys = [table.key(self._run_pk(row.id), f"RUN#{row.last_run}") for row in rows if row.last_run]
        items = [item for chunk in _chunks(keys, MAX_READ) for item in table.get_many(chunk)]
        return {int(str(item["PK"]).rpartition("#")[2]): run_of_item(item) for item in items}

    def begin(self, before: Repository, after: Repository, run: Run) -> None:
        """Record the run. Raises Superseded when the row is no longer as it was read."""
        table.commit(
            [
                self._put_row(before, after),
                table.put(
                    self._run_pk(before.id), f"RUN#{run.seq}", item_of_run(run), "attribute_not_exists(PK)"
                ),
                table.put(RUNS, self._entry_key(before.id), {"run": run.seq, "due": None}),
            ]
        )

    def hear(self, repository_id: int, seq: int, now: int, *, received: bool) -> None:
        """A receipt begins: the run does not stand still. `received`: it is a parser's."""
        self._update_run(
            repository_id,
            seq,
            "SET heard_at = :now, received = :received",
            {":now": now, ":received": received},
        )

    def note_failure(self, repository_id: int, seq: int, reason: str, exhausted: bool) -> None:
        """A receipt failed. `exhausted`: it was the last one, and no later failure replaces its reason."""
        with suppress(Superseded):
            self._update_run(
                repository_id,
                seq,
                "SET failure = :reason, exhausted = :over",
                {":reason": reason, ":over": exhausted, ":no": False},
                condition="exhausted = :no",
            )

    def mark_dispatched(self, repository_id: int, seq: int, attempt: int) -> None:
        """Every message of the run was sent `attempt` times."""
        self._update_run(repository_id, seq, "SET attempt = :attempt", {":attempt": attempt})

    def mark_done(
        self, repository_id: int, seq: int, pack: str, leaves: bool, counts: Mapping[str, int]
    ) -> None:
        """Add a pack to the run's done set, with its counts, once.

        Args:
            leaves: files left the pack, so it is emptied of them after the publish.
            counts: what this run did in the pack: `parsed`, `added`, `changed`, `deleted` …
        """
        names = {f"#c{n}": name for n, name in enumerate(counts)}
        sums = ", ".join(
            f"counts.{place} = if_not_exists(counts.{place}, :zero) + :v{place[2:]}" for place in names
        )
        values: dict[str, object] = {f":v{place[2:]}": counts[name] for place, name in names.items()}
        values |= {":packs": frozenset({pack}), ":pack": pack}
        if names:
            values[":zero"] = 0
        expression = f"ADD done :packs{', leaving :packs' if leaves else ''}{f' SET {sums}' if sums else ''}"
        with suppress(Superseded):  # an earlier receipt did all of this and then lost its reply
            self._update_run(repository_id, seq, expression, values, names, "NOT contains(done, :pack)")

    def publish(self, before: Repository, after: Repository, run: Run, now: int) -> None:
        """Flip the repository to the run's commit. Raises Superseded when somebody else did."""
        actions = [
            self._put_row(before, after),
            table.update(
                self._run_pk(before.id),
                f"RUN#{run.seq}",
                "SET published_at = :now",
                {":now": now, ":null": None},
                condition="published_at = :null",
            ),
        ]
        if before.commit is None:
            actions.append(self._hidden("DELETE", before.id))
        table.commit(actions)

    def finish_run(self, repository_id: int, seq: int, now: int) -> None:
        """The run's last words, then its entry goes: from here on the watch has nothing to do with it."""
        self._update_run(
            repository_id,
            seq,
            "SET finished_at = :now, expires_at = :later",
            {":now": now, ":later": now + RUN_KEPT_SECONDS},
        )
        self.take_entry(RunEntry(self._org, repository_id, seq, due=None))

    def entry(self, repository_id: int) -> RunEntry | None:
        """The repository's line on the list, if it has one."""
        item = table.get(RUNS, self._entry_key(repository_id))
        return None if item is None else _entry_of(item)

    def take_entry(self, entry: RunEntry) -> None:
        """Remove exactly this entry; one that was written meanwhile stays."""
        condition, values = "run = :seq AND due = :due", {":seq": entry.run, ":due": entry.due}
        with suppress(Superseded):
            key = self._entry_key(entry.repository_id)
            table.commit([table.delete(RUNS, key, condition, values)])

    def put_entry(self, repository_id: int, seq: int, due: int) -> None:
        """Have the watch ask again at `due`, unless a newer run is on the list by now."""
        entry = self._entry_key(repository_id)
        facts = {"run": seq, "due": due}
        condition = "attribute_not_exists(PK) OR run <= :seq"
        with suppress(Superseded):
            table.commit([table.put(RUNS, entry, facts, condition, {":seq": seq})])

    # ---- files and entities of a run in flight ----------------------------------------------------------

    def files(self, repository_id: int, pack: str) -> dict[str, FileItem]:
        """Path -> item, of one pack."""
        items = (file_of_item(item) for item in table.query(self._pack_pk(repository_id, pack), "FILE#"))
        return {file.path: file for file in items}

    def file(self, repository_id: int, pack: str, path: str) -> FileItem | None:
        item = table.get(self._pack_pk(repository_id, pack), f"FILE#{path_key(path)}")
        return None if item is None else file_of_item(item)

    def entities(self, repository_id: int, path: str) -> dict[str, StoredEntity]:
        """objectID -> entity, of one file."""
        entities = (entity_of_item(item) for item in table.query(self._entity_pk(repository_id, path)))
        return {entity.record["objectID"]: entity for entity in entities}

    def rows(self, numbers: Iterable[int]) -> dict[int, Repository]:
        """Number -> row, in the order asked for; at most 100."""
        asked = list(numbers)
        items = table.get_many([table.key(self._pk, f"REPO#{number}") for number in asked])
        rows = {row.id: row for row in map(repository_of_item, items)}
        return {number: rows[number] for number in asked if number in rows}

    def rows_and_stored(
        self, records: Sequence[Record]
    ) -> tuple[dict[int, Repository], dict[str, StoredEntity]]:
        """Search hits' repositories by number, and their items by objectID, where these are still there.

        Read as one, for at most 50 hits.
        """
        numbers = dict.fromkeys(record["repository_id"] for record in records)
        keys = [table.key(self._pk, f"REPO#{number}") for number in numbers]
        items = table.get_many([*keys, *map(self._hit_key, records)])
        rows = [repository_of_item(item) for item in items if item["PK"] == self._pk]
        entities = [entity_of_item(item) for item in items if item["PK"] != self._pk]
        return {row.id: row for row in rows}, {e.record["objectID"]: e for e in entities}

    def put_files(self, repository_id: int, seq: int, pack: str, files: Iterable[FileItem]) -> None:
        pk = self._pack_pk(repository_id, pack)
        self._write(
            repository_id, seq, (table.put(pk, f"FILE#{path_key(f.path)}", item_of_file(f)) for f in files)
        )

    def delete_files(self, repository_id: int, seq: int, pack: str, paths: Iterable[str]) -> None:
        pk = self._pack_pk(repository_id, pack)
        self._write(repository_id, seq, (table.delete(pk, f"FILE#{path_key(path)}") for path in paths))

    def put_entities(
        self, repository_id: int, seq: int, entities: Iterable[tuple[str, StoredEntity]]
    ) -> None:
        """Pairs of the file's path as git has it and an entity of it."""
        self._write(
            repository_id,
            seq,
            (
                table.put(
                    self._entity_pk(repository_id, path),
                    entity_key(entity.record),
                    item_of_entity(entity, self._org),
                )
                for path, entity in entities
            ),
        )

    def delete_entities(self, repository_id: int, seq: int, entities: Iterable[tuple[str, Record]]) -> None:
        self._write(
            repository_id,
            seq,
            (
                table.delete(self._entity_pk(repository_id, path), entity_key(record))
                for path, record in entities
            ),
        )

    def put_pack_counts(self, repository_id: int, seq: int, pack: str, counts: Item) -> None:
        """What the pack holds at the run's commit: `{"counts": {…}, "skips": {…}, "languages": {…}}`."""
        self._write(repository_id, seq, [table.put(self._run_pk(repository_id), f"PACK#{pack}", counts)])

    def delete_pack_counts(self, repository_id: int, seq: int, pack: str) -> None:
        self._write(repository_id, seq, [table.delete(self._run_pk(repository_id), f"PACK#{pack}")])

    def pack_counts(self, repository_id: int, layout: int) -> list[Item]:
        return list(table.query(self._run_pk(repository_id), f"PACK#{layout}."))

    # ---- upkeep -----------------------------------------------------------------------------------------

    def mark_for_repair(self, before: Repository, pack: str, files: Sequence[FileItem]) -> Repository:
        """Mark files of an idle repository, so that its next run writes them anew; at most MAX_REPAIRS files.

        Raises Superseded when the row changed since it was read, by a run or by anybody else.
        """
        after = to_repair(before, frozenset({pack}))
        pk = self._pack_pk(before.id, pack)
        marked = [replace(file, writing=True) for file in files]
        puts = [table.put(pk, f"FILE#{path_key(file.path)}", item_of_file(file)) for file in marked]
        table.commit([self._put_row(before, after), *puts])
        return replace(after, version=before.version + 1)

    def cursor(self, schedule: str) -> int:
        """The number of the repository where a schedule goes on; 0 at the beginning."""
        item = table.get(self._pk, f"CURSOR#{schedule}")
        return 0 if item is None else cast("int", item["after"])

    def put_cursor(self, schedule: str, after: int) -> None:
        table.commit([table.put(self._pk, f"CURSOR#{schedule}", {"after": after})])

    def runs(self, repository_id: int) -> list[Run]:
        return [run_of_item(item) for item in table.query(self._run_pk(repository_id), "RUN#")]

    def clear_pack(self, repository_id: int, pack: str) -> int:
        """Delete a removed repository's items of one pack, entities before their file; returns how many."""
        deleted = 0
        for file in self.files(repository_id, pack).values():
            deleted += _delete_all(self._entity_pk(repository_id, file.path))
        return deleted + _delete_all(self._pack_pk(repository_id, pack))

    def clear_runs(self, repository_id: int) -> None:
        _delete_all(self._run_pk(repository_id))

    # ---- keys and writes --------------------------------------------------------------------------------

    def _run_pk(self, repository_id: int) -> str:
        return f"{self._pk}#R#{repository_id}"

    def _pack_pk(self, repository_id: int, pack: str) -> str:
        return f"{self._pk}#R#{repository_id}#{pack}"

    def _entity_pk(self, repository_id: int, path: str) -> str:
        return f"{self._pk}#R#{repository_id}#E#{path_key(path)}"

    def _hit_key(self, record: Record) -> "dict[str, AttributeValueTypeDef]":
        """A hit's item can be found without asking where it is."""
        return table.key(self._entity_pk(record["repository_id"], record["file_path"]), entity_key(record))

    def _entry_key(self, repository_id: int) -> str:
        return f"{self._org}{ENTRY_KEY_SEPARATOR}{repository_id}"

    def _put_row(self, before: Repository, after: Repository) -> "TransactWriteItemTypeDef":
        item = item_of_repository(replace(after, version=before.version + 1))
        return table.put(
            self._pk, f"REPO#{before.id}", item, "version = :version", {":version": before.version}
        )

    def _hidden(self, verb: str, repository_id: int) -> "TransactWriteItemTypeDef":
        return {
            "Update": {
                "TableName": settings().table_name,
                "Key": table.key(self._pk, "HIDDEN"),
                "UpdateExpression": f"{verb} ids :ids",
                "ExpressionAttributeValues": {":ids": {"NS": [str(repository_id)]}},
            }
        }

    def _update_run(
        self,
        repository_id: int,
        seq: int,
        expression: str,
        values: Mapping[str, object],
        names: Mapping[str, str] | None = None,
        condition: str = "attribute_exists(PK)",
    ) -> None:
        pk, sk = self._run_pk(repository_id), f"RUN#{seq}"
        table.commit([table.update(pk, sk, expression, values, names, condition)])

    def _write(self, repository_id: int, seq: int, actions: Iterable["TransactWriteItemTypeDef"]) -> None:
        """Raises Superseded, with the rest unwritten, once the run is no longer in flight."""
        in_flight = table.check(
            self._pk, f"REPO#{repository_id}", "#run = :seq", {"#run": "run"}, {":seq": seq}
        )
        for chunk in _chunks(actions, MAX_TRANSACTION):
            table.commit([in_flight, *chunk])


def next_repository_id() -> int:
    """From 1 upward in this database; a number is never given twice."""
    return table.increment("COUNTER", "repository_id", "newest")


@cache
def database_id() -> str:
    """This database's own id, made on first use: what claims a search index for it."""
    item = table.get("COUNTER", "database")
    if item is None:
        fresh = {"database": str(uuid4())}
        with suppress(Superseded):  # another process was first, and its id holds
            table.commit([table.put("COUNTER", "database", fresh, "attribute_not_exists(PK)")])
        item = table.get("COUNTER", "database")
    return str(cast("dict[str, object]", item)["database"])


def organisations() -> list[str]:
    """Every organisation that ever had a repository."""
    return [str(item["SK"]) for item in table.query(ORGS)]


def run_entries() -> Iterator[RunEntry]:
    """Every run in flight, and every failed repository that waits for its next start."""
    return map(_entry_of, table.query(RUNS))


def _entry_of(item: Item) -> RunEntry:
    org, _, repository_id = str(item["SK"]).rpartition(ENTRY_KEY_SEPARATOR)
    return RunEntry(org, int(repository_id), cast("int", item["run"]), cast("int | None", item["due"]))


def _delete_all(pk: str) -> int:
    """Delete a whole partition."""
    keys = [table.delete(pk, str(item["SK"])) for item in table.query(pk)]
    for chunk in _chunks(keys, MAX_TRANSACTION):
        table.commit(chunk)
    return len(keys)


def _chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    chunk: list[T] = []
    for item in items:
        chunk.append(item)
        if len(chunk) == size:
            yield chunk
            chunk = []
    if chunk:
        yield chunk
