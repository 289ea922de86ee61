"""A plain folder, or a URL -> a bare repository of the host's own that holds what is there now."""

from pathlib import Path

from local.githost.git import NO_COMMIT, Repository, run_git

COMMIT_SECONDS = 600.0  # a first commit of some gigabytes on a slow disk
FETCH_SECONDS = 900.0

_BRANCH = "main"
_IDENTITY = {
    f"GIT_{role}_{field}": value
    for role in ("AUTHOR", "COMMITTER")
    for field, value in (("NAME", "CodeSage"), ("EMAIL", "local@codesage.invalid"))
}


def commit_folder(git_dir: Path, folder: Path) -> None:
    """Commit the files of `folder` to the repository `git_dir`, which is made if there is none.

    Files are taken as `git add` would: `.gitignore` is honoured, `.git` folders are left out. Unlike with
    `git add`, the files of a repository inside the folder are taken too, by that one's own `.gitignore`: in
    a folder of checkouts they are the content. No commit is made where nothing changed.

    Raises:
        GitFailed: git could not read the folder.
    """
    _make(git_dir)
    files = _files(git_dir, folder)
    known = run_git(git_dir, "ls-files", "-z").split(b"\0")[:-1]
    gone = sorted(set(known) - set(files))
    # The index stays between commits, so that git reads only files whose times or sizes changed.
    _update_index(git_dir, folder, "--force-remove", gone)
    _update_index(git_dir, folder, "--add", files)
    tree = run_git(git_dir, "write-tree", timeout=COMMIT_SECONDS).decode().strip()
    parent = Repository(git_dir).head(_BRANCH)
    if tree == _tree_of(git_dir, parent) or (parent is None and not files):
        return
    parents = ["-p", parent] if parent else []
    message = f"{folder.name} as it is now"
    commit = (
        run_git(git_dir, "commit-tree", tree, *parents, "-m", message, variables=_IDENTITY).decode().strip()
    )
    run_git(git_dir, "update-ref", f"refs/heads/{_BRANCH}", commit, parent or NO_COMMIT)


def fetch(git_dir: Path, url: str) -> None:
    """Make the branches of `git_dir`, a bare repository made if there is none, equal to those at `url`.

    A half-done attempt is harmless: the next one goes on from what it left.

    Raises:
        GitFailed: the address is wrong, needs a password, or did not deliver in time.
    """
    _make(git_dir)
    heads = run_git(git_dir, "ls-remote", "--symref", "--", url, "HEAD").decode().splitlines()
    run_git(
        git_dir, "fetch", "--quiet", "--prune", "--no-tags", "--no-write-fetch-head",
        "--", url, "+refs/heads/*:refs/heads/*",
        timeout=FETCH_SECONDS,
    )  # fmt: skip
    for line in heads:
        if line.startswith("ref: "):
            run_git(git_dir, "symbolic-ref", "HEAD", line.removeprefix("ref: ").removesuffix("\tHEAD"))


def _make(git_dir: Path) -> None:
    if git_dir.exists():
        return
    git_dir.parent.mkdir(parents=True, exist_ok=True)
    run_git(
        git_dir,
        "init",
        "--quiet",
        "--bare",
        "--template=",
        "--object-format=sha1",
        f"--initial-branch={_BRANCH}",
    )


def _files(git_dir: Path, folder: Path) -> list[bytes]:
    """All files that git would not ignore, relative to `folder`: with an empty index, all are `others`."""
    listing = run_git(
        git_dir, "ls-files", "-z", "--others", "--exclude-standard",
        work_tree=folder,
        variables={"GIT_INDEX_FILE": str(git_dir / "no-index")},
        timeout=COMMIT_SECONDS,
    )  # fmt: skip
    files: list[bytes] = []
    for path in listing.split(b"\0")[:-1]:
        if path.endswith(b"/"):  # git stops at a repository inside the folder
            inner = folder / Path(path.decode(errors="surrogateescape"))
            files += [path + file for file in _files(git_dir, inner)]
        else:
            files.append(path)
    return files


def _update_index(git_dir: Path, folder: Path, how: str, paths: list[bytes]) -> None:
    # `--remove` lets a file that vanished since it was listed count as gone instead of failing the commit.
    run_git(
        git_dir, "update-index", "-z", "--remove", how, "--stdin",
        stdin=b"".join(path + b"\0" for path in paths),
        work_tree=folder,
        timeout=COMMIT_SECONDS,
    )  # fmt: skip


def _tree_of(git_dir: Path, commit: str | None) -> str | None:
    return (
        run_git(git_dir, "rev-parse", "--verify", f"{commit}^{{tree}}").decode().strip() if commit else None
    )
