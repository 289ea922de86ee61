"""local.gateway: what API Gateway does around a function, seen from an HTTP client."""

import base64
import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from local.gateway import Gateway
from local.lambdas import Function
from local.serve import LoopbackServer
from local.template import Gateway as Declared
from local.template import GatewayResponse, Route, Surroundings, TemplateError, read_template
from tests.functions.local_functions import running

REAL = Path(__file__).parents[2] / "template.yaml"

HANDLER = """
import json, time

def run(event, context):
    match event["path"]:
        case "/raise": raise ValueError("bad")
        case "/wait": time.sleep(3)
        case "/text": return "no mapping"
        case "/no-status": return {"body": "x"}
        case "/status": return {"statusCode": "OK"}
        case "/object": return {"statusCode": 200, "body": {"a": 1}}
        case "/given": return json.loads(event["body"])
    return {"statusCode": 200, "body": json.dumps(event)}
"""

# Answers what the header x-policy holds, with this request's own ARN where it says ARN.
AUTHORIZER = """
import json

def run(event, context):
    headers = {name.lower(): value for name, value in event["headers"].items()}
    if "x-policy" not in headers:
        raise Exception("Unauthorized")
    if headers["x-policy"] == "raise":
        raise ValueError("bad")
    print(json.dumps(event))
    return json.loads(headers["x-policy"].replace("ARN", event["methodArn"]))
"""

ROUTES = (
    Route("POST", "/hooks/{org}/{host}", "F", None),
    Route("GET", "/open", "F", None),
    Route("ANY", "/{proxy+}", "F", None),
)
CLOSED = (Route("ANY", "/{proxy+}", "F", "A"),)


def policy(effect: str = "Allow", resource: object = "ARN", **more: object) -> dict[str, object]:
    statement = {"Action": "execute-api:Invoke", "Effect": effect, "Resource": resource}
    return {"principalId": "me", "policyDocument": {"Statement": [statement]}, **more}


class Client:
    def __init__(self, server: LoopbackServer) -> None:
        self._port = server.port

    def __call__(
        self, method: str, path: str, body: bytes | Iterator[bytes] | None = None, **headers: str
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
        try:
            names = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body, names)
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        finally:
            connection.close()

    def event(self, method: str, path: str, body: bytes | None = None, **headers: str) -> dict[str, object]:
        """The event that the function got for a request."""
        status, _, reply = self(method, path, body, **headers)
        assert status == 200, reply
        event: dict[str, object] = json.loads(reply)
        return event

    def given(self, reply: object, **headers: str) -> tuple[int, http.client.HTTPMessage, bytes]:
        """What the gateway makes of a function's reply."""
        return self("POST", "/given", json.dumps(reply).encode(), **headers)


NO_ROUTE = (404, "NotFound", "There is no such route; /openapi.json lists them.")


@pytest.fixture(scope="module")
def functions(tmp_path_factory) -> Iterator[dict[str, Function]]:
    folder = tmp_path_factory.mktemp("functions")
    with (
        running(folder, HANDLER, concurrency=2) as function,
        running(folder, AUTHORIZER, name="A") as authorizer,
    ):
        yield {"F": function, "A": authorizer}


@contextmanager
def serving(functions, routes=ROUTES, timeout=20.0, binary_types=()) -> Iterator[Client]:
    responses = read_template(
        REAL, Surroundings("us-east-1", "000000000000", "http://127.0.0.1:1")
    ).gateway.responses
    gateway = Gateway(Declared("prod", routes, responses, binary_types), functions, timeout)
    with LoopbackServer(gateway) as server:
        yield Client(server)


@pytest.fixture(scope="module")
def front(functions) -> Iterator[Client]:
    with serving(functions) as client:
        yield client


@pytest.fixture(scope="module")
def closed(functions) -> Iterator[Client]:
    with serving(functions, CLOSED) as client:
        yield client


def error(reply: tuple[int, http.client.HTTPMessage, bytes]) -> tuple[int, str, str]:
    status, headers, body = reply
    assert headers["content-type"] == "application/json"
    document = json.loads(body)["error"]
    return status, document["type"], document["message"]


# ---- routes ------------------------------------------------------------------------------------------------


def test_a_request_goes_to_the_most_specific_route(front):
    assert front.event("GET", "/open")["resource"] == "/open"
    assert front.event("GET", "/open/more")["resource"] == "/{proxy+}"
    hook = front.event("POST", "/hooks/acme/github")
    assert hook["resource"] == "/hooks/{org}/{host}"
    assert hook["pathParameters"] == {"org": "acme", "host": "github"}


def test_a_greedy_parameter_takes_the_rest_of_the_path(front):
    assert front.event("DELETE", "/v1/a/b")["pathParameters"] == {"proxy": "v1/a/b"}


def test_a_method_that_the_most_specific_path_lacks_is_not_passed_to_the_greedy_one(front):
    reply = front("GET", "/hooks/acme/github")

    assert error(reply) == NO_ROUTE


def test_the_root_is_no_part_of_the_greedy_path(front):
    assert error(front("GET", "/")) == NO_ROUTE


def test_the_stage_may_stand_before_the_path(front):
    event = front.event("GET", "/prod/v1/search")

    assert event["path"] == "/v1/search"
    assert event["requestContext"]["path"] == "/prod/v1/search"
    assert front.event("GET", "/production")["path"] == "/production"


# ---- the event ---------------------------------------------------------------------------------------------


def test_an_event_tells_of_its_request(front):
    event = front.event("PUT", "/v1/x", b"{}", Content_Type="application/json", Host="example.org")

    context = event["requestContext"]
    assert (event["httpMethod"], event["body"], event["isBase64Encoded"]) == ("PUT", "{}", False)
    assert event["headers"]["content-type"] == "application/json"
    assert event["multiValueHeaders"]["host"] == ["example.org"]
    assert event["headers"]["X-Forwarded-Proto"] == "http"
    assert context["stage"] == "prod"
    assert context["resourcePath"] == "/{proxy+}"
    assert context["identity"]["sourceIp"] == "127.0.0.1"
    assert context["requestId"]


def test_a_path_stays_as_it_was_encoded(front):
    event = front.event("GET", "/v1/files/a%2Fb%20%C3%A9")

    assert event["path"] == "/v1/files/a%2Fb%20%C3%A9"
    assert event["pathParameters"] == {"proxy": "v1/files/a%2Fb%20%C3%A9"}


def test_query_parameters_are_decoded_and_the_last_of_equals_counts(front):
    event = front.event("GET", "/v1/search?q=a%20b&r=1&r=2&empty=")

    assert event["queryStringParameters"] == {"q": "a b", "r": "2", "empty": ""}
    assert event["multiValueQueryStringParameters"] == {"q": ["a b"], "r": ["1", "2"], "empty": [""]}


def test_what_a_request_lacks_is_null(front):
    event = front.event("GET", "/open")

    missing = ("body", "queryStringParameters", "multiValueQueryStringParameters", "pathParameters")
    assert [event[name] for name in missing] == [None] * 4


def test_a_body_that_is_not_text_is_damaged(front):
    event = front.event("POST", "/v1/x", b"\xff\x00a")

    assert (event["body"], event["isBase64Encoded"]) == ("\ufffd\x00a", False)


def test_a_body_of_a_binary_type_arrives_as_base64(functions):
    with serving(functions, binary_types=["application/gzip"]) as front:
        binary = front.event("POST", "/v1/x", b"\xff\x00a", Content_Type="application/gzip; a=b")
        text = front.event("POST", "/v1/x", b"abc", Content_Type="text/plain")

    assert (base64.b64decode(binary["body"]), binary["isBase64Encoded"]) == (b"\xff\x00a", True)
    assert (text["body"], text["isBase64Encoded"]) == ("abc", False)


# ---- limits ------------------------------------------------------------------------------------------------


def test_a_body_over_ten_megabytes_is_refused(front):
    body = b"x" * (10 * 1024 * 1024 + 1)

    status, kind, message = error(front("POST", "/v1/x", body))

    assert (status, kind) == (413, "RequestTooLarge")
    assert "10 MB" in message


def test_a_body_over_ten_megabytes_that_does_not_say_its_length_is_refused(front):
    parts = (b"x" * (1024 * 1024) for _ in range(11))

    assert error(front("POST", "/v1/x", parts))[:2] == (413, "RequestTooLarge")


def test_a_body_that_lambda_would_not_take_is_refused(front):
    assert error(front("POST", "/v1/x", b"x" * 6_300_000)) == (413, "InvalidRequest", "Request Too Long")


def test_a_function_that_is_too_slow_is_not_waited_for(functions):
    with serving(functions, timeout=0.2) as front:
        reply = front("GET", "/wait")

    assert error(reply) == (
        504,
        "Unavailable",
        "The answer took too long; try again later, or ask for less.",
    )


# ---- replies -----------------------------------------------------------------------------------------------


def test_a_reply_has_the_functions_status_headers_and_body(front):
    status, headers, body = front.given(
        {
            "statusCode": 201,
            "headers": {"X-One": "1", "Content-Type": "text/html"},
            "multiValueHeaders": {"Set-Cookie": ["a=1", "b=2"]},
            "body": "é",
        }
    )

    assert (status, body.decode()) == (201, "é")
    assert (headers["x-one"], headers["content-type"]) == ("1", "text/html")
    assert headers.get_all("set-cookie") == ["a=1", "b=2"]


