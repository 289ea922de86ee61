"""Repositories that are odd, or made to break an index, cost only what is odd about them."""

from pathlib import Path

import pytest

from codesage.clients.store import Store
from codesage.skips import Skip
from tests.flow.test_upkeep import hint
from tests.repositories import GitRepository
from tests.service import Service, eventually

ONE = "def one():\n    return 1\n"


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    return GitRepository(tmp_path / "hello")


def names(service: Service, number: int) -> set[tuple[str, str]]:
    return {(r["file_path"], r["entity_name"]) for r in service.algolia_records(number).values()}


def test_files_that_differ_only_in_case_keep_their_own_records(
    service: Service, repository: GitRepository
) -> None:
    repository.commit({"pkg/foo.py": ONE, "pkg/Foo.py": ONE.replace("one", "two")})
    number = service.index(repository, "odd/case")["id"]

    hint(service, "odd/case", rebuild=True)
    eventually(lambda: Store("default").repository(number).layout, lambda layout: layout.number == 2)
    service.indexed("odd/case", repository.git("rev-parse", "HEAD"))

    assert names(service, number) == {("pkg/foo.py", "one"), ("pkg/Foo.py", "two")}


def test_a_path_of_a_hundred_folders_and_a_name_of_400_kb_are_indexed(
    service: Service, repository: GitRepository
) -> None:
    deep = "/".join(["f" * 8] * 100)
    long_name = "A" * 400_000
    repository.commit(
        {
            f"{deep}/deep.py": ONE,
            "long.py": f"class {long_name}:\n    def method(self):\n        return 1\n",
            "ok.py": ONE,
        }
    )

    report = service.index(repository, "odd/long")

    assert report["counts"]["function"] == 3
    found = service.search("one", repository="odd/long", entity_type="function")
    assert {hit["file_path"] for hit in found} == {f"{deep}/deep.py", "ok.py"}


def test_a_record_that_the_index_refuses_is_left_out_alone(
    service: Service, repository: GitRepository
) -> None:
    path = "/".join(["p" * 250] * 14) + "/huge.py"
    everything = "\U00020000" * 600  # four bytes each
    repository.commit(
        {
            path: f"def {everything}(a: '{everything}') -> '{everything}':\n    '{everything}'\n",
            "ok.py": ONE,
        }
    )

    report = service.index(repository, "odd/refused")

    assert names(service, report["id"]) == {("ok.py", "one")}
    assert report["counts"]["oversize"] == 1
    assert report["counts"]["function"] == 1
    assert service.stack.fire("sweep").payload["done"].get("repaired", 0) == 0


def test_a_record_that_grows_until_the_index_refuses_it_leaves_nothing_old_behind(
    service: Service, repository: GitRepository
) -> None:
    path = "/".join(["p" * 250] * 14) + "/huge.py"
    repository.commit({path: ONE, "ok.py": ONE})
    number = service.index(repository, "odd/growing")["id"]
    assert names(service, number) == {(path, "one"), ("ok.py", "one")}
    everything = "\U00020000" * 600

    repository.commit({path: f"def one(a: '{everything}') -> '{everything}':\n    '{everything}'\n"})
    report = service.index(repository, "odd/growing")

    assert names(service, number) == {("ok.py", "one")}
    assert (report["counts"]["oversize"], report["counts"]["function"]) == (1, 1)
    assert service.stack.fire("sweep").payload["done"].get("repaired", 0) == 0


def test_an_ignore_file_that_ignores_itself_still_holds_at_the_next_push(
    service: Service, repository: GitRepository
) -> None:
    repository.commit({".codesageignore": ".*\nhidden/\n", "hidden/x.py": ONE, "ok.py": ONE})
    number = service.index(repository, "odd/selfless")["id"]
    repository.commit({"hidden/x.py": ONE.replace("one", "hid"), "ok.py": ONE + "\n"})

    report = service.index(repository, "odd/selfless")

    assert names(service, number) == {("ok.py", "one")}
    assert report["skips"] == {Skip.IGNORED: 2}


def test_rule_files_that_are_no_files_are_no_rules(service: Service, repository: GitRepository) -> None:
    commit = repository.commit({"ok.py": ONE, "rules": "*.py\n"})
    (repository.folder / ".codesageignore").symlink_to("rules")
    repository.git("add", ".codesageignore")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{commit},pkg/.gitattributes")
    repository.git("commit", "--quiet", "--message=odd rules")

    report = service.index(repository, "odd/rules")

    assert report["skips"] == {Skip.SYMLINK: 1, Skip.SUBMODULE: 1, Skip.NO_LANGUAGE: 1}
    assert names(service, report["id"]) == {("ok.py", "one")}


def test_a_lost_tree_is_made_good_by_a_rebuild(service: Service, repository: GitRepository) -> None:
    repository.commit({"ok.py": ONE})
    number = service.index(repository, "odd/lost")["id"]
    [key] = service.objects(f"trees/default/{number}/")
    service.stack.client("s3").delete_object(Bucket=service.stack.outputs["BucketName"], Key=key)

    hint(service, "odd/lost", rebuild=True)

    eventually(lambda: Store("default").repository(number).layout, lambda layout: layout.number == 2)
    service.indexed("odd/lost", repository.git("rev-parse", "HEAD"))
    assert names(service, number) == {("ok.py", "one")}


def test_a_repository_without_a_commit_is_empty_and_not_failed(service: Service, tmp_path: Path) -> None:
    repository = GitRepository(tmp_path / "hello")
    source = service.stack.githost.add("odd/unborn", repository.folder)
    payload = {
        "ref": "refs/heads/main",
        "before": "0" * 40,
        "after": "0" * 40,
        "repository": {
            "id": source.id,
            "full_name": "odd/unborn",
            "html_url": None,
            "default_branch": "main",
        },
    }

    assert service.stack.githost.deliver("push", payload).status == 202

    report = eventually(
        lambda: service.report("odd/unborn"),
        lambda report: report is not None and report["status"] == "completed",
    )
    assert report is not None
    assert (report["commit"], report["last_failure"]) == (None, None)
    refused = service.get("/v1/search", {"q": "x", "repository": "odd/unborn"})
    assert "no commit yet" in refused.body["error"]["message"]
    commit = repository.commit({"ok.py": ONE})
    service.push(repository, "odd/unborn")
    service.indexed("odd/unborn", commit)


def test_an_old_hint_does_not_bring_an_old_branch_back(service: Service, repository: GitRepository) -> None:
    repository.commit({"ok.py": ONE})
    number = service.index(repository, "odd/branch")["id"]
    repository.git("checkout", "--quiet", "-b", "trunk")
    commit = repository.commit({"ok.py": ONE.replace("one", "two")})
    service.index(repository, "odd/branch")

    service.stack.fire("reconcile")
    hint(service, "odd/branch", labels=None)

    service.indexed("odd/branch", commit)
    assert Store("default").repository(number).labels.branch == "trunk"
