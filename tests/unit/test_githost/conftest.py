"""A git host on loopback, real repositories for it, and a webhook that notes what arrives."""

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import urllib3
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from local.githost import GitHost
from local.serve import LoopbackServer

TOKEN = "token-of-the-host"
ADMIN_TOKEN = "token-of-the-command"
SECRET = "webhook secret"


@dataclass(frozen=True)
class Checkout:
    """A real repository with a worktree."""

    path: Path

    def git(self, *arguments: str | bytes, stdin: bytes = b"") -> str:
        identity = {"NAME": "Ada", "EMAIL": "ada@example.org", "DATE": "2024-05-06T07:08:09+02:00"}
        environment = {
            "PATH": os.environ["PATH"],
            "GIT_CONFIG_NOSYSTEM": "1",
            **{
                f"GIT_{role}_{key}": value
                for role in ("AUTHOR", "COMMITTER")
                for key, value in identity.items()
            },
        }
        done = subprocess.run(
            ["git", *arguments], cwd=self.path, input=stdin, capture_output=True, env=environment, check=True
        )
        return done.stdout.decode().strip()

    def write(self, name: str, content: str | bytes) -> None:
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(self, message: str = "change", **files: str) -> str:
        """Write the files, commit everything, return the commit's id."""
        for name, content in files.items():
            self.write(name, content)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD")


@dataclass
class Webhook:
    """Answers as told and keeps what it got: header names in lower case, body as received."""

    url: str = ""
    status: int = 202
    received: list[tuple[Mapping[str, str], bytes]] = field(default_factory=list)

    async def __call__(self, request: Request) -> Response:
        self.received.append((dict(request.headers), await request.body()))
        return PlainTextResponse("noted", self.status)


@pytest.fixture
def new_checkout(tmp_path: Path) -> Callable[[str], Checkout]:
    def make(name: str) -> Checkout:
        checkout = Checkout(tmp_path / name)
        checkout.path.mkdir()
        checkout.git("init", "--quiet", "--initial-branch=main")
        return checkout

    return make


@pytest.fixture
def checkout(new_checkout: Callable[[str], Checkout]) -> Checkout:
    return new_checkout("hello")


@pytest.fixture
def webhook() -> Iterator[Webhook]:
    hook = Webhook()
    with LoopbackServer(Starlette(routes=[Route("/hook", hook.__call__, methods=["POST"])])) as server:
        hook.url = f"{server.url}/hook"
        yield hook


@pytest.fixture
def host(tmp_path: Path) -> Iterator[GitHost]:
    with GitHost(
        tmp_path / "host", webhook_url=None, webhook_secret=SECRET, token=TOKEN, admin_token=ADMIN_TOKEN
    ) as running:
        yield running


Get = Callable[..., urllib3.BaseHTTPResponse]


@pytest.fixture
def get(host: GitHost) -> Get:
    """GET a path of the API, once, without following redirects."""

    def get_path(path: str, *, token: str | None = TOKEN, **headers: str) -> urllib3.BaseHTTPResponse:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        return urllib3.request("GET", host.url + path, headers=sent, redirect=False, retries=False)

    return get_path
