"""Files made to hang, overflow or exhaust a parser: each costs itself at most, and the next one is parsed.

Where an outcome depends on the machine's speed, as with what takes tree-sitter seconds, a timeout is as right
as what was found in time.
"""

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from codesage.ignores import Ignores
from codesage.languages import language_of
from codesage.parsing.child import ParserChild
from codesage.parsing.outcome import Parsed, Skipped
from codesage.skips import MAX_FILE_BYTES, Skip, skip_of_text

MEMORY = 1 << 30
DEPTH = 100_000
TIMEOUT = Skipped(Skip.PARSER_TIMEOUT)
CRASH = Skipped(Skip.PARSER_CRASH)


def python(trouble: str) -> str:
    return f"def before(): pass\n{trouble}\ndef after(): pass\n"


def javascript(trouble: str) -> str:
    return f"function before() {{}}\n{trouble}\nfunction after() {{}}\n"


def go(trouble: str) -> str:
    return f"package a\n\nfunc before() {{}}\n\n{trouble}\n\nfunc after() {{}}\n"


def c(trouble: str) -> str:
    return f"int before(void) {{ return 1; }}\n{trouble}\nint after(void) {{ return 1; }}\n"


def bash(trouble: str) -> str:
    return f"before() {{ :; }}\n{trouble}\nafter() {{ :; }}\n"


def terraform(trouble: str) -> str:
    return f'variable "before" {{}}\n{trouble}\nvariable "after" {{}}\n'


def markup(heading: str) -> Callable[[str], str]:
    return lambda trouble: f"{heading.format('before')}\n\n{trouble}\n\n{heading.format('after')}\n"


markdown = markup("# {}")
restructuredtext = markup("{}\n======")
asciidoc = markup("== {}")


def notebook(*cells: tuple[str, str]) -> str:
    return json.dumps({"cells": [{"cell_type": kind, "source": [source]} for kind, source in cells]})


@pytest.fixture(scope="module")
def child() -> Iterator[ParserChild]:
    with ParserChild(seconds=20, memory=MEMORY) as child:
        yield child


@pytest.fixture(scope="module")
def hasty_child() -> Iterator[ParserChild]:
    """For what would take minutes."""
    with ParserChild(seconds=1, memory=MEMORY) as child:
        yield child


def parse(child: ParserChild, path: str, source: bytes) -> list[str] | Skipped:
    """Return the names that are found in a file, or why there are none; then see that the child goes on."""
    language = language_of(path)
    assert language is not None
    outcome = child.parse(source, language, path)
    if child.pid is not None:
        assert peak_memory(child.pid) <= MEMORY

    following = child.parse(b"def ordinary(): pass\n", language_of("a.py") or language, "a.py")

    assert isinstance(following, Parsed)
    assert [entity.name for entity in following.entities] == ["ordinary"]
    return [entity.name for entity in outcome.entities] if isinstance(outcome, Parsed) else outcome


