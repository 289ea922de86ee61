"""Links have the form of their host, and show exactly the lines they are made for."""

from urllib.parse import unquote_to_bytes, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codesage.links import Hosts, link, link_of_text
from codesage.records import text_of

COMMIT = "a" * 40
HOSTS = Hosts.of("https://git.corp.example", "https://code.corp.example:8443")


@pytest.mark.parametrize(
    ("web_url", "expected"),
    [
        ("https://github.com/octo/hello", f"https://github.com/octo/hello/blob/{COMMIT}/a.py#L3-L7"),
        ("https://github.com/octo/hello.git", f"https://github.com/octo/hello/blob/{COMMIT}/a.py#L3-L7"),
        ("https://github.com/octo/hello/", f"https://github.com/octo/hello/blob/{COMMIT}/a.py#L3-L7"),
        ("https://github.com/octo/hello.git/", f"https://github.com/octo/hello/blob/{COMMIT}/a.py#L3-L7"),
        ("https://GitHub.com/Octo/Hello", f"https://github.com/Octo/Hello/blob/{COMMIT}/a.py#L3-L7"),
        ("git@github.com:octo/hello.git", f"https://github.com/octo/hello/blob/{COMMIT}/a.py#L3-L7"),
        ("ssh://git@github.com:22/octo/hello.git", f"https://github.com/octo/hello/blob/{COMMIT}/a.py#L3-L7"),
        ("git@GITHUB.com:/octo/hello", f"https://github.com/octo/hello/blob/{COMMIT}/a.py#L3-L7"),
        ("git://github.com:9418/octo/hello", f"https://github.com/octo/hello/blob/{COMMIT}/a.py#L3-L7"),
        ("ssh://git@git.corp.example:2222/o/r", f"https://git.corp.example/o/r/blob/{COMMIT}/a.py#L3-L7"),
        ("HTTPS://github.com/o/r", f"https://github.com/o/r/blob/{COMMIT}/a.py#L3-L7"),
        ("https://me:secret@github.com/o/r", f"https://github.com/o/r/blob/{COMMIT}/a.py#L3-L7"),
        ("https://github.com/o/r?tab=readme#top", f"https://github.com/o/r/blob/{COMMIT}/a.py#L3-L7"),
        ("https://git.corp.example/o/r", f"https://git.corp.example/o/r/blob/{COMMIT}/a.py#L3-L7"),
        ("http://git.corp.example:8080/o/r", f"http://git.corp.example:8080/o/r/blob/{COMMIT}/a.py#L3-L7"),
        ("https://gitlab.com/g/sub/deep/p", f"https://gitlab.com/g/sub/deep/p/-/blob/{COMMIT}/a.py#L3-7"),
        ("https://gitlab.corp.example/g/p", f"https://gitlab.corp.example/g/p/-/blob/{COMMIT}/a.py#L3-7"),
        ("https://code.corp.example/g/p", f"https://code.corp.example/g/p/-/blob/{COMMIT}/a.py#L3-7"),
        ("git@gitlab.com:g/sub/p.git", f"https://gitlab.com/g/sub/p/-/blob/{COMMIT}/a.py#L3-7"),
        (
            "https://code.corp.example:8443/g/p",
            f"https://code.corp.example:8443/g/p/-/blob/{COMMIT}/a.py#L3-7",
        ),
        ("https://bitbucket.org/o/p", f"https://bitbucket.org/o/p/src/{COMMIT}/a.py#lines-3:7"),
        ("git@bitbucket.org:o/p.git", f"https://bitbucket.org/o/p/src/{COMMIT}/a.py#lines-3:7"),
    ],
)
def test_each_host_has_its_own_form(web_url: str, expected: str) -> None:
    assert link(web_url, COMMIT, "a.py", 3, 7, hosts=HOSTS) == expected


@pytest.mark.parametrize(
    "web_url",
    [
        None,
        "",
        "https://unknown.example/o/p",
        "https://github.com.evil.example/o/p",
        "https://notgitlab.com/o/p",
        "https://github.com",
        "https://github.com/",
        "https://github.com/hello",
        "git@github.com:hello.git",
        "https://github.com/.git",
        "javascript:alert(1)//github.com/o/p",
        "file:///github.com/o/p",
        "ftp://github.com/o/p",
        "//github.com/o/p",
        "https://github.com@evil.example/o/p",
        "https://github.com\\@evil.example/o/p",
        "https://[::1/o/p",
        "https://github.com:port/o/p",
        "/srv/git/hello.git",
    ],
)
def test_what_is_no_repository_of_a_known_host_has_no_links(web_url: str | None) -> None:
    assert link(web_url, COMMIT, "a.py", 3, 7, hosts=HOSTS) is None


def test_a_team_without_hosts_of_its_own_has_links_on_the_known_ones_only() -> None:
    hosts = Hosts.of("", "")

    assert hosts == Hosts(github=frozenset(), gitlab=frozenset())
    assert link("https://gitlab.com/g/p", "HEAD", "a", hosts=hosts) == "https://gitlab.com/g/p/-/blob/HEAD/a"
    assert link("https://git.corp.example/o/r", "HEAD", "a", hosts=hosts) is None


