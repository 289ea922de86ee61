"""What a repository's setting leaves out, and which patterns it takes."""

import pytest

from codesage.ignores import ignores_of, problem_of_pattern


def test_the_setting_leaves_out_what_no_file_can_take_back() -> None:
    files = {".codesageignore": b"!gen/\n!*.txt\n*.log\n", "gen/.codesageignore": b"!*\n"}

    ignores = ignores_of(files, ["gen/", "*.txt", "!keep.txt", "!kept.log"])

    assert [
        path for path in ("gen/a.py", "a/gen/b.py", "a.txt", "b/a.txt") if not ignores.ignores(path)
    ] == []
    assert not ignores.ignores("keep.txt")
    assert not ignores.ignores("src/a.py")
    assert ignores.ignores("kept.log")  # its files still say so
    assert not ignores.excludes("kept.log")


@pytest.mark.parametrize(
    "pattern", ["gen/", "/docs/**/*.md", "!keep.py", "*.min.*", "a b", r"\#x", "**/a/**/b/**/"]
)
def test_patterns_of_gitignore_are_taken(pattern: str) -> None:
    assert problem_of_pattern(pattern) is None


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("# note", "a comment or blank"),
        ("   ", "a comment or blank"),
        ("!", "not a pattern of .gitignore"),
    ],
)
def test_what_says_nothing_is_refused(pattern: str, problem: str) -> None:
    assert problem_of_pattern(pattern) == problem


def test_a_pattern_of_many_stars_costs_no_more_than_its_path_is_long() -> None:
    """An engine that backtracks needs longer than the test's timeout for this one."""
    ignores = ignores_of({".codesageignore": b"a*" * 24 + b"b"}, ["a*" * 24 + "c"])

    assert not ignores.ignores("a" * 200)
    assert ignores.ignores("a" * 200 + "b")


def test_a_name_that_is_not_utf_8_is_matched_as_its_bytes_stand_in_the_file() -> None:
    ignores = ignores_of({".codesageignore": b"latin\xe9.py\n"})

    assert ignores.ignores("latin\udce9.py")
    assert not ignores.ignores("latin.py")
