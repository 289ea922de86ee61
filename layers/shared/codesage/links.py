"""Repository URL, ref, path and lines -> the page where a person sees exactly those lines."""

from urllib.parse import quote, urlsplit


def link(
    web_url: str | None,
    ref: str,
    path: str,
    start: int | None = None,
    end: int | None = None,
    *,
    github_host: str = "github.com",
) -> str | None:
    """A permalink, or None where the form of the host's links is not known.

    Args:
        web_url: where people see the repository.
        ref: the commit; a branch, or `HEAD`, where no commit is recorded.
        path: as git has it; bytes that are not UTF-8 are percent-encoded as they are.
        github_host: of a configured GitHub Enterprise, whose links have GitHub's form.
        start, end: 1-based and inclusive. The range is written for a single line too.

    Source: `spec: search`, "Links".
    """
    if web_url is None:
        return None
    parts = urlsplit(web_url)
    base = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/').removesuffix('.git')}"
    file = "/".join(quote(part.encode("utf-8", "surrogateescape"), safe="") for part in path.split("/"))
    ref = quote(ref, safe="/")
    last = start if end is None else end
    lines = start is not None
    host = (parts.hostname or "").lower()
    if host in ("github.com", github_host):
        return f"{base}/blob/{ref}/{file}" + (f"#L{start}-L{last}" if lines else "")
    if host == "gitlab.com" or host.startswith("gitlab."):
        return f"{base}/-/blob/{ref}/{file}" + (f"#L{start}-{last}" if lines else "")
    if host == "bitbucket.org":
        return f"{base}/src/{ref}/{file}" + (f"#lines-{start}:{last}" if lines else "")
    return None
