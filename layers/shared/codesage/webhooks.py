"""A host's signed event -> the SnapshotRequest it stands for, or the reason why it means nothing to us.

Pure: no database, no host call. A webhook is only a hint; what is true is the host's branch head.
"""

import hmac
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from http import HTTPStatus
from urllib.parse import parse_qs

from pydantic import BaseModel, ValidationError

from codesage.errors import InvalidRequest, NotFound, Unauthenticated
from codesage.messages import ORG, Labels, SnapshotRequest

NO_COMMIT = "0"  # a hash of nothing but zeros, in 40 or 64 digits


@dataclass(frozen=True, slots=True)
class Event:
    """A delivery after verification: header names in lower case, body as received."""

    org: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Ignored:
    """Answered with 2xx: hosts disable hooks that get 4xx for what they cannot know we ignore."""

    reason: str
    status: HTTPStatus = HTTPStatus.ACCEPTED


class GitHubRepository(BaseModel):
    """`html_url` is null only on a local host that knows no web address for a folder."""

    id: int
    full_name: str
    html_url: str | None = None
    default_branch: str


class GitHubPush(BaseModel):
    """The fields of a push that are used; the payload has many more."""

    ref: str
    before: str
    after: str
    repository: GitHubRepository


def github_request(event: Event, secret: str) -> SnapshotRequest | Ignored:
    """Raises Unauthenticated for a wrong signature and InvalidRequest for a body that is no such event.

    Source: `spec: hosts`, A1 and A2.
    """
    verify_sha256(event.body, event.headers.get("x-hub-signature-256"), secret)
    kind = event.headers.get("x-github-event", "")
    delivery = event.headers.get("x-github-delivery")
    if not kind or not delivery:
        raise InvalidRequest("The headers X-GitHub-Event and X-GitHub-Delivery are needed.")
    payload = _payload(event)
    if kind == "ping":
        return Ignored("ping: the webhook is set up", HTTPStatus.OK)
    if kind != "push":
        return Ignored(f"events of type {kind!r} change nothing here")
    try:
        push = GitHubPush.model_validate(payload)
    except ValidationError as error:
        fields = sorted({".".join(map(str, problem["loc"])) or "the payload" for problem in error.errors()})
        raise InvalidRequest(f"The push event lacks or misstates: {', '.join(fields)}.") from error
    return _pushed(event.org, delivery, push)


def _pushed(org: str, delivery: str, push: GitHubPush) -> SnapshotRequest | Ignored:
    branch = push.repository.default_branch
    if push.ref != f"refs/heads/{branch}":
        return Ignored(f"{push.ref} is not the tracked branch {branch}")
    try:
        return SnapshotRequest(
            org=org,
            host="github",
            host_id=str(push.repository.id),
            delivery=delivery,
            labels=Labels(name=push.repository.full_name, web_url=push.repository.html_url, branch=branch),
            before=_commit(push.before),
            after=_commit(push.after),
        )
    except ValidationError as error:
        raise InvalidRequest("The push event's commit ids are not hexadecimal object ids.") from error


def verify_sha256(body: bytes, signature: str | None, secret: str) -> None:
    """HMAC-SHA256 over the raw bytes, compared in constant time.

    Raises:
        Unauthenticated: no signature, another form of one, or one made with another secret.
    """
    expected = "sha256=" + hmac.new(secret.strip().encode(), body, sha256).hexdigest()
    if signature is None or not hmac.compare_digest(expected.encode(), signature.encode("utf-8", "replace")):
        raise Unauthenticated("The delivery is not signed with this webhook's secret (X-Hub-Signature-256).")


def _payload(event: Event) -> object:
    """The JSON, also where the hook was set up to send it as a form's field."""
    try:
        if event.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
            return json.loads(parse_qs(event.body.decode()).get("payload", [""])[0])
        return json.loads(event.body)
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(
            "The body is not JSON; set the webhook's content type to application/json."
        ) from error


def _commit(sha: str) -> str | None:
    """None for the zeros that stand for "no commit" when a ref is made or deleted."""
    return sha if sha.strip(NO_COMMIT) else None


HOSTS: Mapping[str, Callable[[Event, str], SnapshotRequest | Ignored]] = {"github": github_request}


def request_of(host: str, event: Event, secret: str) -> SnapshotRequest | Ignored:
    return HOSTS[host](event, secret)


def check_route(org: str, host: str) -> None:
    """Raises NotFound where no webhook can be meant, before anything is looked up for it."""
    if not ORG.fullmatch(org):
        raise NotFound(f"{org!r} is no organisation.")
    if host not in HOSTS:
        raise NotFound(f"No webhooks are taken for {host!r}; known hosts: {', '.join(sorted(HOSTS))}.")
