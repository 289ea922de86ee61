"""A commit on a git host -> where a run leads: its whole tree, and the text of the packs that changed.

Two ways give equal trees. The *delta way* holds the host's listing against the published tree and fetches
only the blobs that differ. The *full way* streams the host's archive, which is never trusted: where a listing
exists it is the truth, and what the archive left out or altered is fetched, or skipped with its reason.
"""

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from codesage.archives import Spool, blob_id
from codesage.clients.github import GitHub, Listed
from codesage.clients.s3 import ObjectStore
from codesage.errors import Rejected
from codesage.ignores import Ignores, ignores_of, is_rule_file
from codesage.messages import CommitSha
from codesage.packs import Pack, decode, encode, pack_count, pack_of
from codesage.runs import Layout, Repository
from codesage.skips import MAX_FILE_BYTES, Skip, skip_of_path, skip_of_text
from codesage.trees import Tree, TreeEntry, rules_version, tree_of

LOG = logging.getLogger(__name__)

MAX_FETCHED_BLOBS = 200
FETCHED_WHEN_LOW = 20  # requests are worth more than bytes when few of an hour's are left
UNSPELLABLE = "\ufffd"  # how a listing spells a byte of a name that is not UTF-8
MAX_FILES = 200_000
MAX_TREE_BYTES = 2 * 1024**3

Read = Callable[[str], bytes]
Choose = Callable[[int], Layout]


@dataclass(frozen=True, slots=True)
class Plan:
    """The commit's tree, and `read(path)` for every text of a pack whose content is new."""

    tree: Tree
    read: Read

    def pack(self, number: int) -> bytes:
        return encode(self.tree.packs[number], self.read)


def plan_of(
    host: GitHub, spool: Spool, row: Repository, commit: CommitSha, published: Tree | None, choose: Choose
) -> Plan:
    """The cheapest way to the commit's tree.

    Args:
        spool: takes the archive, and must outlive the plan.
        published: the repository's published tree, if it has one.
        choose: the layout for a pack count that suits the tree.

    Raises:
        Rejected, Unavailable: of the host.
    """
    listing = host.listing(row.host_id, commit)
    if published is not None and listing is not None:
        delta = _delta_plan(host, row, commit, published, listing)
        if delta is not None and choose(_packs_needed(delta.tree.entries)) == published.layout:
            return delta
    return _full_plan(host, spool, row, commit, listing, choose)


# ---- the delta way -----------------------------------------------------------------------------------


def _delta_plan(
    host: GitHub, row: Repository, commit: CommitSha, published: Tree, listing: Sequence[Listed]
) -> Plan | None:
    """None where the whole tree must be decided again, or too much changed to fetch it blob by blob."""
    old = {entry.path: entry for entry in published.entries}
    same, changed = [], []
    for listed in _spelled(listing, {path: entry.blob for path, entry in old.items()}):
        before = old.get(listed.path)
        if before is not None and (before.blob, before.mode) == (listed.blob, listed.mode):
            same.append(before)
        else:
            changed.append(listed)
    gone = old.keys() - {entry.path for entry in same}
    touched = [*gone, *(listed.path for listed in changed)]
    if published.rules_version != rules_version(row.exclude) or any(map(is_rule_file, touched)):
        return None
    if any(UNSPELLABLE in listed.path for listed in changed):
        return None  # only the archive knows the bytes of such a name
    if len(changed) > (MAX_FETCHED_BLOBS if host.has_budget else FETCHED_WHEN_LOW):
        return None
    if any(entry.skip in (Skip.OVER_LIMIT, Skip.NOT_IN_ARCHIVE) for entry in published.entries):
        return None  # what is over a limit depends on all the others
    text_of_old = _old_texts(row, published)
    rule_files = [entry for entry in same if _holds_rules(entry)]
    if not all(entry.has_text for entry in rule_files):
        return None  # its text is in no pack; only the archive has it
    ignores = ignores_of({entry.path: text_of_old(entry.path) for entry in rule_files}, row.exclude)
    fetched: dict[str, bytes] = {}
    entries = [_fetched_entry(host, row, listed, ignores, fetched) for listed in changed]
    tree = tree_of(commit, published.layout, _within_limits([*same, *entries]), published.rules_version)
    LOG.info("repository %s: %s of %s paths changed", row.id, len(changed), len(listing))
    return Plan(tree, lambda path: fetched[path] if path in fetched else text_of_old(path))


def _fetched_entry(
    host: GitHub, row: Repository, listed: Listed, ignores: Ignores, fetched: dict[str, bytes]
) -> TreeEntry:
    skip = skip_of_path(listed.path, listed.mode, listed.size, ignores)
    if skip is None:
        text = host.blob(row.host_id, listed.blob)
        if blob_id(text, _algorithm(listed.blob)) != listed.blob:
            raise Rejected(f"The git host gave other bytes for {listed.path!r} than its listing names.")
        fetched[listed.path] = text
        skip = skip_of_text(listed.path, text, ignores)
    return TreeEntry(listed.path, listed.mode, listed.blob, listed.size, skip)


