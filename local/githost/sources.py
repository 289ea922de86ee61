"""Names and the places their content is at -> numbered sources, remembered in `sources.json`."""

import os
import re
import shutil
import tempfile
import threading
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from codesage.errors import InvalidRequest, NotFound
from local.githost.folders import commit_folder, fetch
from local.githost.git import GitFailed, Repository, git_dir_of
from local.githost.web_urls import web_url_of

_NAME = re.compile(r"(?!\.{1,2}/)[\w.-]+/(?!\.{1,2}$)[\w.-]+", re.ASCII)
_CLONE_URL = re.compile(r"(?:(?:https?|ssh|git|file)://|[\w.-]+@[\w.-]+:)[^\s\0-]\S*")


class Kind(StrEnum):
    REPOSITORY = "repository"  # served where it is
    FOLDER = "folder"  # a plain folder, committed to a repository of the host's own
    CLONE = "clone"  # fetched from a URL


class Source(BaseModel):
    """One repository of this host.

    Attributes:
        id: from 1 upward; the same for as long as the source is not removed, and never given again.
        name: `owner/name`, a label that may change; unique without regard to case.
        path: the folder, absolute; None for a clone.
        url: where a clone comes from, perhaps with a password in it; None for the others.
        web_url: what the user said; `Sources.html_url` tells what holds.
        pushed: the head that a webhook last accepted, by full ref.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: int
    name: str
    kind: Kind
    path: Path | None = None
    url: str | None = None
    web_url: str | None = None
    pushed: dict[str, str] = {}


class _Ledger(BaseModel):
    """The file `sources.json`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    next_id: int = 1
    sources: tuple[Source, ...] = ()


