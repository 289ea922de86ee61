"""Rows of `trees.toml` -> folders of real source code, fetched once through the machine's package tools.

A tree that cannot be had says why, and the others are measured without it.
"""

import base64
import hashlib
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import unquote

from pydantic import BaseModel, ConfigDict

from codesage.ignores import Ignores
from codesage.languages import Language, language_of
from codesage.skips import skip_of_text

ROWS = Path(__file__).with_name("trees.toml")
BACKEND = Path(__file__).with_name("backend.lock")
TREES = Path("build/bench/trees")
APT, APT_LISTS = Path("/etc/apt"), ("*.list", "sources.list.d/*.list", "sources.list.d/*.sources")
BINARY = re.compile(r"(?m)^(?P<before>(?:Types:\s*)?)deb(?:[ \t]+deb-src)?(?=\s)")  # in either form of a list
DOWNLOAD_SECONDS = 300
REASON_CHARACTERS = 200
ERROR = re.compile(r"E: |ERROR: |npm (?:ERR!|error) ")  # of apt-get, pip, npm


class NotHadError(Exception):
    """A tree cannot be had on this machine; the message says why."""


class Tree(BaseModel):
    """One row.

    Attributes:
        language: name of a language; only its files are read.
        tool: `apt-source` gives what Debian builds its packages of.
        package: as the tool wants it: `NAME==VERSION`, `NAME@VERSION`, `NAME`.
        hash: of the archive, as pip and npm write it; None for Debian's, which are signed.
        folder: where the sources are inside the package.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    language: str
    name: str
    tool: Literal["pip", "npm", "apt", "apt-source"]
    package: str
    hash: str | None = None
    folder: str = "."


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that a run would parse.

    Attributes:
        path: inside its tree.
    """

    path: str
    text: bytes
    language: Language


@dataclass(frozen=True, slots=True)
class Sources:
    """What was had of a tree.

    Attributes:
        release: the package with its version, as its archive is named.
        folder: that of the tree's files.
    """

    release: str
    folder: Path
    files: tuple[SourceFile, ...]


def trees() -> list[Tree]:
    """The rows in their order: the trees of a language stand together."""
    return [Tree.model_validate(row) for row in tomllib.loads(ROWS.read_text())["tree"]]


def sources_of(tree: Tree) -> Sources:
    """Return the files of the tree's language that a run would parse; fetch its package if need be.

    Raises:
        NotHadError: there is no such tool or package here, or it is not what was pinned.
    """
    package = _package(tree)
    folder = package / tree.folder
    files = tuple(_files(folder, tree.language))
    if not files:
        raise NotHadError(f"no {tree.language} in {tree.folder} of {package.name}")
    return Sources(unquote(package.name), folder, files)


def _files(folder: Path, language: str) -> Iterator[SourceFile]:
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_file():
            continue
        inside, text = path.relative_to(folder).as_posix(), path.read_bytes()
        found = language_of(inside, text)
        if found is not None and found.name == language and skip_of_text(inside, text, Ignores()) is None:
            yield SourceFile(inside, text, found)


def _package(tree: Tree) -> Path:
    """Return the folder of the unpacked package, which is named by its archive."""
    home = TREES / tree.tool / tree.package.replace("/", "+")
    if not home.exists():
        TREES.mkdir(parents=True, exist_ok=True)
        # Renamed when it is whole, so that what was cut off leaves nothing behind.
        with tempfile.TemporaryDirectory(dir=TREES) as temporary:
            archive = _download(tree, Path(temporary))
            _unpack(archive, Path(temporary) / "home" / _stem(archive.name))
            home.parent.mkdir(exist_ok=True)
            (Path(temporary) / "home").rename(home)
    [package] = home.iterdir()
    return package


def _download(tree: Tree, folder: Path) -> Path:
    downloads = folder / "downloads"
    downloads.mkdir()
    match tree.tool:
        case "pip":
            _pip_download(tree, folder, downloads)
        case "npm":
            _run("npm", "pack", "--ignore-scripts", tree.package, folder=downloads)
        case "apt":
            _run("apt-get", "download", "--quiet", tree.package, folder=downloads)
        case "apt-source":
            _source_download(tree.package, folder, downloads)
    [archive] = downloads.iterdir()
    if tree.tool == "npm":
        _check(archive, tree.hash)
    return archive


def _pip_download(tree: Tree, folder: Path, downloads: Path) -> None:
    """pip compares the hash; and it wants the metadata, which of a source archive only its backend knows."""
    backend, lock = folder.absolute() / "backend", folder / "lock"
    lock.write_text(f"{tree.package} --hash={tree.hash}\n")
    pip = (sys.executable, "-m", "pip")
    words = ("--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes", "--requirement")
    _run(*pip, "install", *words, f"{BACKEND}", "--only-binary", ":all:", "--target", f"{backend}")
    download = ("download", *words, f"{lock}", "--no-build-isolation", "--dest", f"{downloads}")
    _run(*pip, *download, PYTHONPATH=f"{backend}")


def _source_download(package: str, folder: Path, downloads: Path) -> None:
    """Few machines list source packages: list those of the same archives, apart from the system's lists."""
    places = {
        "State::Lists": "lists",
        "Cache": "cache",
        "Etc::SourceList": "none",
        "Etc::SourceParts": "parts",
    }
    options = [f"--option=Dir::{name}={folder.absolute() / place}" for name, place in places.items()]
    for place in ("lists/partial", "cache/archives/partial", "parts"):
        (folder / place).mkdir(parents=True)
    for listed in (path for pattern in APT_LISTS for path in APT.glob(pattern)):
        text = BINARY.sub(lambda found: f"{found['before']}deb-src", listed.read_text())
        (folder / "parts" / listed.name).write_text(text)
    _run("apt-get", *options, "update")
    _run("apt-get", *options, "source", "--download-only", "--tar-only", package, folder=downloads)


def _run(*command: str, folder: Path | None = None, **environment: str) -> None:
    try:
        subprocess.run(
            command,
            cwd=folder,
            env=os.environ | environment,
            check=True,
            capture_output=True,
            text=True,
            timeout=DOWNLOAD_SECONDS,
        )
    except FileNotFoundError:
        raise NotHadError(f"there is no {command[0]} here") from None
    except subprocess.TimeoutExpired:
        raise NotHadError(f"{command[0]} took longer than {DOWNLOAD_SECONDS} s") from None
    except subprocess.CalledProcessError as error:
        raise NotHadError(_reason(error.stderr) or f"{command[0]} gave {error.returncode}") from error


def _reason(said: str) -> str:
    """Return the errors among what a tool said, else its last line, of either the beginning."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return ("; ".join(line for line in lines if ERROR.match(line)) or "".join(lines[-1:]))[:REASON_CHARACTERS]


def _check(archive: Path, expected: str | None) -> None:
    found = f"sha512-{base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()}"
    if found != expected:
        raise NotHadError(f"{archive.name} is not what was pinned: {found}")


def _stem(archive: str) -> str:
    for suffix in (".tar.gz", ".tar.xz", ".tgz", ".whl", ".deb"):
        archive = archive.removesuffix(suffix)
    return archive


def _unpack(archive: Path, folder: Path) -> None:
    folder.mkdir(parents=True)
    match archive.suffix:
        case ".whl":
            with zipfile.ZipFile(archive) as wheel:
                wheel.extractall(folder)
        case ".deb":
            _run("dpkg-deb", "--extract", f"{archive}", f"{folder}")
        case _:
            with tarfile.open(archive) as tar:
                tar.extractall(folder, filter="data")
