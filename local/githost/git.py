"""A git folder on disk -> its heads, trees, blobs, commits and archives, as git itself reports them.

Reads only: a person's repository is never written to. Its own configuration is trusted as far as running git
there would trust it; the machine's and the person's are left out: an answer depends on the repository alone.
"""

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Self

from codesage.errors import CodeSageError, InvalidRequest

QUERY_SECONDS = 60.0  # for anything that reads one repository; a tree of 100,000 entries takes about one
NO_COMMIT = "0" * 40  # what a push event says where a ref did not or does not exist

# Set above every configuration file. Ids must stay those of the bytes, whoever owns the folder and whatever a
# checkout's line endings are; a background collection must not outlive the call; and names that only Windows
# or macOS cannot hold are fine here.
_CONFIGURATION = {
    "safe.directory": "*",
    "core.autocrlf": "false",
    "core.protectNTFS": "false",
    "core.protectHFS": "false",
    "gc.auto": "0",
}
# What reaching another machine may need; nothing else of the caller's environment is passed on.
_PASSED_ON = ("PATH", "SSH_AUTH_SOCK", "SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO")
_PASSED_ON_PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")

_OBJECT_ID = re.compile(r"[0-9a-f]{40}")


class GitFailed(CodeSageError):
    """git is missing, refused, or ran out of time; `str(error)` ends with git's own words."""

    status = HTTPStatus.BAD_GATEWAY


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One line of `git ls-tree`: `size` is None for all but blobs, `path` is in the bytes git stores."""

    mode: str
    type: str
    id: str
    size: int | None
    path: bytes


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit; `time` is the committer's, ISO 8601 with its own offset. Undecodable text is U+FFFD."""

    id: str
    tree_id: str
    time: str
    author: tuple[str, str]
    committer: tuple[str, str]
    message: str


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The whole environment of every git that runs here."""
    proxies = [name for lower in _PASSED_ON_PROXIES for name in (lower, lower.upper())]
    kept = {name: os.environ[name] for name in (*_PASSED_ON, *proxies) if name in os.environ}
    settings = {"GIT_CONFIG_COUNT": str(len(_CONFIGURATION))}
    for number, (key, value) in enumerate(_CONFIGURATION.items()):
        settings |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return {
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",
        **kept,
        **settings,
        **(more or {}),
    }


def run_git(
    git_dir: Path,
    *arguments: str,
    stdin: bytes = b"",
    work_tree: Path | None = None,
    variables: Mapping[str, str] | None = None,
    timeout: float = QUERY_SECONDS,
    accept: tuple[int, ...] = (0,),
) -> bytes:
    """Run one git command on `git_dir`, named outright: git never goes looking for a repository.

    Args:
        work_tree: the folder whose files the command sees; paths are relative to it.
        variables: environment variables to add.
        timeout: seconds.
        accept: exit codes that are an answer.

    Raises:
        GitFailed: any other exit code, no git, or no end in time.
    """
    places = {"GIT_DIR": str(git_dir)} | ({"GIT_WORK_TREE": str(work_tree)} if work_tree else {})
    try:
        done = subprocess.run(
            ["git", *arguments],
            input=stdin,
            capture_output=True,
            env=environment({**places, **(variables or {})}),
            cwd=work_tree or os.sep,
            timeout=timeout,
            check=False,
        )
    except FileNotFoundError:
        raise GitFailed("git is not installed, or not on the PATH") from None
    except subprocess.TimeoutExpired:
        raise GitFailed(f"git {arguments[0]} did not end within {timeout:.0f} s") from None
    if done.returncode not in accept:
        raise GitFailed(f"git {arguments[0]}: {_reason(done.stderr) or f'exit code {done.returncode}'}")
    return done.stdout


def git_dir_of(folder: Path) -> Path | None:
    """Where the repository whose top is `folder` has its git folder, going by the names alone."""
    bare = all((folder / part).exists() for part in ("HEAD", "objects", "refs"))
    git_dir = folder if bare else folder / ".git"
    return git_dir if git_dir.exists() else None


@dataclass(frozen=True, slots=True)
class Repository:
    """A git folder: a bare repository, a checkout's `.git`, or the `.git` file of a linked worktree."""

    git_dir: Path

    @classmethod
    def at(cls, folder: Path) -> Self | None:
        """The repository whose top is `folder`; None where `folder` is a plain one, even inside a repository.

        Raises:
            InvalidRequest: there is a repository that git cannot read, or whose ids are not SHA-1.
        """
        git_dir = git_dir_of(folder)
        if git_dir is None:
            return None
        try:
            object_format = run_git(git_dir, "rev-parse", "--show-object-format").strip()
        except GitFailed as error:
            raise InvalidRequest(f"{folder} holds a git repository that git cannot read ({error})") from error
        if object_format != b"sha1":
            raise InvalidRequest(
                f"{folder} names its objects by {object_format.decode()}; only sha1 is served"
            )
        return cls(git_dir)

    def default_branch(self) -> str:
        """HEAD's branch; `HEAD`, a name no branch can have, where a commit is checked out without one."""
        target = run_git(self.git_dir, "symbolic-ref", "--quiet", "HEAD", accept=(0, 1)).decode().strip()
        return target.removeprefix("refs/heads/") or "HEAD"

    def head(self, branch: str) -> str | None:
        """The commit a branch is at; None where there is no such branch. `HEAD` stands for a detached one."""
        if "\0" in branch:
            return None
        if branch == "HEAD" == self.default_branch():
            return run_git(self.git_dir, "rev-parse", "--verify", "HEAD").decode().strip()
        # for-each-ref takes the name as it is; rev-parse would read `x^` or `x@{1}` as an expression.
        ref = f"refs/heads/{branch}"
        found = run_git(self.git_dir, "for-each-ref", "--format=%(objectname) %(refname)", ref)
        for line in found.splitlines():
            commit, _, name = line.partition(b" ")
            if name == os.fsencode(ref):
                return commit.decode()
        return None

    def is_empty(self) -> bool:
        """Whether there is no commit on any branch."""
        return not run_git(self.git_dir, "for-each-ref", "--count=1", "refs/heads") and (
            self.default_branch() != "HEAD"
        )

    def object_type(self, object_id: str) -> str | None:
        """`commit`, `tree`, `blob` or `tag`; None for an id that is none or that the repository lacks."""
        if not _OBJECT_ID.fullmatch(object_id):
            return None
        answer = run_git(self.git_dir, "cat-file", "--batch-check=%(objecttype)", stdin=object_id.encode())
        return None if answer.endswith(b" missing\n") else answer.decode().strip()

    def tree(self, tree_or_commit: str, *, recursive: bool) -> list[TreeEntry]:
        """The entries in git's order, folders before what they hold; all levels if `recursive`."""
        deep = ["-r", "-t"] if recursive else []
        listing = run_git(self.git_dir, "ls-tree", "--full-tree", "-l", "-z", *deep, tree_or_commit)
        return [_tree_entry(line) for line in listing.split(b"\0") if line]

    def blob(self, object_id: str) -> bytes | None:
        """A blob's bytes; None where the id is not that of a blob of this repository."""
        if self.object_type(object_id) != "blob":
            return None
        return run_git(self.git_dir, "cat-file", "blob", object_id)

    def archive_command(self, commit: str, top_folder: str) -> list[str]:
        """The command that writes the commit's tar.gz to its output; run it in `environment()`."""
        return [
            "git", f"--git-dir={self.git_dir}",
            "archive", "--format=tar.gz", f"--prefix={top_folder}/", commit,
        ]  # fmt: skip

    def commits(self, after: str, *, before: str | None = None, at_most: int) -> list[Commit]:
        """The newest `at_most` commits that `after` has and `before` lacks, oldest first."""
        form = "--format=%H%n%T%n%cI%n%an%n%ae%n%cn%n%ce%n%B"
        span = after if before is None else f"{before}..{after}"
        listing = run_git(
            self.git_dir,
            "log",
            "--no-show-signature",
            "-z",
            "--reverse",
            f"--max-count={at_most}",
            form,
            span,
            "--",
        )
        return [_commit(entry.decode(errors="replace")) for entry in listing.split(b"\0") if entry]

    def changes(self, commit: str) -> dict[str, list[str]]:
        """A commit's paths by git's status letter (`A`, `M`, `D`, `T`), against its first parent."""
        listing = run_git(
            self.git_dir, "diff-tree", "--root", "--first-parent", "-m", "-r", "-z", "--no-renames",
            "--no-commit-id", "--name-status", commit,
        )  # fmt: skip
        words = [word.decode(errors="replace") for word in listing.split(b"\0")]
        paths: dict[str, list[str]] = {}
        for letter, path in zip(words[::2], words[1::2], strict=False):
            paths.setdefault(letter, []).append(path)
        return paths

    def has_ancestor(self, commit: str, ancestor: str) -> bool:
        """Whether `ancestor` is `commit` or before it; False too where the repository lost `ancestor`."""
        if self.object_type(ancestor) != "commit":
            return False
        base = run_git(self.git_dir, "merge-base", commit, ancestor, accept=(0, 1))
        return base.decode().strip() == ancestor

    def size_kb(self) -> int:
        counts = run_git(self.git_dir, "count-objects", "-v").decode()
        return sum(int(size) for size in re.findall(r"^size(?:-pack)?: (\d+)$", counts, re.MULTILINE))

    def origin(self) -> str | None:
        """The URL of the remote `origin`, as written in the repository's configuration."""
        return (
            run_git(self.git_dir, "config", "--get", "remote.origin.url", accept=(0, 1)).decode().strip()
            or None
        )


def _reason(stderr: bytes) -> str:
    """The first fatal word of git, which names the cause; what follows is general advice."""
    lines = stderr.decode(errors="replace").strip().splitlines()
    return next((line for line in lines if line.startswith("fatal: ")), lines[-1] if lines else "")


def _tree_entry(line: bytes) -> TreeEntry:
    facts, _, path = line.partition(b"\t")
    mode, kind, object_id, size = facts.decode().split()
    return TreeEntry(mode, kind, object_id, None if size == "-" else int(size), path)


def _commit(text: str) -> Commit:
    commit, tree, time, author, author_mail, committer, committer_mail, message = text.split("\n", 7)
    return Commit(
        commit, tree, time, (author, author_mail), (committer, committer_mail), message.removesuffix("\n")
    )
