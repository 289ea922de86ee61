"""An ASGI application -> a server on loopback that can be started and stopped inside one process."""

import socket
import threading
from types import TracebackType
from typing import Self

import uvicorn
from starlette.types import ASGIApp

LOOPBACK = "127.0.0.1"


class LoopbackServer:
    """Serves `app` from a thread of its own, on 127.0.0.1 only.

    Args:
        app: what to serve.
        port: 0 takes a free one; `url` tells which.
    """

    def __init__(self, app: ASGIApp, port: int = 0) -> None:
        self._socket = socket.create_server((LOOPBACK, port), backlog=512)
        # Accepted connections inherit it; without it each small answer waits 40 ms for the client's ACK.
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._server = uvicorn.Server(
            uvicorn.Config(
                app,
                interface="asgi3",  # told, because a bound method looks like the older interface
                log_level="warning",
                lifespan="on",
                timeout_graceful_shutdown=2,
                ws="none",
            )
        )
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, name="loopback-server", daemon=True
        )

    @property
    def port(self) -> int:
        return int(self._socket.getsockname()[1])

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.port}"

    def start(self) -> Self:
        """Return at once: the socket already listens, so early connections wait instead of failing."""
        self._thread.start()
        return self

    def stop(self) -> None:
        self._server.should_exit = True
        if self._thread.is_alive():
            self._thread.join(timeout=10)
        self._socket.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