def _old_texts(row: Repository, published: Tree) -> Read:
    """Texts of the published commit, from its packs, of which the newest few stay decoded."""
    objects = ObjectStore(row.org)

    @lru_cache(maxsize=2)
    def pack(number: int) -> Pack:
        name = published.hashes[number]
        return decode(objects.pack(row.id, name), name)

    def read(path: str) -> bytes:
        return pack(pack_of(path, published.layout.packs)).text(path)

    return read


# ---- the full way ------------------------------------------------------------------------------------


def _full_plan(
    host: GitHub,
    spool: Spool,
    row: Repository,
    commit: CommitSha,
    listing: Sequence[Listed] | None,
    choose: Choose,
) -> Plan:
    with host.archive(row.host_id, commit) as stream:
        spool.unpack(stream, _algorithm(commit))
    if spool.odd_members:
        LOG.warning("repository %s: the archive has %s members that are no files", row.id, spool.odd_members)
    if listing is None:
        listing = [Listed(file.path, file.mode, file.blob, file.size) for file in spool.files.values()]
    listing = _spelled(listing, {path: file.blob for path, file in spool.files.items()})
    missing = _make_good(host, row, listing, spool)
    ignores = ignores_of(
        {
            f.path: spool.read(f.path)
            for f in listing
            if _holds_rules(f) and f.path not in missing and spool.keeps(f.path)
        },
        row.exclude,
    )
    entries = _within_limits([_spooled_entry(spool, listed, ignores, missing) for listed in listing])
    tree = tree_of(commit, choose(_packs_needed(entries)), entries, rules_version(row.exclude))
    return Plan(tree, spool.read)


def _make_good(host: GitHub, row: Repository, listing: Iterable[Listed], spool: Spool) -> frozenset[str]:
    """Fetch what the archive left out or altered, say by `export-subst`; returns what is missing."""
    missing = set()
    fetched = 0
    for listed in listing:
        spooled = spool.files.get(listed.path)
        if (spooled is not None and spooled.blob == listed.blob) or not _is_text_of_interest(listed):
            continue
        if fetched == MAX_FETCHED_BLOBS:
            missing.add(listed.path)
            continue
        fetched += 1
        content = host.blob(row.host_id, listed.blob)
        spool.replace(listed.path, listed.mode, listed.blob, content, _algorithm(listed.blob))
    return frozenset(missing)


def _is_text_of_interest(listed: Listed) -> bool:
    return skip_of_path(listed.path, listed.mode, listed.size, Ignores()) is None


def _spooled_entry(spool: Spool, listed: Listed, ignores: Ignores, missing: frozenset[str]) -> TreeEntry:
    skip = skip_of_path(listed.path, listed.mode, listed.size, ignores)
    if skip is None and listed.path in missing:
        skip = Skip.NOT_IN_ARCHIVE
    if skip is None and not spool.keeps(listed.path):
        skip = Skip.OVER_LIMIT
    if skip is None:
        skip = skip_of_text(listed.path, spool.read(listed.path), ignores)
    return TreeEntry(listed.path, listed.mode, listed.blob, listed.size, skip)


# ---- both --------------------------------------------------------------------------------------------


def _holds_rules(file: Listed | TreeEntry) -> bool:
    """Rule files are regular ones; git follows no link to rules either."""
    return is_rule_file(file.path) and file.mode.startswith("100") and file.size <= MAX_FILE_BYTES


def _packs_needed(entries: Iterable[TreeEntry]) -> int:
    return pack_count(sum(entry.size for entry in entries if entry.has_text))


def _within_limits(entries: Iterable[TreeEntry]) -> list[TreeEntry]:
    """What fits, in path order; the rest is skipped and counted, and fails nothing."""
    kept, files, total = [], 0, 0
    for entry in sorted(entries, key=lambda entry: entry.path):
        files += entry.has_text
        total += entry.size if entry.has_text else 0
        over = entry.has_text and (files > MAX_FILES or total > MAX_TREE_BYTES)
        kept.append(replace(entry, skip=Skip.OVER_LIMIT) if over else entry)
    return kept


def _spelled(listing: Iterable[Listed], known: Mapping[str, str]) -> list[Listed]:
    """The listing with names that are not UTF-8 as git has them, where `known` (path -> blob) has such.

    Two names may look alike in a listing; their blobs tell them apart, or either will do.
    """
    odd: dict[tuple[str, str], list[str]] = defaultdict(list)
    for path, blob in known.items():
        shown = path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        if shown != path:
            odd[shown, blob].append(path)
    spelled = []
    for listed in listing:
        names = odd.get((listed.path, listed.blob))
        spelled.append(replace(listed, path=names.pop()) if names else listed)
    return spelled


def _algorithm(object_id: str) -> str:
    return "sha256" if len(object_id) == 64 else "sha1"
