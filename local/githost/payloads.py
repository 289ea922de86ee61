"""A source -> what GitHub's API and its push events say about it."""

import time
from dataclasses import dataclass

from local.githost.git import NO_COMMIT, Commit, Repository
from local.githost.sources import Source, Sources

Json = dict[str, object]

COMMITS_TOLD = 20  # newest commits of a push; GitHub tells up to 2,048, receivers must not count on all


def repository_json(sources: Sources, source: Source, api_url: str) -> Json:
    """GitHub's fields for a repository. `html_url` is None where the source has no page anywhere."""
    repository = sources.repository(source)
    owner, _, name = source.name.partition("/")
    return {
        "id": source.id,
        "name": name,
        "full_name": source.name,
        "owner": {"login": owner, "type": "Organization"},
        "private": False,
        "visibility": "public",
        "fork": False,
        "archived": False,
        "disabled": False,
        "html_url": sources.html_url(source),
        "url": f"{api_url}/repos/{source.name}",
        "default_branch": repository.default_branch(),
        "size": repository.size_kb(),
    }


@dataclass(frozen=True, slots=True)
class RefChange:
    """A ref moved from one commit to another; 40 zeros stand for none."""

    ref: str
    before: str
    after: str


def push_json(sources: Sources, source: Source, change: RefChange, api_url: str) -> Json:
    """The body of a push event. Whatever is made from `html_url` is None where that is.

    Source: spec/hosts.md, A1.
    """
    repository = sources.repository(source)
    about = repository_json(sources, source, api_url)
    html_url = sources.html_url(source)
    owner = source.name.partition("/")[0]
    commits = [_commit_json(repository, commit, html_url) for commit in _commits(repository, change)]
    return {
        "ref": change.ref,
        "before": change.before,
        "after": change.after,
        "created": change.before == NO_COMMIT,
        "deleted": change.after == NO_COMMIT,
        "forced": NO_COMMIT not in (change.before, change.after)
        and not repository.has_ancestor(change.after, change.before),
        "base_ref": None,
        "compare": html_url and f"{html_url}/compare/{change.before[:12]}...{change.after[:12]}",
        "commits": commits,
        "head_commit": _head_commit(repository, change, html_url),
        "repository": {**about, "master_branch": about["default_branch"], "pushed_at": int(time.time())},
        "pusher": {"name": owner, "email": None},
        "sender": {"login": owner, "id": 1, "type": "User"},
    }


def _commits(repository: Repository, change: RefChange) -> list[Commit]:
    if change.after == NO_COMMIT:
        return []
    known = repository.object_type(change.before) == "commit"
    return repository.commits(change.after, before=change.before if known else None, at_most=COMMITS_TOLD)


def _head_commit(repository: Repository, change: RefChange, html_url: str | None) -> Json | None:
    if change.after == NO_COMMIT:
        return None
    [head] = repository.commits(change.after, at_most=1)
    return _commit_json(repository, head, html_url)


def _commit_json(repository: Repository, commit: Commit, html_url: str | None) -> Json:
    paths = repository.changes(commit.id)
    return {
        "id": commit.id,
        "tree_id": commit.tree_id,
        "distinct": True,
        "message": commit.message,
        "timestamp": commit.time,
        "url": html_url and f"{html_url}/commit/{commit.id}",
        "author": dict(zip(("name", "email"), commit.author, strict=True)),
        "committer": dict(zip(("name", "email"), commit.committer, strict=True)),
        "added": paths.get("A", []),
        "removed": paths.get("D", []),
        "modified": paths.get("M", []) + paths.get("T", []),
    }
