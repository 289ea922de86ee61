"""Signed events become hints; everything else is refused or ignored with its reason."""

import hmac
import json
from hashlib import sha256
from urllib.parse import quote

import pytest

from codesage.errors import InvalidRequest, NotFound, Unauthenticated
from codesage.messages import Labels, SnapshotRequest
from codesage.webhooks import Event, Ignored, check_route, request_of, verify_sha256

SECRET = "It's a Secret to Everybody"
BEFORE, AFTER = "a" * 40, "b" * 40
PUSH = {
    "ref": "refs/heads/main",
    "before": BEFORE,
    "after": AFTER,
    "repository": {
        "id": 7,
        "full_name": "octo/hello",
        "html_url": "https://github.com/octo/hello",
        "default_branch": "main",
    },
    "commits": [{"message": "fix 🚀 naïve – 日本"}],
}


def signed(body: bytes, kind: str = "push", **headers: str) -> Event:
    signature = "sha256=" + hmac.new(SECRET.encode(), body, sha256).hexdigest()
    given = {"x-hub-signature-256": signature, "x-github-event": kind, "x-github-delivery": "d-1"}
    return Event("default", {**given, **headers}, body)


def push(**changes: object) -> Event:
    return signed(json.dumps({**PUSH, **changes}).encode())


def test_the_published_example_of_a_signature_is_accepted() -> None:
    expected = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"

    verify_sha256(b"Hello, World!", f"sha256={expected}", SECRET)


@pytest.mark.parametrize("ascii_only", [True, False], ids=["with escapes", "as literal UTF-8"])
def test_a_push_to_the_tracked_branch_becomes_a_hint(ascii_only: bool) -> None:
    event = signed(json.dumps(PUSH, ensure_ascii=ascii_only).encode())

    assert request_of("github", event, SECRET) == SnapshotRequest(
        org="default",
        host="github",
        host_id="7",
        delivery="d-1",
        labels=Labels(name="octo/hello", web_url="https://github.com/octo/hello", branch="main"),
        before=BEFORE,
        after=AFTER,
    )


def test_the_secret_may_have_a_newline_at_its_end_in_the_store() -> None:
    assert isinstance(request_of("github", push(), SECRET + "\n"), SnapshotRequest)


def test_a_hook_that_sends_forms_is_understood() -> None:
    body = b"payload=" + quote(json.dumps(PUSH)).encode()

    event = signed(body, **{"content-type": "application/x-www-form-urlencoded"})

    assert isinstance(request_of("github", event, SECRET), SnapshotRequest)


@pytest.mark.parametrize(
    "signature",
    [
        None,
        "",
        "sha256=",
        "sha256=zz",
        "sha1=" + "0" * 40,
        "sha256=" + "0" * 64,
        "sha256=é",
        hmac.new(SECRET.encode(), json.dumps(PUSH).encode(), sha256).hexdigest(),
        "sha256=" + hmac.new(SECRET.encode(), json.dumps(PUSH).encode(), sha256).hexdigest().upper(),
    ],
)
def test_any_other_signature_is_refused(signature: str | None) -> None:
    headers = {"x-github-event": "push", "x-github-delivery": "d"}
    if signature is not None:
        headers["x-hub-signature-256"] = signature

    with pytest.raises(Unauthenticated):
        request_of("github", Event("default", headers, json.dumps(PUSH).encode()), SECRET)


def test_one_flipped_byte_is_refused() -> None:
    event = push()

    with pytest.raises(Unauthenticated):
        request_of("github", Event("default", event.headers, event.body.replace(b"octo", b"Octo")), SECRET)


@pytest.mark.parametrize("body", [b"", b"{", b"[1, 2", b"\xff\xfe", b"[" * 100_000])
def test_a_signed_body_that_is_not_json_is_bad_input(body: bytes) -> None:
    with pytest.raises(InvalidRequest, match="not JSON"):
        request_of("github", signed(body), SECRET)


def test_a_push_that_lacks_fields_names_them() -> None:
    event = signed(json.dumps({"ref": "refs/heads/main", "repository": {"id": 7}}).encode())

    with pytest.raises(
        InvalidRequest, match=r"after, before, repository\.default_branch, repository\.full_name"
    ):
        request_of("github", event, SECRET)


def test_commit_ids_that_are_none_are_bad_input() -> None:
    with pytest.raises(InvalidRequest, match="commit ids"):
        request_of("github", push(after="main"), SECRET)


def test_a_deleted_branch_has_no_commit_after_it() -> None:
    request = request_of("github", push(after="0" * 40), SECRET)

    assert isinstance(request, SnapshotRequest)
    assert request.after is None


@pytest.mark.parametrize("ref", ["refs/heads/feature/main", "refs/tags/main", "refs/heads/maintenance"])
def test_another_ref_is_ignored_with_its_reason(ref: str) -> None:
    assert request_of("github", push(ref=ref), SECRET) == Ignored(f"{ref} is not the tracked branch main")


@pytest.mark.parametrize("kind", ["ping", "issues", "no_such_event"])
def test_other_events_are_ignored_with_their_reason(kind: str) -> None:
    ignored = request_of("github", signed(b"{}", kind), SECRET)

    assert isinstance(ignored, Ignored)
    assert kind in ignored.reason


def test_a_route_that_can_mean_no_webhook_is_not_found() -> None:
    with pytest.raises(NotFound, match="known hosts: github"):
        check_route("default", "sourceforge")
    with pytest.raises(NotFound, match="no organisation"):
        check_route("Not_A_Slug", "github")
