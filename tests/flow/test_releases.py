"""A real package, release after release: after each the stores hold what a rebuild would give."""

from pathlib import Path

import pytest
from rich.console import Console

from tests.bench.releases import releases, replayed, table
from tests.service import Service

PACKAGE, STEPS = "click", 3


def test_three_releases_in_a_row_each_equal_a_rebuild(
    service: Service, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = list(replayed(service, tmp_path / PACKAGE, releases(PACKAGE)[4 : 4 + STEPS]))

    with capsys.disabled():
        Console(width=110).print(table(PACKAGE, steps))
    assert [step.differing for step in steps] == [frozenset()] * STEPS
    for step in steps[1:]:
        assert step.operations["addObject"] == step.work["added"] + step.work["changed"]
        assert 0 < step.operations["addObject"] < step.records / 2
