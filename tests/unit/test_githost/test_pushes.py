"""What the webhook receives, and what the `codesage` command gets from /_local."""

import hashlib
import hmac
import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import urllib3

from codesage.errors import InvalidRequest, Unavailable
from local.githost import GitHost
from local.serve import LOOPBACK
from tests.unit.test_githost.conftest import ADMIN_TOKEN, SECRET, Checkout, Get, Webhook

ZEROS = "0" * 40


@pytest.fixture
def pushing(host: GitHost, webhook: Webhook) -> GitHost:
    host.webhook_url = webhook.url
    return host


def payloads(webhook: Webhook) -> list[dict[str, object]]:
    return [json.loads(body) for _, body in webhook.received]


def signed(headers: Mapping[str, str], body: bytes, secret: str = SECRET) -> bool:
    seal = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return headers["x-hub-signature-256"] == f"sha256={seal}"


# ---- pushes


def test_a_first_push_creates_the_branch_and_tells_its_commits(
    pushing: GitHost, webhook: Webhook, checkout: Checkout
) -> None:
    first = checkout.commit("one", a="1", b="1")
    checkout.git("rm", "--quiet", "b")
    second = checkout.commit("fix 🚀 naïve – 日本", a="2", c="3")
    source = pushing.add("octo/hello", checkout.path, "https://git.example.org/octo/hello")

    delivery = pushing.push(source)

    assert (delivery.status, delivery.body, delivery.accepted) == (202, "noted", True)
    [(headers, body)] = webhook.received
    assert signed(headers, body)
    assert headers["x-github-event"] == "push"
    assert headers["x-github-delivery"] == delivery.id
    assert headers["content-type"] == "application/json"
    assert "🚀".encode() in body
    push = json.loads(body)
    assert {
        key: push[key] for key in ("ref", "before", "after", "created", "deleted", "forced", "base_ref")
    } == {
        "ref": "refs/heads/main",
        "before": ZEROS,
        "after": second,
        "created": True,
        "deleted": False,
        "forced": False,
        "base_ref": None,
    }
    assert [commit["id"] for commit in push["commits"]] == [first, second]
    assert push["head_commit"] == push["commits"][1]
    assert push["head_commit"] == {
        "id": second,
        "tree_id": checkout.git("rev-parse", "HEAD^{tree}"),
        "distinct": True,
        "message": "fix 🚀 naïve – 日本",
        "timestamp": "2024-05-06T07:08:09+02:00",
        "url": f"https://git.example.org/octo/hello/commit/{second}",
        "author": {"name": "Ada", "email": "ada@example.org"},
        "committer": {"name": "Ada", "email": "ada@example.org"},
        "added": ["c"],
        "removed": ["b"],
        "modified": ["a"],
    }
    assert push["repository"]["id"] == source.id
    assert push["repository"]["full_name"] == "octo/hello"
    assert push["repository"]["default_branch"] == "main"
    assert push["repository"]["html_url"] == "https://git.example.org/octo/hello"
    assert push["compare"].startswith("https://git.example.org/octo/hello/compare/")
    assert push["pusher"]["name"] == push["sender"]["login"] == "octo"


def test_a_source_without_a_page_says_null_and_makes_up_none(
    pushing: GitHost, webhook: Webhook, checkout: Checkout
) -> None:
    checkout.commit(a="1")

    pushing.push(pushing.add("octo/hello", checkout.path))

    [push] = payloads(webhook)
    assert isinstance(push["repository"], dict)
    assert isinstance(push["head_commit"], dict)
    assert push["repository"]["html_url"] is None
    assert push["compare"] is None
    assert push["head_commit"]["url"] is None


def test_a_push_starts_where_the_last_accepted_one_ended(
    pushing: GitHost, webhook: Webhook, checkout: Checkout
) -> None:
    first = checkout.commit(a="1")
    source = pushing.add("octo/hello", checkout.path)
    pushing.push(source)
    second = checkout.commit(a="2")
    webhook.status = 500
    pushing.push(source)
    third = checkout.commit(a="3")
    webhook.status = 202

    pushing.push(source)
    pushing.push(source)
    pushing.push(source, before=second)

    assert [(push["before"], push["after"]) for push in payloads(webhook)] == [
        (ZEROS, first),
        (first, second),
        (first, third),
        (third, third),
        (second, third),
    ]


