"""Links have the form of their host, and show exactly the lines they are made for."""

import pytest

from codesage.links import link

COMMIT = "a" * 40


@pytest.mark.parametrize(
    ("web_url", "expected"),
    [
        ("https://github.com/octo/hello", f"https://github.com/octo/hello/blob/{COMMIT}/a.py#L3-L7"),
        ("https://github.com/octo/hello.git", f"https://github.com/octo/hello/blob/{COMMIT}/a.py#L3-L7"),
        (
            "https://git.corp.example/octo/hello",
            f"https://git.corp.example/octo/hello/blob/{COMMIT}/a.py#L3-L7",
        ),
        ("https://gitlab.com/g/sub/p", f"https://gitlab.com/g/sub/p/-/blob/{COMMIT}/a.py#L3-7"),
        ("https://gitlab.corp.example/g/p", f"https://gitlab.corp.example/g/p/-/blob/{COMMIT}/a.py#L3-7"),
        ("https://bitbucket.org/o/p", f"https://bitbucket.org/o/p/src/{COMMIT}/a.py#lines-3:7"),
        ("https://unknown.example/o/p", None),
        (None, None),
    ],
)
def test_each_host_has_its_own_form(web_url: str | None, expected: str | None) -> None:
    assert link(web_url, COMMIT, "a.py", 3, 7, github_host="git.corp.example") == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a b/c#d.py", "a%20b/c%23d.py"),
        ("what?.py", "what%3F.py"),
        ("100%.md", "100%25.md"),
        ("é.py", "%C3%A9.py"),
        ("e\u0301.py", "e%CC%81.py"),
        ("latin\udce9.py", "latin%E9.py"),
        ("-x\n.py", "-x%0A.py"),
        ("[id].tsx", "%5Bid%5D.tsx"),
    ],
)
def test_each_part_of_a_path_is_percent_encoded(path: str, expected: str) -> None:
    assert link("https://github.com/o/r", COMMIT, path) == f"https://github.com/o/r/blob/{COMMIT}/{expected}"


def test_a_single_line_is_a_range_too() -> None:
    assert str(link("https://github.com/o/r", COMMIT, "a", 5)).endswith("#L5-L5")


def test_slashes_of_a_branch_stay() -> None:
    assert link("https://github.com/o/r", "feat/x y", "a") == "https://github.com/o/r/blob/feat/x%20y/a"
