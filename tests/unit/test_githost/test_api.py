"""What a client of GitHub's API gets from the host, over HTTP, for real repositories."""

import base64
import io
import tarfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import urllib3

from local.githost import GitHost
from local.githost.codeload import ArchiveLinks
from tests.unit.test_githost.conftest import ADMIN_TOKEN, SECRET, Checkout, Get

UNKNOWN = "0123456789abcdef0123456789abcdef01234567"


def archive_of(location: str) -> dict[str, tarfile.TarInfo]:
    reply = urllib3.request("GET", location, retries=False)
    assert reply.status == 200
    with tarfile.open(fileobj=io.BytesIO(reply.data), mode="r:gz") as tar:
        assert tar.pax_headers["comment"]
        return {member.name: member for member in tar}


# ---- repositories


def test_a_repository_is_found_by_number_and_by_name_in_any_case(
    host: GitHost, get: Get, checkout: Checkout
) -> None:
    checkout.commit(a="1")
    checkout.git("branch", "--move", "trunk")
    source = host.add("octo/hello", checkout.path, "https://git.example.org/octo/hello/")

    by_id, by_name = get(f"/repositories/{source.id}"), get("/repos/Octo/HELLO")

    assert by_id.json() == by_name.json()
    about = by_id.json()
    assert {
        key: about[key] for key in ("id", "name", "full_name", "default_branch", "private", "archived")
    } == {
        "id": 1,
        "name": "hello",
        "full_name": "octo/hello",
        "default_branch": "trunk",
        "private": False,
        "archived": False,
    }
    assert about["html_url"] == "https://git.example.org/octo/hello"
    assert about["size"] > 0


def test_what_is_not_there_is_not_found_in_githubs_words(get: Get) -> None:
    paths = ("/repositories/7", "/repositories/x", "/repos/octo/none", "/repos/octo", "/nothing")

    replies = [get(path) for path in paths]

    assert {(reply.status, reply.json()["message"]) for reply in replies} == {(404, "Not Found")}


def test_a_wrong_or_missing_token_gets_401(get: Get) -> None:
    replies = [get("/repositories/1", token=token) for token in (None, "another", "")]

    assert {(reply.status, reply.json()["message"]) for reply in replies} == {(401, "Bad credentials")}


def test_the_older_scheme_for_tokens_is_taken_too(host: GitHost, get: Get, checkout: Checkout) -> None:
    host.add("octo/hello", checkout.path)

    assert get("/repositories/1", token=None, Authorization="token token-of-the-host").status == 200


def test_a_host_made_without_a_token_asks_for_none(tmp_path: Path) -> None:
    with GitHost(
        tmp_path / "open", webhook_url=None, webhook_secret=SECRET, token=None, admin_token=ADMIN_TOKEN
    ) as host:
        reply = urllib3.request("GET", f"{host.url}/repositories/1", retries=False)

    assert reply.status == 404


# ---- heads


def test_a_head_is_read_for_a_branch_with_slashes(host: GitHost, get: Get, checkout: Checkout) -> None:
    commit = checkout.commit(a="1")
    checkout.git("branch", "feat/über/x")
    host.add("octo/hello", checkout.path)

    reply = get("/repositories/1/git/ref/heads/feat/%C3%BCber/x")

    assert reply.status == 200
    assert reply.json()["ref"] == "refs/heads/feat/über/x"
    assert reply.json()["object"]["sha"] == commit
    assert reply.json()["object"]["type"] == "commit"


def test_only_the_exact_name_of_a_branch_finds_it(host: GitHost, get: Get, checkout: Checkout) -> None:
    checkout.commit(a="1")
    checkout.git("branch", "feat/x")
    host.add("octo/hello", checkout.path)
    others = ("feat", "main^", "main@{0}", "main~0", "*", "m%61in%00", "-h", "HEAD")

    statuses = {branch: get(f"/repositories/1/git/ref/heads/{branch}").status for branch in others}

    assert statuses == dict.fromkeys(others, 404)


def test_a_known_head_is_answered_with_304_which_costs_nothing_until_it_moves(
    host: GitHost, get: Get, checkout: Checkout
) -> None:
    checkout.commit(a="1")
    host.add("octo/hello", checkout.path)
    path = "/repos/octo/hello/git/ref/heads/main"
    first = get(path)

    same = get(path, If_None_Match=f'"other", {first.headers["ETag"]}')
    checkout.commit(a="2")
    moved = get(path, If_None_Match=first.headers["ETag"])

    assert (same.status, same.data) == (304, b"")
    assert same.headers["X-RateLimit-Remaining"] == first.headers["X-RateLimit-Remaining"]
    assert moved.status == 200