def test_the_last_push_is_remembered_over_a_restart(
    tmp_path: Path, webhook: Webhook, checkout: Checkout
) -> None:
    commits = []
    for text in "12":
        commits.append(checkout.commit(a=text))
        with GitHost(
            tmp_path / "again",
            webhook_url=webhook.url,
            webhook_secret=SECRET,
            token=None,
            admin_token=ADMIN_TOKEN,
        ) as host:
            host.push(host.add("octo/hello", checkout.path))

    assert [push["before"] for push in payloads(webhook)] == [ZEROS, commits[0]]


def test_rewritten_history_is_forced_even_where_the_old_commit_is_lost(
    pushing: GitHost, webhook: Webhook, checkout: Checkout
) -> None:
    checkout.commit(a="1")
    source = pushing.add("octo/hello", checkout.path)
    pushing.push(source)
    checkout.git("commit", "--quiet", "--amend", "--message", "other")

    pushing.push(source)
    pushing.push(source, before="1" * 40)
    checkout.commit(a="2")
    pushing.push(source)

    assert [(push["created"], push["forced"]) for push in payloads(webhook)] == [
        (True, False),
        (False, True),
        (False, True),
        (False, False),
    ]


def test_a_branch_that_was_pushed_and_is_gone_is_told_as_deleted(
    pushing: GitHost, webhook: Webhook, checkout: Checkout
) -> None:
    commit = checkout.commit(a="1")
    checkout.git("branch", "feat/x")
    source = pushing.add("octo/hello", checkout.path)
    pushing.push(source, branch="feat/x")
    checkout.git("branch", "--delete", "--quiet", "feat/x")

    pushing.push(source, branch="feat/x")

    made, deleted = payloads(webhook)
    assert (made["ref"], made["after"], made["created"]) == ("refs/heads/feat/x", commit, True)
    assert (deleted["before"], deleted["after"], deleted["deleted"]) == (commit, ZEROS, True)
    assert (deleted["head_commit"], deleted["commits"], deleted["forced"]) == (None, [], False)
    with pytest.raises(InvalidRequest, match="no commits on feat/x"):
        pushing.push(source, branch="feat/x")


def test_a_push_tells_at_most_its_newest_twenty_commits(
    pushing: GitHost, webhook: Webhook, checkout: Checkout
) -> None:
    made = [checkout.commit(f"{number}") for number in range(22)]
    source = pushing.add("octo/hello", checkout.path)

    pushing.push(source)

    [push] = payloads(webhook)
    assert isinstance(push["commits"], list)
    assert [commit["id"] for commit in push["commits"]] == made[2:]


def test_an_event_can_be_repeated_wrongly_signed_and_not_signed(pushing: GitHost, webhook: Webhook) -> None:
    event = {"zen": "Keep it logically awesome."}

    first = pushing.deliver("ping", event)
    again = pushing.deliver("ping", event, delivery_id=first.id)
    pushing.deliver("ping", event, secret="another")
    pushing.deliver("ping", event, secret="")

    headers = [headers for headers, _ in webhook.received]
    assert again.id == first.id == headers[1]["x-github-delivery"]
    assert len({one["x-github-delivery"] for one in headers}) == 3
    assert [signed(*one) for one in webhook.received[:3]] == [True, True, False]
    assert signed(*webhook.received[2], secret="another")
    assert "x-hub-signature-256" not in headers[3]


def test_a_webhook_that_is_not_set_or_does_not_answer_is_named(host: GitHost, checkout: Checkout) -> None:
    checkout.commit(a="1")
    source = host.add("octo/hello", checkout.path)

    with pytest.raises(Unavailable, match="no webhook"):
        host.push(source)
    host.webhook_url = f"http://{LOOPBACK}:1/hook"
    with pytest.raises(Unavailable, match="did not answer"):
        host.push(source)


# ---- lifecycle


def test_a_renamed_repository_is_pushed_under_its_new_name_and_old_number(
    pushing: GitHost, webhook: Webhook, get: Get, checkout: Checkout
) -> None:
    checkout.commit(a="1")
    source = pushing.add("octo/old", checkout.path)

    pushing.push(pushing.rename(source, "octo/new"))

    [push] = payloads(webhook)
    assert isinstance(push["repository"], dict)
    assert (push["repository"]["id"], push["repository"]["full_name"]) == (source.id, "octo/new")
    assert get("/repos/octo/old").status == 404
    assert get(f"/repositories/{source.id}").json()["full_name"] == "octo/new"


def test_a_removed_repository_is_gone_from_the_api(host: GitHost, get: Get, checkout: Checkout) -> None:
    source = host.add("octo/hello", checkout.path)

    host.remove(source)

    assert get(f"/repositories/{source.id}").status == 404


