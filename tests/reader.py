"""A repository that is being updated -> what somebody who searches it all the while gets to see."""

import itertools
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from tests.repositories import GitRepository

LINK = re.compile(r"https://github\.com/[^/]+/[^/]+/blob/([0-9a-f]{40})/([^#]+)#L(\d+)-L(\d+)")

Search = Callable[[str], list[Mapping[str, Any]]]
"""A function's name -> the hits of a search for it."""


@dataclass
class Reader:
    """Searches for one function after the other, and follows the link of every hit to the lines in git.

    Attributes:
        missed: functions that a search did not find.
        wrong: links that show other lines than their hit, with the hit's text.
        commits: how many links led to each commit.
    """

    repository: GitRepository
    search: Search
    searches: int = 0
    missed: list[str] = field(default_factory=list)
    wrong: list[tuple[str, str]] = field(default_factory=list)
    commits: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._lines = cache(self._read)

    def read_until(self, is_over: Callable[[], bool], functions: Iterable[str]) -> None:
        """Search for the functions, again and again from the first, until it is over; once each at least."""
        for function in itertools.cycle(functions) : ...

    def read(self, function: str) -> None:
        self.searches += 1
        hits = [hit for hit in self.search(function) if hit["entity_name"] == function]
        if not hits:
            self.missed.append(function)
        for hit in hits:
            self._follow(hit)

    def _follow(self, hit: Mapping[str, Any]) -> None:
        link = LINK.fullmatch(hit["url"])
        assert link is not None, hit["url"]
        commit, path, start, end = link.groups()
        self.commits[commit] = self.commits.get(commit, 0) + 1
        shown = "\n".join(self._lines(commit, path)[int(start) - 1 : int(end)])
        if shown != hit["snippet"]:
            self.wrong.append((hit["url"], hit["snippet"]))

    def _read(self, commit: str, path: str) -> list[str]:
        return self.repository.git("show", f"{commit}:{path}").split("\n")
