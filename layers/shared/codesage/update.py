"""A pack of a run -> its records in Algolia and its items in DynamoDB: the parser's two phases.

The order of writes is what makes a crash at any line harmless: a file is marked before anything of it is
written, new records are searchable before old ones go, and the unmarked file item is the commit point. A file
found marked may have been written in any part by an earlier attempt, so nothing stored about it is believed.
"""

import logging
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from codesage.clients import sqs
from codesage.clients.algolia import Index
from codesage.clients.aws import request_units
from codesage.clients.metrics import emit
from codesage.clients.s3 import ObjectStore
from codesage.clients.store import Store
from codesage.errors import CodeSageError, Superseded, Unavailable
from codesage.indexes import claimed_index
from codesage.items import FileItem, StoredEntity
from codesage.languages import PARSER_VERSION, Language, language_of
from codesage.messages import ParseRequest
from codesage.packs import Pack, PackFile, decode
from codesage.parsing.outcome import Parsed, Skipped
from codesage.publishing import emptied_pack, finish
from codesage.records import MAX_RECORD_BYTES, FileRecords, Record, records_of, size_of, text_of
from codesage.runs import Repository, Run, Status
from codesage.skips import Skip
from codesage.trees import decode as decode_tree

LOG = logging.getLogger(__name__)

BATCH_FILES = 100
BATCH_RECORDS = 1_000  # a batch of files closes when it has this many records
SAVE_SECONDS = 300.0
DELETE_SECONDS = 120.0

Parse = Callable[[bytes, Language, str], Parsed | Skipped]
"""A file's bytes and path -> its entities, or the reason why there are none."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Monotonic seconds at which a receipt must slow down.

    Attributes:
        soft: no further batch is begun after it; the message continues as a new one.
        hard: no wait goes on after it; it lies 30 s before the function's own timeout.
    """

    soft: float
    hard: float


@dataclass(frozen=True, slots=True)
class Work:
    """One file of a batch: what it is to become, and what is known of it now.

    Attributes:
        marked: an earlier attempt may have written any part of it, so nothing stored about it is believed.
    """

    file: PackFile
    before: FileItem | None
    language: str | None
    skip: str | None
    records: FileRecords
    marked: bool

    def without(self, refused: Collection[str]) -> "Work":
        """The same, less what the index refused, which counts as oversize whatever its size seemed to be."""
        kept, oversize = [], self.records.oversize
        for record in self.records.records:
            if record["objectID"] not in refused:
                kept.append(record)
            elif size_of(record) <= MAX_RECORD_BYTES:  # or it is counted already
                oversize += 1
        return replace(self, records=replace(self.records, records=tuple(kept), oversize=oversize))

    @property
    def item(self) -> FileItem:
        return FileItem(
            path=self.file.path,
            blob=self.file.blob,
            parser_version=PARSER_VERSION,
            skip=self.skip,
            language=self.language,
            size=self.file.size,
            entities=Counter(record["entity_type"] for record in self.records.records),
            duplicates=self.records.duplicates,
            oversize=self.records.oversize,
        )


