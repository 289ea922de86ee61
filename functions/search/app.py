"""Search: questions over HTTP become answers of the caller's own organisation."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayRestResolver, Response
from aws_lambda_powertools.utilities.typing import LambdaContext
from pydantic import BaseModel

from codesage.callers import Caller, caller_of
from codesage.errors import InvalidRequest, NotFound
from codesage.health import health
from codesage.keys import Scope
from codesage.replies import JSON, Answer, http_answer
from codesage.repositories import report, reports, why
from codesage.search import search, search_params

app = APIGatewayRestResolver()


@app.get("/health")
def get_health() -> Response[str]:
    return _reply(lambda: Answer(*health()))


@app.get("/v1/search")
def get_search() -> Response[str]:
    query = app.current_event.resolved_query_string_parameters
    return _answer(Scope.SEARCH, lambda caller: search(caller.org, search_params(query)))


@app.get("/v1/repositories")
def get_repositories() -> Response[str]:
    return _answer(Scope.SEARCH, lambda caller: reports(caller.org))


@app.get("/v1/repositories/<number>")
def get_repository(number: str) -> Response[str]:
    return _answer(Scope.SEARCH, lambda caller: report(caller.org, _number(number)))


@app.get("/v1/repositories/<number>/files")
def get_file(number: str) -> Response[str]:
    path = app.current_event.get_query_string_value("path", "")
    return _answer(Scope.SEARCH, lambda caller: why(caller.org, _number(number), path))


@app.not_found
def no_route(_: Exception) -> Response[str]:
    def refuse() -> Answer:
        raise NotFound(f"There is no route {app.current_event.http_method} {app.current_event.path}.")

    return _reply(refuse)


def lambda_handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    return app.resolve(event, context)


def _answer(scope: Scope, ask: Callable[[Caller], BaseModel]) -> Response[str]:
    def checked() -> Answer:
        caller = caller_of(app.current_event.raw_event["requestContext"])
        caller.needs(scope)
        return Answer(HTTPStatus.OK, ask(caller).model_dump(mode="json"))

    return _reply(checked)


def _reply(ask: Callable[[], Answer]) -> Response[str]:
    answer = http_answer(ask)
    return Response(answer.status, JSON, answer.text, dict(answer.headers))


def _number(text: str) -> int:
    if not text.isdecimal():
        raise InvalidRequest("A repository's id is a number; GET /v1/repositories lists them.")
    return int(text)
