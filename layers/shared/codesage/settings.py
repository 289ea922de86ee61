"""Environment -> Settings: the variables that `template.yaml` declares, read once and on first use.

A plain dataclass, because every function reads its settings and not every one needs pydantic.
"""

import os
from dataclasses import dataclass, fields
from functools import cache
from typing import Any


@dataclass(frozen=True, slots=True)
class Settings:
    """One field per variable of the template's `Globals`, same name in lower case; a test compares them.

    Attributes:
        secret_prefix: secrets are `<prefix>/<org>/<name>`.
        algolia_endpoint: base URL of an Algolia-compatible server; empty for the application's own hosts.
        cors_origin: the origin whose pages may call the API from a browser, or `*`; empty for none.
        pause_seconds: first pause before a failed message is tried again.
        patience_seconds: a run of which nothing was heard for this long stands still.
    """

    table_name: str
    bucket_name: str
    snapshot_queue_url: str
    parse_queue_url: str
    secret_prefix: str
    algolia_index_name: str
    algolia_endpoint: str
    github_api_url: str
    github_web_url: str
    gitlab_web_url: str
    cors_origin: str
    pause_seconds: float
    patience_seconds: float


@cache
def settings() -> Settings:
    """Raises LookupError, which names each missing variable, and ValueError for one that is no number."""
    variables = {field.name.upper(): field for field in fields(Settings)}
    missing = [name for name in variables if name not in os.environ]
    if missing:
        raise LookupError(f"missing in the environment: {', '.join(missing)}")
    values: dict[str, Any] = {
        field.name: _number(name) if field.type is float else os.environ[name]
        for name, field in variables.items()
    }
    return Settings(**values)


def _number(name: str) -> float:
    try:
        return float(os.environ[name])
    except ValueError as error:
        raise ValueError(f"{name} is not a number: {os.environ[name]!r}") from error
