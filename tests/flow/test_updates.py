"""While a commit replaces another, everything stays findable and each link shows the lines of its hit."""

import gzip
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import urllib3
from rich.console import Console
from starlette.requests import Request

from local.algolia.faults import Fault
from tests import generated
from tests.proxy import Ask, between
from tests.reader import Reader
from tests.repositories import GitRepository
from tests.service import Service, eventually

FILES = 300


def web_url(name: str) -> str:
    return f"https://github.com/{name}"


def reader_of(service: Service, repository: GitRepository, name: str) -> Reader:
    return Reader(repository, lambda function: service.search(function, repository=name, limit=20))


def test_a_reader_during_an_update_misses_nothing_and_is_never_led_to_other_lines(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "update/read"
    repository = GitRepository(tmp_path / "depot")
    before = repository.commit(generated.package(FILES))
    service.index(repository, name, web_url(name))
    after = repository.commit(generated.second_commit(FILES))
    reader = reader_of(service, repository, name)
    # As at Algolia, an accepted record is searchable a while later, so that the stores differ for longer.
    monkeypatch.setattr(service.stack.algolia._application, "_task_delay", 0.3)

    service.push(repository, name, web_url(name))
    with ThreadPoolExecutor(1) as pool:
        update = pool.submit(service.indexed, name, after)
        reader.read_until(update.done, [generated.names(number)[0] for number in range(FILES)])

    with capsys.disabled():
        Console(width=110).print(
            f"\n{reader.searches} searches and {reader.commits.total()} links during the update"
        )
    assert reader.commits.keys() == {before, after}
    assert reader.missed == []
    assert reader.wrong == []


@pytest.mark.parametrize("number", [0, 1], ids=["changed in place", "moved"])
@pytest.mark.parametrize("held", ["question", "answer"])
def test_a_hit_that_an_update_overtakes_still_leads_to_its_lines(
    service: Service, tmp_path: Path, number: int, held: str
) -> None:
    folder = f"overtaken_{number}_{held}"
    name = f"update/{folder}"
    repository = GitRepository(tmp_path / "depot")
    repository.commit(within(folder, generated.package(2)))
    service.index(repository, name, web_url(name))
    after = repository.commit(within(folder, generated.second_commit(2)))
    # With a name the row is read before the index is asked, without one it is read after the answer.
    scope = {"repository": name} if held == "question" else {}
    reader = Reader(repository, lambda function: service.search(function, path=folder, **scope))
    asked, updated = threading.Event(), threading.Event()

    def hold(request: Request, body: bytes, ask: Ask) -> urllib3.BaseHTTPResponse:
        early = ask() if held == "answer" else None
        asked.set()
        assert updated.wait(60)
        return early or ask()

    with (
        between([service.stack.functions["SearchFunction"]], "ALGOLIA_ENDPOINT", hold),
        ThreadPoolExecutor(1) as pool,
    ):
        reading = pool.submit(reader.look_for, generated.names(number)[0])
        assert asked.wait(60)
        service.push(repository, name, web_url(name))
        service.indexed(name, after)
        updated.set()
        reading.result()

    assert reader.missed == []
    assert reader.wrong == []


def test_a_run_that_fails_half_way_leaves_links_that_show_the_lines_of_their_hits(
    service: Service, tmp_path: Path
) -> None:
    name = "update/failed"
    repository = GitRepository(tmp_path / "depot")
    before = repository.commit(generated.package(FILES))
    service.index(repository, name, web_url(name))
    repository.commit(generated.second_commit(FILES))
    faults = service.stack.algolia.faults

    def refuse_after_a_delete(request: Request, body: bytes, ask: Ask) -> urllib3.BaseHTTPResponse:
        reply = ask()
        if request.url.path.endswith("/batch") and b"deleteObject" in gzip.decompress(body):
            faults.add(Fault(path="/batch", times=1000, status=403))
        return reply

    with between([service.stack.functions["ParserFunction"]], "ALGOLIA_ENDPOINT", refuse_after_a_delete):
        service.push(repository, name, web_url(name))
        report = eventually(lambda: watched(service, name), lambda report: bool(report["last_failure"]))
    reader = reader_of(service, repository, name)
    for number in range(0, FILES, 3):
        reader.look_for(generated.names(number)[0])
    faults.clear()

    assert report["commit"] == before
    assert reader.missed == []
    assert reader.wrong == []


def within(folder: str, files: Mapping[str, str | bytes | None]) -> dict[str, str | bytes | None]:
    return {f"{folder}/{path}": text for path, text in files.items()}


def watched(service: Service, name: str) -> dict[str, Any]:
    service.stack.fire("watch")
    report = service.report(name)
    assert report is not None
    return report
