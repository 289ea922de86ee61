"""API keys: made once, shown once, kept as a hash; a key says which organisation its bearer belongs to."""

import secrets
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256

KEY_PREFIX = "cs_"


class Scope(StrEnum):
    SEARCH = "search"
    INDEX = "index"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class ApiKey:
    """What is stored of a key. `created` and `expires` are in Unix seconds; None never expires."""

    id: str
    org: str
    name: str
    scopes: frozenset[str]
    created: int
    expires: int | None = None

    def is_valid(self, now: float) -> bool:
        return self.expires is None or now < self.expires


def new_token() -> str:
    """256 random bits, with a prefix by which leak scanners and people know it."""
    return KEY_PREFIX + secrets.token_urlsafe(32)


def digest_of(token: str) -> str:
    """What stands for a key in the database. A random key needs no slow hash."""
    return sha256(token.encode()).hexdigest()
