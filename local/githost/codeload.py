"""A signed link -> the archive of one commit, from an origin of its own, as `git archive` writes it.

The second origin is there because a client must follow the redirect and must leave its token behind: whoever
brings one is refused.
"""

import hashlib
import hmac
import secrets
import time
from collections.abc import AsyncIterator
from subprocess import DEVNULL, PIPE

import anyio
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from codesage.errors import NotFound
from local.githost.git import GitFailed, environment
from local.githost.sources import Sources

LINK_SECONDS = 300  # a link to a private repository is good for about five minutes


class ArchiveLinks:
    """Makes and checks the tokens that stand in for the caller's rights; void once the host has stopped."""

    def __init__(self, lifetime: float = LINK_SECONDS) -> None:
        self._lifetime = lifetime
        self._key = secrets.token_bytes(32)

    def link(self, full_name: str, commit: str) -> str:
        """Path and query of a link to the archive, good for the lifetime."""
        path = f"/{full_name}/legacy.tar.gz/{commit}"
        expires = str(int(time.time() + self._lifetime))
        return f"{path}?token={expires}-{self._seal(path, expires)}"

    def admits(self, path: str, token: str) -> bool:
        expires, _, seal = token.partition("-")
        sealed = hmac.compare_digest(seal.encode(), self._seal(path, expires).encode())
        return sealed and time.time() < int(expires)

    def _seal(self, path: str, expires: str) -> str:
        return hmac.new(self._key, f"{path} {expires}".encode(), hashlib.sha256).hexdigest()


def codeload(sources: Sources, links: ArchiveLinks) -> Starlette:
    """The application of the second origin."""

    def archive(request: Request) -> Response:
        if "authorization" in request.headers:
            return PlainTextResponse("400: Bad Request (no credentials belong here)", 400)
        if not links.admits(request.url.path, request.query_params.get("token", "")):
            return PlainTextResponse("404: Not Found", 404)
        commit = str(request.path_params["commit"])
        try:
            source = sources.by_name("{owner}/{name}".format_map(request.path_params))
        except NotFound:
            return PlainTextResponse("404: Not Found", 404)
        repository = sources.repository(source)
        if repository.object_type(commit) != "commit":
            return PlainTextResponse("404: Not Found", 404)
        top_folder = f"{source.name.replace('/', '-')}-{commit[:7]}"
        return StreamingResponse(
            _output_of(repository.archive_command(commit, top_folder)),
            media_type="application/x-gzip",
            headers={"Content-Disposition": f"attachment; filename={top_folder}.tar.gz"},
        )

    def out_of_order(_: Request, error: Exception) -> Response:
        return PlainTextResponse(f"502: {error}", 502)

    return Starlette(
        routes=[Route("/{owner}/{name}/legacy.tar.gz/{commit}", archive)],
        exception_handlers={GitFailed: out_of_order},
    )


async def _output_of(command: list[str]) -> AsyncIterator[bytes]:
    """The command's output as it comes. Whoever stops listening ends the command.

    Raises:
        GitFailed: it ended with an error. Raised while the answer is open, so the client sees a broken one.
    """
    process = await anyio.open_process(
        command, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL, env=environment(), cwd="/"
    )
    async with process:
        assert process.stdout is not None
        async for chunk in process.stdout:
            yield chunk
        if await process.wait():
            raise GitFailed(f"git archive ended with exit code {process.returncode}")
