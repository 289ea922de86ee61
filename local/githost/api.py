"""A request of GitHub's REST API -> GitHub's answer, from the repositories on disk.

Differences from the original, on purpose: a wrong and a missing token both get 401 (GitHub hides private
repositories behind 404); trees and archives are asked for by id, not by branch; former names do not redirect.
Recalled and not checked against the original: the `sha` of a tree answer repeats the id that was asked for; a
path that is not UTF-8 comes with U+FFFD in it, so its bytes cannot be told and two such paths may look equal.
"""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from codesage.errors import NotFound
from local.githost.faults import Faults
from local.githost.git import GitFailed, Repository, TreeEntry
from local.githost.payloads import repository_json
from local.githost.sources import Source, Sources

TREE_LIMIT = 100_000  # entries of one recursive listing
RATE_LIMIT = 1_000_000  # requests an hour: out of the way unless a test lowers it
_RATE_WINDOW_SECONDS = 3600
_BASE64_LINE = 60


@dataclass(slots=True)
class RateLimit:
    """The caller's budget; a test may set any of it. Answers with status 304 are free, as at GitHub."""

    limit: int = RATE_LIMIT
    remaining: int = RATE_LIMIT
    resets_at: float = field(default_factory=lambda: time.time() + _RATE_WINDOW_SECONDS)

    def renew(self) -> None:
        """Fill the budget again if its hour is over."""
        if time.time() >= self.resets_at:
            self.remaining = self.limit
            self.resets_at = time.time() + _RATE_WINDOW_SECONDS

    def headers(self) -> dict[str, str]:
        return {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(self.remaining),
            "X-RateLimit-Used": str(self.limit - self.remaining),
            "X-RateLimit-Reset": str(int(self.resets_at)),
            "X-RateLimit-Resource": "core",
        }


class Api:
    """The routes under /repositories/{id} and, the same, under /repos/{owner}/{name}.

    Args:
        sources: what is served.
        faults: asked for lagging heads.
        token: what `Authorization` must hold; None asks for nothing.
        tree_limit: entries after which a listing is cut and says so.
        archive_url: (full name, commit) -> the address of the archive.
    """

    def __init__(
        self,
        sources: Sources,
        faults: Faults,
        *,
        token: str | None,
        tree_limit: int,
        archive_url: Callable[[str, str], str],
    ) -> None:
        self.rate_limit = RateLimit()
        self._sources = sources
        self._faults = faults
        self._token = token
        self._tree_limit = tree_limit
        self._archive_url = archive_url

    def routes(self) -> list[BaseRoute]:
        answers = {
            "": self._repository,
            "/git/ref/heads/{branch:path}": self._ref,
            "/git/trees/{id}": self._tree,
            "/git/blobs/{id}": self._blob,
            "/tarball/{id}": self._tarball,
        }
        return [
            Route(place + path, self._endpoint(answer))
            for place in ("/repositories/{source_id:int}", "/repos/{owner}/{name}")
            for path, answer in answers.items()
        ]

    def _endpoint(self, answer: Callable[[Request, Source], Response]) -> Callable[[Request], Response]:
        def endpoint(request: Request) -> Response:
            try:
                self._admit(request)
                response = answer(request, self._source(request))
                if response.status_code != 304:
                    self.rate_limit.remaining -= 1
            except HTTPException as refusal:
                response = error_response(refusal.status_code, refusal.detail)
            except GitFailed as error:
                response = error_response(error.status, str(error))
            response.headers.update(self.rate_limit.headers())
            return response

        return endpoint

    def _admit(self, request: Request) -> None:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if self._token is not None and not (
            scheme.lower() in ("bearer", "token")
            and hmac.compare_digest(token.encode(), self._token.encode())
        ):
            raise HTTPException(401, "Bad credentials")
        self.rate_limit.renew()
        if self.rate_limit.remaining <= 0:
            raise HTTPException(403, "API rate limit exceeded")

    def _source(self, request: Request) -> Source:
        wanted = request.path_params
        try:
            if "source_id" in wanted:
                return self._sources.by_id(wanted["source_id"])
            return self._sources.by_name("{owner}/{name}".format_map(wanted))
        except NotFound:
            raise HTTPException(404, "Not Found") from None

    def _repository(self, request: Request, source: Source) -> Response:
        return _json_response(request, repository_json(self._sources, source, _base_url(request)))

    def _ref(self, request: Request, source: Source) -> Response:
        branch: str = request.path_params["branch"]
        repository = self._sources.repository(source)
        commit = repository.head(branch)
        if commit is None:
            raise _not_there(repository)
        commit = self._faults.take_lag(source.id) or commit
        url = _base_url(request) + f"/repos/{source.name}/git"
        answer = {
            "ref": f"refs/heads/{branch}",
            "url": f"{url}/refs/heads/{branch}",
            "object": {"sha": commit, "type": "commit", "url": f"{url}/commits/{commit}"},
        }
        return _json_response(request, answer)

    def _tree(self, request: Request, source: Source) -> Response:
        tree_id: str = request.path_params["id"]
        repository = self._sources.repository(source)
        if repository.object_type(tree_id) not in ("tree", "commit"):
            raise _not_there(repository)
        # As at GitHub, the parameter's presence counts and its value does not.
        entries = repository.tree(tree_id, recursive="recursive" in request.query_params)
        url = _base_url(request) + f"/repos/{source.name}/git"
        answer = {
            "sha": tree_id,
            "url": f"{url}/trees/{tree_id}",
            "tree": [_entry_json(entry, url) for entry in entries[: self._tree_limit]],
            "truncated": len(entries) > self._tree_limit,
        }
        return _json_response(request, answer)

    def _blob(self, request: Request, source: Source) -> Response:
        blob_id: str = request.path_params["id"]
        repository = self._sources.repository(source)
        content = repository.blob(blob_id)
        if content is None:
            raise _not_there(repository)
        if ".raw" in request.headers.get("accept", ""):
            return _conditional(request, content, "application/vnd.github.raw; charset=utf-8")
        text = base64.b64encode(content).decode()
        answer = {
            "sha": blob_id,
            "url": _base_url(request) + f"/repos/{source.name}/git/blobs/{blob_id}",
            "size": len(content),
            "content": "".join(
                f"{text[at : at + _BASE64_LINE]}\n" for at in range(0, len(text), _BASE64_LINE)
            ),
            "encoding": "base64",
        }
        return _json_response(request, answer)

    def _tarball(self, request: Request, source: Source) -> Response:
        # Whether the commit exists is left to the other origin to find out.
        return RedirectResponse(self._archive_url(source.name, request.path_params["id"]), 302)


