"""The ignore and attribute files of a tree -> what its owners say about each path.

`.codesageignore` has the syntax of `.gitignore`, and so have the patterns of the repository's own setting,
which no file can take back. Of `.gitattributes` two attributes count, set or unset, and they override every
rule of ours: `linguist-generated` and `linguist-vendored`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import PathSpec, Pattern

    _Compiler = Callable[[Sequence[str]], PathSpec[Pattern]]

IGNORE_FILE = ".codesageignore"
ATTRIBUTES_FILE = ".gitattributes"
ATTRIBUTES = ("linguist-generated", "linguist-vendored")

MAX_RULES = 10_000  # lines in all files together; what comes after is not read
MAX_PATTERN_CHARACTERS = 500  # a longer line is no pattern
_SET_CHARACTERS = 50_000  # RE2's programs have a limit, and it takes time to find out that it is reached


@dataclass(frozen=True, slots=True)
class Rules:
    """The lines of one file about one thing.

    Attributes:
        sets: their patterns in order, in as few sets as RE2 can hold, mostly one.
        values: what each line says.
    """

    sets: "tuple[PathSpec[Pattern], ...]" = ()
    values: Sequence[bool | None] = ()

    def verdicts(self, path: str) -> Iterator[bool | None]:
        """Yield first what the last line says that matches `path`; nothing where none does."""
        before = len(self.values)
        for patterns in reversed(self.sets):
            before -= len(patterns)
            index = patterns.check_file(path).index
            if index is not None:
                yield self.values[before + index]


_NO_RULES = Rules()


@dataclass(frozen=True, slots=True)
class Ignores:
    """What the files of one tree say.

    Attributes:
        ignored: folder -> the lines of the ignore file there.
        attributes: folder and attribute -> the lines of the attribute file there.
        excluded: what the repository's setting leaves out, whatever its files say.
    """

    ignored: Mapping[str, Rules] = field(default_factory=dict)
    attributes: Mapping[tuple[str, str], Rules] = field(default_factory=dict)
    excluded: Rules = _NO_RULES

    def excludes(self, path: str) -> bool:
        return next(self.excluded.verdicts(_spelled(path)), None) is True

    def ignores(self, path: str) -> bool:
        """The setting first, then as git decides: the deepest file with an opinion has the last word."""
        verdicts = (
            verdict
            for folder, inner in (_places(path) if self.ignored else ())
            for verdict in self.ignored.get(folder, _NO_RULES).verdicts(inner)
        )
        return self.excludes(path) or next(verdicts, None) is True

    def attribute(self, path: str, name: str) -> bool | None:
        """Whether an attribute is set, unset (False), or not spoken of (None)."""
        verdicts = (
            verdict
            for folder, inner in (_places(path) if self.attributes else ())
            for verdict in self.attributes.get((folder, name), _NO_RULES).verdicts(inner)
        )
        return next(verdicts, None)


def is_rule_file(path: str) -> bool:
    """A change of such a file decides over the whole tree again."""
    return PurePosixPath(path).name in (IGNORE_FILE, ATTRIBUTES_FILE)


def problem_of_pattern(pattern: str) -> str | None:
    """What is wrong with a pattern that the setting is to hold; None for a good one."""
    try:
        return "a comment or blank" if _leaves_out(pattern) is None else None
    except ValueError:
        return "not a pattern of .gitignore"


def ignores_of(files: Mapping[str, bytes], exclude: Sequence[str] = ()) -> Ignores:
    """A line that is no pattern is passed over, as git does.

    Args:
        files: the tree's rule files, path -> text.
        exclude: patterns of the repository's setting, relative to its root.
    """
    ignored: dict[str, Rules] = {}
    attributes: dict[tuple[str, str], Rules] = {}
    left = MAX_RULES
    for path in sorted(files, key=lambda path: (path.count("/"), path)):
        folder = path.rpartition("/")[0]
        lines = files[path].decode("utf-8", "replace").split("\n")[:left]
        left -= len(lines)
        if PurePosixPath(path).name == IGNORE_FILE:
            ignored[folder] = _ignoring(lines)
        else:
            attributes |= {(folder, name): _attributing(lines, name) for name in ATTRIBUTES}
    return Ignores(ignored, attributes, _ignoring(exclude))


def _ignoring(lines: Iterable[str]) -> Rules:
    said = [(line, verdict) for line in lines if (verdict := _verdict(line)) is not None]
    return _rules(said, _as_git_ignores)


def _attributing(lines: Iterable[str], name: str) -> Rules:
    said = []
    for line in lines:
        pattern, *words = line.split() or [""]
        values = [value for word in words for each, value in _attribute(word) if each == name]
        if values and _verdict(pattern):
            said.append((pattern, values[-1]))
    return _rules(said, _in_order)


def _rules(said: Sequence[tuple[str, bool | None]], compiled: "_Compiler") -> Rules:
    return Rules(tuple(_sets([pattern for pattern, _ in said], compiled)), [value for _, value in said])


def _sets(patterns: Sequence[str], compiled: "_Compiler") -> "Iterator[PathSpec[Pattern]]":
    import re2  # type: ignore[import-untyped]

    if not patterns:
        return
    if sum(map(len, patterns)) <= _SET_CHARACTERS:
        with suppress(re2.error):  # more stars than one of its programs has room for
            yield compiled(patterns)
            return
    middle = len(patterns) // 2
    yield from _sets(patterns[:middle], compiled)
    yield from _sets(patterns[middle:], compiled)


def _verdict(line: str) -> bool | None:
    """Whether a line leaves out or, by its `!`, takes back; None for a comment and for what is no pattern."""
    try:
        return _leaves_out(line)
    except ValueError:
        return None


def _leaves_out(line: str) -> bool | None:
    """Raises ValueError for what is no pattern."""
    if len(line) > MAX_PATTERN_CHARACTERS:
        raise ValueError("too long")
    [pattern] = _as_git_ignores([line]).patterns
    return pattern.include


def _as_git_ignores(lines: Sequence[str]) -> "PathSpec[Pattern]":
    """RE2 matches in a time that grows with the path only; a pattern of many stars hangs any other engine.

    Imported here, because it costs a tenth of the search function's start, which seldom needs it.
    """
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(lines, backend="re2")


def _in_order(lines: Sequence[str]) -> "PathSpec[Pattern]":
    """The last line that matches holds, be it of a folder or of a file."""
    from pathspec import PathSpec

    return PathSpec.from_lines("gitignore", lines, backend="re2")


def _places(path: str) -> Iterator[tuple[str, str]]:
    """Yield each folder above the path, the deepest first, and the path as seen from there."""
    parts = path.split("/")
    for depth in range(len(parts) - 1, -1, -1):
        yield "/".join(parts[:depth]), _spelled("/".join(parts[depth:]))


def _spelled(path: str) -> str:
    """A path as the lines of a rule file are read: bytes that are not UTF-8 stand as U+FFFD."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _attribute(word: str) -> Iterator[tuple[str, bool | None]]:
    """`name`, `-name`, `!name`, `name=value`, as `git help gitattributes` has it."""
    name, _, value = word.lstrip("-!").partition("=")
    if name in ATTRIBUTES:
        yield name, None if word.startswith("!") else not (word.startswith("-") or value == "false")
