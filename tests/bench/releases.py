"""Releases of public packages, replayed as commits -> whether each step equals a rebuild, and its cost.

`releases.lock` pins what is downloaded: wheels, because nothing of them is run and they need no build.
"""

import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from local.cli.first_key import first_key
from local.cli.output import out
from local.stack import Stack
from tests.contents import Contents, contents
from tests.repositories import GitRepository
from tests.service import Service

LOCK = Path(__file__).with_name("releases.lock")
DOWNLOADS = Path("build/releases")

Facts = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Release:
    """One line of the lock: `NAME==VERSION --hash=sha256:…`."""

    line: str

    @property
    def package(self) -> str:
        return self.line.partition("==")[0]

    @property
    def version(self) -> str:
        return self.line.partition("==")[2].partition(" ")[0]

    def wheel(self) -> Path:
        """Downloaded once; pip compares its hash with the lock's."""
        folder = DOWNLOADS / self.package / self.version
        if not any(folder.glob("*.whl")):
            _download(self.line, folder)
        [wheel] = folder.glob("*.whl")
        return wheel

    def tree(self) -> dict[str, bytes]:
        with zipfile.ZipFile(self.wheel()) as wheel:
            return {name: wheel.read(name) for name in wheel.namelist() if not name.endswith("/")}


@dataclass(frozen=True, slots=True)
class Step:
    """One release after another.

    Attributes:
        operations: of Algolia, by action.
        work: what the run did: `parsed`, `added`, `changed`, `unchanged`, `deleted`.
        differing: what the updated repository holds and one of that commit alone does not, or the reverse.
    """

    version: str
    records: int
    operations: Counter[str]
    work: Mapping[str, int]
    differing: frozenset[object]


def measure(folder: Path) -> Facts:
    """Every release of the lock, on one fresh stack."""
    with Stack(folder / "data", port=0) as stack:
        service = Service(stack)
        service.key = first_key(stack)
        return {
            package: _facts(package, list(replayed(service, folder / package, releases(package))))
            for package in dict.fromkeys(release.package for release in _lock())
        }


def _facts(package: str, steps: Sequence[Step]) -> list[Facts]:
    out.print(table(package, steps))
    return [
        {
            "version": step.version,
            "records": step.records,
            "operations": step.operations,
            "run": step.work,
            "equals_a_rebuild": not step.differing,
        }
        for step in steps
    ]


def releases(package: str) -> list[Release]:
    """In the lock's order, which is that of their versions."""
    return [release for release in _lock() if release.package == package]


def _lock() -> list[Release]:
    return [Release(line) for line in LOCK.read_text().splitlines()]


def replayed(service: Service, folder: Path, releases: Iterable[Release]) -> Iterator[Step]:
    """Commit one release after the other; each is pushed to one repository, and to a new one of its own."""
    repository = GitRepository(folder)
    tracked: set[str] = set()
    for release in releases:
        tree = release.tree()
        repository.commit({**dict.fromkeys(tracked - tree.keys()), **tree})
        tracked = set(tree)
        before = service.stack.algolia.operations.copy()
        updated = service.index(repository, f"updated/{release.package}")
        operations = service.stack.algolia.operations - before
        rebuilt = service.index(repository, f"rebuilt/{release.package}-{release.version}")
        found = contents(service, updated["id"])
        yield Step(
            version=release.version,
            records=len(found.records),
            operations=operations,
            work=updated["last_run"],
            differing=differences(found, contents(service, rebuilt["id"])),
        )


def differences(one: Contents, other: Contents) -> frozenset[object]:
    """Keys under which they do not hold the same."""
    pairs = ((one.records, other.records), (one.entities, other.entities), (one.files, other.files))
    return frozenset(
        key for mine, theirs in pairs for key in {*mine, *theirs} if mine.get(key) != theirs.get(key)
    )


def table(package: str, steps: Iterable[Step]) -> Table:
    work = ("parsed", "unchanged", "changed", "added", "deleted")
    table = Table("release", "records", *work, "saved", "removed", title=f"{package}, release after release")
    for step in steps:
        numbers = [step.records, *(step.work.get(name, 0) for name in work)]
        numbers += [step.operations["addObject"], step.operations["deleteObject"]]
        table.add_row(step.version, *map(str, numbers))
    return table


def _download(line: str, folder: Path) -> None:
    """Into a folder of its own, so that a download that was cut off leaves nothing behind."""
    with tempfile.TemporaryDirectory() as temporary:
        lock = Path(temporary) / "lock"
        lock.write_text(line + "\n")
        words = ["--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes"]
        words += ["--only-binary", ":all:", "--dest", f"{temporary}/wheel", "--requirement", str(lock)]
        subprocess.run([sys.executable, "-m", "pip", "download", *words], check=True)
        shutil.copytree(f"{temporary}/wheel", folder, dirs_exist_ok=True)