def peak_memory(pid: int) -> int:
    """The most address space that the process had, in bytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmPeak:")[2].split()[0]) * 1024


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a.js", javascript(f"x = {'[' * DEPTH}{']' * DEPTH};")),
        ("a.tsx", javascript(f"x = {'(' * DEPTH}1{')' * DEPTH};")),
        ("a.py", python(f"x = {'[' * DEPTH}{']' * DEPTH}")),
        ("a.py", python("x = " + "[\n" * DEPTH + "]\n" * DEPTH)),
        ("a.go", go(f"var x = {'[]int{' * DEPTH}{'}' * DEPTH}")),
        ("a.tf", terraform(f"x = {'[' * DEPTH}{']' * DEPTH}")),
        ("a.tf", terraform(f"x = {'{a=' * DEPTH}1{'}' * DEPTH}")),
        ("a.js", javascript("x = [" * 5_000 + "]" * 5_000)),
        ("a.js", javascript(f"x = {'- ' * DEPTH}1;")),
        ("a.py", python(f"x = {'-' * DEPTH}1")),
        ("a.py", python("if x: pass\n" + "elif x: pass\n" * 5_000)),
        ("a.py", python(f"x = {'lambda: ' * 60_000}1")),
        ("a.py", python("x = " + "1+" * 20_000 + "1")),
        ("a.go", go(f"var x = {'func() {' * 60_000}{'}' * 60_000}")),
        ("a.sh", bash(f"x={'$(echo ' * 20_000}{')' * 20_000}")),
        ("a.md", markdown(">" * 20_000)),
        ("a.md", markdown("> - " * 20_000 + "x")),
        ("a.md", markdown("[" * DEPTH)),
        ("a.mdx", markdown(">" * 20_000)),
        ("a.mdx", markdown("<a>\n" * 20_000)),
        ("a.mdx", markdown("{" * DEPTH)),
        ("a.rst", restructuredtext("  " * 20_000 + "- x")),
        ("a.rst", restructuredtext("".join(f"{' ' * depth}.. a::\n" for depth in range(1_000)))),
        ("a.adoc", asciidoc("*" * 20_000 + " x")),
        ("a.adoc", asciidoc("[[" * 20_000)),
        ("a.adoc", asciidoc("".join(f"{'=' * width}\n" for width in (*range(4, 1_000), *range(999, 3, -1))))),
        (
            "a.ipynb",
            notebook(
                ("markdown", "# before"), ("code", f"x = {'[' * 500}{']' * 500}"), ("markdown", "# after")
            ),
        ),
        ("a.ipynb", notebook(("markdown", "# before"), ("markdown", ">" * 20_000), ("markdown", "# after"))),
    ],
    ids=lambda value: value if len(value) < 10 else f"{value[20:50]!r}",
)
def test_nesting_of_any_depth_leaves_what_stands_around_it(
    child: ParserChild, path: str, source: str
) -> None:
    assert parse(child, path, source.encode()) == ["before", "after"]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a.js", javascript("function f() {" * 60_000)),
        ("a.go", go("var x = " + "func() {" * 60_000)),
        ("a.tf", terraform("a {\n" * 60_000)),
        ("a.sh", bash("$($(" * 10_000)),
        ("a.py", python('x = """' + "text\n" * 20_000)),
        ("a.md", markdown("- " * 20_000 + "x")),
        ("a.md", markdown("1. " * 20_000 + "x")),
        ("a.md", markdown("`" * DEPTH)),
        ("a.mdx", markdown("- " * 20_000 + "x")),
        ("a.adoc", asciidoc("====\n" * 20_001)),
    ],
    ids=lambda value: value if len(value) < 10 else f"{value[20:50]!r}",
)
def test_what_stands_before_something_that_takes_in_the_rest_is_found(
    child: ParserChild, path: str, source: str
) -> None:
    found = parse(child, path, source.encode())

    assert isinstance(found, list)
    assert found[0] == "before"


@pytest.mark.parametrize(
    ("path", "source", "name"),
    [
        ("a.js", javascript("function f() {" * 60_000 + "}" * 60_000), "f"),
        (
            "a.py",
            python("".join(f"{' ' * depth}def f():\n" for depth in range(1_300)) + " " * 1_300 + "pass"),
            "f",
        ),
        ("a.tf", terraform("a {\n" * 60_000 + "}\n" * 60_000), "a"),
    ],
    ids=["javascript", "python", "terraform"],
)
def test_of_definitions_in_definitions_the_outer_ones_are_found(
    child: ParserChild, path: str, source: str, name: str
) -> None:
    found = parse(child, path, source.encode())

    assert isinstance(found, list)
    assert [found[0], found[1], found[-1]] == ["before", name, "after"]
    assert len(found) < 1_000


def test_a_chain_of_3000_else_ifs_is_one_function(child: ParserChild) -> None:
    steps = "".join(f"if (x == {number}) {{}}\nelse " for number in range(3_000))

    found = parse(child, "a.c", c(f"void f(int x) {{\n{steps}{{}}\n}}").encode())

    assert found == ["before", "f", "after"]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a.js", javascript("x = 1" + "+1" * 1_000_000 + ";")),
        ("a.py", python("x = 1" + "+1" * 1_000_000)),
        ("a.py", python("x = (1" + "\n+1" * 400_000 + ")")),
    ],
    ids=["javascript", "python", "python of many lines"],
)
def test_a_million_terms_are_passed_over_or_end_in_time(child: ParserChild, path: str, source: str) -> None:
    found = parse(child, path, source.encode())

    assert found in (["before", "after"], TIMEOUT)


