"""Search: questions over HTTP become answers of the caller's own organisation."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from pydantic import BaseModel

from codesage import repositories
from codesage.catalog import Catalog
from codesage.files import FileParams, file
from codesage.health import health
from codesage.keys import Scope
from codesage.languages import PARSER_VERSION
from codesage.openapi import openapi, openapi_tag
from codesage.parameters import read_body, read_query
from codesage.questions import SearchParams
from codesage.replies import Answer, http_answer, preflight, with_cors
from codesage.requests import Request, Route, routed
from codesage.search import search
from codesage.settings import settings
from codesage.suggestions import KEPT_SECONDS, suggestions

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext


def get_health(_: Request) -> Answer:
    return Answer(*health())


def get_openapi(request: Request) -> Answer:
    return _versioned(request, openapi_tag(), openapi, "public, max-age=300")


def get_search(request: Request) -> Answer:
    caller = request.caller(Scope.SEARCH)
    return _answer(search(caller, read_query(SearchParams, request.query)))


def get_suggestions(request: Request) -> Answer:
    caller = request.caller(Scope.SEARCH)
    return _answer(suggestions(caller, request.query), cache=f"private, max-age={KEPT_SECONDS}")


def get_repositories(request: Request) -> Answer:
    return _answer(repositories.reports(request.caller(Scope.SEARCH)))


def post_repository(request: Request) -> Answer:
    caller = request.caller(Scope.INDEX)
    return _answer(
        repositories.add(caller, read_body(repositories.AddRequest, request.body)), HTTPStatus.ACCEPTED
    )


def get_repository(request: Request) -> Answer:
    return _answer(repositories.report(request.caller(Scope.SEARCH), request.repository_id()))


def patch_repository(request: Request) -> Answer:
    caller, number = request.caller(Scope.ADMIN), request.repository_id()
    return _answer(repositories.change(caller, number, read_body(repositories.ChangeRequest, request.body)))


def delete_repository(request: Request) -> Answer:
    caller = request.caller(Scope.ADMIN)
    return _answer(repositories.remove(caller, request.repository_id()), HTTPStatus.ACCEPTED)


def get_file(request: Request) -> Answer:
    return _file(request, request.query)


def get_file_by_path(request: Request) -> Answer:
    path = unquote(request.values["path"], errors="surrogateescape")
    return _file(request, {**request.query, "path": [path]})


ROUTES = (
    Route("GET", "/v1/search", get_search),
    Route("GET", "/v1/suggestions", get_suggestions),
    Route("GET", "/v1/repositories", get_repositories),
    Route("POST", "/v1/repositories", post_repository),
    Route("GET", "/v1/repositories/{id}", get_repository),
    Route("PATCH", "/v1/repositories/{id}", patch_repository),
    Route("DELETE", "/v1/repositories/{id}", delete_repository),
    Route("GET", "/v1/repositories/{id}/files", get_file),
    Route("GET", "/v1/repositories/{id}/files/{path+}", get_file_by_path),
    Route("GET", "/health", get_health),
    Route("GET", "/openapi.json", get_openapi),
)


BY_KEY = {"Vary": "Authorization, X-Api-Key"}  # two keys may get two answers of one URL


def lambda_handler(event: dict[str, Any], _: "LambdaContext") -> dict[str, Any]:
    request = Request.of(event)

    def answer() -> Answer:
        return preflight() if request.method == "OPTIONS" else routed(ROUTES, request)

    return with_cors(http_answer(answer, request.id)).proxy_reply


def _file(request: Request, query: Mapping[str, Sequence[str]]) -> Answer:
    caller, params = request.caller(Scope.SEARCH), read_query(FileParams, query)
    row = Catalog(caller).row(request.repository_id())
    # The row's version changes with whatever the answer depends on, but for what a run in flight writes.
    tag = None if row.run is not None else f'"{row.id}.{row.version}.{row.commit}.{_release()}"'
    return _versioned(
        request, tag, lambda: file(caller, row.id, params).model_dump(mode="json"), "private, no-cache"
    )


@cache
def _release() -> str:
    """Stands for the code and the settings that an answer of an unchanged repository depends on."""
    parts = (openapi_tag(), PARSER_VERSION, settings().github_web_url, settings().gitlab_web_url)
    return sha256(repr(parts).encode()).hexdigest()[:12]


def _answer(reply: BaseModel, status: HTTPStatus = HTTPStatus.OK, cache: str = "no-store") -> Answer:
    return Answer(status, reply.model_dump(mode="json"), {"Cache-Control": cache, **BY_KEY})


def _versioned(
    request: Request, tag: str | None, ask: Callable[[], Mapping[str, object]], cache: str
) -> Answer:
    """The answer, or 304 where the client has it already."""
    headers = {"Cache-Control": cache, **BY_KEY} | ({} if tag is None else {"ETag": tag})
    if tag is not None and tag in request.headers.get("if-none-match", ""):
        return Answer(HTTPStatus.NOT_MODIFIED, None, headers)
    return Answer(HTTPStatus.OK, ask(), headers)
