"""What the schedules repair, remove and rebuild."""

import json
from pathlib import Path
from typing import Any

import pytest

from codesage import removal
from codesage.clients import sqs
from codesage.clients.store import Store
from codesage.messages import SnapshotRequest
from codesage.refill import refill
from codesage.skips import Skip
from tests.repositories import GitRepository
from tests.service import Service, eventually

ONE = "def one():\n    return 1\n"
MANY = "\n\n".join(f"def many_{number}():\n    return {number}" for number in range(30)) + "\n"


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    repository = GitRepository(tmp_path / "hello")
    repository.commit({"pkg/one.py": ONE, "pkg/many.py": MANY, "README.md": "# Hello\n\nText.\n"})
    return repository


def hint(service: Service, name: str, **changes: Any) -> None:
    row = next(row for row in Store("default").repositories() if row.labels.name == name)
    request = SnapshotRequest(
        org="default", host=row.host, host_id=row.host_id, delivery=f"{name}-{changes}", labels=row.labels
    )
    sqs.send_snapshot(request.model_copy(update=changes))


def test_a_lost_webhook_is_made_good_by_the_reconcile(service: Service, repository: GitRepository) -> None:
    service.index(repository, "upkeep/lost")
    commit = repository.commit({"pkg/one.py": ONE.replace("one", "won")})

    done = service.stack.fire("reconcile")

    assert done.payload["done"]["behind"] >= 1
    service.indexed("upkeep/lost", commit)
    assert service.search("won", repository="upkeep/lost")


def test_a_host_that_is_away_is_never_taken_for_a_deletion(
    service: Service, repository: GitRepository
) -> None:
    service.index(repository, "upkeep/away")
    service.stack.githost.faults.answer("/git/ref/", 404, times=2)
    service.stack.githost.faults.answer("/repositories/", 404, times=2)

    service.stack.fire("reconcile")
    service.stack.githost.faults.clear()

    assert service.search("one", repository="upkeep/away")


def test_the_sweep_brings_back_lost_records_and_removes_stray_ones(
    service: Service, repository: GitRepository
) -> None:
    number = service.index(repository, "upkeep/sweep")["id"]
    whole = service.algolia_records(number)
    lost = next(record for record in whole.values() if record["entity_name"] == "one")
    altered = {
        **next(record for record in whole.values() if record["entity_name"] == "many_7"),
        "content": "x",
    }
    stray = {
        **lost,
        "objectID": f"{number}_{'0' * 40}",
        "file_path": "nowhere/gone.py",
        "entity_name": "ghost",
    }
    service.algolia_batch(
        [
            {"action": "deleteObject", "body": {"objectID": lost["objectID"]}},
            {"action": "addObject", "body": altered},
            {"action": "addObject", "body": stray},
        ]
    )

    done = service.stack.fire("sweep")

    assert done.payload["done"]["repaired"] == 1
    eventually(lambda: service.algolia_records(number), lambda records: records == whole)
    eventually(lambda: service.report("upkeep/sweep"), lambda report: report["freshness"] == "fresh")
    assert service.stack.fire("sweep").payload["done"].get("repaired", 0) == 0


def test_the_sweep_stops_before_it_would_remove_a_large_part_of_a_repository(
    service: Service, repository: GitRepository
) -> None:
    number = service.index(repository, "upkeep/guard")["id"]
    some = next(iter(service.algolia_records(number).values()))
    strays = [{**some, "objectID": f"{number}_{n:040x}", "file_path": f"s/{n}.py"} for n in range(25)]
    service.algolia_batch([{"action": "addObject", "body": stray} for stray in strays])

    done = service.stack.fire("sweep")

    assert done.payload["done"]["guarded"] == 1
    assert len(service.algolia_records(number)) == 25 + 32
    service.algolia_batch([{"action": "deleteObject", "body": {"objectID": s["objectID"]}} for s in strays])


def test_a_removed_repository_leaves_nothing_and_only_adding_it_brings_it_back(
    service: Service, repository: GitRepository
) -> None:
    number = service.index(repository, "upkeep/removed")["id"]

    removal.remove("default", number)

    assert service.report("upkeep/removed") is None
    assert service.get("/v1/search", {"q": "one", "repository": "upkeep/removed"}).status == 404

    def watch_until_gone() -> list[dict[str, Any]]:
        service.stack.fire("watch")
        return service.run_entry(number)

    eventually(watch_until_gone, lambda entry: entry == [])
    assert service.algolia_records(number) == {}
    assert service.items(f"O#default#R#{number}") == []
    assert service.objects(f"packs/default/{number}/") == service.objects(f"trees/default/{number}/") == {}

    repository.commit({"pkg/one.py": ONE + "\n"})
    service.push(repository, "upkeep/removed")
    hint(service, "upkeep/removed", adds=True)
    report = service.indexed("upkeep/removed", repository.git("rev-parse", "HEAD"))
    assert report["id"] > number


def test_a_lost_index_is_filled_again_from_dynamodb_alone(
    service: Service, repository: GitRepository
) -> None:
    number = service.index(repository, "upkeep/refill")["id"]
    whole = service.algolia_records(number)
    service.algolia_batch([{"action": "deleteObject", "body": {"objectID": name}} for name in whole])
    asked = len(service.stack.githost.requests)

    sent = refill("default", number)

    assert sent == len(whole)
    assert eventually(lambda: service.algolia_records(number), lambda records: records == whole)
    assert len(service.stack.githost.requests) == asked


def test_a_rebuild_goes_into_a_new_layout_and_nothing_is_missing_meanwhile(
    service: Service, repository: GitRepository
) -> None:
    number = service.index(repository, "upkeep/rebuild")["id"]
    whole = service.algolia_records(number)

    hint(service, "upkeep/rebuild", rebuild=True)

    def new_layout() -> list[Any]:
        assert service.algolia_records(number).keys() == whole.keys()
        return service.items(f"O#default#R#{number}#2.0")

    eventually(new_layout, lambda files: len(files) == 3)
    service.indexed("upkeep/rebuild", repository.git("rev-parse", "HEAD"))
    assert service.items(f"O#default#R#{number}#1.") == []
    packs = [i["SK"]["S"] for i in service.items(f"O#default#R#{number}") if i["SK"]["S"].startswith("PACK#")]
    assert packs == ["PACK#2.0"]
    assert service.algolia_records(number) == whole


def test_owners_say_what_is_ignored_generated_and_vendored(
    service: Service, repository: GitRepository
) -> None:
    repository.commit(
        {
            ".codesageignore": "*.gen.py\n!keep.gen.py\n/private/\n",
            ".gitattributes": "pkg/many.py linguist-generated\nvendor/ours/** -linguist-vendored\n",
            "a.gen.py": ONE,
            "keep.gen.py": ONE,
            "private/secret.py": ONE,
            "vendor/ours/own.py": ONE,
            "vendor/theirs/lib.py": ONE,
        }
    )

    report = service.index(repository, "upkeep/rules")

    assert report["skips"] == {Skip.IGNORED: 2, Skip.GENERATED: 1, Skip.VENDORED: 1, Skip.NO_LANGUAGE: 2}
    found = {
        hit["file_path"] for hit in service.search("one", repository="upkeep/rules", entity_type="function")
    }
    assert found == {"pkg/one.py", "keep.gen.py", "vendor/ours/own.py"}

    repository.commit({".codesageignore": None})
    report = service.index(repository, "upkeep/rules")
    assert Skip.IGNORED not in report["skips"]
    assert (
        json.dumps(service.search("one", repository="upkeep/rules", limit=50)).count("private/secret.py") >= 1
    )
