"""A caller -> the repositories they may see, by number and by the names people give them.

Whatever a caller may not see is to them as if it did not exist: a removed repository, one that is hidden
because its host took it away, and one outside of the key's own list all get the words of an unknown one.
"""

import time
from collections.abc import Iterable, Sequence

from codesage.callers import Caller
from codesage.clients.store import Store
from codesage.errors import NotFound
from codesage.links.pages import page_of, spelled
from codesage.runs import Repository, Status

KEPT_SECONDS = 5.0  # numbers that no search may show; one item per organisation
MAX_NAMED = 20  # known repositories in the message about an unknown one

_hidden: dict[str, tuple[float, frozenset[int]]] = {}


class Catalog:
    """One caller's view of their organisation, as it is at the time of each call."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self.store = Store(caller.org)

    @property
    def is_limited(self) -> bool:
        """The caller's key is for some repositories only."""
        return self._caller.repositories is not None

    def rows(self) -> list[Repository]:
        """All they may see, by number; those that were never completely indexed included."""
        return self._seen(self.store.repositories())

    def row(self, number: int) -> Repository:
        """Raises NotFound, in the same words whatever the reason."""
        seen = self._seen(self.store.rows([number]).values())
        if not seen:
            raise NotFound(f"No repository has the number {number}; GET /v1/repositories lists them.")
        return seen[0]

    def named(self, names: Iterable[str]) -> list[Repository]:
        """Each by its number, `owner/name` or URL, in the order asked for and none twice.

        A name may be that of several, as one was made anew under it: then those that can be searched.

        Raises:
            NotFound: names the first one that is not known, and some that are.
        """
        wanted = list(names)
        if not wanted:
            return []
        rows = self.rows()
        found: dict[int, Repository] = {}
        for name in wanted:
            meant = [row for row in rows if _is_named(row, name)]
            if not meant:
                raise NotFound(f"The repository {name!r} is not known; known repositories: {_some(rows)}.")
            found |= {row.id: row for row in [row for row in meant if row.commit is not None] or meant}
        return list(found.values())

    def hidden(self) -> frozenset[int]:
        """Numbers that searches leave out; of this process, at most KEPT_SECONDS old."""
        kept = _hidden.get(self._caller.org)
        if kept is not None and time.monotonic() < kept[0]:
            return kept[1]
        return self._hidden_now()

    def searchable(self) -> list[int]:
        """Numbers of all they may search, by number."""
        return [row.id for row in self.rows() if row.commit is not None]

    def _hidden_now(self) -> frozenset[int]:
        numbers = self.store.hidden()
        _hidden[self._caller.org] = (time.monotonic() + KEPT_SECONDS, numbers)
        return numbers

    def _seen(self, rows: Iterable[Repository]) -> list[Repository]:
        """Those of the rows that the caller may see.

        One without a commit is on the list of hidden ones until it has one, and may be looked at. So what is
        kept of the list may be older than a first commit, and is read again, once, before it hides anything.
        """
        allowed = [row for row in rows if self._caller.may_see(row.id) and row.status is not Status.REMOVED]
        shown = {row.id for row in allowed if row.commit is not None}
        taken_away = shown & self._hidden_now() if shown & self.hidden() else frozenset()
        return [row for row in allowed if row.id not in taken_away]


def _is_named(row: Repository, name: str) -> bool:
    """A URL also names the host, which must be the row's where that is known."""
    if spelled(name) not in (str(row.id), row.labels.name.lower()):
        return False
    asked, own = page_of(name), page_of(row.labels.web_url or "")
    return asked is None or own is None or asked.host == own.host


def _some(rows: Sequence[Repository]) -> str:
    names = sorted(row.labels.name for row in rows)
    more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    return (", ".join(names[:MAX_NAMED]) or "none yet") + more
