"""The committed description of the API -> what /openapi.json answers. `make openapi` writes it."""

import json
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files


@cache
def openapi() -> Mapping[str, object]:
    description: dict[str, object] = json.loads(_text())
    return description


@cache
def openapi_tag() -> str:
    return f'"{sha256(_text()).hexdigest()[:16]}"'


@cache
def _text() -> bytes:
    return files("codesage").joinpath("openapi.json").read_bytes()
