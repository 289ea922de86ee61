"""An outside service -> the same service with somebody in between, who sees every call and may hold it up."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager

import urllib3
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from local.lambdas import Function
from local.serve import LoopbackServer

METHODS = ("DELETE", "GET", "HEAD", "POST", "PUT")
HOP_BY_HOP = frozenset({"connection", "content-length", "date", "server", "transfer-encoding"})

Ask = Callable[[], urllib3.BaseHTTPResponse]
PassOn = Callable[[Request, bytes, Ask], urllib3.BaseHTTPResponse]
"""A request, its body and a way to ask the service -> its reply. Called in a thread of each request's own."""


class Proxy:
    """Stands before the service at `url`."""

    def __init__(self, url: str, pass_on: PassOn) -> None:
        self._url = url
        self._pass_on = pass_on
        self._http = urllib3.PoolManager(maxsize=32, retries=False)
        self.server = LoopbackServer(Starlette(routes=[Route("/{path:path}", self._serve, methods=METHODS)]))

    async def _serve(self, request: Request) -> Response:
        body = await request.body()
        return await run_in_threadpool(self._answer, request, body)

    def _answer(self, request: Request, body: bytes) -> Response:
        target = request.scope["raw_path"].decode() + ("?" + request.url.query if request.url.query else "")
        headers = {name: value for name, value in request.headers.items() if name not in HOP_BY_HOP}

        def ask() -> urllib3.BaseHTTPResponse:
            return self._http.request(
                request.method, self._url + target, body=body, headers=headers, decode_content=False
            )

        reply = self._pass_on(request, body, ask)
        kept = {name: value for name, value in reply.headers.items() if name.lower() not in HOP_BY_HOP}
        return Response(reply.data, reply.status, kept)


@contextmanager
def between(functions: Iterable[Function], variable: str, pass_on: PassOn) -> Iterator[None]:
    """Until the end the functions reach the service whose URL is in that variable through a proxy.

    Their processes start anew at both ends.
    """
    with ExitStack() as leaving:
        for function in functions:
            url = function._variables[variable]
            proxy = Proxy(url, pass_on)
            leaving.enter_context(proxy.server)
            leaving.callback(_set, function, variable, url)
            _set(function, variable, proxy.server.url)
        yield


def _set(function: Function, variable: str, url: str) -> None:
    function._variables[variable] = url
    function.kill()
