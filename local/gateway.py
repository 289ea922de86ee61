"""An HTTP request -> a proxy event -> the response that a function asks for, as API Gateway (REST) does.

Imitated where it bites: which route takes a request, the authorizer and its policy, the template's gateway
responses, limits of size and time, text and binary bodies, headers that the gateway keeps to itself, the
stage in the path. Not imitated: throttling, TLS, caching, request validation.

Source: AWS's guide, "Lambda proxy integrations", "Use API Gateway Lambda authorizers" and "Gateway response
types".
"""

import asyncio
import base64
import binascii
import fnmatch
import json
import re
import time
import uuid
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from urllib.parse import parse_qsl

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from local import ministack
from local.lambdas import MAX_EVENT_BYTES, Function, FunctionStoppedError, InvokeResult
from local.template import REQUEST_ID, GatewayResponse, Route, TemplateError
from local.template import Gateway as Declared

MAX_BODY_BYTES: Final = 10 * 1024 * 1024
TIMEOUT_SECONDS: Final = 29.0

_API_ID = "local"
# The gateway writes these itself and passes a function's own on under another name.
_REMAPPED_HEADERS = frozenset({"connection", "content-length", "date", "server", "www-authenticate"})
_THREADS = 32


class _Refusal(Exception):
    """The gateway answers by itself.

    Args:
        kind: a gateway response type.
        status: what that type answers unless the template says otherwise.
        message: `$context.error.message`; None where AWS says nothing either.
    """

    def __init__(self, kind: str, status: int, message: str | None) -> None:
        super().__init__(kind)
        self.kind = kind
        self.status = status
        self.message = message


def _internal_error(kind: str = "DEFAULT_5XX", status: int = 502) -> _Refusal:
    return _Refusal(kind, status, "Internal server error")


@dataclass(frozen=True)
class _Match:
    route: Route
    parameters: Mapping[str, str]


