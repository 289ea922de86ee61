"""What a repository's setting, its ignore files and its attribute files say of its paths."""

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
        ("x" * 501, "not a pattern of .gitignore"),
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


def test_the_deepest_ignore_file_with_an_opinion_has_the_last_word() -> None:
    files = {
        ".codesageignore": b"*.log\n",
        "a/.codesageignore": b"!kept.log\n",
        "a/b/.codesageignore": b"x\n",
    }

    ignores = ignores_of(files)

    assert ignores.ignores("a/b/other.log")
    assert not ignores.ignores("a/b/kept.log")
    assert ignores.ignores("kept.log")


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("a.py", None),
        ("gen/a.py", True),
        ("gen/b.py", False),
        ("gen/c.py", None),
        ("sub/gen/a.py", False),
        ("sub/other.py", None),
    ],
)
def test_of_attributes_the_last_line_of_the_deepest_file_holds(path: str, said: bool | None) -> None:
    ignores = ignores_of(
        {
            ".gitattributes": b"gen/b.py linguist-generated\n"
            b"gen/** linguist-generated text\n"
            b"# gen/** -linguist-generated\n"
            b"gen/b.py linguist-generated=false\n"
            b"gen/c.py !linguist-generated\n",
            "sub/.gitattributes": b"/gen/ -linguist-generated\n",
        }
    )

    assert ignores.attribute(path, "linguist-generated") is said
    assert ignores.attribute(path, "linguist-vendored") is None


def test_more_stars_than_one_set_of_the_engine_holds_are_all_heard() -> None:
    patterns = [f"*a{number}*b*" for number in range(3_000)]
    patterns[1_500:1_500] = ["!a0b"]

    ignores = ignores_of(
        {
            ".codesageignore": "\n".join(patterns).encode(),
            ".gitattributes": "".join(f"{pattern} linguist-vendored\n" for pattern in patterns).encode(),
        }
    )

    assert [ignores.ignores(path) for path in ("a1b", "xa2999bx", "a0b", "a1")] == [True, True, False, False]
    assert ignores.attribute("xa2999bx", "linguist-vendored") is True


def test_a_line_that_is_too_long_is_no_pattern() -> None:
    ignores = ignores_of({".codesageignore": b"*.log\n" + b"*a" * 100_000 + b"\n*.txt\n"})

    assert [ignores.ignores(path) for path in ("a.log", "a.txt", "a" * 200)] == [True, True, False]
