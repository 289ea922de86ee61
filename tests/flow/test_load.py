"""However many pushes come, and wherever from, the newest commit is what is found in the end."""

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests import generated
from tests.repositories import GitRepository
from tests.service import Service

SECONDS = int(os.environ.get("LOAD_SECONDS", "10"))
FILES = 6


def keep_pushing(push: Callable[[int], None], *, every: float, until: Callable[[int], bool]) -> int:
    """Push every so many seconds, until the number of pushes is enough; returns it."""
    begun, pushes = time.monotonic(), 0
    while not until(pushes):
        push(pushes)
        pushes += 1
        time.sleep(max(0.0, begun + pushes * every - time.monotonic()))
    return pushes


def names_found(service: Service, repository_id: int) -> list[str]:
    records = service.algolia_records(repository_id).values()
    return sorted(record["entity_name"] for record in records if record["entity_type"] == "function")


def function(name: str, number: int) -> str:
    return f"def {name}():\n    return {number}\n"


@pytest.fixture
def slow_runs(service: Service, monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Every batch of a run takes that many seconds; 0 ends it."""
    application = service.stack.algolia._application
    return lambda seconds: monkeypatch.setattr(application, "_task_delay", seconds)


def test_two_pushes_a_second_end_at_the_newest_commit(
    service: Service, tmp_path: Path, slow_runs: Callable[[float], None]
) -> None:
    name = "load/steady"
    repository = GitRepository(tmp_path / "steady")
    slow_runs(0.7)  # longer than the pause between two pushes

    def push(number: int) -> None:
        repository.commit(
            {
                f"part_{number % FILES}.py": function(f"push_{number}", number),
                "last.py": function("newest", number),
            }
        )
        service.push(repository, name)

    pushes = keep_pushing(push, every=0.5, until=lambda pushes: pushes == 2 * SECONDS)
    report = service.indexed(name, repository.git("rev-parse", "HEAD"))

    newest = [f"push_{number}" for number in range(pushes - FILES, pushes)]
    assert names_found(service, report["id"]) == sorted(["newest", *newest])
    [hit] = service.search("newest", repository=name)
    assert f"return {pushes - 1}" in hit["snippet"]
    assert report["last_failure"] is None


def test_ten_repositories_pushed_at_once_are_each_indexed_as_themselves(
    service: Service, tmp_path: Path
) -> None:
    names = [f"load/at-once-{number}" for number in range(10)]
    repositories = [GitRepository(tmp_path / str(number)) for number in range(10)]
    for number, repository in enumerate(repositories):
        repository.commit(
            {f"part_{part}.py": function(f"own_{number}_{part}", part) for part in range(FILES)}
        )

    with ThreadPoolExecutor(10) as pool:
        reports = list(pool.map(service.index, repositories, names))

    assert len({report["id"] for report in reports}) == 10
    for number, report in enumerate(reports):
        expected = [f"own_{number}_{part}" for part in range(FILES)]
        assert names_found(service, report["id"]) == expected


def test_a_long_run_is_published_while_pushes_go_on(
    service: Service, tmp_path: Path, slow_runs: Callable[[float], None]
) -> None:
    name = "load/long"
    repository = GitRepository(tmp_path / "long")
    repository.commit(generated.package(200))
    commits: list[str] = []
    slow_runs(1.5)

    def push(number: int) -> None:
        commits.append(repository.commit({"last.py": function("newest", number)}))
        service.push(repository, name)

    def published() -> str | None:
        report = service.report(name)
        return report["commit"] if report is not None else None

    pushes = keep_pushing(push, every=1, until=lambda pushes: published() is not None or pushes == 60)
    early = published()
    slow_runs(0)
    report = service.indexed(name, commits[-1])

    assert pushes > 2
    assert early in commits[:-1]
    names = [name for number in range(200) for name in generated.names(number)]
    assert names_found(service, report["id"]) == sorted(["newest", *names])
    [hit] = service.search("newest", repository=name)
    assert f"return {pushes - 1}" in hit["snippet"]
