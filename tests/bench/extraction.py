"""A tree's files -> what is found in them, at what cost, and how it holds against them and against ctags."""

import ast
import gc
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from cProfile import Profile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from pstats import Stats
from statistics import median
from typing import Self

from tree_sitter import Parser

from codesage.languages import Language
from codesage.parsing import parsed
from codesage.parsing.outcome import Parsed, Skipped
from codesage.parsing.syntax import grammar_of
from codesage.skips import Skip
from tests.bench import ctags
from tests.bench.ctags import Tag
from tests.bench.properties import Finding, findings
from tests.bench.trees import SourceFile, Sources, Tree

ROUNDS = 3
AST_LIMIT, TREE_SITTER_LIMIT = 2.8, 3.5
"""Extraction takes at most so many times as long as a bare parse."""

PACES: Mapping[str, float] = {"django": 350}
"""Tree -> how many of its files a second are to be done by one core."""

Outcomes = Mapping[str, Parsed | Skipped]


@dataclass(frozen=True, slots=True)
class Seconds:
    """CPU time over all files of a tree."""

    bare: float
    whole: float


@dataclass(frozen=True, slots=True)
class Coverage:
    """Held against ctags.

    Attributes:
        tags: how many definitions it finds.
        aside: how many more of its tags are of constants, or of what nobody defined.
        missed: those definitions that are not among ours.
    """

    tags: int
    aside: int
    missed: Sequence[Tag]

    @property
    def ratio(self) -> float:
        return 1 - len(self.missed) / self.tags if self.tags else 1.0


@dataclass(frozen=True, slots=True)
class Result:
    """What one tree showed.

    Attributes:
        counts: `files`, `bytes`, `entities`, `symbols`, `references`.
        seconds: the median of the rounds.
        skipped: path -> why it was not parsed to its end.
        unlike: paths whose bytes did not give the same twice.
        coverage: None without ctags, or where it does not know the language.
    """

    tree: Tree
    release: str
    counts: Mapping[str, int]
    seconds: Seconds
    skipped: Mapping[str, Skip]
    unlike: Sequence[str]
    findings: Sequence[Finding]
    coverage: Coverage | None


@dataclass(frozen=True, slots=True)
class Pace:
    """The speed of some trees of one language.

    Attributes:
        ratio: how many times as long as the bare parse the extraction takes.
        limit: of the ratio.
        goal: of the files a second; None where none is set.
    """

    files: int
    files_per_second: float
    mb_per_second: float
    bare_mb_per_second: float
    ratio: float
    limit: float
    goal: float | None

    @classmethod
    def of(cls, *results: Result, goal: float | None = None) -> Self:
        files, size = (sum(result.counts[name] for result in results) for name in ("files", "bytes"))
        bare = sum(result.seconds.bare for result in results)
        whole = sum(result.seconds.whole for result in results)
        limit = AST_LIMIT if results[0].tree.language == "python" else TREE_SITTER_LIMIT
        return cls(files, files / whole, size / whole / 1e6, size / bare / 1e6, whole / bare, limit, goal)


@dataclass(frozen=True, slots=True)
class Spent:
    """One function's part of a profile; seconds without, and with, those that it calls."""

    function: str
    calls: int
    own: float
    whole: float


def result_of(tree: Tree, sources: Sources) -> Result:
    with _as_the_worker():
        rounds = [_round(sources.files) for _ in range(ROUNDS)]
    (_, first), (_, second), *_ = rounds
    found = {path: outcome for path, outcome in first.items() if isinstance(outcome, Parsed)}
    return Result(
        tree=tree,
        release=sources.release,
        counts={
            "files": len(sources.files),
            "bytes": sum(len(file.text) for file in sources.files),
            "entities": sum(len(each.entities) for each in found.values()),
            "symbols": sum(len(each.symbols) for each in found.values()),
            "references": sum(len(each.references) for each in found.values()),
        },
        seconds=Seconds(median(each.bare for each, _ in rounds), median(each.whole for each, _ in rounds)),
        skipped={path: outcome.reason for path, outcome in first.items() if isinstance(outcome, Skipped)},
        unlike=[path for path, outcome in first.items() if outcome != second[path]],
        findings=[
            finding
            for file in sources.files
            if (each := found.get(file.path))
            for finding in findings(file, each)
        ],
        coverage=_coverage(tree.language, sources, found),
    )


def profile_of(sources: Sources) -> list[Spent]:
    """Return the functions in which the extraction spends its time, most of its own first."""
    profile = Profile()
    with _as_the_worker():
        for file in sources.files:
            profile.runcall(parsed, file.text, file.language, file.path)
    stats: Mapping[tuple[str, int, str], tuple[int, int, float, float, object]] = vars(Stats(profile))[
        "stats"
    ]
    spent = [
        Spent(f"{Path(path).name}:{line} {name}" if line else name, calls, own, whole)
        for (path, line, name), (_, calls, own, whole, _) in stats.items()
    ]
    return sorted(spent, key=lambda each: each.own, reverse=True)


def _coverage(language: str, sources: Sources, found: Mapping[str, Parsed]) -> Coverage | None:
    if ctags.version() is None or language not in ctags.KINDS:
        return None
    every = ctags.tags(language, sources.folder, sources.files)
    tags = [tag for tag in every if ctags.is_definition(tag, language)]
    missed = ctags.missed(tags, {path: outcome.entities for path, outcome in found.items()})
    return Coverage(len(tags), len(every) - len(tags), missed)


def _round(files: Iterable[SourceFile]) -> tuple[Seconds, Outcomes]:
    """Each file one way and then the other, so that a busy moment of the machine meets both."""
    bare = whole = 0.0
    outcomes: dict[str, Parsed | Skipped] = {}
    for file in files:
        parse = _bare_parse(file.language)
        begun = time.process_time()
        parse(file.text)
        between = time.process_time()
        outcomes[file.path] = parsed(file.text, file.language, file.path)
        bare += between - begun
        whole += time.process_time() - between
    return Seconds(bare, whole), outcomes


@cache
def _bare_parse(language: Language) -> Callable[[bytes], object]:
    return _ast_parse if language.name == "python" else Parser(grammar_of(language)).parse


def _ast_parse(text: bytes) -> object:
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.parse(text)
    return None


@contextmanager
def _as_the_worker() -> Iterator[None]:
    """Without the collector, as there. What Python has to say about the code that it reads is not for us."""
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        gc.enable()
        gc.unfreeze()
