"""A repository that is being updated -> what somebody who searches it all the while gets to see."""

import itertools
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from tests.repositories import GitRepository

LINK = re.compile(r"https://github\.com/[^/]+/[^/]+/blob/([0-9a-f]{40})/([^#]+)#L(\d+)-L(\d+)")

Search = Callable[[str], Sequence[Mapping[str, Any]]]
"""A function's name -> the hits of a search for it."""


@dataclass
class Reader:
    """Searches for one function after the other, and follows the link of every hit to the lines in git.

    Attributes:
        missed: functions that a search did not find.
        wrong: links that show other lines than their hit, with the hit's text.
        unlinked: how many hits had no link.
        commits: how many links led to each commit.
    """

    repository: GitRepository
    search: Search
    searches: int = 0
    unlinked: int = 0
    missed: list[str] = field(default_factory=list)
    wrong: list[tuple[str, str]] = field(default_factory=list)
    commits: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._lines = cache(self._read_lines)

    def read_until(self, is_over: Callable[[], bool], functions: Sequence[str]) -> None:
        """Search for the functions in turn, again and again, until it is over."""
        for function in itertools.cycle(functions):
            if is_over():
                return
            self.look_for(function)

    def look_for(self, function: str) -> None:
        self.searches += 1
        hits = self.search(function)
        if not any(hit["entity_name"] == function for hit in hits):
            self.missed.append(function)
        for hit in hits:
            self._follow(hit)

    def _follow(self, hit: Mapping[str, Any]) -> None:
        if hit["url"] is None:  # better none than a wrong one
            self.unlinked += 1
            return
        link = LINK.fullmatch(hit["url"])
        assert link is not None, hit["url"]
        commit, path, start, end = link.groups()
        self.commits[commit] += 1
        shown = "\n".join(self._lines(commit, path)[int(start) - 1 : int(end)])
        if shown != hit["snippet"]:
            self.wrong.append((hit["url"], hit["snippet"]))

    def _read_lines(self, commit: str, path: str) -> list[str]:
        return self.repository.git("show", f"{commit}:{path}").split("\n")