class Sources:
    """The sources kept under `folder`. One thread changes them at a time; any number may read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder = folder.absolute()  # git runs elsewhere
        self._file = folder / "sources.json"
        self._changing = threading.RLock()
        folder.mkdir(parents=True, exist_ok=True)
        # Whoever indexes the folder that this one lies in must not index the host's own repositories.
        (folder / ".gitignore").write_text("*\n")
        self._ledger = (
            _Ledger.model_validate_json(self._file.read_bytes()) if self._file.exists() else _Ledger()
        )

    def all(self) -> tuple[Source, ...]:
        return self._ledger.sources

    def by_id(self, source_id: int) -> Source:
        """Raises NotFound."""
        for source in self._ledger.sources:
            if source.id == source_id:
                return source
        raise NotFound(f"no source has the id {source_id}")

    def by_name(self, name: str) -> Source:
        """Raises NotFound."""
        for source in self._ledger.sources:
            if source.name.casefold() == name.casefold():
                return source
        raise NotFound(f"no source is named {name}")

    def add(self, name: str, path: Path, web_url: str | None = None) -> Source:
        """Serve `path` as `name`: a git repository as it is, any other folder as commits of what it holds.

        A name in use keeps its id, whatever path it had; a folder's new content is committed on top.

        Raises:
            InvalidRequest: a bad name, or no readable folder at `path`.
            GitFailed: the folder's content could not be committed.
        """
        place = _checked(path)
        repository = Repository.at(place)
        with self._changing:
            kind = Kind.REPOSITORY if repository else Kind.FOLDER
            source = self._numbered(name, kind=kind, path=place, web_url=web_url)
            if repository is None:
                commit_folder(self.repository(source).git_dir, place)
            return self._keep(source)

    def clone(self, url: str, name: str, web_url: str | None = None) -> Source:
        """Serve a copy of the repository at `url` as `name`; a name in use keeps its id and is fetched again.

        Raises:
            InvalidRequest: a bad name, or something that is not the URL of a repository.
            GitFailed: nothing could be fetched; no password is ever asked for.
        """
        if not _CLONE_URL.fullmatch(url):
            raise InvalidRequest("not the URL of a git repository; https, http, ssh, git and file are known")
        with self._changing:
            source = self._numbered(name, kind=Kind.CLONE, url=url, web_url=web_url)
            fetch(self.repository(source).git_dir, url)
            return self._keep(source)

    def rename(self, source_id: int, name: str) -> Source:
        """Raises NotFound, and InvalidRequest for a bad name or one that another source has."""
        _check_name(name)
        with self._changing:
            if any(other.name.casefold() == name.casefold() for other in self.all() if other.id != source_id):
                raise InvalidRequest(f"{name} is the name of another source")
            return self._keep(self.by_id(source_id).model_copy(update={"name": name}))

    def remember_push(self, source_id: int, ref: str, commit: str) -> None:
        with self._changing:
            source = self.by_id(source_id)
            self._keep(source.model_copy(update={"pushed": {**source.pushed, ref: commit}}))

    def remove(self, source_id: int) -> None:
        """Forget a source and what the host itself kept of it; a repository on disk stays as it is."""
        with self._changing:
            gone = self.by_id(source_id)
            self._write(self._ledger.next_id, tuple(source for source in self.all() if source != gone))
            if gone.kind is not Kind.REPOSITORY:
                shutil.rmtree(self.repository(gone).git_dir, ignore_errors=True)

    def repository(self, source: Source) -> Repository:
        """Where git reads a source.

        Raises:
            GitFailed: the user's repository is gone. The host is then out of order rather than without
                that repository: a disk that is not mounted must not read like a deletion.
        """
        if source.kind is not Kind.REPOSITORY or source.path is None:
            return Repository(self._folder / f"{source.kind}s" / f"{source.id}.git")
        git_dir = git_dir_of(source.path)
        if git_dir is None:
            raise GitFailed(f"{source.path} is no longer a git repository")
        return Repository(git_dir)

    def html_url(self, source: Source) -> str | None:
        """Where people see the source: what the user said, else its remote on a known host, else None."""
        if source.web_url is not None:
            return source.web_url
        if source.kind is Kind.FOLDER:
            return None
        remote = source.url or self.repository(source).origin()
        return web_url_of(remote) if remote else None

    def _numbered(
        self, name: str, *, kind: Kind, path: Path | None = None, url: str | None = None, web_url: str | None
    ) -> Source:
        _check_name(name)
        if web_url is not None and not re.match(r"https?://[^\s/]", web_url):
            raise InvalidRequest("the web URL must begin with http:// or https://")
        try:
            known = self.by_name(name)
        except NotFound:
            known = None
        return Source(
            id=known.id if known else self._ledger.next_id,
            name=name,
            kind=kind,
            path=path,
            url=url,
            web_url=web_url.rstrip("/") if web_url else None,
            pushed=known.pushed if known else {},
        )

    def _keep(self, source: Source) -> Source:
        table = {known.id: known for known in self.all()} | {source.id: source}
        self._write(max(self._ledger.next_id, source.id + 1), tuple(table.values()))
        return source

    def _write(self, next_id: int, sources: tuple[Source, ...]) -> None:
        ledger = _Ledger(next_id=next_id, sources=sources)
        descriptor, temporary = tempfile.mkstemp(dir=self._folder)  # readable by its owner alone
        with os.fdopen(descriptor, "w") as file:
            file.write(ledger.model_dump_json(indent=2))
            file.flush()
            os.fsync(descriptor)
        Path(temporary).replace(self._file)
        self._ledger = ledger


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise InvalidRequest(f"{name!r} is not of the form owner/name (letters, digits, '.', '_' and '-')")


def _checked(path: Path) -> Path:
    if not path.is_absolute():
        raise InvalidRequest(f"{path} is not an absolute path")
    if not path.exists():
        raise InvalidRequest(f"{path} does not exist")
    if not path.is_dir():
        raise InvalidRequest(f"{path} is not a folder")
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise InvalidRequest(f"{str(path)!a} is not named in UTF-8") from None
    return path