@pytest.mark.parametrize("path", ["a.js", "a.py", "a.go", "a.tf", "a.ipynb"])
def test_a_megabyte_of_brackets_that_are_never_closed_ends_at_the_limit(
    hasty_child: ParserChild, path: str
) -> None:
    source = "[" * 1_000_000 if path != "a.ipynb" else notebook(("code", "x = " + "[" * 1_000_000))

    found = parse(hasty_child, path, source.encode())

    assert found in ([], TIMEOUT)


def test_random_bytes_end_at_the_limit(hasty_child: ParserChild) -> None:
    source = random.Random(1).randbytes(2_000_000)

    assert skip_of_text("a.c", source, Ignores()) is Skip.BINARY
    assert parse(hasty_child, "a.c", source) == TIMEOUT


def test_five_megabytes_on_one_line_end_at_the_limit(hasty_child: ParserChild) -> None:
    source = b"function f(a){return a+1};" * 200_000

    assert len(source) > MAX_FILE_BYTES
    assert skip_of_text("a.js", source[:MAX_FILE_BYTES], Ignores()) is Skip.MINIFIED
    assert skip_of_text("a.py", source[:MAX_FILE_BYTES], Ignores()) is Skip.TOO_LARGE_TO_PARSE
    assert parse(hasty_child, "a.js", source) == TIMEOUT


def test_a_file_that_needs_more_memory_than_there_is_is_skipped() -> None:
    with ParserChild(seconds=20, memory=200 << 20) as child:
        found = parse(child, "a.js", b"x = 1" + b"+1" * 1_000_000)

    assert found == CRASH


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a.py", python("x = '\0'")),
        ("a.js", javascript("\0" * 100)),
        ("a.go", go("\0")),
        ("a.c", c("\0")),
        ("a.sh", bash("\0")),
        ("a.tf", terraform("\0")),
        ("a.md", markdown("\0")),
        ("a.rst", restructuredtext("\0")),
        ("a.adoc", asciidoc("\0")),
    ],
    ids=lambda value: value if len(value) < 10 else "",
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
def test_a_nul_hides_nothing_in_any_encoding(
    child: ParserChild, path: str, source: str, encoding: str
) -> None:
    mark = "\ufeff" if encoding == "utf-16-be" else ""

    assert parse(child, path, (mark + source).encode(encoding)) == ["before", "after"]


@pytest.mark.parametrize(
    "source", [b"", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\0" * 1_000, b"\n" * 1_000]
)
@pytest.mark.parametrize(
    "path", ["a.py", "a.js", "a.go", "a.c", "a.sh", "a.tf", "a.md", "a.rst", "a.adoc", "a.ipynb"]
)
def test_a_file_of_nothing_has_no_entities(child: ParserChild, path: str, source: bytes) -> None:
    assert parse(child, path, source) == []


@pytest.mark.parametrize(
    ("path", "source", "found"),
    [
        ("Backup.cs", "\ufeffclass Größe { }".encode("utf-16-le"), ["Größe"]),
        ("Backup.cs", "\ufeffclass Größe { }".encode("utf-16-be"), ["Größe"]),
        ("Latin.java", "class Latin { } // é".encode("latin-1"), ["Latin"]),
        ("Latin.java", "// é\nclass Größe { }".encode("latin-1"), ["Größe"]),
        ("a.c", "/* 表示 */\nint f(void) { return 1; }".encode("shift-jis"), ["f"]),
        ("a.py", "# coding: latin-1\ndef f(): 'é'".encode("latin-1"), ["f"]),
        ("logo.py", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", Skip.BINARY),
        ("a.py", b"def f(): pass\n\0", Skip.BINARY),
        ("a.py", b"def f(): pass\n" + b"#" * 8_000 + b"\0\ndef g(): pass", ["f", "g"]),
        ("README.md", b"# \x93Caf\xe9\x94", ["“Café”"]),
        ("dump.sql", "\ufeffCREATE TABLE a".encode("utf-16-be"), Skip.NO_LANGUAGE),
    ],
)
def test_files_in_any_encoding_are_parsed_or_say_why_not(
    child: ParserChild, path: str, source: bytes, found: list[str] | Skip
) -> None:
    reason = skip_of_text(path, source, Ignores())

    assert (reason or parse(child, path, source)) == found
