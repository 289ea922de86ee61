"""Models of questions and answers -> layers/shared/codesage/openapi.json, which the API serves.

The models say what is taken and given; this file says only which route has which, in words for people.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from codesage import errors
from codesage.files import FileParams, FileReply
from codesage.health import HealthReply
from codesage.keys import Scope
from codesage.questions import SearchParams
from codesage.repositories import (
    AddRequest,
    ChangeRequest,
    Removed,
    RepositoriesReply,
    RepositoryReport,
)
from codesage.search import SearchReply
from codesage.suggestions import SuggestionParams, Suggestions

TARGET: Final = Path(__file__).parents[1] / "layers/shared/codesage/openapi.json"
VERSION: Final = "1"
DESCRIPTION: Final = """Code search that a team owns.

A key goes into `Authorization: Bearer KEY` or `x-api-key`. Every error is `{"error": {"type", "message"}}`;
its message says what to do next. `X-Request-Id` names the request in the logs."""

REFERENCE = "#/components/schemas/{model}"

Schema = dict[str, Any]
Method = Literal["get", "post", "patch", "delete"]


class Problem(BaseModel):
    """`type` names the kind of error, `message` tells a person what to do next."""

    type: str
    message: str


class ErrorReply(BaseModel):
    error: Problem


@dataclass(frozen=True, slots=True)
class Operation:
    """One route.

    Attributes:
        scope: what the key needs; None where no key is needed.
        params: of the query. `body`: of the request, as JSON.
        failures: what may go wrong beside what may always.
        also: replies of other statuses that are no errors of ours.
        example: of the reply.
    """

    method: Method
    path: str
    name: str
    summary: str
    reply: type[BaseModel] | None
    example: Mapping[str, object] | None = None
    scope: Scope | None = Scope.SEARCH
    params: type[BaseModel] | None = None
    examples: Mapping[str, object] | None = None
    body: type[BaseModel] | None = None
    body_example: Mapping[str, object] | None = None
    status: HTTPStatus = HTTPStatus.OK
    failures: Sequence[type[errors.CodeSageError]] = ()
    also: Mapping[HTTPStatus, type[BaseModel] | None] = field(default_factory=dict)


HIT = {
    "entity_name": "refresh_token",
    "entity_type": "function",
    "file_path": "src/auth/tokens.py",
    "line_start": 42,
    "line_end": 48,
    "language": "python",
    "signature": "def refresh_token(session, token: str) -> str:",
    "snippet": "def refresh_token(session, token: str) -> str:\n    …",
    "description": "Python function: refresh_token — Return a new access token for a refresh token.",
    "url": "https://github.com/octo/hello/blob/1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d/src/auth/tokens.py#L42-L48",
    "repository": "octo/hello",
    "score": 0.016393,
    "tiers": ["entities"],
    "kind": "function",
    "symbol": "refresh_token",
    "highlights": None,
}
COMMIT = "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d"
SEARCH = {
    "query": "lang:python refresh token",
    "repository": None,
    "total_hits": 1,
    "page": 0,
    "pages": 1,
    "results": [HIT],
    "repositories": [
        {"repository": "octo/hello", "commit": COMMIT, "indexed_at": 1767225600, "freshness": "fresh"}
    ],
    "not_indexed": [],
    "tiers": {"entities": "ok"},
    "incomplete": False,
    "hints": [],
    "facets": None,
    "at_least": None,
}
REPOSITORY = {
    "id": 12,
    "name": "octo/hello",
    "web_url": "https://github.com/octo/hello",
    "branch": "main",
    "status": "completed",
    "freshness": "fresh",
    "commit": COMMIT,
    "wanted": None,
    "indexed_at": 1767225600,
    "progress": None,
    "counts": {"files": 40, "bytes": 181204, "function": 310, "class": 42, "import": 120, "doc_section": 61},
    "languages": {"python": 472, "markdown": 61},
    "skips": {"binary": 3, "no_language": 7},
    "last_run": {"files": 2, "parsed": 2, "changed": 1, "added": 1, "unchanged": 14},
    "last_failure": None,
    "settings": {"exclude": ["fixtures/"]},
}
FILE = {
    "repository": "octo/hello",
    "path": "src/auth/tokens.py",
    "commit": COMMIT,
    "freshness": "fresh",
    "updating": False,
    "url": f"https://github.com/octo/hello/blob/{COMMIT}/src/auth/tokens.py",
    "language": "python",
    "size": 1204,
    "lines": 48,
    "reason": None,
    "explanation": "it is indexed",
    "entities": {"function": 1},
    "text": "def refresh_token(session, token: str) -> str:\n    …\n",
    "truncated": False,
    "outline": [
        {
            "entity_name": "refresh_token",
            "entity_type": "function",
            "kind": "function",
            "scope": None,
            "line_start": 42,
            "line_end": 48,
            "signature": "def refresh_token(session, token: str) -> str:",
            "description": "Python function: refresh_token — Return a new access token for a refresh token.",
            "parameters": ["session", "token: str"],
            "return_type": "str",
        }
    ],
    "outline_truncated": False,
}

HEALTH = {
    "status": "ok",
    "parts": {"algolia": "ok", "dynamodb": "ok", "s3": "ok", "queues": "ok"},
    "queues": {
        "snapshot": {"waiting": 0, "in_flight": 0, "dead": 0},
        "parse": {"waiting": 3, "in_flight": 2, "dead": 0},
    },
    "silent_seconds": 1,
}

UNCHANGED = {HTTPStatus.NOT_MODIFIED: None}

OPERATIONS: Sequence[Operation] = (
    Operation(
        "get",
        "/v1/search",
        "search",
        "Find functions, classes, document sections, Terraform blocks and, where asked for, imports.",
        SearchReply,
        SEARCH,
        params=SearchParams,
        examples={"q": "lang:python refresh token", "repository": ["octo/hello"], "path": "src/auth"},
        failures=(errors.NotFound, errors.NotReady, errors.Misconfigured),
    ),
    Operation(
        "get",
        "/v1/suggestions",
        "suggest",
        "Names that begin like what is being typed; an empty list where anything is wrong with the question.",
        Suggestions,
        {"suggestions": ["refresh_token", "RefreshToken"]},
        params=SuggestionParams,
        examples={"q": "refr"},
        failures=(errors.TooManyRequests,),
    ),
    Operation(
        "get",
        "/v1/repositories",
        "list_repositories",
        "What is indexed, at which commit, how fresh, and what was left out.",
        RepositoriesReply,
        {"repositories": [REPOSITORY]},
    ),
    Operation(
        "post",
        "/v1/repositories",
        "add_repository",
        "Add a repository of the git host and index it; no webhook is needed for this first time.",
        RepositoryReport,
        REPOSITORY,
        scope=Scope.INDEX,
        body=AddRequest,
        body_example={"name": "octo/hello"},
        status=HTTPStatus.ACCEPTED,
        failures=(errors.Rejected,),
    ),
    Operation(
        "get",
        "/v1/repositories/{id}",
        "get_repository",
        "One repository: its status, how far an update is, counts, skips, and why the last one failed.",
        RepositoryReport,
        REPOSITORY,
        failures=(errors.NotFound,),
    ),
    Operation(
        "patch",
        "/v1/repositories/{id}",
        "change_repository",
        "Change settings; what they change in the index follows by itself.",
        RepositoryReport,
        REPOSITORY,
        scope=Scope.ADMIN,
        body=ChangeRequest,
        body_example={"exclude": ["fixtures/", "*.generated.py"]},
        failures=(errors.NotFound,),
    ),
    Operation(
        "delete",
        "/v1/repositories/{id}",
        "remove_repository",
        "Hide a repository at once, and remove all that is stored of it.",
        Removed,
        {"id": 12, "name": "octo/hello"},
        scope=Scope.ADMIN,
        status=HTTPStatus.ACCEPTED,
        failures=(errors.NotFound,),
    ),
    Operation(
        "get",
        "/v1/repositories/{id}/files",
        "get_file",
        "A file's exact text, its outline and link; or the reason why it is not there.",
        FileReply,
        FILE,
        params=FileParams,
        examples={"path": "src/auth/tokens.py"},
        failures=(errors.NotFound, errors.NotReady),
        also=UNCHANGED,
    ),
    Operation(
        "get",
        "/v1/repositories/{id}/files/{path}",
        "get_file_by_path",
        "The same, with the path in the URL; each byte that is no letter, digit, `-._~` or slash is escaped.",
        FileReply,
        FILE,
        params=FileParams,
        failures=(errors.NotFound, errors.NotReady),
        also=UNCHANGED,
    ),
    Operation(
        "get",
        "/health",
        "health",
        "What works. `degraded` names what does not; while it is `down` (503) nothing can be answered.",
        HealthReply,
        HEALTH,
        scope=None,
        also={HTTPStatus.SERVICE_UNAVAILABLE: HealthReply},
    ),
    Operation("get", "/openapi.json", "openapi", "This description.", None, scope=None, also=UNCHANGED),
)


def description() -> Schema:
    """The whole OpenAPI document."""
    models = [
        (model, mode)
        for operation in OPERATIONS
        for model, mode in (
            (operation.reply, "serialization"),
            (operation.body, "validation"),
            (operation.params, "validation"),
        )
        if model is not None
    ]
    wanted = dict.fromkeys([*models, (ErrorReply, "serialization")])
    _, schemas = models_json_schema(list(wanted), ref_template=REFERENCE)  # type: ignore[arg-type]
    components = schemas["$defs"]
    paths: dict[str, Schema] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method] = _operation(operation, components)
    for model in {operation.params for operation in OPERATIONS if operation.params is not None}:
        components.pop(model.__name__, None)  # they stand with their routes, as parameters
    return {
        "openapi": "3.1.0",
        "info": {"title": "CodeSage", "version": VERSION, "description": DESCRIPTION},
        "security": [{"bearer": []}, {"header": []}],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(components.items())),
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "header": {"type": "apiKey", "in": "header", "name": "x-api-key"},
            },
        },
    }


def _operation(operation: Operation, components: Schema) -> Schema:
    described: Schema = {
        "operationId": operation.name,
        "summary": operation.summary,
        "parameters": [*_in_path(operation), *_in_query(operation, components)],
        "responses": dict(_responses(operation)),
    }
    if operation.scope is None:
        described["security"] = []
    else:
        described["description"] = f"The key needs the scope `{operation.scope}`."
    if operation.body is not None:
        content = _json(operation.body, operation.body_example)
        described["requestBody"] = {"required": True, "content": content}
    return described


def _in_path(operation: Operation) -> Iterator[Schema]:
    if "{id}" in operation.path:
        schema = {"type": "integer", "minimum": 1}
        yield {"name": "id", "in": "path", "required": True, "schema": schema, "example": 12}
    if "{path}" in operation.path:
        schema = {"type": "string", "minLength": 1}
        example = "src/auth/tokens.py"
        yield {"name": "path", "in": "path", "required": True, "schema": schema, "example": example}


def _in_query(operation: Operation, components: Schema) -> Iterator[Schema]:
    if operation.params is None:
        return
    model = components[operation.params.__name__]
    for name, schema in model["properties"].items():
        if f"{{{name}}}" in operation.path:
            continue
        parameter = {"name": name, "in": "query", "required": name in model.get("required", ())}
        shown = {key: value for key, value in schema.items() if key not in ("title", "description")}
        described = {"description": schema["description"]} if "description" in schema else {}
        example = (operation.examples or {}).get(name)
        yield parameter | described | {"schema": shown} | ({} if example is None else {"example": example})


def _responses(operation: Operation) -> Iterator[tuple[str, Schema]]:
    reply: Schema = {"description": operation.summary}
    if operation.reply is not None:
        reply["content"] = _json(operation.reply, operation.example)
    else:
        reply["content"] = {"application/json": {"schema": {"type": "object"}}}
    yield str(int(operation.status)), reply
    for also, model in operation.also.items():
        same: Schema = {"description": "The client has it already." if model is None else operation.summary}
        yield str(int(also)), same if model is None else same | {"content": _json(model, None)}
    for status, names in sorted(_failures(operation).items()):
        if status in operation.also:
            continue
        yield str(status), {"description": " or ".join(names), "content": _json(ErrorReply, None)}


def _failures(operation: Operation) -> dict[int, list[str]]:
    """Status -> the errors that have it; a route's own, and those that every route may answer."""
    always: list[type[errors.CodeSageError]] = [errors.Unavailable, errors.MethodNotAllowed]
    if operation.scope is not None:
        always += [errors.InvalidRequest, errors.Unauthenticated, errors.Forbidden, errors.TooManyRequests]
    found: dict[int, list[str]] = {}
    for error in [*operation.failures, *always]:
        found.setdefault(int(error.status), []).append(error.__name__)
    return found


def _json(model: type[BaseModel], example: Mapping[str, object] | None) -> Schema:
    content: Schema = {"schema": {"$ref": REFERENCE.format(model=model.__name__)}}
    return {"application/json": content if example is None else content | {"example": example}}


def text() -> str:
    return json.dumps(description(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    TARGET.write_text(text())