def test_a_repository_without_commits_is_answered_with_409(
    host: GitHost, get: Get, checkout: Checkout
) -> None:
    host.add("octo/hello", checkout.path)

    replies = [get(f"/repositories/1/git/{path}/{UNKNOWN}") for path in ("ref/heads", "trees", "blobs")]

    assert {(reply.status, reply.json()["message"]) for reply in replies} == {
        (409, "Git Repository is empty.")
    }


def test_a_commit_checked_out_without_a_branch_is_served_under_the_name_head(
    host: GitHost, get: Get, checkout: Checkout
) -> None:
    first = checkout.commit(a="1")
    checkout.commit(a="2")
    checkout.git("checkout", "--quiet", first)
    host.add("octo/hello", checkout.path)

    branch = get("/repositories/1").json()["default_branch"]

    assert branch == "HEAD"
    assert get(f"/repositories/1/git/ref/heads/{branch}").json()["object"]["sha"] == first


def test_a_lagging_host_shows_the_older_head_as_often_as_asked(
    host: GitHost, get: Get, checkout: Checkout
) -> None:
    old = checkout.commit(a="1")
    new = checkout.commit(a="2")
    source = host.add("octo/hello", checkout.path)

    host.lag(source.id, old, times=2)

    path = "/repositories/1/git/ref/heads/main"
    assert [get(path).json()["object"]["sha"] for _ in range(3)] == [old, old, new]


# ---- trees and blobs


@pytest.fixture
def odd_commit(checkout: Checkout, new_checkout: Callable[[str], Checkout]) -> str:
    """A commit with one of everything that a tree can hold."""
    library = new_checkout("library")
    library.commit(a="1")
    checkout.write("src/app.py", "x = 1\n")
    checkout.write("src/run.sh", "#!/bin/sh\n")
    (checkout.path / "src/run.sh").chmod(0o755)
    (checkout.path / "link").symlink_to("src/app.py")
    checkout.write("tests/test_app.py", "def test(): ...\n")
    checkout.write("version.txt", "$Format:%H$\n")
    checkout.write(".gitattributes", "tests export-ignore\nversion.txt export-subst\n")
    checkout.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.path), "lib")
    blob = checkout.git("hash-object", "-w", "--stdin", stdin=b"latin\n")
    checkout.git("add", "--all")
    # Straight into the index: not every file system takes such names.
    checkout.git(
        "update-index", "-z", "--index-info", stdin=f"100644 {blob}\tcaf".encode() + b"\xe9\n#?%20.txt\0"
    )
    checkout.git("commit", "--quiet", "--message", "odd")
    return checkout.git("rev-parse", "HEAD")


def test_a_recursive_listing_names_every_entry_with_folders_before_their_content(
    host: GitHost, get: Get, checkout: Checkout, odd_commit: str
) -> None:
    host.add("octo/hello", checkout.path)

    listing = get(f"/repositories/1/git/trees/{odd_commit}?recursive=1").json()

    assert (listing["sha"], listing["truncated"]) == (odd_commit, False)
    assert [
        (entry["path"], entry["mode"], entry["type"], entry.get("size")) for entry in listing["tree"]
    ] == [
        (".gitattributes", "100644", "blob", len("tests export-ignore\nversion.txt export-subst\n")),
        (".gitmodules", "100644", "blob", (checkout.path / ".gitmodules").stat().st_size),
        ("caf\ufffd\n#?%20.txt", "100644", "blob", 6),
        ("lib", "160000", "commit", None),
        ("link", "120000", "blob", len("src/app.py")),
        ("src", "040000", "tree", None),
        ("src/app.py", "100644", "blob", 6),
        ("src/run.sh", "100755", "blob", 10),
        ("tests", "040000", "tree", None),
        ("tests/test_app.py", "100644", "blob", 16),
        ("version.txt", "100644", "blob", 12),
    ]
    by_path = {entry["path"]: entry["sha"] for entry in listing["tree"]}
    assert by_path["src/app.py"] == checkout.git("rev-parse", "HEAD:src/app.py")


def test_a_listing_that_is_not_recursive_stops_at_the_first_level(
    host: GitHost, get: Get, checkout: Checkout, odd_commit: str
) -> None:
    host.add("octo/hello", checkout.path)

    listing = get(f"/repositories/1/git/trees/{checkout.git('rev-parse', 'HEAD:src')}").json()
    top = get(f"/repositories/1/git/trees/{odd_commit}").json()

    assert [entry["path"] for entry in listing["tree"]] == ["app.py", "run.sh"]
    assert "src/app.py" not in [entry["path"] for entry in top["tree"]]


