"""Branch heads, tree listings, blobs and archives <- GitHub's REST API.

Everything is asked for by the repository's number, so a rename on the host changes nothing here; only a new
repository is looked up by its name.
"""

import json
import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import IO, cast
from urllib.parse import quote, urljoin, urlsplit

import urllib3
from urllib3.exceptions import HTTPError
from urllib3.util import Retry, Timeout

from codesage.clients.secrets import secret
from codesage.errors import Rejected, Unavailable
from codesage.messages import CommitSha, Labels
from codesage.settings import settings

LOG = logging.getLogger(__name__)

RETRY = Retry(
    total=3,
    backoff_factor=0.3,
    backoff_jitter=0.3,
    status_forcelist=(500, 502, 503, 504),
    redirect=0,
    respect_retry_after_header=False,  # it would sleep as long as it is told; the queue can wait better
    raise_on_status=False,
    raise_on_redirect=False,
)
TIMEOUT = Timeout(connect=5, read=30)
IMPATIENT = Timeout(connect=2, read=4)  # with its tries less than the 29 s that a caller over HTTP waits
MOVED = (301, 302, 307, 308)
LOW_SHARE = 0.1  # of the hour's requests
JSON = "application/vnd.github+json"
RAW = "application/vnd.github.raw+json"


@dataclass(frozen=True, slots=True)
class Listed:
    """One path of a commit as the host's tree listing has it. `size` is 0 for a submodule."""

    path: str
    mode: str
    blob: str
    size: int


@dataclass(frozen=True, slots=True)
class Known:
    """A repository as the host knows it: its number, and what it is called now."""

    host_id: str
    labels: Labels


