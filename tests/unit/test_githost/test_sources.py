"""What becomes of folders, repositories and URLs that are added, over restarts too."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from codesage.errors import CodeSageError, InvalidRequest, NotFound
from local.githost import GitHost
from local.githost.git import GitFailed
from local.githost.sources import Sources
from local.serve import LOOPBACK
from tests.unit.test_githost.conftest import Checkout


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    return Sources(tmp_path / "host")


def paths_of(sources: Sources, name: str) -> list[str]:
    """What the source's default branch holds: paths of all but folders."""
    repository = sources.repository(sources.by_name(name))
    head = repository.head(repository.default_branch())
    assert head is not None
    return [
        os.fsdecode(entry.path) for entry in repository.tree(head, recursive=True) if entry.type != "tree"
    ]


def head_of(sources: Sources, name: str) -> str | None:
    repository = sources.repository(sources.by_name(name))
    return repository.head(repository.default_branch())


def text_of(sources: Sources, name: str, path: str) -> bytes | None:
    repository = sources.repository(sources.by_name(name))
    head = repository.head(repository.default_branch())
    assert head is not None
    [blob] = [entry.id for entry in repository.tree(head, recursive=True) if entry.path == path.encode()]
    return repository.blob(blob)


# ---- repositories


def test_a_checkout_is_served_by_its_commits_and_is_left_as_it_was(
    sources: Sources, checkout: Checkout
) -> None:
    checkout.commit(a="1")
    checkout.write("not-committed", "2")
    before = sorted((path, path.stat().st_mtime_ns) for path in checkout.path.rglob("*"))

    sources.add("octo/hello", checkout.path)

    assert paths_of(sources, "octo/hello") == ["a"]
    assert sorted((path, path.stat().st_mtime_ns) for path in checkout.path.rglob("*")) == before


