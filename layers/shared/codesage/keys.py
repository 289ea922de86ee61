"""API keys: made once, shown once, kept as a hash; a key says which organisation its bearer belongs to."""

import re
import secrets
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256

KEY_PREFIX = "cs_"
TOKEN = re.compile(rf"{KEY_PREFIX}[A-Za-z0-9_-]{{43}}")
MAX_REPOSITORIES = 500  # that one key may name: the authorizer hands on all of them, and may say 8 KB
DAY_SECONDS = 86_400


class Scope(StrEnum):
    SEARCH = "search"
    INDEX = "index"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class ApiKey:
    """What is stored of a key.

    Attributes:
        created, expires: Unix seconds; None never expires.
        repositories: numbers of the only ones it may see; None for all of the organisation.
        used: Unix seconds of the beginning of the day it was last used on; None before its first use.
    """

    id: str
    org: str
    name: str
    scopes: frozenset[str]
    created: int
    expires: int | None = None
    repositories: frozenset[int] | None = None
    used: int | None = None

    def is_valid(self, now: float) -> bool:
        return self.expires is None or now < self.expires


def new_token() -> str:
    """256 random bits, with a prefix by which leak scanners and people know it."""
    return KEY_PREFIX + secrets.token_urlsafe(32)


def is_token(text: str) -> bool:
    """Whether it could have been made here. What could not need not be looked up."""
    return TOKEN.fullmatch(text) is not None


def digest_of(token: str) -> str:
    """What stands for a key in the database. A random key needs no slow hash."""
    return sha256(token.encode()).hexdigest()


def day_of(moment: float) -> int:
    """Unix seconds of the beginning of its day, in UTC: all that is kept of when a key was used."""
    return int(moment // DAY_SECONDS) * DAY_SECONDS
