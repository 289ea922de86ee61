"""The work for a push grows with the change, not with the repository: counted calls, never seconds."""

from pathlib import Path

import pytest
from rich.console import Console

from tests import generated
from tests.calls import Costs, CountingProxy, Meter, counting, table
from tests.repositories import GitRepository
from tests.service import Service, eventually

# The listing names every path, and the items of the changed pack are read to find what changed in it.
GROWS = "dynamodb items read by queries"


def costs_of_one_change(service: Service, proxy: CountingProxy, folder: Path, files: int) -> Costs:
    """Of pushing one changed function to a repository of that many files, by functions that are warm."""
    name = f"growth/{files}"
    repository = GitRepository(folder / str(files))
    repository.commit(generated.package(files))
    service.index(repository, name)
    for limit in (200, 300):  # the first one warms
        repository.commit({generated.path(7): generated.with_one_change(7, limit)})
        meter = Meter(service.stack, proxy)
        number = service.index(repository, name)["id"]
        eventually(lambda: service.run_entry(number), lambda entry: entry == [])
    return meter.costs


def test_a_change_to_one_function_costs_the_same_in_50_files_and_in_500(
    service: Service, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with counting(service.stack) as proxy:
        costs = {files: costs_of_one_change(service, proxy, tmp_path, files) for files in (50, 500)}

    with capsys.disabled():
        Console().print(table(costs))
    assert costs[50]["algolia records addObject"] == 1
    for each in costs.values():
        del each[GROWS]
    assert costs[50] == costs[500]
