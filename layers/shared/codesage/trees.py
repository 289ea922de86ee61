"""A commit's paths <-> the tree object: every path, what became of it, and the packs that hold the text."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

import zstandard

from codesage.errors import CorruptObject
from codesage.packs import PackFile, content_hash, pack_of
from codesage.records import text_of
from codesage.runs import Layout
from codesage.skips import RULES_VERSION, TREE_ONLY

FORMAT = 1


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One path of a commit. `skip` is a reason of `skips.Skip`, or None where it is parsed."""

    path: str
    mode: str
    blob: str
    size: int
    skip: str | None = None

    @property
    def has_text(self) -> bool:
        """Whether a pack holds its text."""
        return self.skip not in TREE_ONLY


@dataclass(frozen=True)
class Tree:
    """Every path of a commit, in path order, under one layout."""

    commit: str
    layout: Layout
    entries: tuple[TreeEntry, ...]
    rules_version: str = RULES_VERSION

    @cached_property
    def packs(self) -> Mapping[int, tuple[PackFile, ...]]:
        """Pack number -> the files whose text it holds; every number of the layout is there."""
        packs: dict[int, list[PackFile]] = {number: [] for number in range(self.layout.packs)}
        for entry in self.entries:
            if entry.has_text:
                file = PackFile(entry.path, entry.blob, entry.mode, entry.size, entry.skip)
                packs[pack_of(entry.path, self.layout.packs)].append(file)
        return {number: tuple(files) for number, files in packs.items()}

    @cached_property
    def hashes(self) -> Mapping[int, str]:
        """Pack number -> content hash, which is the pack's name in S3."""
        return {number: content_hash(files) for number, files in self.packs.items()}

    @property
    def skips(self) -> Mapping[str, int]:
        """Files whose text is nowhere, by reason. The reasons of the others are counted with their packs."""
        return Counter(entry.skip for entry in self.entries if entry.skip and not entry.has_text)


@dataclass(frozen=True, slots=True)
class Located:
    """One path of a commit, found without looking at the others.

    Attributes:
        path: as git has it.
        entry: None where the commit has no such path.
        pack: key of the pack it belongs to; `pack_name` is that pack's name in S3.
    """

    commit: str
    path: str
    entry: TreeEntry | None
    pack: str
    pack_name: str


def rules_version(exclude: Sequence[str]) -> str:
    """What a tree is decided by: our rules, and the patterns of the repository's setting."""
    if not exclude:
        return RULES_VERSION
    return f"{RULES_VERSION}+{sha256(json.dumps(exclude).encode()).hexdigest()[:16]}"


def tree_of(commit: str, layout: Layout, entries: Iterable[TreeEntry], rules: str = RULES_VERSION) -> Tree:
    return Tree(commit, layout, tuple(sorted(entries, key=lambda entry: entry.path)), rules)


def changed_packs(old: Tree | None, new: Tree) -> frozenset[str]:
    """Keys of the packs whose content differs from the old tree's; all of them under another layout."""
    hashes = old.hashes if old is not None and old.layout == new.layout else {}
    return frozenset(new.layout.key(n) for n, name in new.hashes.items() if hashes.get(n) != name)


def encode(tree: Tree) -> bytes:
    """zstd JSON lines: a header with the packs' hashes, then one line per path."""
    header = {
        "format": FORMAT,
        "commit": tree.commit,
        "rules": tree.rules_version,
        "layout": [tree.layout.number, tree.layout.packs],
        "packs": [tree.hashes[number] for number in range(tree.layout.packs)],
    }
    lines = [json.dumps(header)]
    lines += [json.dumps([e.path, e.mode, e.blob, e.size, e.skip]) for e in tree.entries]
    return zstandard.ZstdCompressor(level=9).compress("\n".join(lines).encode())


def decode(data: bytes, key: str) -> Tree:
    """Raises CorruptObject, which names `key`, when the object cannot be decoded."""
    with _damage(key):
        lines = _lines(data).split("\n")
        header = json.loads(lines[0])
        entries = tuple(TreeEntry(*json.loads(line)) for line in lines[1:])
        return Tree(header["commit"], Layout(*header["layout"]), entries, header["rules"])


def locate(data: bytes, key: str, path: str) -> Located:
    """Find one path in a tree object, in a twentieth of the time that decoding it takes.

    Args:
        path: as git has it, or in its text form (`records.text_of`); the former goes first.

    Raises:
        CorruptObject: as `decode`.
    """
    with _damage(key):
        lines = _lines(data)
        header = json.JSONDecoder().raw_decode(lines)[0]
        entry = _entry(lines, path)
        path = path if entry is None else entry.path
        layout = Layout(*header["layout"])
        number = pack_of(path, layout.packs)
        return Located(header["commit"], path, entry, layout.key(number), header["packs"][number])


def _entry(lines: str, path: str) -> TreeEntry | None:
    start = lines.find(f"\n{json.dumps([path])[:-1]}, ") + 1
    if start:
        end = lines.find("\n", start)
        return TreeEntry(*json.loads(lines[start : end if end >= 0 else None]))
    if "\\x" not in path:
        return None
    entries = (TreeEntry(*json.loads(line)) for line in lines.split("\n")[1:])
    return next((entry for entry in entries if text_of(entry.path) == path), None)


def _lines(data: bytes) -> str:
    return zstandard.ZstdDecompressor().decompressobj().decompress(data).decode()


@contextmanager
def _damage(key: str) -> Iterator[None]:
    try:
        yield
    except (zstandard.ZstdError, ValueError, TypeError, KeyError, IndexError) as error:
        raise CorruptObject(f"tree {key}: it cannot be decoded") from error