class Gateway:
    """The ASGI application in front of the functions.

    Args:
        timeout: seconds that a function may take, AWS's limit unless a test needs less.

    Raises:
        TemplateError: a gateway response uses a variable that is not supported; names it.
    """

    def __init__(
        self, declared: Declared, functions: Mapping[str, Function], timeout: float = TIMEOUT_SECONDS
    ) -> None:
        for kind, response in declared.responses.items():
            _check_variables(kind, response)
        self._declared = declared
        self._functions = functions
        self._timeout = timeout
        self._paths = _paths_of(declared.routes)
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="gateway")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
            return
        request = Request(scope, receive)
        request_id = str(uuid.uuid4())
        try:
            response = await self._answer(request, request_id)
        except _Refusal as refusal:
            response = self._refuse(refusal, request_id)
        except ClientDisconnect:
            return
        response.headers["x-amzn-requestid"] = request_id
        await response(scope, receive, send)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        self._threads.shutdown(wait=False, cancel_futures=True)
        await send({"type": "lifespan.shutdown.complete"})

    async def _answer(self, request: Request, request_id: str) -> Response:
        body = await _read_body(request)
        path = _raw_path(request)
        staged = path == f"/{self._declared.stage}" or path.startswith(f"/{self._declared.stage}/")
        within = path.removeprefix(f"/{self._declared.stage}") or "/" if staged else path
        match = self._match(request.method, within)
        context = self._request_context(request, request_id, path, match.route)
        event = _proxy_event(request, within, match, context)
        if match.route.authorizer is not None:
            context["authorizer"] = await self._authorized(match.route.authorizer, event, within)
        is_binary = self._passes_as_binary(request.headers.get("content-type", ""))
        event["body"] = _body_text(body, is_binary)
        event["isBase64Encoded"] = is_binary and bool(body)
        result = await self._invoke(self._functions[match.route.function], event)
        if result.failed:
            raise _internal_error()
        return self._response(result, request.headers.get("accept", ""))

    # ---- routes --------------------------------------------------------------------------------------------

    def _match(self, method: str, path: str) -> _Match:
        """The most specific path decides; a method that it lacks is not looked for at another path."""
        for pattern, methods in self._paths:
            found = pattern.fullmatch(path)
            if found:
                route = methods.get(method) or methods.get("ANY")
                if route is None:
                    break
                return _Match(route, _path_parameters(route.path, found))
        raise _Refusal("MISSING_AUTHENTICATION_TOKEN", 403, "Missing Authentication Token")

    def _request_context(
        self, request: Request, request_id: str, path: str, route: Route
    ) -> dict[str, object]:
        now = time.time()
        return {
            "accountId": ministack.ACCOUNT,
            "apiId": _API_ID,
            "domainName": request.headers.get("host", ""),
            "extendedRequestId": request_id,
            "httpMethod": request.method,
            "identity": {
                "sourceIp": request.client.host if request.client else "",
                "userAgent": request.headers.get("user-agent"),
            },
            "path": path,
            "protocol": f"HTTP/{request.scope['http_version']}",
            "requestId": request_id,
            "requestTime": datetime.fromtimestamp(now, UTC).strftime("%d/%b/%Y:%H:%M:%S +0000"),
            "requestTimeEpoch": int(now * 1000),
            "resourceId": _API_ID,
            "resourcePath": route.path,
            "stage": self._declared.stage,
        }

    # ---- authorizer ----------------------------------------------------------------------------------------

    async def _authorized(self, function: str, event: dict[str, object], path: str) -> dict[str, object]:
        """Returns: what the function finds in `requestContext.authorizer`."""
        arn = ":".join(("arn:aws:execute-api", ministack.REGION, ministack.ACCOUNT, _API_ID))
        method_arn = f"{arn}/{self._declared.stage}/{event['httpMethod']}{path}"
        question = {key: value for key, value in event.items() if key not in ("body", "isBase64Encoded")}
        begun = time.monotonic()
        result = await self._invoke(
            self._functions[function], {"type": "REQUEST", "methodArn": method_arn, **question}
        )
        if result.failed:
            if result.error_message == "Unauthorized":
                raise _Refusal("UNAUTHORIZED", 401, "Unauthorized")
            raise _Refusal("AUTHORIZER_FAILURE", 500, None)
        answer = result.payload
        if not isinstance(answer, dict) or not isinstance(answer.get("principalId"), str):
            raise _Refusal("AUTHORIZER_CONFIGURATION_ERROR", 500, None)
        effects = _effects(answer.get("policyDocument"), method_arn)
        if "Deny" in effects:
            raise _Refusal(
                "ACCESS_DENIED", 403, "User is not authorized to access this resource with an explicit deny"
            )
        if "Allow" not in effects:
            raise _Refusal("ACCESS_DENIED", 403, "User is not authorized to access this resource")
        return {
            **_authorizer_context(answer.get("context")),
            "principalId": answer["principalId"],
            "integrationLatency": int((time.monotonic() - begun) * 1000),
        }

    # ---- functions -----------------------------------------------------------------------------------------

    async def _invoke(self, function: Function, event: Mapping[str, object]) -> InvokeResult:
        encoded = json.dumps(event).encode()
        if len(encoded) > MAX_EVENT_BYTES:
            raise _Refusal("DEFAULT_4XX", 413, "Request Too Long")
        running = asyncio.get_running_loop().run_in_executor(self._threads, function.invoke_json, encoded)
        try:
            # The function goes on when nobody waits for it any more, as it does in Lambda.
            return await asyncio.wait_for(asyncio.shield(running), self._timeout)
        except TimeoutError:
            running.add_done_callback(lambda future: future.exception())
            raise _Refusal("INTEGRATION_TIMEOUT", 504, "Endpoint request timed out") from None
        except FunctionStoppedError:
            raise _internal_error() from None

    def _response(self, result: InvokeResult, accept: str) -> Response:
        reply = result.payload
        if not isinstance(reply, dict):
            raise _internal_error()
        status, body = str(reply.get("statusCode")), reply.get("body")
        if not _STATUS.fullmatch(status) or not isinstance(body, str | None):
            raise _internal_error()
        content = (body or "").encode()
        if reply.get("isBase64Encoded") and self._passes_as_binary(accept):
            try:
                content = base64.b64decode(content, validate=True)
            except binascii.Error:
                raise _internal_error() from None
        response = Response(content, int(status))
        for name, value in _reply_headers(reply):
            response.headers.append(name, value)
        if "content-type" not in response.headers:
            response.headers["content-type"] = "application/json"
        return response

    def _passes_as_binary(self, media_types: str) -> bool:
        """Whether a Content-Type, or the first type of an Accept header, is one of the API's binary types."""
        kind = media_types.split(",")[0].split(";")[0].strip().lower()
        return "*/*" in self._declared.binary_types or kind in self._declared.binary_types

    # ---- the gateway's own answers -------------------------------------------------------------------------

    def _refuse(self, refusal: _Refusal, request_id: str) -> Response:
        general = "DEFAULT_4XX" if refusal.status < 500 else "DEFAULT_5XX"
        responses = self._declared.responses
        declared = responses.get(refusal.kind) or responses.get(general) or GatewayResponse(None, {}, None)
        body = declared.body or '{"message":$context.error.messageString}'
        message = json.dumps(refusal.message)
        for variable, value in {
            "$context.error.messageString": message,
            "$context.error.message": message.strip('"'),
        }.items():
            body = body.replace(variable, value)
        headers = {
            name: request_id if value == REQUEST_ID else value for name, value in declared.headers.items()
        } | {"content-type": "application/json"}
        return Response(body, declared.status or refusal.status, headers)


_STATUS = re.compile(r"[1-5]\d\d")
_VARIABLE = re.compile(r"\$[\w.]+")
_KNOWN_VARIABLES = {"$context.error.messageString", "$context.error.message"}


def _check_variables(kind: str, response: GatewayResponse) -> None:
    for variable in _VARIABLE.findall(response.body or ""):
        if variable not in _KNOWN_VARIABLES:
            raise TemplateError(f"{kind}: {variable} is not supported")


_PARAMETER = re.compile(r"\{(\w+)(\+?)\}")


