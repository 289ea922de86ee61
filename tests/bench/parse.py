"""Trees of real code -> how much of it is found, how fast, and whether that holds against the files.

make bench-parse                     every tree of trees.toml
make bench-parse ONLY=go,django      those of these languages and names
make bench-parse PROFILE=1           and the functions in which the extraction of each spends its time
"""

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict

from rich.table import Table
from rich.text import Text

from local.cli.output import out, visible
from tests.bench import ctags
from tests.bench.extraction import PACES, ROUNDS, Coverage, Pace, Result, Spent, profile_of, result_of
from tests.bench.properties import Finding
from tests.bench.trees import NotHadError, Tree, sources_of, trees

GOALS: Mapping[str, float] = {
    **dict.fromkeys(("python", "javascript", "typescript", "go", "rust", "java"), 0.95),
    **dict.fromkeys(("csharp", "php", "ruby"), 0.95),
    **dict.fromkeys(("cpp", "kotlin"), 0.90),
}
"""Language -> which part of ctags' definitions is to be found in each of its trees."""

SHOWN = 5  # of what was missed in a tree; all of it is in the JSON
EXAMPLE_CHARACTERS = 120
PROFILED = 20  # functions

ONLY = frozenset(filter(None, os.environ.get("ONLY", "").split(",")))
PROFILE = bool(os.environ.get("PROFILE"))

Facts = Mapping[str, object]


def measure() -> Facts:
    """Each tree that can be had; where ONLY names some, those."""
    results: list[Result] = []
    not_had: dict[str, str] = {}
    for tree in trees():
        if ONLY and ONLY.isdisjoint((tree.language, tree.name)):
            continue
        try:
            sources = sources_of(tree)
        except NotHadError as error:
            not_had[_title(tree)] = str(error)
            continue
        results.append(result_of(tree, sources))
        if PROFILE:
            out.print(_profile_table(tree, profile_of(sources)))
    paces = {language: Pace.of(*each) for language, each in _by_language(results).items()}
    alone = {
        _title(result.tree): Pace.of(result, goal=PACES[result.tree.name])
        for result in results
        if result.tree.name in PACES
    }
    out.print(_found_table(results), _pace_table(paces | alone), _findings_table(results))
    for result in results:
        _say_what_is_missing(result)
    for title, reason in not_had.items():
        out.print(Text(visible(f"{title}: not had: {reason}"), "yellow"))
    if ctags.version() is None:
        out.print(Text(f"without universal-ctags there is no coverage: {ctags.INSTALL}", "yellow"))
    return {
        "rounds": ROUNDS,
        "ctags": ctags.version(),
        "trees": [_facts(result) for result in results],
        "paces": {title: asdict(pace) for title, pace in (paces | alone).items()},
        "not_had": not_had,
    }


def _title(tree: Tree) -> str:
    return f"{tree.language}: {tree.name}"


def _by_language(results: Iterable[Result]) -> dict[str, list[Result]]:
    found: dict[str, list[Result]] = defaultdict(list)
    for result in results:
        found[result.tree.language].append(result)
    return found


def _facts(result: Result) -> Facts:
    coverage = result.coverage
    return {
        "language": result.tree.language,
        "name": result.tree.name,
        "release": result.release,
        **result.counts,
        "seconds": asdict(result.seconds),
        "skipped": result.skipped,
        "unlike": result.unlike,
        "findings": [asdict(finding) for finding in result.findings],
        "coverage": coverage and {**asdict(coverage), "ratio": coverage.ratio},
        "goal": GOALS.get(result.tree.language),
    }


def _found_table(results: Iterable[Result]) -> Table:
    counts = ("files", "entities", "symbols", "references")
    table = Table(
        "", "release", "MB", *counts, "ctags", "set aside", "covered", "goal", title="What is found"
    )
    for result in results:
        table.add_row(
            _title(result.tree),
            result.release,
            f"{result.counts['bytes'] / 1e6:.2f}",
            *(f"{result.counts[name]:,}" for name in counts),
            *_coverage_cells(result.coverage, GOALS.get(result.tree.language)),
        )
    return table


def _coverage_cells(coverage: Coverage | None, goal: float | None) -> Sequence[str]:
    if coverage is None:
        return ()
    verdict = "" if goal is None else _verdict(f"{goal:.2f}", coverage.ratio >= goal)
    return f"{coverage.tags:,}", f"{coverage.aside:,}", f"{coverage.ratio:.4f}", verdict


def _verdict(goal: str, is_met: bool) -> str:
    return f"{goal} {'met' if is_met else 'MISSED'}"


def _pace_table(paces: Mapping[str, Pace]) -> Table:
    columns = ("files", "files/s", "goal", "MB/s", "bare MB/s", "times bare", "limit")
    table = Table("", *columns, title=f"CPU time of extraction, medians of {ROUNDS} rounds")
    for title, pace in paces.items():
        goal = "" if pace.goal is None else _verdict(f"{pace.goal:.0f}", pace.files_per_second >= pace.goal)
        table.add_row(
            title,
            f"{pace.files:,}",
            f"{pace.files_per_second:.0f}",
            goal,
            f"{pace.mb_per_second:.1f}",
            f"{pace.bare_mb_per_second:.1f}",
            f"{pace.ratio:.2f}",
            _verdict(f"{pace.limit}", pace.ratio <= pace.limit),
        )
    return table


def _findings_table(results: Iterable[Result]) -> Table:
    table = Table("", "of", "what", "times", "one of them", title="Held against the files")
    for language, each in _by_language(results).items():
        alike: dict[tuple[bool, str, str], list[Finding]] = defaultdict(list)
        for finding in (finding for result in each for finding in result.findings):
            alike[not finding.what.is_wrong, finding.kind, finding.what].append(finding)
        for (is_fine, kind, what), found in sorted(alike.items(), key=lambda item: item[0]):
            said = what if is_fine else f"WRONG: {what}"
            example = " ".join(f"{found[0].path}:{found[0].line} {found[0].name}".split())
            table.add_row(
                language, kind, said, f"{len(found):,}", Text(visible(example[:EXAMPLE_CHARACTERS]))
            )
        unlike = [path for result in each for path in result.unlike]
        table.add_row(language, "file", "not the same when parsed again", f"{len(unlike)}", *unlike[:1])
    return table


def _profile_table(tree: Tree, spent: Sequence[Spent]) -> Table:
    total = sum(each.own for each in spent)
    columns = ("calls", "own s", "share", "with callees s")
    table = Table("", *columns, title=f"Where the extraction of {tree.name} spends its time")
    for each in spent[:PROFILED]:
        share = f"{each.own / total:.0%}"
        table.add_row(each.function, f"{each.calls:,}", f"{each.own:.2f}", share, f"{each.whole:.2f}")
    return table


def _say_what_is_missing(result: Result) -> None:
    title = _title(result.tree)
    for path, reason in result.skipped.items():
        out.print(Text(visible(f"{title}: {path} was not parsed: {reason}"), "yellow"))
    if result.coverage is None or not result.coverage.missed:
        return
    missed = result.coverage.missed
    kinds = ", ".join(f"{count} {kind}" for kind, count in Counter(tag.kind for tag in missed).most_common())
    out.print(Text(f"{title}: missed of {result.coverage.tags:,} definitions: {kinds}"))
    step = -(-len(missed) // SHOWN)  # neighbours are often missed for one reason, so not the first ones
    for tag in missed[::step]:
        out.print(Text(visible(f"    {tag.path}:{tag.line} {tag.kind} {tag.name} | {tag.text[:100]}")))
