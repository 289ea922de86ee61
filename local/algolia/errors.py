"""What the service refuses -> the status and message it answers with."""

from http import HTTPStatus


class ApiError(Exception):
    """A 4xx answer.

    Args:
        message: shown to the caller; the wording follows the service where a report of it is known.
        status: always below 500: one 5xx makes the official client avoid the host for five minutes.
        details: further members of the answer's body.
    """

    def __init__(
        self, message: str, status: HTTPStatus = HTTPStatus.BAD_REQUEST, **details: str | int
    ) -> None:
        super().__init__(message)
        self.status = status
        self.body: dict[str, str | int] = {"message": message, "status": int(status), **details}


class UnknownIndexError(ApiError):
    def __init__(self, name: str) -> None:
        super().__init__(f"Index {name} does not exist", HTTPStatus.NOT_FOUND)
