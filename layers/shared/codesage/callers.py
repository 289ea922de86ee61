"""What the authorizer found out about a key -> who is asking, and what they may do."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from codesage.errors import Forbidden
from codesage.keys import Scope


@dataclass(frozen=True, slots=True)
class Caller:
    """The bearer of a valid key. No organisation that a client sends is ever read."""

    org: str
    scopes: frozenset[str]

    def needs(self, scope: Scope) -> None:
        """Raises Forbidden."""
        if scope not in self.scopes:
            raise Forbidden(f"This key lacks the scope {scope!s}; it has: {', '.join(sorted(self.scopes))}.")


def caller_of(request_context: Mapping[str, Any]) -> Caller:
    context = request_context["authorizer"]
    return Caller(context["org"], frozenset(context["scopes"].split()))
