"""The tree of a commit, by either way, from what a host really serves."""

import json
from pathlib import Path
from typing import Any

import pytest

from codesage import packs, trees
from codesage.clients.store import Store
from codesage.skips import Skip
from codesage.trees import Tree
from tests.repositories import GitRepository
from tests.service import Service, eventually

ONE = "def one():\n    return 1\n"
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 12\n"


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    return GitRepository(tmp_path / "hello")


def published_tree(service: Service, number: int) -> Tree:
    row = Store("default").repository(number)
    [data] = service.objects(f"trees/default/{number}/{row.tree}").values()
    return trees.decode(data, "tree")


def git_tree(repository: GitRepository) -> dict[str, tuple[str, str]]:
    """Path -> (mode, blob), of every file of the head."""
    lines = repository.git("-c", "core.quotePath=false", "ls-tree", "-r", "-z", "HEAD").split("\0")
    rows = [line.partition("\t") for line in lines if line]
    return {path: (facts.split()[0], facts.split()[2]) for facts, _, path in rows}


def archives_asked(service: Service) -> int:
    return sum("/tarball/" in path for _, path in service.stack.githost.requests)


def test_everything_git_can_hold_is_in_the_tree_with_its_reason(
    service: Service, repository: GitRepository
) -> None:
    repository.commit(
        {
            ".gitattributes": "hidden export-ignore\nversion.py export-subst\n*.bin filter=lfs\n",
            "hidden/only_here.py": "def only_here():\n    return 1\n",
            "version.py": 'REVISION = "$Format:%H$"\n\n\ndef revision():\n    return REVISION\n',
            "model.py": POINTER,
            "quotes.md": f"# Pointers\n\n```\n{POINTER}```\n",
            "lib/a.py": ONE,
            "empty.py": "",
        }
    )
    (repository.folder / "lib" / "loop").symlink_to("../lib")
    (repository.folder / "absolute").symlink_to("/etc")
    (repository.folder / "dangling").symlink_to("nowhere")
    commit = repository.git("rev-parse", "HEAD")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{commit},module")
    (repository.folder / "run.unknown").write_text("echo hi\n")
    (repository.folder / "run.unknown").chmod(0o755)
    repository.git("add", "lib/loop", "absolute", "dangling", "run.unknown")
    repository.git("commit", "--quiet", "--message=odd things")

    number = service.index(repository, "snap/odd")["id"]

    tree = published_tree(service, number)
    assert {e.path: (e.mode, e.blob) for e in tree.entries} == git_tree(repository)
    skips = {entry.path: entry.skip for entry in tree.entries if entry.skip}
    assert skips == {
        ".gitattributes": Skip.NO_LANGUAGE,
        "absolute": Skip.SYMLINK,
        "dangling": Skip.SYMLINK,
        "lib/loop": Skip.SYMLINK,
        "model.py": Skip.LFS_POINTER,
        "module": Skip.SUBMODULE,
        "run.unknown": Skip.NO_LANGUAGE,
    }
    assert service.search("only_here", repository="snap/odd")[0]["file_path"] == "hidden/only_here.py"
    [hit] = service.search("revision", repository="snap/odd", entity_type="function")
    assert hit["line_start"] == 4
    [data] = service.objects(f"packs/default/{number}/").values()
    assert b"$Format:%H$" in packs.decode(data, "pack").text("version.py")


def test_names_that_are_no_utf8_and_odd_names_are_kept_apart(
    service: Service, repository: GitRepository
) -> None:
    odd = [
        b"latin\xe9.py",
        b"latin\xe8.py",
        "é.py".encode(),
        "e\u0301.py".encode(),
        b"a b#c?.py",
        b"-dash.py",
    ]
    for number, name in enumerate(odd):
        (repository.folder / name.decode("utf-8", "surrogateescape")).write_text(f"def odd_{number}(): ...\n")
    repository.commit({"long/" + "x" * 250 + ".py": "def long_name(): ...\n"})

    number = service.index(repository, "snap/names")["id"]

    records = service.algolia_records(number)
    assert {r["entity_name"]: r["file_path"] for r in records.values()} == {
        "odd_0": "latin\\xe9.py",
        "odd_1": "latin\\xe8.py",
        "odd_2": "é.py",
        "odd_3": "e\u0301.py",
        "odd_4": "a b#c?.py",
        "odd_5": "-dash.py",
        "long_name": "long/" + "x" * 250 + ".py",
    }

    (repository.folder / odd[0].decode("utf-8", "surrogateescape")).unlink()
    repository.commit({})
    service.index(repository, "snap/names")
    assert len(service.algolia_records(number)) == 6


