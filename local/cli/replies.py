"""Bodies of API replies -> the facts that the commands show. Fields that a newer API adds are left alone."""

from pydantic import BaseModel


class Hit(BaseModel):
    entity_name: str
    entity_type: str
    file_path: str
    line_start: int
    language: str
    signature: str | None
    snippet: str
    description: str | None
    url: str | None
    repository: str


class Reflected(BaseModel):
    """The commit that a repository's hits reflect. `freshness`: `fresh`, `pending` or `stale`."""

    repository: str
    commit: str | None
    freshness: str


class NotIndexed(BaseModel):
    repository: str
    reason: str


class SearchReply(BaseModel):
    total_hits: int
    page: int
    pages: int
    results: list[Hit]
    repositories: list[Reflected]
    not_indexed: list[NotIndexed]


class Progress(BaseModel):
    """A run in flight; `failure` is why its newest try failed, which is tried again."""

    commit: str
    packs_done: int
    packs: int
    failure: str | None


class Failure(BaseModel):
    reason: str
    at: int
    commit: str | None


class Repository(BaseModel):
    """`counts`: records by entity type, beside `files`, `bytes` and what was left out."""

    id: int
    name: str
    web_url: str | None
    branch: str
    status: str
    freshness: str
    commit: str | None
    indexed_at: int | None
    progress: Progress | None
    counts: dict[str, int]
    skips: dict[str, int]
    last_run: dict[str, int]
    last_failure: Failure | None


class Repositories(BaseModel):
    repositories: list[Repository]

    def named(self, name: str) -> Repository | None:
        """By number or by `owner/name` in any case."""
        wanted = name.casefold()
        return next((row for row in self.repositories if wanted in (str(row.id), row.name.casefold())), None)


class FileReport(BaseModel):
    """`reason` is null for a file with records."""

    commit: str
    reason: str | None
    explanation: str
    language: str | None
    size: int | None
    entities: dict[str, int]


class NewSource(BaseModel):
    """What the git host takes: the content is at exactly one of `path` and `url`."""

    name: str
    path: str | None = None
    url: str | None = None
    web_url: str | None = None


class Pushed(BaseModel):
    """What the webhook answered."""

    status: int
    body: str


class PushedSource(BaseModel):
    id: int
    name: str
    web_url: str | None
    head: str
    pushed: Pushed


class KnownSource(BaseModel):
    name: str
    path: str | None = None
    url: str | None = None


class KnownSources(BaseModel):
    sources: list[KnownSource]


class Health(BaseModel):
    """`parts`: `ok`, or what is wrong, by dependency."""

    status: str
    parts: dict[str, str]
