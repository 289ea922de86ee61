"""Requests and outcomes <-> length-prefixed frames on a pipe, between `child` and its worker.

A request is two frames: a header as JSON, then the file's bytes. An outcome is one.
"""

import json
import struct
from typing import IO

from pydantic import TypeAdapter

from codesage.languages import LANGUAGES, Language
from codesage.parsing.outcome import Parsed, Skipped

_LENGTH = struct.Struct(">I")
_OUTCOME: TypeAdapter[Parsed | Skipped] = TypeAdapter(Parsed | Skipped)


def write_request(stream: IO[bytes], source: bytes, language: Language, path: str) -> None:
    """Raises BrokenPipeError where nobody reads any more."""
    _write(stream, json.dumps([LANGUAGES.index(language), path]).encode(), source)


def read_request(stream: IO[bytes]) -> tuple[bytes, Language, str] | None:
    """Return the next file, None when there will be none."""
    header, source = _read(stream), _read(stream)
    if header is None or source is None:
        return None
    row, path = json.loads(header)
    return source, LANGUAGES[row], path


def write_outcome(stream: IO[bytes], outcome: Parsed | Skipped) -> None:
    _write(stream, _OUTCOME.dump_json(outcome))


def read_outcome(stream: IO[bytes]) -> Parsed | Skipped | None:
    """Return the next outcome, None where the stream ended before it was whole."""
    frame = _read(stream)
    return None if frame is None else _OUTCOME.validate_json(frame)


def _write(stream: IO[bytes], *payloads: bytes) -> None:
    for payload in payloads:
        stream.write(_LENGTH.pack(len(payload)))
        stream.write(payload)
    stream.flush()


def _read(stream: IO[bytes]) -> bytes | None:
    prefix = stream.read(_LENGTH.size)
    if len(prefix) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(prefix)
    payload = stream.read(length)
    return payload if len(payload) == length else None