def test_the_delta_way_and_the_full_way_give_the_same_tree_and_packs(
    service: Service, repository: GitRepository, tmp_path: Path
) -> None:
    repository.commit(
        {f"pkg/m{n}.py": f"def f{n}():\n    return {n}\n" for n in range(12)} | {"a.md": "# A\n"}
    )
    by_delta = service.index(repository, "snap/delta")["id"]
    repository.git("mv", "pkg/m1.py", "pkg/moved.py")
    repository.commit({"pkg/m2.py": "def f2():\n    return 22\n", "a.md": None, "logo.png": b"\x89PNG\0"})
    asked = archives_asked(service)

    service.index(repository, "snap/delta")

    assert archives_asked(service) == asked
    by_archive = service.index(repository, "snap/full")["id"]
    assert archives_asked(service) == asked + 1
    assert published_tree(service, by_delta) == published_tree(service, by_archive)
    names = published_tree(service, by_delta).hashes.values()
    full, delta = (service.objects(f"packs/default/{number}/") for number in (by_archive, by_delta))
    for name in names:
        ours, theirs = (packs.decode(stored[key], key) for stored, key in _keys(name, full, delta))
        assert {path: ours.text(path) for path in ours.files} == {
            path: theirs.text(path) for path in theirs.files
        }


def _keys(name: str, *stores: dict[str, bytes]) -> list[tuple[dict[str, bytes], str]]:
    return [(stored, next(key for key in stored if key.endswith(name))) for stored in stores]


def test_a_repository_whose_last_file_went_is_empty_and_fresh(
    service: Service, repository: GitRepository
) -> None:
    repository.commit({"one.py": ONE})
    number = service.index(repository, "snap/emptied")["id"]
    repository.commit({"one.py": None})

    report = service.index(repository, "snap/emptied")

    assert (report["counts"]["files"], report["freshness"]) == (0, "fresh")
    assert service.algolia_records(number) == {}


def test_a_branch_that_is_gone_is_said_and_what_was_published_stays(
    service: Service, repository: GitRepository
) -> None:
    repository.commit({"one.py": ONE})
    service.index(repository, "snap/branch")
    service.stack.githost.faults.answer("/git/ref/", 404, times=1)

    repository.commit({"one.py": ONE + "\n"})
    service.push(repository, "snap/branch")

    def look() -> dict[str, Any] | None:
        return service.report("snap/branch")

    report = eventually(look, lambda report: report is not None and report["last_failure"] is not None)
    assert report is not None
    assert "branch main does not exist" in report["last_failure"]["reason"]
    assert report["freshness"] == "stale"
    assert service.search("one", repository="snap/branch")
    assert service.run_entry(report["id"]) == []


def test_one_delivery_sent_three_times_makes_one_run(service: Service, repository: GitRepository) -> None:
    repository.commit({"one.py": ONE})
    source = service.stack.githost.add("snap/repeat", repository.folder)
    payload = {
        "ref": "refs/heads/main",
        "before": "0" * 40,
        "after": repository.git("rev-parse", "HEAD"),
        "repository": {
            "id": source.id,
            "full_name": "snap/repeat",
            "html_url": None,
            "default_branch": "main",
        },
        "padding": ["x" * 1000] * 3000,  # as large as a push with two thousand commits
    }
    assert len(json.dumps(payload)) > 3_000_000

    answers = [service.stack.githost.deliver("push", payload, delivery_id="one-and-only") for _ in range(3)]

    assert [answer.status for answer in answers] == [202, 202, 202]
    report = service.indexed("snap/repeat", str(payload["after"]))
    assert len(Store("default").runs(report["id"])) == 1


def test_pushes_that_arrive_in_the_wrong_order_end_at_the_newest(
    service: Service, repository: GitRepository
) -> None:
    commits = [repository.commit({"one.py": ONE.replace("1", str(number))}) for number in range(3)]
    source = service.stack.githost.add("snap/order", repository.folder)
    facts = {"id": source.id, "full_name": "snap/order", "html_url": None, "default_branch": "main"}

    for before, after in ((commits[1], commits[2]), ("0" * 40, commits[0]), (commits[0], commits[1])):
        payload = {"ref": "refs/heads/main", "before": before, "after": after, "repository": facts}
        assert service.stack.githost.deliver("push", payload).status == 202

    service.indexed("snap/order", commits[2])
    assert "return 2" in service.search("one", repository="snap/order")[0]["snippet"]
