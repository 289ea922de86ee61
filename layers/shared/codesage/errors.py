"""The errors this service raises on purpose.

CodeSageError
├── InvalidRequest      400  the caller must send something else
├── Unauthenticated     401  no valid key, or a webhook that was not signed with our secret
├── Forbidden           403  the key is valid and lacks the scope
├── NotFound            404  no such route, repository, commit, path
├── MethodNotAllowed    405  the path exists and takes other methods
├── NotReady            409  the repository exists and was never completely indexed
├── TooManyRequests     429  the key asks more often than it may
├── Misconfigured       503  a secret that the operator must fill in is missing or empty
├── Unavailable         503  a git host, Algolia or AWS failed; the same call may work later
├── Rejected            502  an outside service understood us and refused; trying again will not help
├── CorruptObject       500  a stored object does not match its own table
└── Superseded               the run this message belongs to is over; the message is dropped, not retried
"""

from collections.abc import Sequence
from http import HTTPStatus
from typing import ClassVar


class CodeSageError(Exception):
    """Base class. `str(error)` is shown to callers, so it holds no secret, host or vendor text."""

    status: ClassVar[HTTPStatus] = HTTPStatus.INTERNAL_SERVER_ERROR


class InvalidRequest(CodeSageError):
    status = HTTPStatus.BAD_REQUEST


class Unauthenticated(CodeSageError):
    status = HTTPStatus.UNAUTHORIZED


class Forbidden(CodeSageError):
    status = HTTPStatus.FORBIDDEN


class NotFound(CodeSageError):
    status = HTTPStatus.NOT_FOUND


class MethodNotAllowed(CodeSageError):
    """`allowed`: the methods that the path takes."""

    status = HTTPStatus.METHOD_NOT_ALLOWED

    def __init__(self, message: str, allowed: Sequence[str]) -> None:
        super().__init__(message)
        self.allowed = allowed


class NotReady(CodeSageError):
    """`retry_after`: seconds until it may be ready, where it is on its way."""

    status = HTTPStatus.CONFLICT

    def __init__(self, message: str, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class TooManyRequests(CodeSageError):
    """`retry_after`: seconds until the key may ask again."""

    status = HTTPStatus.TOO_MANY_REQUESTS

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Misconfigured(CodeSageError):
    status = HTTPStatus.SERVICE_UNAVAILABLE


class Unavailable(CodeSageError):
    """Worth another try.

    Args:
        message: what to tell the caller.
        retry_after: seconds until another try is sensible, where that is known.
    """

    status = HTTPStatus.SERVICE_UNAVAILABLE

    def __init__(self, message: str, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Rejected(CodeSageError):
    status = HTTPStatus.BAD_GATEWAY


class CorruptObject(CodeSageError):
    """A pack or tree failed its own checks; another read gives the same bytes."""


class Superseded(CodeSageError):
    """Raised by conditional writes of a run that is no longer in flight. Never reaches a caller."""
