"""A commit -> what a clean rebuild of it would leave in every store, worked out from git alone."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from codesage.entities import EntityType
from codesage.ignores import ignores_of, is_rule_file
from codesage.items import StoredEntity
from codesage.languages import Language, language_of
from codesage.packs import PackFile
from codesage.parsing import parsed
from codesage.parsing.outcome import Parsed, Skipped
from codesage.records import records_of
from codesage.skips import skip_of_path, skip_of_text
from codesage.trees import TreeEntry
from tests.machine.repository import Repository

Parse = Callable[[bytes, Language, str], Parsed | Skipped]


def parse_of_version(version: int, parse: Parse = parsed) -> Parse:
    """The parser of that version: version 2 tells imports no more, so records differ by version."""

    def parse_file(text: bytes, language: Language, path: str) -> Parsed | Skipped:
        outcome = parse(text, language, path)
        if version == 1 or isinstance(outcome, Skipped):
            return outcome
        return Parsed(tuple(e for e in outcome.entities if e.entity_type is not EntityType.IMPORT))

    return parse_file


@dataclass(frozen=True)
class Rebuilt:
    """A commit's tree and records.

    Attributes:
        texts: path -> bytes, for each path whose text is in a pack.
        entities: objectID -> (path, entity).
        files: entities by type, per path in a pack.
    """

    entries: tuple[TreeEntry, ...]
    texts: Mapping[str, bytes]
    entities: Mapping[str, tuple[str, StoredEntity]]
    counts: Mapping[str, int]
    skips: Mapping[str, int]

    @property
    def pack_files(self) -> dict[str, PackFile]:
        return {e.path: PackFile(e.path, e.blob, e.mode, e.size, e.skip) for e in self.entries if e.has_text}


def rebuilt(repository: Repository, commit: str, repository_id: int, version: int) -> Rebuilt:
    listed = [_line(line) for line in repository.git("ls-tree", "-r", "-l", "-z", commit).split("\0") if line]
    texts = repository.texts({blob for _, blob, _, _ in listed})
    ignores = ignores_of({path: texts[blob] for _, blob, _, path in listed if is_rule_file(path)})
    entries = []
    for mode, blob, size, path in listed:
        skip = skip_of_path(path, mode, size, ignores)
        entries.append(TreeEntry(path, mode, blob, size, skip or skip_of_text(path, texts[blob], ignores)))
    kept = sorted((entry for entry in entries if entry.has_text), key=lambda entry: entry.path)
    entities: dict[str, tuple[str, StoredEntity]] = {}
    counts: Counter[str] = Counter(files=len(kept), bytes=sum(entry.size for entry in kept))
    skips = Counter(str(entry.skip) for entry in entries if entry.skip is not None)
    for entry in kept:
        language = language_of(entry.path, texts[entry.blob])
        if entry.skip is not None or language is None:
            continue
        outcome = parse_of_version(version)(texts[entry.blob], language, entry.path)
        assert isinstance(outcome, Parsed)
        found = records_of(outcome.entities, repository_id, entry.path, language.name)
        counts.update(record["entity_type"] for record in found.records)
        counts.update(duplicates=found.duplicates, oversize=found.oversize)
        for record in found.records:
            kind, scope = found.facts[record["objectID"]]
            entities[record["objectID"]] = entry.path, StoredEntity(record, kind, scope, commit)
    return Rebuilt(
        tuple(sorted(entries, key=lambda entry: entry.path)),
        {entry.path: texts[entry.blob] for entry in kept},
        entities,
        +counts,
        skips,
    )


def _line(line: str) -> tuple[str, str, int, str]:
    facts, _, path = line.partition("\t")
    mode, _, blob, size = facts.split()
    return mode, blob, int(size), path
