"""A pushed commit -> progress on the screen, until the API says that it is searchable."""

import math
import time
from typing import Final

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from local.cli.api import Api
from local.cli.errors import CommandError
from local.cli.output import note, out
from local.cli.replies import Repositories, Repository
from local.cli.view import packs_done

POLL_SECONDS: Final = 0.25
SILENCE_SECONDS: Final = 30


class Indexing:
    """Follows one repository. Made before the push, because what stood there before must not pass for news.

    Args:
        client: of the stack that indexes.
        name: of the repository, known to the API or not yet.
    """

    def __init__(self, client: Api, name: str) -> None:
        self._client = client
        self._name = name
        before = self._row()
        self._failure = before.last_failure if before else None
        self._commit = before.commit if before else None

    def wait(self, head: str, patience: float = math.inf) -> Repository:
        """Show how far it is until `head`, or a commit pushed after it, is searchable.

        Args:
            patience: seconds to wait.

        Raises:
            CommandError: indexing failed, and why; or it takes longer than `patience`.
        """
        deadline = time.monotonic() + patience
        with _Display(self._name) as display:
            while True:
                row = self._row()
                if row is not None and self._is_searchable(row, head):
                    return row
                if time.monotonic() > deadline:
                    raise CommandError(f"{self._name} was not searchable after {patience:.0f} s")
                display.update(row)
                time.sleep(POLL_SECONDS)

    def _is_searchable(self, row: Repository, head: str) -> bool:
        failure = row.last_failure
        if failure is not None and failure != self._failure:
            raise CommandError(
                f"{row.name} could not be indexed: {failure.reason} It is tried again by itself."
            )
        # The host's head of now is indexed, which may be newer than the one that was pushed.
        published = row.commit == head or row.commit not in (None, self._commit)
        return published and row.freshness == "fresh"

    def _row(self) -> Repository | None:
        return Repositories.of(self._client.get("/v1/repositories")).named(self._name)


class _Display:
    """A bar on a terminal; else a line each time something changed."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._last = ""
        self._changed = time.monotonic()
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=out,
            transient=True,
            disable=not out.is_terminal,
        )
        self._task = self._bar.add_task(name, total=None)

    def __enter__(self) -> "_Display":
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def update(self, row: Repository | None) -> None:
        progress = row.progress if row else None
        state = "waiting for its turn"
        if progress is not None:
            state = packs_done(progress)
            self._bar.update(self._task, completed=progress.packs_done, total=progress.packs)
        self._say(f"{self._name}: {state}")

    def _say(self, line: str) -> None:
        now = time.monotonic()
        if line != self._last:
            self._last, self._changed = line, now
            self._bar.update(self._task, description=line)
            if not out.is_terminal:
                out.print(Text(line))
        elif now - self._changed > SILENCE_SECONDS:
            self._changed = now
            note(
                f"{self._name}: nothing new for {SILENCE_SECONDS} s;"
                " the logs are in the folder that `codesage up` names."
            )
