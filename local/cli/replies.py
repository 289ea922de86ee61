"""Bodies of API replies -> the facts that the commands show. Fields that a newer API adds are left alone.

What comes out of repositories is made harmless here, where it enters: see `visible`.
"""

from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, ValidationError

from codesage.links.pages import spelled
from local.cli.errors import CommandError
from local.cli.output import visible

MAX_NAMED = 20  # known repositories in the message about an unknown one


def _on_one_line(text: str) -> str:
    return visible(text).replace("\n", r"\n").replace("\t", r"\t")


Block = Annotated[str, AfterValidator(visible)]
Line = Annotated[str, AfterValidator(_on_one_line)]


class Reply(BaseModel):
    @classmethod
    def of(cls, body: bytes) -> Self:
        """Raises CommandError: it is no reply of this API."""
        try:
            return cls.model_validate_json(body)
        except ValidationError as error:
            raise CommandError(
                "the answer is none that this command can read; is the URL that of a CodeSage, and is the"
                " command as new as it?"
            ) from error


class Highlights(BaseModel):
    """HTML: everything is escaped, and what the query met stands in `<mark>`."""

    entity_name: Line
    description: Line
    snippet: Block


class Hit(BaseModel):
    """`symbol` is the name with its enclosing type; `highlights` only where they were asked for."""

    entity_name: Line
    entity_type: str
    file_path: Line
    line_start: int
    language: str
    signature: Line | None
    snippet: Block
    description: Line | None
    url: Line | None
    repository: str
    kind: str | None
    symbol: Line
    highlights: Highlights | None = None


class Reflected(BaseModel):
    """The commit that a repository's hits reflect. `freshness`: `fresh`, `pending` or `stale`."""

    repository: str
    commit: str | None
    freshness: str


class NotIndexed(BaseModel):
    repository: str
    reason: str


class AtLeast(BaseModel):
    """`reached`: the commit, or one published after it, is what was searched."""

    commit: str
    reached: bool


class SearchReply(Reply):
    """`hints`: what of the question was taken otherwise than it was written. `facets`: counts by value."""

    total_hits: int
    page: int
    pages: int
    results: list[Hit]
    repositories: list[Reflected]
    not_indexed: list[NotIndexed]
    hints: list[str]
    facets: dict[str, dict[str, int]] | None
    at_least: AtLeast | None


class Progress(BaseModel):
    """A run in flight; `failure` is why its newest try failed, which is tried again."""

    commit: str
    packs_done: int
    packs: int
    started_at: int
    failure: Line | None


class Settings(BaseModel):
    """`exclude`: patterns of .gitignore's syntax."""

    exclude: list[Line]


class Failure(BaseModel):
    reason: Line
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
    languages: dict[str, int]
    skips: dict[str, int]
    last_run: dict[str, int]
    last_failure: Failure | None
    settings: Settings


class Repositories(Reply):
    repositories: list[Repository]

    def named(self, name: str) -> Repository | None:
        """By number, `owner/name` or URL, as the API reads them."""
        wanted = spelled(name)
        return next((row for row in self.repositories if wanted in (str(row.id), row.name.lower())), None)

    def known(self) -> str:
        """Names for a message about one that is not known."""
        names = sorted(row.name for row in self.repositories)
        more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
        return f"known repositories: {', '.join(names[:MAX_NAMED]) or 'none yet'}{more}"


class OutlineEntry(BaseModel):
    entity_name: Line
    kind: str
    scope: Line | None
    line_start: int
    signature: Line

    @property
    def symbol(self) -> str:
        return f"{self.scope}.{self.entity_name}" if self.scope else self.entity_name


class FileReport(Reply):
    """`reason` is null for a file with records; `updating`: it is being written, its outline is left out."""

    path: Line
    commit: str
    freshness: str
    updating: bool
    reason: str | None
    explanation: str
    language: str | None
    size: int | None
    lines: int | None
    url: Line | None
    entities: dict[str, int]
    outline: list[OutlineEntry]
    outline_truncated: bool


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
