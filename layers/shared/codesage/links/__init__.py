"""Repository URL, ref, path and lines -> the page where a person sees exactly those lines.

A host is a module with one function, `form(page, ref, file, lines)`, and a line in `form_of`. All of its
arguments but the lines are percent-encoded already.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from codesage.links import bitbucket, github, gitlab
from codesage.links.pages import page_of

Lines = tuple[int, int] | None
Form = Callable[[str, str, str, Lines], str]

ESCAPED_BYTE = re.compile(r"\\x[89a-f][0-9a-f]")  # how `records.text_of` writes a byte that is not UTF-8


@dataclass(frozen=True, slots=True)
class Hosts:
    """Names of a team's own hosts in lower case, without ports, beside those that everybody knows."""

    github: frozenset[str] = frozenset()
    gitlab: frozenset[str] = frozenset()

    @classmethod
    def of(cls, github_web_url: str, gitlab_web_url: str) -> "Hosts":
        """Args: where people see the repositories of a GitHub Enterprise and of a self-hosted GitLab."""
        return cls(_names(github_web_url), _names(gitlab_web_url))


def form_of(host: str, hosts: Hosts) -> Form | None:
    """How the host writes its links; None where nobody knows. A name alone is believed for GitLab only."""
    if host == "github.com" or host in hosts.github:
        return github.form
    if host in hosts.gitlab or host.startswith("gitlab."):  # gitlab.com too
        return gitlab.form
    return bitbucket.form if host == "bitbucket.org" else None


def link(
    web_url: str | None,
    ref: str,
    path: str,
    start: int | None = None,
    end: int | None = None,
    *,
    hosts: Hosts,
) -> str | None:
    """A permalink, or None where the form of the host's links is not known or the URL is no repository's.

    Args:
        web_url: the repository's page, or the remote that it was cloned from.
        ref: the commit; a branch, or `HEAD`, where no commit is recorded.
        path: as git has it; bytes that are not UTF-8 are percent-encoded as they are.
        start, end: 1-based and inclusive. The range is written for a single line too; no end is the start.

    Source: `spec: search`, "Links".
    """
    page = None if web_url is None else page_of(web_url)
    form = None if page is None else form_of(page.host, hosts)
    if page is None or form is None or "/" not in page.path:  # on all of these hosts somebody owns it
        return None
    lines = None if start is None else (start, max(start, end or start))
    file = "/".join(map(encoded, path.split("/")))
    return form(page.url, "/".join(map(encoded, ref.split("/"))), file, lines)


def link_of_text(
    web_url: str | None,
    ref: str,
    path: str,
    start: int | None = None,
    end: int | None = None,
    *,
    hosts: Hosts,
) -> str | None:
    r"""`link` for a path as records hold it: None where a `\xe9` in it may be a byte, or itself."""
    return None if ESCAPED_BYTE.search(path) else link(web_url, ref, path, start, end, hosts=hosts)


def encoded(part: str) -> str:
    """One segment of a path or a ref, its bytes as git has them."""
    return quote(part.encode("utf-8", "surrogateescape"), safe="")


def _names(web_url: str) -> frozenset[str]:
    host = urlsplit(web_url).hostname
    return frozenset() if host is None else frozenset({host})