class GitHub:
    """One organisation's GitHub, read with its token where it has one.

    Raises:
        Rejected: 401, 403 or 404, in words that name what to check.
        Unavailable: failures, timeouts and rate limits.
    """

    def __init__(self, org: str, timeout: Timeout = TIMEOUT) -> None:
        self._timeout = timeout
        self._token = secret(org, "github/token").get("TOKEN", "").strip()
        self._base = settings().github_api_url.rstrip("/")
        self.has_budget = True
        """False once few requests of the hour are left: then bytes are cheaper than requests."""

    def repository(self, name: str) -> Known | None:
        """Look up `owner/name`, which may be a former name; None where the token sees no such repository."""
        reply = self._get(f"/repos/{quote(name)}", JSON, absent=(404,))
        if reply is None:
            return None
        facts = json.loads(reply)
        labels = Labels(name=facts["full_name"], web_url=facts["html_url"], branch=facts["default_branch"])
        return Known(str(facts["id"]), labels)

    def head(self, host_id: str, branch: str) -> CommitSha | None:
        """The commit the branch points at now; None where there is no such branch, or no commit at all."""
        path = f"/repositories/{host_id}/git/ref/heads/{quote(branch)}"
        reply = self._get(path, JSON, absent=(404, 409))
        if reply is not None:
            return str(cast("dict[str, dict[str, str]]", json.loads(reply))["object"]["sha"])
        self._get(f"/repositories/{host_id}", JSON)  # tells a missing branch from a missing repository
        return None

    def listing(self, host_id: str, commit: CommitSha) -> list[Listed] | None:
        """Every path of the commit; None where the host has no listing of it, or says that it is cut off."""
        reply = self._get(f"/repositories/{host_id}/git/trees/{commit}?recursive=1", JSON, absent=(404, 409))
        tree = None if reply is None else json.loads(reply)
        if tree is None or tree.get("truncated"):
            return None
        return [
            Listed(entry["path"], entry["mode"], entry["sha"], int(entry.get("size", 0)))
            for entry in tree["tree"]
            if entry["type"] != "tree"
        ]

    def blob(self, host_id: str, blob: str) -> bytes:
        return cast("bytes", self._get(f"/repositories/{host_id}/git/blobs/{blob}", RAW))

    @contextmanager
    def archive(self, host_id: str, commit: CommitSha) -> Iterator[IO[bytes]]:
        """The commit's tar.gz as a stream. The redirect to another origin is followed without the token."""
        first = self._request(f"{self._base}/repositories/{host_id}/tarball/{commit}", JSON)
        target = first.headers.get("location")
        if target is None:
            self._refuse(first)
            with _closing(first) as stream:
                yield stream
            return
        first.drain_conn()
        url = urljoin(self._base, target)
        second = self._request(url, "*/*", signed=_origin(url) == _origin(self._base))
        self._refuse(second)
        with _closing(second) as stream:
            yield stream

    def _get(self, path: str, accept: str, absent: tuple[int, ...] = ()) -> bytes | None:
        reply = self._request(self._base + path, accept)
        target = urljoin(self._base, reply.headers.get("location", ""))
        if reply.status in MOVED and _origin(target) == _origin(self._base):
            reply.drain_conn()
            reply = self._request(target, accept)
        try:
            if reply.status in absent:
                return None
            self._refuse(reply)
            return reply.read(decode_content=True)
        except HTTPError as error:
            raise Unavailable("The git host cut off its reply; it is asked again.") from error
        finally:
            reply.drain_conn()
            reply.release_conn()

    def _request(self, url: str, accept: str, *, signed: bool = True) -> urllib3.BaseHTTPResponse:
        headers = {"Accept": accept, "User-Agent": "codesage", "X-GitHub-Api-Version": "2022-11-28"}
        if signed and self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        try:
            reply = _pool().request(
                "GET",
                url,
                headers=headers,
                redirect=False,
                preload_content=False,
                retries=RETRY,
                timeout=self._timeout,
            )
        except HTTPError as error:
            raise Unavailable("The git host does not answer; it is asked again.") from error
        left, limit = (reply.headers.get(f"x-ratelimit-{name}", "") for name in ("remaining", "limit"))
        if left.isdigit() and limit.isdigit():
            self.has_budget = int(left) > LOW_SHARE * int(limit)
        return reply

    def _refuse(self, reply: urllib3.BaseHTTPResponse) -> None:
        """Turn a status that is no success into one of our errors."""
        if reply.status < 300:
            return
        LOG.warning("The git host answered %s", reply.status)
        limited = reply.status == 403 and reply.headers.get("x-ratelimit-remaining") == "0"
        secondary = reply.status == 403 and "retry-after" in reply.headers
        if reply.status == 429 or limited or secondary:
            raise Unavailable(
                "The git host's rate limit is used up; it is asked again later.", _pause(reply.headers)
            )
        match reply.status:
            case 401:
                raise Rejected(
                    "The git host refused the token (401): check TOKEN in the host's token secret."
                )
            case 403:
                raise Rejected("The git host denied access (403): the token needs read access to contents.")
            case 404:
                raise Rejected(
                    "The git host knows no such repository (404): it is gone, or the token may not see it."
                )
            case status if status < 500:
                raise Rejected(f"The git host refused the request ({status}).")
            case status:
                raise Unavailable(f"The git host failed ({status}); it is asked again.")


def _pause(headers: Mapping[str, str]) -> int:
    """Seconds until the host wants to be asked again, as it says itself."""
    after, resets = headers.get("retry-after", ""), headers.get("x-ratelimit-reset", "")
    if after.isdigit():
        return int(after)
    return max(1, int(resets) - int(time.time())) if resets.isdigit() else 60


@cache
def _pool() -> urllib3.PoolManager:
    return urllib3.PoolManager(maxsize=8)


@contextmanager
def _closing(reply: urllib3.BaseHTTPResponse) -> Iterator[IO[bytes]]:
    try:
        yield cast("IO[bytes]", reply)
    except HTTPError as error:
        raise Unavailable("The git host cut off the archive; it is asked again.") from error
    finally:
        reply.close()


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc
