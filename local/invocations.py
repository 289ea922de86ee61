"""AWS Lambda's Invoke API -> an invocation of a local function, so that boto3's client "lambda" works."""

import base64
from collections.abc import Mapping
from typing import Final

from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from local.lambdas import MAX_EVENT_BYTES, Function, FunctionStoppedError

_PATH: Final = "/2015-03-31/functions/{name}/invocations"


def invoke_api(functions: Mapping[str, Function]) -> Starlette:
    """The application. Takes a function's name or ARN, and all three invocation types."""

    async def invoke(request: Request) -> Response:
        name = request.path_params["name"].rsplit(":", 1)[-1]
        function = functions.get(name)
        if function is None:
            return _error(404, "ResourceNotFoundException", f"Function not found: {name}")
        event = await request.body() or b"{}"
        if len(event) > MAX_EVENT_BYTES:
            return _error(413, "RequestTooLargeException", f"Event is larger than {MAX_EVENT_BYTES} bytes")
        match request.headers.get("x-amz-invocation-type", "RequestResponse"):
            case "DryRun":
                return Response(status_code=204)
            case "Event":
                return Response(status_code=202, background=BackgroundTask(function.invoke_json, event))
        try:
            result = await run_in_threadpool(function.invoke_json, event)
        except FunctionStoppedError:
            return _error(503, "ServiceException", f"{name} is stopping")
        headers = {"X-Amz-Executed-Version": "$LATEST"}
        if result.failed:
            headers["X-Amz-Function-Error"] = "Unhandled"
        if request.headers.get("x-amz-log-type") == "Tail":
            headers["X-Amz-Log-Result"] = base64.b64encode(result.log_tail.encode()).decode()
        return Response(result.body, headers=headers, media_type="application/json")

    return Starlette(routes=[Route(_PATH, invoke, methods=["POST"])])


def _error(status: int, kind: str, message: str) -> Response:
    return JSONResponse({"Type": "User", "Message": message}, status, {"x-amzn-ErrorType": kind})
