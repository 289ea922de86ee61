"""The work for a push grows with the change, not with the repository: counted calls, never seconds."""

from pathlib import Path

import pytest
from rich.console import Console

from tests.calls import metered, table
from tests.growth import costs_of_one_change, fixed
from tests.repositories import GitRepository
from tests.service import Service


def test_a_change_to_one_function_costs_the_same_in_50_files_and_in_500(
    service: Service, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with metered(service.stack) as meter:
        small, large = (
            costs_of_one_change(service, meter, GitRepository(tmp_path / str(files)), files)
            for files in (50, 500)
        )

    with capsys.disabled():
        Console(width=110).print(table("one changed function", {"50 files": small, "500 files": large}))
    assert fixed(small) == fixed(large)
    assert small["algolia records addObject"] == small["algolia POST /batch"] == 1
    assert small["host GET /repositories/*/git/blobs/*"] == 1
