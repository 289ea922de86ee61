"""Outcomes -> HTTP answers: the only place that knows how an error looks over HTTP."""

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any

from codesage.errors import (
    CodeSageError,
    MethodNotAllowed,
    NotReady,
    TooManyRequests,
    Unauthenticated,
    Unavailable,
)
from codesage.settings import settings

LOG = logging.getLogger(__name__)

RETRY_SECONDS = 5  # what a caller is told to wait where nothing better is known
PREFLIGHT_SECONDS = 3_600  # a browser need not ask again for so long
JSON = "application/json; charset=utf-8"
INTERNAL = "Internal error; the log has the details."


@dataclass(frozen=True, slots=True)
class Answer:
    """What leaves over HTTP: the body is an object of plain JSON values, or None for no body at all."""

    status: HTTPStatus
    body: Mapping[str, object] | None
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """JSON, in which a byte of a path that is no UTF-8 stands as an escaped lone surrogate."""
        if self.body is None:
            return ""
        return json.dumps(self.body, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()

    @property
    def proxy_reply(self) -> dict[str, Any]:
        """The shape that API Gateway's proxy integration takes."""
        kind = {} if self.body is None else {"Content-Type": JSON}
        return {
            "statusCode": self.status,
            "headers": {**kind, **self.headers},
            "body": self.text,
            "isBase64Encoded": False,
        }


def http_answer(ask: Callable[[], Answer], request_id: str) -> Answer:
    """The answer, or the error that was raised instead; one nobody foresaw says nothing but that.

    Args:
        request_id: the gateway's. It stands in the answer's headers and in the log, so that a person who
            got an error can be told why.
    """
    try:
        answer = ask()
    except CodeSageError as error:
        LOG.info("request %s was answered with %s: %s", request_id, type(error).__name__, error)
        answer = error_answer(error)
    except Exception:
        LOG.exception("request %s: unforeseen", request_id)
        answer = error_answer(CodeSageError(INTERNAL))
    return replace(answer, headers={**answer.headers, "X-Request-Id": request_id})


def error_answer(error: CodeSageError) -> Answer:
    """`{"error": {"type", "message"}}` with the status of the error's class."""
    kind = type(error)
    headers: dict[str, str] = {}
    wait = _retry_after(error)
    if wait is not None:
        headers["Retry-After"] = str(wait)
    if isinstance(error, MethodNotAllowed):
        headers["Allow"] = ", ".join(error.allowed)
    if isinstance(error, Unauthenticated):
        headers["WWW-Authenticate"] = "Bearer"
    name = "InternalError" if kind is CodeSageError else kind.__name__
    return Answer(kind.status, {"error": {"type": name, "message": str(error)}}, headers)


def _retry_after(error: CodeSageError) -> int | None:
    """Seconds after which the same call may work, where waiting helps at all."""
    match error:
        case Unavailable():
            return error.retry_after or RETRY_SECONDS
        case NotReady() | TooManyRequests():
            return error.retry_after
        case _:
            return None


def with_cors(answer: Answer) -> Answer:
    """The same answer, readable by pages of the one origin that the operator named, if any."""
    origin = settings().cors_origin
    if not origin:
        return answer
    allowed = {
        "Access-Control-Allow-Origin": origin,
        "Access-Control-Expose-Headers": "ETag, Retry-After, X-Request-Id",
    }
    return replace(answer, headers={**answer.headers, **allowed})


def preflight() -> Answer:
    """What a browser asks before it sends a key to another origin. `with_cors` says who may."""
    headers = {
        "Access-Control-Allow-Methods": "GET, POST, PATCH, DELETE",
        "Access-Control-Allow-Headers": "Authorization, Content-Type, If-None-Match, X-Api-Key",
        "Access-Control-Max-Age": str(PREFLIGHT_SECONDS),
    }
    return Answer(HTTPStatus.NO_CONTENT, None, headers if settings().cors_origin else {})
