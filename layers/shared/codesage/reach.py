"""The repositories that a question names -> where it looks, and which of them cannot be searched yet."""

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel

from codesage.catalog import Catalog
from codesage.clients.store import Store
from codesage.errors import InvalidRequest
from codesage.filters import Selection
from codesage.queries import Query
from codesage.repositories import NotIndexed, not_indexed, not_ready
from codesage.runs import Repository

MAX_LEFT_OUT = 200  # hidden repositories in one filter; with more, the shorter list of the two is sent
AWAITED_SECONDS, LOOK_SECONDS = 5.0, 0.2


class AtLeast(BaseModel):
    """The commit that was waited for. `reached`: it, or one published after it, is what was searched."""

    commit: str
    reached: bool


@dataclass(frozen=True, slots=True)
class Reach:
    """Where a question looks.

    Attributes:
        asked: the repositories that were named, or None where none was.
        numbers: the only ones to search, or None for all but `hidden`.
        not_indexed: those of `asked` that cannot be searched yet.
        unwanted: those that the question excludes.
    """

    asked: Sequence[Repository] | None
    numbers: Sequence[int] | None
    not_indexed: Sequence[NotIndexed] = ()
    hidden: Collection[int] = field(default_factory=frozenset)
    unwanted: Sequence[int] = ()

    @property
    def selections(self) -> tuple[Selection, Selection]:
        wanted = Selection(repositories=tuple(self.numbers or ()))
        return wanted, Selection(repositories=tuple(self.unwanted), excluded=True)

    @property
    def is_empty(self) -> bool:
        """Nothing is there to be searched."""
        return self.numbers is not None and not self.numbers

    def refuse_unready(self) -> None:
        """Raises NotReady where repositories were named and none of them can be searched."""
        if self.asked and self.is_empty:
            raise not_ready(self.not_indexed)


def reach_of(catalog: Catalog, names: Sequence[str], query: Query) -> Reach:
    """Where to look: named repositories, of which some may not be ready, or all that the caller may see.

    Raises NotFound, which names the first unknown one.
    """
    unwanted = [row.id for row in catalog.named(query.unwanted.repositories)]
    asked = _asked(catalog, names, query.wanted.repositories)
    if asked is not None:
        ready = [row.id for row in asked if row.commit is not None]
        waiting = [not_indexed(catalog.store, row) for row in asked if row.commit is None]
        return Reach(asked, ready, waiting, unwanted=unwanted)
    hidden = catalog.hidden()
    if catalog.is_limited:
        return Reach(None, catalog.searchable(), unwanted=unwanted)
    if len(hidden) > MAX_LEFT_OUT:
        searchable = catalog.searchable()
        if len(searchable) <= len(hidden):
            return Reach(None, searchable, unwanted=unwanted)
    return Reach(None, None, hidden=hidden, unwanted=unwanted)


def _asked(catalog: Catalog, names: Sequence[str], inline: Sequence[str]) -> list[Repository] | None:
    """Those named by a parameter and, where `q` names some as well, also by it."""
    if not names and not inline:
        return None
    by_parameter, by_query = catalog.named(names), catalog.named(inline)
    if not names or not inline:
        return by_parameter or by_query
    both = {row.id for row in by_query}
    return [row for row in by_parameter if row.id in both]


def awaited(catalog: Catalog, reach: Reach, commit: str) -> AtLeast:
    """Wait until the one repository asked for shows the commit, or time is up.

    A commit that a newer one overtook before it was ever published never shows.
    """
    if reach.asked is None or len(reach.asked) != 1:
        raise InvalidRequest("at_least needs exactly one repository.")
    row, deadline = reach.asked[0], time.monotonic() + AWAITED_SECONDS
    reached = _has_shown(catalog.store, row, commit)
    while not reached and time.monotonic() + LOOK_SECONDS < deadline:
        time.sleep(LOOK_SECONDS)
        before, row = row, catalog.row(row.id)
        if row.version != before.version:
            reached = _has_shown(catalog.store, row, commit)
    return AtLeast(commit=commit, reached=reached)


def _has_shown(store: Store, row: Repository, commit: str) -> bool:
    """Whether it is published, or was before; not where a branch that went back to it waits to be indexed."""
    if row.commit is None or (row.wanted or "").startswith(commit):
        return False
    if row.commit.startswith(commit):
        return True
    runs = [run for run in store.runs(row.id) if run.commit.startswith(commit)]
    return any(run.published_at for run in runs) and row.run not in {run.seq for run in runs}
