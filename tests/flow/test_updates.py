"""While a commit replaces another one, everything stays findable and every link shows the lines of its hit."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests import generated
from tests.reader import Reader
from tests.repositories import GitRepository
from tests.service import Service

FILES = 300
NAME = "octo/depot"
WEB = f"https://github.com/{NAME}"


@pytest.fixture
def slow_search_engine(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Accepted records are searchable a while later, as at Algolia, so that stores differ for longer."""
    monkeypatch.setattr(service.stack.algolia._application, "_task_delay", 0.3)


def test_a_reader_during_an_update_misses_nothing_and_is_never_led_to_other_lines(
    service: Service, tmp_path: Path, slow_search_engine: None
) -> None:
    repository = GitRepository(tmp_path / "depot")
    before = repository.commit(generated.package(FILES))
    service.index(repository, NAME, WEB)
    after = repository.commit(generated.second_commit(FILES))
    reader = Reader(repository, lambda function: service.search(function, repository=NAME, limit=20))
    functions = [generated.names(number)[0] for number in range(FILES)]

    service.push(repository, NAME, WEB)
    with ThreadPoolExecutor(1) as pool:
        update = pool.submit(service.indexed, NAME, after)
        reader.read_until(update.done, functions)

    print(f"{reader.searches} searches, {reader.commits.total()} links")
    assert reader.commits.keys() == {before, after}
    assert reader.missed == []
    assert reader.wrong == []