def test_a_reply_without_type_is_json_and_one_without_body_is_empty(front):
    status, headers, body = front.given({"statusCode": "204"})

    assert (status, headers["content-type"], body) == (204, "application/json", b"")


def test_a_header_that_the_gateway_keeps_to_itself_gets_another_name(front):
    _, headers, _ = front.given({"statusCode": 401, "headers": {"WWW-Authenticate": "Bearer"}})

    assert headers["www-authenticate"] is None
    assert headers["x-amzn-remapped-www-authenticate"] == "Bearer"


def test_a_base64_reply_is_decoded_only_for_a_client_that_accepts_a_binary_type(functions):
    reply = {"statusCode": 200, "isBase64Encoded": True, "body": base64.b64encode(b"\xff").decode()}
    with serving(functions, binary_types=["application/gzip"]) as front:
        decoded = front.given(reply, Accept="application/gzip, */*")
        undecoded = front.given(reply, Accept="text/html")

    assert decoded[2] == b"\xff"
    assert undecoded[2] == b"/w=="


@pytest.mark.parametrize("path", ["/raise", "/text", "/no-status", "/status", "/object"])
def test_a_failed_or_malformed_reply_is_a_bad_gateway(front, path):
    assert error(front("GET", path)) == (502, "Unavailable", "Internal server error")


# ---- authorizer --------------------------------------------------------------------------------------------


def test_a_request_passes_with_what_the_authorizer_says_of_it(closed):
    allowed = json.dumps(policy(context={"org": "acme", "limit": 5, "admin": True}))

    event = closed.event("GET", "/v1/search?q=a", x_policy=allowed)

    authorizer = event["requestContext"]["authorizer"]
    assert isinstance(authorizer.pop("integrationLatency"), int)
    assert authorizer == {"principalId": "me", "org": "acme", "limit": "5", "admin": "true"}


def test_an_authorizer_sees_the_request_without_its_body(closed, functions, tmp_path_factory):
    allowed = json.dumps(policy())

    closed.event("POST", "/v1/a%20b?q=1", b"body", x_policy=allowed)

    log = next(tmp_path_factory.getbasetemp().glob("functions*/logs/A.log"))
    seen = json.loads(log.read_text().splitlines()[-1])
    assert seen["type"] == "REQUEST"
    assert seen["methodArn"] == "arn:aws:execute-api:us-east-1:000000000000:local/prod/POST/v1/a%20b"
    assert seen["queryStringParameters"] == {"q": "1"}
    assert seen["multiValueHeaders"]["x-policy"] == [allowed]
    assert "body" not in seen


def test_a_request_that_the_authorizer_does_not_know_is_unauthorized(closed):
    reply = closed("GET", "/v1/search")

    assert error(reply)[:2] == (401, "Unauthenticated")
    assert "An API key is needed" in error(reply)[2]
    assert reply[1]["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    "given",
    [
        policy("Deny"),
        policy("Allow", "arn:aws:execute-api:us-east-1:000000000000:local/prod/GET/other"),
        policy("Allow", []),
    ],
)
def test_a_request_that_the_policy_does_not_allow_is_denied(closed, given):
    reply = closed("GET", "/v1/search", x_policy=json.dumps(given))

    assert error(reply) == (401, "Unauthenticated", "The API key is not valid.")
    assert reply[1]["www-authenticate"] == "Bearer"


def test_a_denial_counts_more_than_a_permission(closed):
    both = policy()
    both["policyDocument"]["Statement"] += policy("Deny")["policyDocument"]["Statement"]

    reply = closed("GET", "/v1/search", x_policy=json.dumps(both))

    assert error(reply)[:2] == (401, "Unauthenticated")


@pytest.mark.parametrize("resource", ["*", ["nothing", "arn:aws:execute-api:*:*:*/prod/*/v1/*"]])
def test_a_policy_may_speak_of_many_routes(closed, resource):
    closed.event("GET", "/v1/a/b", x_policy=json.dumps(policy("Allow", resource)))


@pytest.mark.parametrize(
    "given",
    [
        "raise",
        "[]",
        json.dumps({"policyDocument": {"Statement": []}}),
        json.dumps({"principalId": "me"}),
        json.dumps(policy(context={"list": [1]})),
    ],
)
def test_an_authorizer_that_fails_is_our_fault(closed, given):
    status, headers, body = closed("GET", "/v1/search", x_policy=given)

    assert (status, headers["content-type"]) == (503 if given == "raise" else 500, "application/json")
    assert json.loads(body)["error"]["type"] == "Unavailable"


def test_a_gateway_response_with_a_variable_that_is_not_supported_is_refused(functions):
    responses = {"DEFAULT_4XX": GatewayResponse(None, {}, "$context.requestId")}

    with pytest.raises(TemplateError, match=r"DEFAULT_4XX: \$context.requestId is not supported"):
        Gateway(Declared("prod", ROUTES, responses, ()), functions)
