"""What the authorizer found out about a key <-> who is asking, and what they may do and see."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from codesage.errors import Forbidden
from codesage.keys import ApiKey, Scope


@dataclass(frozen=True, slots=True)
class Caller:
    """The bearer of a valid key. No organisation that a client sends is ever read.

    Attributes:
        repositories: numbers of the only ones the key may see; None where it may see all.
    """

    org: str
    key_id: str
    scopes: frozenset[str]
    repositories: frozenset[int] | None = None

    def needs(self, scope: Scope) -> None:
        """Raises Forbidden."""
        if scope not in self.scopes:
            raise Forbidden(f"This key lacks the scope {scope!s}; it has: {', '.join(sorted(self.scopes))}.")

    def may_see(self, repository_id: int) -> bool:
        return self.repositories is None or repository_id in self.repositories


def context_of(key: ApiKey) -> dict[str, str]:
    """What the authorizer hands on; API Gateway passes text only."""
    context = {"org": key.org, "key_id": key.id, "scopes": " ".join(sorted(key.scopes))}
    if key.repositories is not None:
        context["repositories"] = " ".join(map(str, sorted(key.repositories)))
    return context


def caller_of(request_context: Mapping[str, Any]) -> Caller:
    context = request_context["authorizer"]
    limit = context.get("repositories")
    return Caller(
        context["org"],
        context["key_id"],
        frozenset(context["scopes"].split()),
        None if limit is None else frozenset(map(int, limit.split())),
    )
