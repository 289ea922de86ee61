"""Environment -> Settings: the variables that `template.yaml` declares, read once and on first use."""

import os
from functools import cache

from pydantic import BaseModel, ConfigDict


class Settings(BaseModel):
    """One field per variable of the template's `Globals`, same name in lower case; a test compares them.

    Attributes:
        secret_prefix: secrets are `<prefix>/<org>/<name>`.
        algolia_endpoint: base URL of an Algolia-compatible server; empty for the application's own hosts.
        pause_seconds: first pause before a failed message is tried again.
        patience_seconds: a run of which nothing was heard for this long stands still.
    """

    model_config = ConfigDict(frozen=True)

    table_name: str
    bucket_name: str
    snapshot_queue_url: str
    parse_queue_url: str
    secret_prefix: str
    algolia_index_name: str
    algolia_endpoint: str
    github_api_url: str
    github_web_url: str
    pause_seconds: float
    patience_seconds: float


@cache
def settings() -> Settings:
    """Raises pydantic's ValidationError, which names each missing variable."""
    names = Settings.model_fields
    return Settings.model_validate({n: os.environ[n.upper()] for n in names if n.upper() in os.environ})