def test_a_listing_over_the_limit_is_cut_and_says_so(tmp_path: Path, checkout: Checkout) -> None:
    commit = checkout.commit(a="1", b="2", c="3")
    with GitHost(
        tmp_path / "host",
        webhook_url=None,
        webhook_secret=SECRET,
        token=None,
        admin_token=ADMIN_TOKEN,
        tree_limit=2,
    ) as host:
        host.add("octo/hello", checkout.path)

        listing = urllib3.request("GET", f"{host.url}/repositories/1/git/trees/{commit}?recursive=1").json()

    assert listing["truncated"] is True
    assert [entry["path"] for entry in listing["tree"]] == ["a", "b"]


def test_a_blob_comes_raw_or_as_base64(host: GitHost, get: Get, checkout: Checkout) -> None:
    content = bytes(range(256))
    checkout.write("data.bin", content)
    checkout.commit()
    host.add("octo/hello", checkout.path)
    path = f"/repositories/1/git/blobs/{checkout.git('rev-parse', 'HEAD:data.bin')}"

    raw, older, encoded = (
        get(path, Accept="application/vnd.github.raw+json"),
        get(path, Accept="application/vnd.github.v3.raw"),
        get(path, Accept="application/vnd.github+json").json(),
    )

    assert raw.data == older.data == content
    assert (encoded["encoding"], encoded["size"]) == ("base64", 256)
    assert base64.b64decode(encoded["content"]) == content
    assert max(map(len, encoded["content"].splitlines())) == 60


def test_an_id_that_names_no_object_is_not_found(host: GitHost, get: Get, checkout: Checkout) -> None:
    checkout.commit(a="1")
    host.add("octo/hello", checkout.path)
    others = ("HEAD", "--help", UNKNOWN, checkout.git("rev-parse", "--short", "HEAD"), "main", "HEAD:a")

    statuses = [
        get(f"/repositories/1/git/{kind}/{other}").status for kind in ("trees", "blobs") for other in others
    ]

    assert statuses == [404] * 12


def test_a_blob_is_no_tree_and_a_commit_is_no_blob(host: GitHost, get: Get, checkout: Checkout) -> None:
    commit = checkout.commit(a="1")
    host.add("octo/hello", checkout.path)

    assert get(f"/repositories/1/git/trees/{checkout.git('rev-parse', 'HEAD:a')}").status == 404
    assert get(f"/repositories/1/git/blobs/{commit}").status == 404


def test_settings_of_the_checkout_change_no_bytes(host: GitHost, get: Get, checkout: Checkout) -> None:
    commit = checkout.commit(a="one\ntwo\n")
    checkout.git("config", "core.autocrlf", "true")
    other = checkout.git("hash-object", "-w", "--stdin", stdin=b"something of another length")
    checkout.git("replace", checkout.git("rev-parse", "HEAD:a"), other)
    host.add("octo/hello", checkout.path)

    location = get(f"/repositories/1/tarball/{commit}").headers["Location"]

    assert archive_of(location)[f"octo-hello-{commit[:7]}/a"].size == len("one\ntwo\n")


# ---- archives


def test_an_archive_is_what_git_archive_makes_of_the_commit(
    host: GitHost, get: Get, checkout: Checkout, odd_commit: str
) -> None:
    host.add("octo/hello", checkout.path)

    redirect = get(f"/repositories/1/tarball/{odd_commit}")

    assert redirect.status == 302
    members = archive_of(redirect.headers["Location"])
    top = f"octo-hello-{odd_commit[:7]}"
    assert {name.removeprefix(top) for name in members} == {
        "",
        "/.gitattributes",
        "/.gitmodules",
        "/caf\udce9\n#?%20.txt",
        "/lib",
        "/link",
        "/src",
        "/src/app.py",
        "/src/run.sh",
        "/version.txt",
    }
    assert members[f"{top}/lib"].isdir()
    assert members[f"{top}/link"].issym()
    assert members[f"{top}/version.txt"].size == len(odd_commit) + 1


def test_the_archives_origin_refuses_whoever_brings_credentials(
    host: GitHost, get: Get, checkout: Checkout
) -> None:
    commit = checkout.commit(a="1")
    host.add("octo/hello", checkout.path)
    location = get(f"/repositories/1/tarball/{commit}").headers["Location"]

    refused = urllib3.request("GET", location, headers={"Authorization": "Bearer token-of-the-host"})

    assert not location.startswith(host.url)
    assert refused.status == 400
    assert urllib3.request("GET", location).status == 200


