"""What a remote's address says about the page of its repository."""

import pytest

from local.githost.web_urls import web_url_of, without_credentials


@pytest.mark.parametrize(
    "remote",
    [
        "https://github.com/octo/hello",
        "https://github.com/octo/hello.git",
        "https://github.com/octo/hello.git/",
        "https://me:secret@github.com/octo/hello.git",
        "https://GitHub.com/octo/hello",
        "http://github.com/octo/hello",
        "git@github.com:octo/hello.git",
        "github.com:octo/hello",
        "ssh://git@github.com/octo/hello.git",
        "ssh://git@github.com:22/octo/hello.git",
        "git://github.com/octo/hello.git",
    ],
)
def test_every_form_of_a_remote_names_the_same_page(remote: str) -> None:
    assert web_url_of(remote) == "https://github.com/octo/hello"


@pytest.mark.parametrize(
    ("remote", "page"),
    [
        ("git@gitlab.com:group/sub.group/tool.git", "https://gitlab.com/group/sub.group/tool"),
        ("https://bitbucket.org/team/tool.git", "https://bitbucket.org/team/tool"),
    ],
)
def test_the_other_known_hosts_have_pages_too(remote: str, page: str) -> None:
    assert web_url_of(remote) == page


@pytest.mark.parametrize(
    "remote",
    [
        "",
        "../hello",
        "/srv/git/hello.git",
        "file:///srv/git/hello.git",
        "https://git.example.org/octo/hello",
        "https://github.com.example.org/octo/hello",
        "https://example.org/github.com/octo/hello",
        "https://github.com/octo",
        "https://github.com/octo/he llo",
        "https://[github.com/octo/hello",
        "ext::sh -c github.com:octo/hello",
        "git@work-alias:octo/hello.git",
    ],
)
def test_a_remote_that_is_not_surely_on_a_known_host_has_no_page(remote: str) -> None:
    assert web_url_of(remote) is None


def test_a_shown_address_holds_neither_user_nor_password() -> None:
    assert without_credentials("https://me:secret@example.org/a@b.git") == "https://example.org/a@b.git"