def _paths_of(routes: Sequence[Route]) -> list[tuple[re.Pattern[str], dict[str, Route]]]:
    """Every path as a pattern with its methods, the most specific first."""
    methods: dict[str, dict[str, Route]] = {}
    for route in routes:
        methods.setdefault(route.path, {})[route.method] = route
    return [(_pattern(path), methods[path]) for path in sorted(methods, key=_specificity)]


def _specificity(path: str) -> list[int]:
    """Segment by segment: literal text before a parameter, and a greedy parameter last."""
    return [2 if "+}" in segment else 1 if "{" in segment else 0 for segment in path.split("/")]


def _pattern(path: str) -> re.Pattern[str]:
    literal = re.split(r"(\{\w+\+?\})", path)
    return re.compile(
        "".join(_PARAMETER.sub(_group, part) if part.startswith("{") else re.escape(part) for part in literal)
    )


def _group(parameter: re.Match[str]) -> str:
    name, greedy = parameter.groups()
    return f"(?P<{name}>{'.+' if greedy else '[^/]+'})"


def _path_parameters(path: str, found: re.Match[str]) -> dict[str, str]:
    return {name: found[name] for name, _ in _PARAMETER.findall(path)}


def _raw_path(request: Request) -> str:
    """The path as it was sent: a REST API does not decode it for its functions."""
    return bytes(request.scope["raw_path"]).decode("ascii", errors="replace")


def _multiple(pairs: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    return values


def _proxy_event(request: Request, path: str, match: _Match, context: dict[str, object]) -> dict[str, object]:
    """The event in format 1.0, without its body."""
    url = request.url
    headers = _multiple(
        [
            *request.headers.items(),
            ("X-Forwarded-For", request.client.host if request.client else ""),
            ("X-Forwarded-Port", str(url.port or "")),
            ("X-Forwarded-Proto", url.scheme),
        ]
    )
    query = _multiple(parse_qsl(url.query, keep_blank_values=True))
    return {
        "resource": match.route.path,
        "path": path,
        "httpMethod": request.method,
        "headers": {name: values[-1] for name, values in headers.items()},
        "multiValueHeaders": headers,
        "queryStringParameters": {name: values[-1] for name, values in query.items()} or None,
        "multiValueQueryStringParameters": query or None,
        "pathParameters": dict(match.parameters) or None,
        "stageVariables": None,
        "requestContext": context,
    }


async def _read_body(request: Request) -> bytes:
    """Read to the end even what is too large: a client that is still sending would not see the answer."""
    body = bytearray()
    too_large = False
    async for part in request.stream():
        too_large = too_large or len(body) + len(part) > MAX_BODY_BYTES
        if not too_large:
            body += part
    if too_large:
        raise _Refusal("REQUEST_TOO_LARGE", 413, f"HTTP content length exceeded {MAX_BODY_BYTES} bytes.")
    return bytes(body)


def _body_text(body: bytes, is_binary: bool) -> str | None:
    if not body:
        return None
    return base64.b64encode(body).decode() if is_binary else body.decode(errors="replace")


def _effects(policy: object, method_arn: str) -> set[str]:
    """The effects of a policy's statements that speak about `method_arn`."""
    statements = policy.get("Statement") if isinstance(policy, dict) else None
    if not isinstance(statements, list):
        raise _Refusal("AUTHORIZER_CONFIGURATION_ERROR", 500, None)
    return {
        str(statement.get("Effect"))
        for statement in statements
        if isinstance(statement, dict)
        and _speaks_about(statement.get("Action"), "execute-api:Invoke")
        and _speaks_about(statement.get("Resource"), method_arn)
    }


def _speaks_about(patterns: object, name: str) -> bool:
    """IAM's wildcards are `*` and `?`, and `*` crosses slashes; a bracket is only a bracket."""
    listed = patterns if isinstance(patterns, list) else [patterns]
    return any(fnmatch.fnmatchcase(name, str(pattern).replace("[", "[[]")) for pattern in listed)


def _authorizer_context(context: object) -> dict[str, str]:
    """Values arrive as text; a list or an object among them makes the whole reply invalid."""
    if context is None:
        return {}
    if not isinstance(context, dict) or not all(
        isinstance(value, str | int | float) for value in context.values()
    ):
        raise _Refusal("AUTHORIZER_CONFIGURATION_ERROR", 500, None)
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in context.items()
    }


def _reply_headers(reply: dict[str, object]) -> list[tuple[str, str]]:
    """Both kinds of headers joined; where both have a name, the multiple values count."""
    single, multiple = reply.get("headers") or {}, reply.get("multiValueHeaders") or {}
    if not isinstance(single, dict) or not isinstance(multiple, dict):
        raise _internal_error()
    several = {name.lower() for name in multiple}
    pairs = [(name, value) for name, value in single.items() if name.lower() not in several]
    pairs += [(name, value) for name, values in multiple.items() for value in values]
    return [
        (f"x-amzn-Remapped-{name}" if name.lower() in _REMAPPED_HEADERS else name, str(value))
        for name, value in pairs
    ]