@dataclass(slots=True)
class Change:
    """What a batch must write, gathered file by file.

    Attributes:
        replaced: objectID -> path and stored record of what is sent again or in another form.
    """

    send: list[Record] = field(default_factory=list)
    replaced: dict[str, tuple[str, Record]] = field(default_factory=dict)
    put: list[tuple[str, StoredEntity]] = field(default_factory=list)
    vanished_ids: list[str] = field(default_factory=list)
    vanished: list[tuple[str, Record]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def without(self, refused: Collection[str]) -> None:
        """The index takes these in no form any more, so what they were before goes."""
        self.put = [(path, entity) for path, entity in self.put if entity.record["objectID"] not in refused]
        self.vanished_ids += [object_id for object_id in refused if object_id in self.replaced]
        self.vanished += [self.replaced[name] for name in refused if name in self.replaced]


NOTHING = FileRecords((), {}, 0, 0)
PARSER_SKIPS = (Skip.PARSER_TIMEOUT, Skip.PARSER_CRASH)


class PackReceipt:
    """One receipt of a pack's message.

    Raises, from `handle`:
        Superseded: the run is over; the message is dropped.
        CodeSageError: the message is tried again.
    """

    def __init__(self, request: ParseRequest, parse: Parse, clock: Clock) -> None:
        self._request = request
        self._parse = parse
        self._clock = clock
        self._store = Store(request.org)
        self._id, self._seq, self._pack = request.repository_id, request.run, request.pack

    def handle(self) -> None:
        row = self._store.repository(self._id)
        if row.run != self._seq or row.status is Status.REMOVED:
            raise Superseded(f"run {self._seq} of repository {self._id} is over")
        if self._request.phase == "update" and self._request.parser_version != PARSER_VERSION:
            raise Unavailable("Another version of the parser made this message; it waits for that one.")
        self._store.hear(self._id, self._seq, int(time.time()), received=True)
        run = self._store.run(self._id, self._seq)
        if self._request.phase == "remove":
            self._remove(row, run)
        elif self._pack in run.done:
            finish(self._store, self._id, self._seq)
        else:
            self._update(row, run)

    # ---- update -----------------------------------------------------------------------------------------

    def _update(self, row: Repository, run: Run) -> None:
        index = claimed_index(self._request.org)
        pack = self._read_pack()
        stored = self._store.files(self._id, self._pack)
        now = dict(stored)
        counts = Counter(self._request.counts)
        units = request_units.total()
        # While an older layout holds files, one without an item under this one may have records of that one.
        rebuilding = row.layout not in (None, run.layout) or not all(map(run.layout.owns, row.dirty))
        for batch in self._batches(pack, stored, rebuilding=rebuilding):
            batch_counts, items = self._write_batch(index, run, batch)
            counts += batch_counts
            now |= {item.path: item for item in items}
            if time.monotonic() > self._clock.soft:
                counts["request_units"] += request_units.total() - units
                self._continue(counts)
                return
        here = [file for path, file in now.items() if path in pack.files]
        self._store.put_pack_counts(self._id, self._seq, self._pack, _pack_counts(here))
        leaves = len(here) < len(now)
        counts["request_units"] += request_units.total() - units
        self._store.mark_done(self._id, self._seq, self._pack, leaves, counts)
        emit("parser", counts, repository=self._id, run=self._seq, pack=self._pack)
        finish(self._store, self._id, self._seq)

    def _batches(
        self, pack: Pack, stored: Mapping[str, FileItem], *, rebuilding: bool
    ) -> Iterator[list[Work]]:
        """The files that changed, parsed, in batches of bounded size.

        Args:
            rebuilding: a file without an item counts as marked.
        """
        batch: list[Work] = []
        records = 0
        for path in sorted(pack.files):
            before = stored.get(path)
            if before is not None and _is_current(before, pack.files[path]):
                continue
            work = self._work(pack, path, before, rebuilding if before is None else before.writing)
            batch.append(work)
            records += len(work.records.records)
            if time.monotonic() > self._clock.soft:
                break  # files that hang their parser may have taken all of the time: commit what there is
            if len(batch) == BATCH_FILES or records >= BATCH_RECORDS:
                yield batch
                batch, records = [], 0
        if batch:
            yield batch

    def _work(self, pack: Pack, path: str, before: FileItem | None, marked: bool) -> Work:
        file = pack.files[path]
        language = language_of(path, pack.text(path))
        name = None if language is None else language.name
        if file.skip is not None or language is None:
            return Work(file, before, name, file.skip, NOTHING, marked)
        match self._parse(pack.text(path), language, path):
            case Parsed(entities):
                records = records_of(entities, self._id, path, language.name)
                return Work(file, before, name, None, records, marked)
            case Skipped(reason):
                return Work(file, before, name, reason, NOTHING, marked)

    def _write_batch(
        self, index: Index, run: Run, batch: Sequence[Work]
    ) -> tuple[Counter[str], list[FileItem]]:
        """The five steps; each may be done twice, and the last one commits.

        Returns:
            What was done, and the file items as they are now.
        """
        self._store.put_files(self._id, self._seq, self._pack, [_marked(work) for work in batch])
        change = Change()
        for work in batch:
            self._compare(run, work, change)
        saved = index.save(change.send)
        if saved.tasks:  # plans limit the average size too, so it is to be seen
            sizes = {"records": len(change.send) - len(saved.refused), "record_bytes": saved.bytes}
            emit("index", sizes, repository=self._id, run=self._seq)
        if not saved.tasks and any(work.marked for work in batch):
            saved.tasks.append(index.barrier(self._id))
        self._await_saves(index, saved.tasks, listed=any(work.marked for work in batch))
        if saved.refused:
            batch = [work.without(saved.refused) for work in batch]
            change.without(saved.refused)
        for work in batch:
            if work.marked:
                self._add_stray_ids(index, work, change)
        self._store.put_entities(self._id, self._seq, change.put)
        self._await_deletes(index, index.delete(change.vanished_ids))
        self._store.delete_entities(self._id, self._seq, change.vanished)
        items = [work.item for work in batch]
        self._store.put_files(self._id, self._seq, self._pack, items)
        change.counts["algolia_operations"] += len(change.send) + len(change.vanished_ids)
        return change.counts, items

    def _compare(self, run: Run, work: Work, change: Change) -> None:
        """Records that equal the stored ones are not sent, as long as the file was not marked."""
        path = work.file.path
        known = work.marked or (work.before is not None and any(work.before.entities.values()))
        stored = self._store.entities(self._id, path) if known else {}
        new = {record["objectID"]: record for record in work.records.records}
        change.counts["files"] += 1
        change.counts["parsed" if work.skip is None else f"skipped_{work.skip}"] += 1
        change.counts["bytes"] += work.file.size
        for object_id, record in new.items():
            old = stored.get(object_id)
            kind, scope = work.records.facts[object_id]
            entity = StoredEntity(record, kind, scope, run.commit)
            same = old is not None and replace(old, commit=run.commit) == entity
            change.counts["unchanged" if same else "added" if old is None else "changed"] += 1
            if not same:
                change.put.append((path, entity))
            if not same or work.marked:
                change.send.append(record)
                if old is not None:
                    change.replaced[object_id] = (path, old.record)
        for object_id, old in stored.items():
            if object_id not in new:
                change.vanished_ids.append(object_id)
                change.vanished.append((path, old.record))
                change.counts["deleted"] += 1

    def _add_stray_ids(self, index: Index, work: Work, change: Change) -> None:
        """What an interrupted attempt sent and never noted; the index itself tells."""
        new = {record["objectID"] for record in work.records.records}
        known = new | set(change.vanished_ids)
        stray = [name for name in index.ids_of_file(self._id, text_of(work.file.path)) if name not in known]
        change.vanished_ids += stray

    # ---- remove -----------------------------------------------------------------------------------------

    def _remove(self, row: Repository, run: Run) -> None:
        """Files that left the pack: marked, then their records, items and at last file items go.

        A pack of an older layout is emptied whole; what the commit still has lives on under the new layout.
        """
        if self._pack not in row.dirty:
            finish(self._store, self._id, self._seq)
            return
        index = claimed_index(self._request.org)
        tree = decode_tree(ObjectStore(row.org).tree(row.id, run.tree), run.tree)
        here = {entry.path for entry in tree.entries if entry.has_text}
        foreign = not run.layout.owns(self._pack)
        stored = self._store.files(self._id, self._pack)
        left = [file for path, file in stored.items() if foreign or path not in here]
        for start in range(0, len(left), BATCH_FILES):
            batch = left[start : start + BATCH_FILES]
            self._remove_batch(index, [file for file in batch if file.path not in here])
            self._store.delete_files(self._id, self._seq, self._pack, [file.path for file in batch])
            if time.monotonic() > self._clock.soft:
                self._continue({})
                return
        if foreign:
            self._store.delete_pack_counts(self._id, self._seq, self._pack)
        emptied_pack(self._store, self._id, self._seq, self._pack)

    def _remove_batch(self, index: Index, files: Sequence[FileItem]) -> None:
        marks = [replace(file, writing=True) for file in files]
        self._store.put_files(self._id, self._seq, self._pack, marks)
        if any(file.writing for file in files):
            self._await_saves(index, [index.barrier(self._id)], listed=True)
        ids: list[str] = []
        items: list[tuple[str, Record]] = []
        for file in files:
            entities = self._store.entities(self._id, file.path)
            ids += entities
            items += [(file.path, entity.record) for entity in entities.values()]
            if file.writing:
                stray = index.ids_of_file(self._id, text_of(file.path))
                ids += [name for name in stray if name not in entities]
        self._await_deletes(index, index.delete(ids))
        self._store.delete_entities(self._id, self._seq, items)

    # ---- both -------------------------------------------------------------------------------------------

    def _read_pack(self) -> Pack:
        name = self._request.content_hash
        return decode(ObjectStore(self._request.org).pack(self._id, name), name)

    def _continue(self, counts: Mapping[str, int]) -> None:
        """Out of time: what is committed stays, and the rest is a message of its own."""
        slice_number = self._request.continuation + 1
        changes = {"continuation": slice_number, "counts": dict(counts)}
        sqs.send_parses([self._request.model_copy(update=changes)])
        LOG.info("pack %s of run %s goes on in slice %s", self._pack, self._seq, slice_number)

    def _await_saves(self, index: Index, tasks: Sequence[int], *, listed: bool) -> None:
        """They were accepted, so a late one is worth a warning only; the sweep would find a lost one.

        Args:
            listed: the index is listed next, and must show what an earlier attempt sent; late is too late.
        """
        if not index.wait(tasks, SAVE_SECONDS, self._clock.hard):
            if listed:
                raise Unavailable("What was sent before is not published yet; it is looked at again.")
            LOG.warning("a save of run %s was not published in time; the run goes on", self._seq)

    def _await_deletes(self, index: Index, tasks: Sequence[int]) -> None:
        if not index.wait(tasks, DELETE_SECONDS, self._clock.hard):
            raise Unavailable("A delete was not published in time; it is tried again.")


def note_failure(request: ParseRequest, error: CodeSageError, final: bool) -> None:
    """A receipt failed: remember why on the run, where a person and the watch will find it."""
    with suppress(Superseded):  # there is no such run: nobody waits for its reason
        Store(request.org).note_failure(request.repository_id, request.run, str(error), exhausted=final)


def _is_current(before: FileItem, file: PackFile) -> bool:
    """Whether the stored item says all there is to say. The parser's own reasons hold as long as the blob,
    and the language follows from path, blob and parser."""
    return (
        not before.writing
        and (before.blob, before.parser_version) == (file.blob, PARSER_VERSION)
        and (before.skip == file.skip if file.skip is not None else before.skip in (None, *PARSER_SKIPS))
    )


def _marked(work: Work) -> FileItem:
    """The item as it is, marked; a new file's as it will be, so that counts and comparisons hold."""
    return replace(work.item if work.before is None else work.before, writing=True)


def _pack_counts(files: Sequence[FileItem]) -> dict[str, dict[str, int]]:
    """Of what the pack holds: records by type, files and bytes; files without entities by reason; records by
    language."""
    counts: Counter[str] = Counter({"files": len(files), "bytes": sum(file.size for file in files)})
    skips: Counter[str] = Counter(file.skip for file in files if file.skip is not None)
    languages: Counter[str] = Counter()
    for file in files:
        counts.update(file.entities)
        if file.language is not None and any(file.entities.values()):
            languages[file.language] += sum(file.entities.values())
        counts["duplicates"] += file.duplicates
        counts["oversize"] += file.oversize
    return {"counts": dict(counts), "skips": dict(skips), "languages": dict(languages)}