def test_a_repository_whose_folder_is_gone_is_a_failure_of_the_host(
    host: GitHost, get: Get, checkout: Checkout, tmp_path: Path
) -> None:
    source = host.add("octo/hello", checkout.path)
    checkout.path.rename(tmp_path / "elsewhere")

    reply = get(f"/repositories/{source.id}/git/ref/heads/main")

    assert reply.status == 502
    assert "no longer a git repository" in reply.json()["message"]


# ---- the command's endpoints

Local = Callable[..., urllib3.BaseHTTPResponse]


@pytest.fixture
def local(host: GitHost) -> Local:
    def call(
        method: str,
        suffix: str = "",
        /,
        *,
        token: str | None = ADMIN_TOKEN,
        body: bytes | None = None,
        **fields: str,
    ) -> urllib3.BaseHTTPResponse:
        return urllib3.request(
            method,
            f"{host.url}/_local/sources{suffix}",
            headers={} if token is None else {"X-Local-Token": token},
            body=body if body is not None else json.dumps(fields).encode(),
            retries=False,
        )

    return call


def test_the_command_adds_a_folder_and_learns_what_the_webhook_said(
    pushing: GitHost, local: Local, webhook: Webhook, tmp_path: Path
) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "app.py").write_text("x = 1")

    reply = local("POST", name="me/plain", path=str(tmp_path / "plain"), web_url="https://example.org/plain")

    assert reply.status == 201
    [source] = pushing.sources()
    head = pushing.head(source)
    about = {
        "id": 1,
        "name": "me/plain",
        "kind": "folder",
        "path": str(tmp_path / "plain"),
        "url": None,
        "web_url": "https://example.org/plain",
        "head": head,
    }
    assert reply.json() == {**about, "pushed": {"status": 202, "body": "noted"}}
    assert [push["after"] for push in payloads(webhook)] == [head]
    assert local("GET").json() == {"sources": [about]}


def test_the_command_adds_a_url_and_removes_it(pushing: GitHost, local: Local, checkout: Checkout) -> None:
    commit = checkout.commit(a="1")

    added = local("POST", name="octo/hello", url=f"file://{checkout.path}").json()
    removed = local("DELETE", f"/{added['id']}")

    assert (added["kind"], added["head"]) == ("clone", commit)
    assert removed.status == 204
    assert local("DELETE", f"/{added['id']}").status == 404
    assert local("GET").json() == {"sources": []}


def test_nobody_without_the_token_reaches_the_commands_endpoints(host: GitHost, local: Local) -> None:
    calls = [("GET", ""), ("POST", ""), ("DELETE", "/1")]

    replies = [
        local(method, suffix, token=token) for method, suffix in calls for token in (None, "", "wrong")
    ]

    assert {(reply.status, reply.json()["error"]["type"]) for reply in replies} == {(401, "Unauthenticated")}


def test_the_command_is_told_what_is_wrong_with_what_it_asked(
    pushing: GitHost, local: Local, checkout: Checkout, tmp_path: Path
) -> None:
    refusals = {
        "does not exist": local("POST", name="a/b", path=str(tmp_path / "none")),
        "no commits yet": local("POST", name="a/b", path=str(checkout.path)),
        "either a path or a url": local("POST", name="a/b"),
        "name: Field required": local("POST", path="/"),
        "nmae: Extra inputs": local("POST", nmae="a/b", name="a/b", path="/"),
        "Invalid JSON": local("POST", body=b"{"),
        "not the URL": local("POST", name="a/b", url="/etc"),
    }

    for words, reply in refusals.items():
        assert reply.status == 400
        assert reply.json()["error"]["type"] == "InvalidRequest"
        assert words in reply.json()["error"]["message"]


def test_the_command_is_told_of_a_webhook_that_does_not_answer(
    host: GitHost, local: Local, checkout: Checkout
) -> None:
    checkout.commit(a="1")
    host.webhook_url = f"http://{LOOPBACK}:1/hook"

    reply = local("POST", name="octo/hello", path=str(checkout.path))

    assert reply.status == 503
    assert "did not answer" in reply.json()["error"]["message"]


def test_a_source_that_cannot_be_read_says_so_in_the_list_and_hides_no_other(
    host: GitHost, local: Local, new_checkout: Callable[[str], Checkout], tmp_path: Path
) -> None:
    one, two = new_checkout("one"), new_checkout("two")
    host.add("octo/one", one.path)
    host.add("octo/two", two.path)
    one.path.rename(tmp_path / "elsewhere")

    rows = local("GET").json()["sources"]

    assert [row["name"] for row in rows] == ["octo/one", "octo/two"]
    assert "no longer a git repository" in rows[0]["problem"]
