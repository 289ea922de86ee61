"""A repository's address in any of the forms that git takes -> the page where people see it."""

import re
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

SCP = re.compile(r"(?:[^@/\s]+@)?(?P<host>[^:/\s]+):(?!//)(?P<path>[^\s]+)")  # git@github.com:octo/hello.git
HOST = re.compile(r"[a-z0-9.-]+|\[[0-9a-f:.]+\]")
SAFE = "/-._~!$&'()*+,;=:@%"  # within a path; a percent sign is taken for one that escapes already


@dataclass(frozen=True, slots=True)
class Page:
    """`url` has no slash at its end and names nobody; `host` is in lower case, without a port.

    `path` is the repository's name on its host, `owner/name` or deeper.
    """

    url: str
    host: str
    path: str


def page_of(address: str) -> Page | None:
    """None for what is no address of a repository that a browser could open.

    ssh remotes lead to the https page of the same host; their port is that of ssh, and means nothing there.
    """
    scheme, host, port, path = _parts(address.strip())
    path = path.strip("/").removesuffix(".git").rstrip("/")
    if scheme not in ("http", "https") or not HOST.fullmatch(host) or not path:
        return None
    place = host if port is None else f"{host}:{port}"
    return Page(f"{scheme}://{place}/{quote(path, safe=SAFE)}", host, path)


def spelled(name: str) -> str:
    """A number, `owner/name`, URL or ssh remote as rows are compared with: `owner/name`, lower case."""
    page = page_of(name)
    path = name.strip().strip("/").removesuffix(".git") if page is None else page.path
    return path.lower()


def _parts(address: str) -> tuple[str, str, int | None, str]:
    """Scheme, host in lower case, port and path; user, password, query and fragment are left out."""
    scp = SCP.fullmatch(address)
    if scp is not None and "://" not in address:
        return "https", scp["host"].lower(), None, scp["path"]
    try:
        parts = urlsplit(address)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        return "", "", None, ""
    if ":" in host:
        host = f"[{host}]"
    if parts.scheme in ("ssh", "git+ssh", "git"):
        return "https", host, None, parts.path
    return parts.scheme, host, port, parts.path
