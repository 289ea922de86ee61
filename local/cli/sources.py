"""What a person names, a folder or a URL -> the source that the git host is asked to serve."""

import re
import subprocess
from pathlib import Path

from codesage.errors import CodeSageError
from local.cli.errors import CommandError
from local.cli.replies import KnownSources, NewSource
from local.githost.git import Repository
from local.githost.web_urls import without_credentials

# `https://host/owner/name.git` and `git@host:owner/name`: the owner and the name are the last two parts.
_REMOTE = re.compile(
    r"(?:[a-z+]+://[^/]*/|[\w.-]+@[\w.-]+:)(?:.*/)?([\w.-]+)/([\w.-]+?)(?:\.git)?/?", re.ASCII
)
_URL = re.compile(r"[a-z+]+://.+|[\w.-]+@[\w.-]+:.+")


def source_of(place: str, name: str | None, web_url: str | None) -> NewSource:
    """Args: `place` as typed. Without `name`, that of the remote `origin` or of the URL, else the folder's.

    Raises:
        CommandError: no such folder, or nothing to make a name of.
    """
    if _URL.fullmatch(place):
        return NewSource(name=name or _name_of_url(place), url=place, web_url=web_url)
    folder = Path(place).expanduser().resolve()
    if not folder.is_dir():
        raise CommandError(f"{folder} is not a folder")
    return NewSource(name=name or _name_of_folder(folder), path=str(folder), web_url=web_url)


def check_name_is_free(source: NewSource, known: KnownSources) -> None:
    """A name that nobody chose must not replace what is indexed under it: two folders may be called `src`.

    Raises:
        CommandError: another folder or URL has it.
    """
    for other in known.sources:
        url = without_credentials(source.url) if source.url else None  # as the host lists it
        same_place = (other.path, other.url) == (source.path, url)
        if other.name.casefold() == source.name.casefold() and not same_place:
            raise CommandError(
                f"{other.name} is already indexed from {other.path or other.url}; --name OWNER/NAME gives"
                " this one a name of its own, or says that it takes the other's place"
            )


def has_uncommitted_changes(folder: Path) -> bool:
    """Whether a git checkout holds what no commit has. With the person's own git settings, as they see it."""
    try:
        status = subprocess.run(
            ["git", "-C", str(folder), "status", "--porcelain"], capture_output=True, check=False
        )
    except FileNotFoundError:
        return False
    is_checkout = (folder / ".git").exists()  # a folder inside a checkout is indexed as it is
    return is_checkout and status.returncode == 0 and bool(status.stdout)


def _name_of_url(url: str) -> str:
    name = _name_of_remote(url)
    if name is None:
        raise CommandError("the URL ends in no owner/name; say one with --name OWNER/NAME")
    return name


def _name_of_folder(folder: Path) -> str:
    try:
        repository = Repository.at(folder)
        origin = repository.origin() if repository else None
    except CodeSageError as error:
        raise CommandError(str(error)) from error
    name = re.sub(r"[^\w.-]+", "-", folder.name, flags=re.ASCII).strip("-.")
    if not name:
        raise CommandError(f"{folder} has no name to go by; say one with --name OWNER/NAME")
    return (_name_of_remote(origin) if origin else None) or f"local/{name}"


def _name_of_remote(remote: str) -> str | None:
    parts = _REMOTE.fullmatch(remote)
    return f"{parts[1]}/{parts[2]}" if parts else None
