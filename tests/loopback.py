"""A function of requests -> a server on loopback that answers with its bytes, or misbehaves below HTTP."""

import gzip
import json
import socket
import struct
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto
from types import TracebackType
from typing import Any, BinaryIO, Self

HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it came; names of headers are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    sent: bytes

    @property
    def body(self) -> bytes:
        """What was sent, unpacked."""
        return gzip.decompress(self.sent) if self.headers.get("content-encoding") == "gzip" else self.sent

    @property
    def json(self) -> Any:
        return json.loads(self.body) if self.sent else None


class Silence(Enum):
    """What is done instead of an answer."""

    RESET = auto()  # the connection is torn down
    WAIT = auto()  # nothing comes, for as long as the client waits


@dataclass(frozen=True, slots=True)
class Cut:
    """The last bytes of a connection."""

    sent: bytes


Reply = bytes | Cut | Silence


def http(
    body: object, status: int = 200, kind: str = "application/json", headers: Mapping[str, str] | None = None
) -> bytes:
    """A whole reply. `body`: bytes as they are, or anything that JSON can say."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    facts = {"content-type": kind, "content-length": str(len(content)), **(headers or {})}
    head = "".join(f"{name}: {value}\r\n" for name, value in facts.items())
    return f"HTTP/1.1 {status} -\r\n{head}\r\n".encode() + content


class Loopback:
    """Serves from threads of its own, one for each connection.

    Attributes:
        requests: all that came, in order.
    """

    def __init__(self, answer: Callable[[Request], Reply]) -> None:
        self.requests: list[Request] = []
        self._answer = answer
        self._socket = socket.create_server((HOST, 0), backlog=64)
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=self._accept, daemon=True)]

    @property
    def port(self) -> int:
        return int(self._socket.getsockname()[1])

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    def __enter__(self) -> Self:
        self._threads[0].start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)  # wakes its thread, which a close would not
        self._socket.close()
        with self._lock:
            for connection in self._open:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
                with self._lock:
                    self._open.add(connection)
                    self._threads.append(thread)
                thread.start()

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError), connection, connection.makefile("rb") as stream:
            while (request := _read(stream)) is not None:
                with self._lock:
                    self.requests.append(request)
                match self._answer(request):
                    case bytes(reply):
                        connection.sendall(reply)
                    case Cut(sent):
                        connection.sendall(sent)
                        break
                    case Silence.RESET:
                        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                        break
                    case Silence.WAIT:
                        stream.read(1)  # returns when the client has gone
        with self._lock:
            self._open.discard(connection)


def _read(stream: BinaryIO) -> Request | None:
    """The next request of a connection; None at its end."""
    first = stream.readline().decode()
    if not first:
        return None
    method, path, _ = first.split(" ")
    headers: dict[str, str] = {}
    while line := stream.readline().decode("latin-1").strip():
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    return Request(method, path, headers, stream.read(int(headers.get("content-length", "0"))))
