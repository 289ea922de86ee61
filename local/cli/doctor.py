"""This machine and the service -> a list of what is right, what is not, and what to do about it."""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import typer
from rich.text import Text

from local.cli.api import Api
from local.cli.deployment import Deployment, data_folder, deployment
from local.cli.errors import CommandError
from local.cli.output import out
from local.cli.replies import Health, Repositories
from local.serve import LOOPBACK

_PYTHON = ((3, 11), (3, 13))
_PORT = 8080


@dataclass(frozen=True, slots=True)
class Finding:
    """`remedy` is what to do; None where all is well."""

    what: str
    remedy: str | None = None


def doctor() -> None:
    """Check what CodeSage needs, and whether it answers. Exit code 1 where something is wrong."""
    findings = [python(sys.version_info[:2]), git(), data(), *service()]
    for finding in findings:
        word = ("ok       ", "green") if finding.remedy is None else ("problem  ", "bold red")
        out.print(Text.assemble(word, finding.what))
        if finding.remedy is not None:
            out.print(Text(f"         -> {finding.remedy}"))
    if any(finding.remedy is not None for finding in findings):
        raise typer.Exit(1)


def python(version: tuple[int, ...]) -> Finding:
    spelled = ".".join(map(str, version))
    if _PYTHON[0] <= version <= _PYTHON[1]:
        return Finding(f"Python {spelled}")
    return Finding(f"Python {spelled}", "use 3.11, 3.12 or 3.13: make setup PYTHON=python3.12")


def git() -> Finding:
    if shutil.which("git") is None:
        return Finding("git is not installed", "install the package git")
    said = subprocess.run(["git", "--version"], capture_output=True, text=True, check=False).stdout
    return Finding(said.strip())


def data() -> Finding:
    """The data folder, or where it will be made."""
    folder = data_folder().absolute()
    nearest = next(place for place in (folder, *folder.parents) if place.exists())
    if os.access(nearest, os.W_OK | os.X_OK) and nearest.is_dir():
        return Finding(f"data folder {folder}")
    return Finding(f"data folder {folder} cannot be written", "choose another: CODESAGE_DATA=DIR")


def service() -> Iterator[Finding]:
    """What was chosen to speak to, and what it answers. Nothing further is asked where nobody answers."""
    try:
        where = deployment()
    except CommandError as error:
        yield Finding(str(error), "codesage up")
        yield port()
        return
    source = "CODESAGE_URL" if where.profile is None else f"the profile in {data_folder()}"
    yield Finding(f"{where.url}, from {source}")
    client = Api(where)
    yield from _asked(lambda: health(client))
    yield from _asked(lambda: key(client, where))


def port() -> Finding:
    try:
        socket.create_server((LOOPBACK, _PORT)).close()
    except OSError:
        return Finding(f"port {_PORT} is in use", "codesage up --port 8081, or any other")
    return Finding(f"port {_PORT} is free")


def health(client: Api) -> Iterator[Finding]:
    for part, state in Health.model_validate_json(client.get("/health")).parts.items():
        yield (
            Finding(part) if state == "ok" else Finding(f"{part}: {state}", "see the logs of SearchFunction")
        )


def key(client: Api, where: Deployment) -> Iterator[Finding]:
    if where.api_key is None:
        yield Finding("no API key", "CODESAGE_API_KEY=KEY; `codesage keys create --scope search` makes one")
        return
    known = Repositories.model_validate_json(client.get("/v1/repositories")).repositories
    yield Finding(f"the API key is valid; repositories known: {len(known)}")


def _asked(ask: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    try:
        yield from ask()
    except CommandError as error:
        yield Finding(str(error), "see above" if "codesage up" in str(error) else "check URL and key")
