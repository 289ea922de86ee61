"""The address of a git remote -> where people see that repository, on the hosts whose pages are known."""

import re
from urllib.parse import urlsplit

KNOWN_HOSTS = ("github.com", "gitlab.com", "bitbucket.org")

_SCP_FORM = re.compile(r"(?:[^@/]+@)?(?P<host>[^:/]+):(?P<path>[^:].*)")  # git@host:owner/repo.git
_PATH = re.compile(r"[\w.~-]+(?:/[\w.~-]+)+")


def web_url_of(remote: str) -> str | None:
    """`https://host/owner/repo`, without user, password, port and `.git`; None for all other hosts.

    A link that is not there is better than one that leads nowhere, so nothing is guessed.
    """
    host, path = _parts(remote.strip())
    path = path.strip("/").removesuffix(".git")
    if host.lower() not in KNOWN_HOSTS or not _PATH.fullmatch(path):
        return None
    return f"https://{host.lower()}/{path}"


def without_credentials(url: str) -> str:
    """The same address, fit to be shown."""
    return re.sub(r"(?<=://)[^@/]*@", "", url)


def _parts(remote: str) -> tuple[str, str]:
    if "://" not in remote:
        scp_form = _SCP_FORM.fullmatch(remote)
        return (scp_form["host"], scp_form["path"]) if scp_form else ("", "")
    try:
        address = urlsplit(remote)
        known_scheme = address.scheme in ("https", "http", "ssh", "git")
        return (address.hostname or "", address.path) if known_scheme else ("", "")
    except ValueError:  # an unclosed bracket, for one
        return "", ""