def test_a_link_to_an_archive_opens_no_other_archive_and_none_without_its_token(
    host: GitHost, get: Get, checkout: Checkout
) -> None:
    first = checkout.commit(a="1")
    second = checkout.commit(a="2")
    host.add("octo/hello", checkout.path)
    location = get(f"/repositories/1/tarball/{first}").headers["Location"]

    for bad in (location.replace(first, second), location.partition("?")[0], f"{location}0"):
        assert urllib3.request("GET", bad).status == 404


def test_a_link_to_an_archive_ends_with_its_lifetime() -> None:
    lasting, over = ArchiveLinks(lifetime=60), ArchiveLinks(lifetime=-1)

    admitted = [
        links.admits(path, token)
        for links in (lasting, over)
        for path, _, token in [links.link("octo/hello", UNKNOWN).partition("?token=")]
    ]

    assert admitted == [True, False]


def test_an_unknown_commit_has_no_archive(host: GitHost, get: Get, checkout: Checkout) -> None:
    checkout.commit(a="1")
    host.add("octo/hello", checkout.path)

    location = get(f"/repositories/1/tarball/{UNKNOWN}").headers["Location"]

    assert urllib3.request("GET", location).status == 404


# ---- limits and faults


def test_a_used_up_budget_is_refused_until_it_is_renewed(host: GitHost, get: Get, checkout: Checkout) -> None:
    host.add("octo/hello", checkout.path)
    host.rate_limit.remaining = 1

    last, refused = get("/repositories/1"), get("/repositories/1")
    host.rate_limit.resets_at = time.time()
    renewed = get("/repositories/1")

    assert [reply.status for reply in (last, refused, renewed)] == [200, 403, 200]
    assert last.headers["X-RateLimit-Remaining"] == refused.headers["X-RateLimit-Remaining"] == "0"
    assert int(refused.headers["X-RateLimit-Reset"]) > time.time()
    assert "rate limit" in refused.json()["message"]
    assert int(renewed.headers["X-RateLimit-Remaining"]) == host.rate_limit.limit - 1


def test_a_fault_answers_the_next_requests_that_fit_and_no_others(
    host: GitHost, get: Get, checkout: Checkout
) -> None:
    checkout.commit(a="1")
    host.add("octo/hello", checkout.path)
    ref = "/repositories/1/git/ref/heads/main"

    host.faults.answer("/git/ref/", 429, headers={"Retry-After": "7"}, times=2)

    assert get("/repositories/1").status == 200
    assert get(ref).headers["Retry-After"] == "7"
    assert get(ref).status == 429
    assert get(ref).status == 200


def test_a_dropped_connection_ends_inside_the_body(host: GitHost, get: Get, checkout: Checkout) -> None:
    checkout.commit(a="1")
    host.add("octo/hello", checkout.path)

    host.faults.drop("/repositories/1", after_bytes=5)

    with pytest.raises(urllib3.exceptions.ProtocolError):
        get("/repositories/1")
    assert get("/repositories/1").status == 200


def test_an_archive_can_break_off_in_the_middle(host: GitHost, get: Get, checkout: Checkout) -> None:
    commit = checkout.commit(a="1" * 10_000)
    host.add("octo/hello", checkout.path)
    location = get(f"/repositories/1/tarball/{commit}").headers["Location"]

    host.faults.drop("/legacy.tar.gz/", after_bytes=20)

    reply = urllib3.request("GET", location, preload_content=False, retries=False)
    with pytest.raises(urllib3.exceptions.ProtocolError):
        reply.read()


def test_a_delayed_answer_is_late_and_right(host: GitHost, get: Get, checkout: Checkout) -> None:
    host.add("octo/hello", checkout.path)
    host.faults.delay("/repositories/1", 1)

    with pytest.raises(urllib3.exceptions.ReadTimeoutError):
        urllib3.request("GET", f"{host.url}/repositories/1", timeout=0.1, retries=False)

    assert get("/repositories/1").status == 200


def test_a_short_delay_changes_nothing_but_the_time(host: GitHost, get: Get, checkout: Checkout) -> None:
    host.add("octo/hello", checkout.path)
    host.faults.delay("/repositories/1", 0.01)

    assert get("/repositories/1").status == 200


def test_every_request_to_either_origin_is_noted_in_order(
    host: GitHost, get: Get, checkout: Checkout
) -> None:
    commit = checkout.commit(a="1")
    host.add("octo/hello", checkout.path)
    host.faults.answer("/repos/octo", 500)

    get("/repos/octo/hello?x=1")
    archive_of(get(f"/repositories/1/tarball/{commit}").headers["Location"])

    assert list(host.requests) == [
        ("GET", "/repos/octo/hello"),
        ("GET", f"/repositories/1/tarball/{commit}"),
        ("GET", f"/octo/hello/legacy.tar.gz/{commit}"),
    ]