def application(routes: list[BaseRoute]) -> Starlette:
    """An application whose own refusals (no such route, wrong method) read like GitHub's."""

    def refused(_: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return error_response(error.status_code, error.detail)

    return Starlette(routes=routes, exception_handlers={HTTPException: refused})


def error_response(status: int, message: str) -> Response:
    body = {
        "message": message,
        "documentation_url": "https://docs.github.com/rest",
        "status": str(int(status)),
    }
    return JSONResponse(body, status)


def _not_there(repository: Repository) -> HTTPException:
    return (
        HTTPException(409, "Git Repository is empty.")
        if repository.is_empty()
        else HTTPException(404, "Not Found")
    )


def _entry_json(entry: TreeEntry, url: str) -> dict[str, str | int]:
    facts: dict[str, str | int] = {
        "path": entry.path.decode(errors="replace"),
        "mode": entry.mode,
        "type": entry.type,
        "sha": entry.id,
    }
    if entry.size is not None:
        facts["size"] = entry.size
    if entry.type != "commit":
        facts["url"] = f"{url}/{entry.type}s/{entry.id}"
    return facts


def _base_url(request: Request) -> str:
    return str(request.base_url).rstrip("/")


def _json_response(request: Request, answer: object) -> Response:
    body = json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode()
    return _conditional(request, body, "application/json; charset=utf-8")


def _conditional(request: Request, body: bytes, content_type: str) -> Response:
    """The body, or 304 where the caller already has it."""
    tag = f'"{hashlib.sha256(body).hexdigest()}"'
    headers = {"ETag": f"W/{tag}", "Cache-Control": "private, max-age=60, s-maxage=60"}
    known = {part.strip().removeprefix("W/") for part in request.headers.get("if-none-match", "").split(",")}
    if tag in known or "*" in known:
        return Response(status_code=304, headers=headers)
    return Response(body, headers={**headers, "Content-Type": content_type})