def test_a_bare_repository_and_a_linked_worktree_are_served_too(
    sources: Sources, checkout: Checkout, tmp_path: Path
) -> None:
    checkout.commit(a="1")
    checkout.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    checkout.git("worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
    side = Checkout(tmp_path / "side")
    on_side = side.commit(b="2")

    sources.add("octo/bare", tmp_path / "bare.git")
    sources.add("octo/side", side.path)

    assert paths_of(sources, "octo/bare") == ["a"]
    assert sources.repository(sources.by_name("octo/side")).default_branch() == "side"
    assert head_of(sources, "octo/side") == on_side


def test_a_folder_inside_a_repository_is_a_folder_of_its_own(sources: Sources, checkout: Checkout) -> None:
    checkout.commit(**{"docs/guide.md": "# Guide", "src/app.py": "x = 1"})

    sources.add("octo/docs", checkout.path / "docs")

    assert paths_of(sources, "octo/docs") == ["guide.md"]


def test_a_repository_that_git_cannot_read_is_refused(sources: Sources, tmp_path: Path) -> None:
    (tmp_path / "broken" / ".git").mkdir(parents=True)

    with pytest.raises(InvalidRequest, match="cannot read"):
        sources.add("octo/broken", tmp_path / "broken")


def test_a_repository_with_longer_ids_is_refused(sources: Sources, tmp_path: Path) -> None:
    (tmp_path / "long").mkdir()
    Checkout(tmp_path / "long").git("init", "--quiet", "--object-format=sha256")

    with pytest.raises(InvalidRequest, match="sha256"):
        sources.add("octo/long", tmp_path / "long")


def test_a_repository_that_moved_away_is_out_of_order_and_not_deleted(
    sources: Sources, checkout: Checkout, tmp_path: Path
) -> None:
    source = sources.add("octo/hello", checkout.path)
    checkout.path.rename(tmp_path / "elsewhere")

    with pytest.raises(GitFailed, match="no longer a git repository"):
        sources.repository(source)


# ---- plain folders


def test_a_folder_is_committed_as_git_would_take_it(sources: Sources, tmp_path: Path) -> None:
    folder = Checkout(tmp_path / "plain")
    folder.path.mkdir()
    folder.write("app.py", "x = 1\r\n")
    folder.write(".gitignore", "*.log\n/build/\n")
    folder.write("noise.log", "")
    folder.write("build/out.js", "")
    folder.write("a\nb", "")
    folder.write("git~1", "a name with a meaning on Windows")
    (folder.path / "link").symlink_to("nowhere")

    sources.add("me/plain", folder.path)

    assert paths_of(sources, "me/plain") == [".gitignore", "a\nb", "app.py", "git~1", "link"]
    assert text_of(sources, "me/plain", "app.py") == b"x = 1\r\n"
    assert not (folder.path / ".git").exists()


def test_a_name_that_is_not_utf8_is_committed_with_its_bytes(sources: Sources, tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    try:
        (folder / os.fsdecode(b"caf\xe9.txt")).write_text("latin")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")

    sources.add("me/plain", folder)

    assert paths_of(sources, "me/plain") == ["caf\udce9.txt"]


def test_files_of_repositories_inside_a_folder_are_taken_without_their_git_folders(
    sources: Sources, tmp_path: Path
) -> None:
    (tmp_path / "work" / "tool" / "deep").mkdir(parents=True)
    outer, tool, deep = (Checkout(tmp_path / "work" / part) for part in ("", "tool", "tool/deep"))
    tool.git("init", "--quiet")
    tool.commit(**{"tool.py": "", ".gitignore": "secret"})
    tool.write("secret", "")
    tool.write("fresh.py", "")
    deep.git("init", "--quiet")
    deep.write("deep.py", "")
    outer.write("readme.md", "")

    sources.add("me/work", outer.path)

    assert paths_of(sources, "me/work") == [
        "readme.md",
        "tool/.gitignore",
        "tool/deep/deep.py",
        "tool/fresh.py",
        "tool/tool.py",
    ]


def test_adding_a_folder_again_commits_what_changed_on_top(sources: Sources, tmp_path: Path) -> None:
    folder = Checkout(tmp_path / "plain")
    folder.path.mkdir()
    folder.write("kept.py", "1")
    folder.write("gone.py", "1")
    folder.write("turned", "a file")
    folder.write("later-ignored.py", "1")
    sources.add("me/plain", folder.path)
    first = head_of(sources, "me/plain")

    (folder.path / "gone.py").unlink()
    (folder.path / "turned").unlink()
    folder.write("turned/into.py", "a folder")
    folder.write("kept.py", "2")
    folder.write(".gitignore", "later-*")
    sources.add("me/plain", folder.path)

    assert paths_of(sources, "me/plain") == [".gitignore", "kept.py", "turned/into.py"]
    assert text_of(sources, "me/plain", "kept.py") == b"2"
    second = head_of(sources, "me/plain")
    assert first is not None
    assert second is not None
    assert sources.repository(sources.by_name("me/plain")).has_ancestor(second, first)


def test_an_unchanged_folder_gets_no_new_commit(sources: Sources, tmp_path: Path) -> None:
    folder = Checkout(tmp_path / "plain")
    folder.path.mkdir()
    folder.write("a.py", "1")
    sources.add("me/plain", folder.path)
    first = head_of(sources, "me/plain")

    (folder.path / "a.py").touch()
    sources.add("me/plain", folder.path)

    assert head_of(sources, "me/plain") == first


def test_an_emptied_folder_is_committed_as_empty_and_one_that_never_held_anything_has_no_commit(
    sources: Sources, tmp_path: Path
) -> None:
    emptied, never = Checkout(tmp_path / "emptied"), tmp_path / "never"
    emptied.path.mkdir()
    never.mkdir()
    emptied.write("a", "1")
    sources.add("me/emptied", emptied.path)
    (emptied.path / "a").unlink()

    sources.add("me/emptied", emptied.path)
    sources.add("me/never", never)

    assert paths_of(sources, "me/emptied") == []
    assert head_of(sources, "me/never") is None


def test_the_hosts_own_folder_is_not_part_of_a_folder_around_it(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("x = 1")
    sources = Sources(tmp_path / "host")

    sources.add("me/all", tmp_path)
    sources.add("me/all", tmp_path)

    assert paths_of(sources, "me/all") == ["app.py"]


def test_the_hosts_own_folder_may_be_named_relative_to_where_it_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "a").write_text("1")
    monkeypatch.chdir(tmp_path)
    sources = Sources(Path("host"))

    sources.add("me/plain", tmp_path / "plain")

    assert paths_of(sources, "me/plain") == ["a"]


# ---- URLs


def test_a_clone_follows_its_url_with_branches_and_default_branch(
    sources: Sources, checkout: Checkout
) -> None:
    checkout.commit(a="1")
    checkout.git("branch", "old")
    url = f"file://{checkout.path}"
    first = sources.clone(url, "octo/hello")

    checkout.git("branch", "--delete", "--quiet", "old")
    checkout.git("checkout", "--quiet", "-b", "trunk")
    newest = checkout.commit(b="2")
    second = sources.clone(url, "octo/hello")

    assert first.id == second.id
    repository = sources.repository(second)
    assert repository.default_branch() == "trunk"
    assert repository.head("trunk") == newest
    assert repository.head("old") is None


@pytest.mark.parametrize(
    "url", ["", "/etc", "--upload-pack=touch x", "ext::sh -c true", "file://-x", "https://a b", "me@host:-x"]
)
def test_what_is_not_the_url_of_a_repository_is_refused(sources: Sources, url: str) -> None:
    with pytest.raises(InvalidRequest, match="not the URL"):
        sources.clone(url, "octo/hello")


def test_a_failed_clone_leaves_no_source_and_tells_no_password(sources: Sources, tmp_path: Path) -> None:
    with pytest.raises(GitFailed, match="does not appear to be a git repository"):
        sources.clone(f"file://{tmp_path}/none", "octo/none")
    with pytest.raises(GitFailed) as failure:
        sources.clone(f"http://me:hunter2@{LOOPBACK}:1/none.git", "octo/none")

    assert "hunter2" not in str(failure.value)
    assert sources.all() == ()


# ---- names and numbers


def test_numbers_survive_a_restart_and_are_never_given_again(
    tmp_path: Path, new_checkout: Callable[[str], Checkout]
) -> None:
    before = Sources(tmp_path / "host")
    for name in ("a", "b", "c"):
        before.add(f"octo/{name}", new_checkout(name).path)
    before.remove(1)
    before.remove(3)

    after = Sources(tmp_path / "host")
    for name in ("c", "d"):
        after.add(f"octo/{name}", new_checkout(f"new-{name}").path)

    assert [(source.id, source.name) for source in after.all()] == [
        (2, "octo/b"),
        (4, "octo/c"),
        (5, "octo/d"),
    ]


def test_a_name_keeps_its_number_when_it_gets_another_path(
    sources: Sources, new_checkout: Callable[[str], Checkout]
) -> None:
    first = sources.add("octo/hello", new_checkout("one").path)

    second = sources.add("Octo/Hello", new_checkout("two").path)

    assert second.id == first.id
    assert [source.path for source in sources.all()] == [second.path]


def test_a_renamed_source_keeps_its_number_and_frees_its_name(
    sources: Sources, new_checkout: Callable[[str], Checkout]
) -> None:
    old = sources.add("octo/old", new_checkout("one").path)

    sources.rename(old.id, "octo/new")
    successor = sources.add("octo/old", new_checkout("two").path)

    assert sources.by_name("octo/new").id == old.id
    assert successor.id != old.id
    with pytest.raises(InvalidRequest, match="another source"):
        sources.rename(old.id, "OCTO/old")


def test_a_removed_source_is_forgotten_with_the_hosts_copy_and_without_the_users(
    sources: Sources, tmp_path: Path
) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "a").write_text("1")
    source = sources.add("me/plain", tmp_path / "plain")
    copy = sources.repository(source).git_dir
    assert copy.is_dir()

    sources.remove(source.id)

    assert not copy.exists()
    assert (tmp_path / "plain" / "a").exists()
    with pytest.raises(NotFound):
        sources.by_id(source.id)


@pytest.mark.parametrize("name", ["", "hello", "a/b/c", "a/..", "./b", "a/b ", "a/b\n", "ä/b", "a/"])
def test_a_name_that_is_not_owner_and_name_is_refused(sources: Sources, tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidRequest, match="owner/name"):
        sources.add(name, tmp_path)


def test_a_place_that_is_no_folder_is_refused_with_the_reason(sources: Sources, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    reasons = {
        tmp_path / "none": "does not exist",
        tmp_path / "file": "is not a folder",
        Path("relative"): "is not an absolute path",
    }

    for path, reason in reasons.items():
        with pytest.raises(InvalidRequest, match=reason):
            sources.add("octo/hello", path)


def test_the_file_of_sources_is_readable_by_its_owner_alone_and_no_other_file_is_left(
    sources: Sources, checkout: Checkout, tmp_path: Path
) -> None:
    sources.add("octo/hello", checkout.path)

    kept = tmp_path / "host" / "sources.json"
    assert kept.stat().st_mode & 0o077 == 0
    assert json.loads(kept.read_text())["next_id"] == 2
    assert {path.name for path in kept.parent.iterdir()} == {".gitignore", "sources.json"}


def test_a_missing_git_is_named(sources: Sources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "plain").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(CodeSageError, match="git is not installed"):
        sources.add("me/plain", tmp_path / "plain")


# ---- where people see it


def test_the_page_of_a_source_is_what_was_said_else_its_remote_on_a_known_host_else_none(
    sources: Sources, new_checkout: Callable[[str], Checkout], tmp_path: Path
) -> None:
    on_github, elsewhere = new_checkout("one"), new_checkout("two")
    on_github.git("remote", "add", "origin", "git@github.com:octo/hello.git")
    elsewhere.git("remote", "add", "origin", "https://git.example.org/octo/hello.git")
    (tmp_path / "plain").mkdir()

    pages = [
        sources.html_url(source)
        for source in (
            sources.add("a/a", on_github.path, "https://git.example.org/octo/hello/"),
            sources.add("a/b", on_github.path),
            sources.add("a/c", elsewhere.path),
            sources.add("a/d", tmp_path / "plain"),
            sources.add("a/e", new_checkout("three").path),
        )
    ]

    assert pages == ["https://git.example.org/octo/hello", "https://github.com/octo/hello", None, None, None]


def test_a_page_that_is_no_web_address_is_refused(sources: Sources, tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="web URL"):
        sources.add("me/plain", tmp_path, "javascript:alert(1)")


def test_a_restarted_host_serves_what_it_served(tmp_path: Path, checkout: Checkout) -> None:
    commit = checkout.commit(a="1")

    def run(act: Callable[[GitHost], object]) -> object:
        with GitHost(
            tmp_path / "host", webhook_url=None, webhook_secret="s", token=None, admin_token="t"
        ) as host:
            return act(host)

    run(lambda host: host.add("octo/hello", checkout.path))

    assert run(lambda host: [host.head(source) for source in host.sources()]) == [commit]
