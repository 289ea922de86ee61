"""The ignore and attribute files of a tree -> what its owners say about each path.

`.codesageignore` has the syntax of `.gitignore`, and so have the patterns of the repository's own setting,
which no file can take back. Of `.gitattributes` two attributes count, set or unset, and they override every
rule of ours: `linguist-generated` and `linguist-vendored`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

IGNORE_FILE = ".codesageignore"
ATTRIBUTES_FILE = ".gitattributes"
ATTRIBUTES = ("linguist-generated", "linguist-vendored")
MAX_RULES = 10_000  # lines in all files together; what comes after is not read


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of one file: paths of `folder` that `spec` matches get these attributes."""

    folder: str
    spec: "GitIgnoreSpec"
    attributes: Mapping[str, bool | None]


@dataclass(frozen=True, slots=True)
class Ignores:
    """What the files of one tree say.

    Attributes:
        ignored: folder -> the ignore file there, deeper folders last.
        rules: lines of attribute files, the strongest first.
        excluded: what the repository's setting leaves out, whatever its files say.
    """

    ignored: "tuple[tuple[str, GitIgnoreSpec], ...]" = ()
    rules: tuple[Rule, ...] = ()
    excluded: "GitIgnoreSpec" = field(default_factory=lambda: _spec(()))

    def excludes(self, path: str) -> bool:
        return self.excluded.match_file(_spelled(path))

    def ignores(self, path: str) -> bool:
        """The setting first, then as git decides: the deepest file with an opinion has the last word."""
        if self.excludes(path):
            return True
        verdict = False
        for folder, spec in self.ignored:
            inner = _inner(folder, path)
            result = None if inner is None else spec.check_file(_spelled(inner)).include
            verdict = verdict if result is None else result
        return verdict

    def attribute(self, path: str, name: str) -> bool | None:
        """Whether an attribute is set, unset (False), or not spoken of (None)."""
        for rule in self.rules:
            inner = _inner(rule.folder, path)
            if name in rule.attributes and inner is not None and rule.spec.match_file(_spelled(inner)):
                return rule.attributes[name]
        return None


def is_rule_file(path: str) -> bool:
    """A change of such a file decides over the whole tree again."""
    return PurePosixPath(path).name in (IGNORE_FILE, ATTRIBUTES_FILE)


def problem_of_pattern(pattern: str) -> str | None:
    """What is wrong with a pattern that the setting is to hold; None for a good one."""
    parsed = list(_spec([pattern]).patterns)
    if not parsed:
        return "not a pattern of .gitignore"
    return "a comment or blank" if parsed[0].include is None else None


def ignores_of(files: Mapping[str, bytes], exclude: Sequence[str] = ()) -> Ignores:
    """A line that is no pattern is passed over, as git does.

    Args:
        files: the tree's rule files, path -> text.
        exclude: patterns of the repository's setting, relative to its root.
    """
    ignored: list[tuple[str, GitIgnoreSpec]] = []
    rules: list[Rule] = []
    left = MAX_RULES
    for path in sorted(files, key=lambda path: (path.count("/"), path)):
        folder = path.rpartition("/")[0]
        lines = files[path].decode("utf-8", "replace").split("\n")[:left]
        left -= len(lines)
        if PurePosixPath(path).name == IGNORE_FILE:
            ignored.append((folder, _spec(lines)))
        else:
            rules += _rules(folder, lines)
    return Ignores(tuple(ignored), tuple(reversed(rules)), _spec(exclude))


def _spec(lines: Iterable[str]) -> "GitIgnoreSpec":
    """RE2 matches in a time that grows with the path only; a pattern of many stars hangs any other engine.

    Imported here, because it costs a tenth of the search function's start, which seldom needs it.
    """
    from pathspec import GitIgnoreSpec

    kept = []
    for line in lines:
        try:
            GitIgnoreSpec.from_lines([line], backend="re2")
        except ValueError:
            continue
        kept.append(line)
    return GitIgnoreSpec.from_lines(kept, backend="re2")


def _spelled(path: str) -> str:
    """A path as the lines of a rule file are read: bytes that are not UTF-8 stand as U+FFFD."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _rules(folder: str, lines: Iterable[str]) -> Iterable[Rule]:
    for line in lines:
        pattern, *words = line.split() or [""]
        attributes = {name: value for word in words for name, value in _attribute(word)}
        if attributes and not pattern.startswith(("#", "!")):
            yield Rule(folder, _spec([pattern]), attributes)


def _attribute(word: str) -> Iterable[tuple[str, bool | None]]:
    """`name`, `-name`, `!name`, `name=value`, as `git help gitattributes` has it."""
    name, _, value = word.lstrip("-!").partition("=")
    if name in ATTRIBUTES:
        yield name, None if word.startswith("!") else not (word.startswith("-") or value == "false")


def _inner(folder: str, path: str) -> str | None:
    """The path as seen from a folder above it; None from any other."""
    if not folder:
        return path
    return path.removeprefix(f"{folder}/") if path.startswith(f"{folder}/") else None
