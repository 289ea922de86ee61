"""A path and parameters -> the bytes of an API's reply, or an error in its own words."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus

import urllib3
from pydantic import BaseModel, ValidationError

from codesage.records import text_of
from local.cli.deployment import Deployment, deployment
from local.cli.errors import CommandError
from local.profile import Profile

# Longer than the gateway's own limit of 29 s, whose answer says more than ours would.
_TIMEOUT = urllib3.Timeout(connect=5, read=35)

_SOURCES = "/_local/sources"
_TOKEN_HEADER = "X-Local-Token"  # noqa: S105 - the header's name

Fields = Sequence[tuple[str, str]]


class _Problem(BaseModel):
    type: str
    message: str


class _ErrorReply(BaseModel):
    error: _Problem


class Api:
    """The HTTP API of one deployment; connections are kept open between calls."""

    def __init__(self, where: Deployment) -> None:
        self.where = where
        self._pool = urllib3.PoolManager(timeout=_TIMEOUT, retries=False)

    def get(self, path: str, fields: Fields = ()) -> bytes:
        """GET one route.

        Args:
            fields: query parameters; a name may repeat. Bytes that are no UTF-8 go as the API writes them.

        Raises:
            CommandError: nobody answers, or the answer is an error.
        """
        key = self.where.api_key
        return self._asked(
            "GET",
            self.where.url + path,
            fields=[(name, text_of(value)) for name, value in fields],
            headers={"Authorization": f"Bearer {key}"} if key else {},
        )

    def post_source(self, source: BaseModel) -> bytes:
        """Register a source at the local stack's git host and push it.

        Raises:
            CommandError: see `get`; also where there is no local stack.
        """
        host = self._git_host()
        return self._asked(
            "POST",
            host.githost_url + _SOURCES,
            body=source.model_dump_json().encode(),
            headers={"Content-Type": "application/json", _TOKEN_HEADER: host.githost_token},
            timeout=urllib3.Timeout(connect=5, read=None),  # a clone takes as long as it takes
        )

    def sources(self) -> bytes:
        """The sources that the local stack's git host serves. Raises as `post_source`."""
        host = self._git_host()
        headers = {_TOKEN_HEADER: host.githost_token}
        return self._asked("GET", host.githost_url + _SOURCES, headers=headers)

    def _git_host(self) -> Profile:
        if self.where.profile is None:
            raise CommandError(
                "folders and URLs are indexed by the local stack; a deployed one indexes what its git host"
                " pushes. Unset CODESAGE_URL to use the local one"
            )
        return self.where.profile

    def _asked(
        self,
        method: str,
        url: str,
        *,
        headers: dict[str, str],
        fields: Fields = (),
        body: bytes | None = None,
        timeout: urllib3.Timeout = _TIMEOUT,
    ) -> bytes:
        try:
            if body is None:
                reply = self._pool.request(method, url, fields=list(fields), headers=headers, timeout=timeout)
            else:
                reply = self._pool.request(method, url, body=body, headers=headers, timeout=timeout)
        except urllib3.exceptions.HTTPError as error:
            raise CommandError(self._silence()) from error
        if reply.status >= HTTPStatus.BAD_REQUEST:
            raise CommandError(self._refusal(reply.status, reply.data, reply.headers))
        return reply.data

    def _silence(self) -> str:
        if self.where.profile is None:
            return f"{self.where.url} does not answer; is CODESAGE_URL right?"
        return f"the stack at {self.where.url} does not answer; start it with `codesage up`"

    def _refusal(self, status: int, body: bytes, headers: Mapping[str, str]) -> str:
        try:
            message = _ErrorReply.model_validate_json(body).error.message
        except ValidationError:
            return f"{self.where.url} answered {status}, and not in the words of CodeSage; is the URL right?"
        if status == HTTPStatus.UNAUTHORIZED:
            return f"{message} CODESAGE_API_KEY says which key is used; `codesage keys create` makes one."
        wait = headers.get("Retry-After", "")
        return f"{message} It may work in {wait} s." if wait.isdecimal() else message


def api() -> Api:
    """The API that the environment or the local profile names; see `deployment`."""
    return Api(deployment())