def test_a_github_enterprise_may_have_the_name_of_a_gitlab() -> None:
    hosts = Hosts.of("https://GitLab.corp.example", "https://gitlab.com")

    found = link("https://gitlab.corp.example/o/r", "HEAD", "a", hosts=hosts)

    assert found == "https://gitlab.corp.example/o/r/blob/HEAD/a"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a b/c#d.py", "a%20b/c%23d.py"),
        ("what?.py", "what%3F.py"),
        ("100%.md", "100%25.md"),
        ("a%20b.md", "a%2520b.md"),
        ("é.py", "%C3%A9.py"),
        ("e\u0301.py", "e%CC%81.py"),
        ("latin\udce9.py", "latin%E9.py"),
        ("-x\n.py", "-x%0A.py"),
        ("tab\t.py", "tab%09.py"),
        ("[id].tsx", "%5Bid%5D.tsx"),
        ("(pr", "%28pr"),
        ("back\\slash.py", "back%5Cslash.py"),
        ("a" * 250, "a" * 250),
    ],
)
def test_each_part_of_a_path_is_percent_encoded(path: str, expected: str) -> None:
    assert (
        link("https://github.com/o/r", COMMIT, path, hosts=HOSTS)
        == f"https://github.com/o/r/blob/{COMMIT}/{expected}"
    )


@pytest.mark.parametrize(
    ("start", "end", "anchor"),
    [(None, None, ""), (5, 5, "#L5-L5"), (5, None, "#L5-L5"), (5, 9, "#L5-L9"), (5, 4, "#L5-L5")],
)
def test_a_range_is_written_for_a_single_line_too(start: int | None, end: int | None, anchor: str) -> None:
    assert link("https://github.com/o/r", COMMIT, "a", start, end, hosts=HOSTS) == (
        f"https://github.com/o/r/blob/{COMMIT}/a{anchor}"
    )


@pytest.mark.parametrize(
    ("ref", "expected"),
    [("feat/x y", "feat/x%20y"), ("fix/#12", "fix/%2312"), ("50%", "50%25"), ("HEAD", "HEAD")],
)
def test_slashes_of_a_branch_stay(ref: str, expected: str) -> None:
    assert (
        link("https://github.com/o/r", ref, "a", hosts=HOSTS) == f"https://github.com/o/r/blob/{expected}/a"
    )


@pytest.mark.parametrize(
    ("web_url", "before_ref", "fragment"),
    [
        ("https://github.com/o/r", "/o/r/blob/", "L{}-L{}"),
        ("https://gitlab.com/g/sub/p", "/g/sub/p/-/blob/", "L{}-{}"),
        ("https://bitbucket.org/o/p", "/o/p/src/", "lines-{}:{}"),
    ],
)
@given(
    segments=st.lists(st.binary(min_size=1, max_size=20).filter(lambda raw: b"/" not in raw), min_size=1),
    start=st.integers(1, 10**6),
    length=st.integers(0, 100),
)
def test_a_link_leads_back_to_exactly_the_bytes_of_its_path(
    web_url: str, before_ref: str, fragment: str, segments: list[bytes], start: int, length: int
) -> None:
    raw = b"/".join(segments)
    path = raw.decode("utf-8", "surrogateescape")

    found = str(link(web_url, COMMIT, path, start, start + length, hosts=HOSTS))

    parts = urlsplit(found)
    file = parts.path.removeprefix(f"{before_ref}{COMMIT}/")
    assert [unquote_to_bytes(segment) for segment in file.split("/")] == segments
    assert (parts.query, parts.fragment) == ("", fragment.format(start, start + length))
    assert found.count("#") == 1


@given(
    st.sampled_from(["", "https://", "git@", "ssh://me:secret@", "javascript:"]),
    st.sampled_from(["github.com", "gitlab.com", "evil.example", "@", ":", ""]),
    st.text(max_size=20),
)
def test_a_link_leads_to_a_known_host_whatever_the_address_is(scheme: str, host: str, rest: str) -> None:
    found = link(scheme + host + rest, COMMIT, "a", hosts=HOSTS)

    assert found is None or urlsplit(found).netloc.partition(":")[0] in ("github.com", "gitlab.com")
    assert found is None or urlsplit(found).scheme in ("http", "https")


@given(st.binary(min_size=1, max_size=40))
def test_a_path_of_a_record_has_the_link_of_its_file_or_none(raw: bytes) -> None:
    path = raw.decode("utf-8", "surrogateescape")

    found = link_of_text("https://github.com/o/r", COMMIT, text_of(path), hosts=HOSTS)

    assert found in (None, link("https://github.com/o/r", COMMIT, path, hosts=HOSTS))


def test_a_record_of_a_name_with_a_backslash_of_its_own_has_a_link() -> None:
    found = link_of_text("https://github.com/o/r", COMMIT, r"src\x1b.py", 3, hosts=HOSTS)

    assert found == f"https://github.com/o/r/blob/{COMMIT}/src%5Cx1b.py#L3-L3"


def test_a_record_of_a_name_that_is_not_utf_8_has_no_link() -> None:
    assert link_of_text("https://github.com/o/r", COMMIT, text_of("latin\udce9.py"), hosts=HOSTS) is None
