"""Requests of the `codesage` command, another process -> sources added, pushed, listed, removed."""

import hmac
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from codesage.errors import CodeSageError, InvalidRequest, Unauthenticated
from local.githost.deliveries import Delivery
from local.githost.sources import Source, Sources
from local.githost.web_urls import without_credentials

TOKEN_HEADER = "X-Local-Token"  # noqa: S105 - the header's name


class NewSource(BaseModel):
    """What POST takes: where the content is, by exactly one of `path` (absolute) and `url`."""

    model_config = ConfigDict(extra="forbid")

    name: str
    path: Path | None = None
    url: str | None = None
    web_url: str | None = None

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if (self.path is None) == (self.url is None):
            raise ValueError("give either a path or a url")
        return self


def admin_routes(sources: Sources, push: Callable[[Source], Delivery], token: str) -> list[BaseRoute]:
    """POST, GET /_local/sources and DELETE /_local/sources/{id}, for whoever knows `token`.

    Errors have the shape of this project, not GitHub's: `{"error": {"type", "message"}}`.
    """

    async def add(request: Request) -> Response:
        new = NewSource.model_validate_json(await request.body())
        return JSONResponse(await run_in_threadpool(_added, new), 201)

    def _added(new: NewSource) -> dict[str, object]:
        if new.path is not None:
            source = sources.add(new.name, new.path, new.web_url)
        else:
            source = sources.clone(new.url or "", new.name, new.web_url)
        about = _source_json(sources, source)
        if about["head"] is None:
            raise InvalidRequest(f"{source.name} has no commits yet; commit something and add it again")
        pushed = push(source)
        return {**about, "pushed": {"status": pushed.status, "body": pushed.body}}

    async def listing(_: Request) -> Response:
        rows = await run_in_threadpool(lambda: [_listed(sources, source) for source in sources.all()])
        return JSONResponse({"sources": rows})

    async def remove(request: Request) -> Response:
        await run_in_threadpool(sources.remove, request.path_params["source_id"])
        return Response(status_code=204)

    guard = _Guard(token)
    return [
        Route("/_local/sources", guard(add), methods=["POST"]),
        Route("/_local/sources", guard(listing), methods=["GET"]),
        Route("/_local/sources/{source_id:int}", guard(remove), methods=["DELETE"]),
    ]


Endpoint = Callable[[Request], Awaitable[Response]]


class _Guard:
    """Makes an endpoint ask for the token and answer errors."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()

    def __call__(self, endpoint: Endpoint) -> Endpoint:
        async def guarded(request: Request) -> Response:
            try:
                if not hmac.compare_digest(request.headers.get(TOKEN_HEADER, "").encode(), self._token):
                    raise Unauthenticated(f"{TOKEN_HEADER} is missing or wrong")
                return await endpoint(request)
            except ValidationError as error:
                return _error_json(InvalidRequest(_first_fault(error)))
            except CodeSageError as error:
                return _error_json(error)

        return guarded


def _first_fault(error: ValidationError) -> str:
    fault = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in fault["loc"])
    return f"{place}: {fault['msg']}" if place else fault["msg"]


def _error_json(error: CodeSageError) -> Response:
    return JSONResponse({"error": {"type": type(error).__name__, "message": str(error)}}, error.status)


def _source_json(sources: Sources, source: Source) -> dict[str, object]:
    repository = sources.repository(source)
    return {
        "id": source.id,
        "name": source.name,
        "kind": source.kind,
        "path": str(source.path) if source.path else None,
        "url": without_credentials(source.url) if source.url else None,
        "web_url": sources.html_url(source),
        "head": repository.head(repository.default_branch()),
    }


def _listed(sources: Sources, source: Source) -> dict[str, object]:
    """As `_source_json`; a source that cannot be read right now says why in `problem` and hides no other."""
    try:
        return _source_json(sources, source)
    except CodeSageError as error:
        return {
            "id": source.id,
            "name": source.name,
            "kind": source.kind,
            "head": None,
            "problem": str(error),
        }
