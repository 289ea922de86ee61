"""The parts of the `codesage` command that need no stack."""

from pathlib import Path

import pytest

from local.cli.doctor import python
from local.cli.errors import CommandError
from local.cli.output import ago, counted
from local.cli.replies import AtLeast, Highlights, Hit, KnownSources, NewSource, Repositories, Repository
from local.cli.search import arrival
from local.cli.sources import check_name_is_free, source_of
from local.cli.view import MARK, code_of, description_of, last_run, marked
from tests.repositories import GitRepository


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://github.com/pallets/flask", "pallets/flask"),
        ("https://github.com/pallets/flask.git", "pallets/flask"),
        ("https://github.com/pallets/flask/", "pallets/flask"),
        ("https://user:secret@gitlab.com/group/deeper/project.git", "deeper/project"),
        ("ssh://git@host.example:2222/owner/my.project.git", "owner/my.project"),
        ("git@github.com:pallets/flask.git", "pallets/flask"),
    ],
)
def test_a_url_is_named_by_its_last_two_parts(url: str, name: str) -> None:
    source = source_of(url, None, None)

    assert (source.name, source.url, source.path) == (name, url, None)


def test_a_url_without_owner_and_name_asks_for_one() -> None:
    with pytest.raises(CommandError, match="--name OWNER/NAME"):
        source_of("https://host.example/flask", None, None)


def test_a_checkout_is_named_by_its_origin_and_a_folder_by_itself(tmp_path: Path) -> None:
    checkout = GitRepository(tmp_path / "checkout")
    checkout.commit({"a.py": ""})
    unnamed = source_of(str(checkout.folder), None, None).name
    checkout.git("remote", "add", "origin", "git@github.com:pallets/flask.git")

    named = source_of(str(checkout.folder), None, None)

    assert unnamed == "local/checkout"
    assert (named.name, named.path) == ("pallets/flask", str(checkout.folder))


def test_an_origin_on_the_same_disk_names_nothing(tmp_path: Path) -> None:
    checkout = GitRepository(tmp_path / "checkout")
    checkout.commit({"a.py": ""})
    checkout.git("remote", "add", "origin", str(tmp_path / "owner" / "upstream"))

    assert source_of(str(checkout.folder), None, None).name == "local/checkout"


def test_a_folder_name_is_reduced_to_what_a_repository_may_be_called(tmp_path: Path) -> None:
    folder = tmp_path / "Ordner für alles"
    folder.mkdir()

    assert source_of(str(folder), None, None).name == "local/Ordner-f-r-alles"


def test_a_url_with_a_password_is_known_again_by_the_address_that_is_shown() -> None:
    known = KnownSources.model_validate({"sources": [{"name": "a/b", "url": "https://host.example/a/b"}]})

    check_name_is_free(NewSource(name="a/b", url="https://user:secret@host.example/a/b"), known)
    with pytest.raises(CommandError, match="already indexed"):
        check_name_is_free(NewSource(name="A/B", url="https://other.example/a/b"), known)


def hit(signature: str | None, snippet: str, **others: object) -> Hit:
    return Hit.model_validate(
        {
            "entity_name": "f",
            "entity_type": "function",
            "file_path": "a.py",
            "line_start": 1,
            "language": "python",
            "signature": signature,
            "snippet": snippet,
            "description": None,
            "url": None,
            "repository": "a/b",
            "kind": "function",
            "symbol": "f",
        }
        | others
    )


def shown(signature: str | None, snippet: str, lines: int = 8) -> tuple[str, str]:
    head, body = code_of(hit(signature, snippet), lines)
    return head.plain, body.plain


def test_the_text_of_a_hit_does_not_repeat_its_signature() -> None:
    text = "def f(a) -> int:\n    return a"

    assert shown("def f(a) -> int:", text) == ("def f(a) -> int:", "return a")


def test_the_text_of_a_hit_does_not_spell_out_its_joined_signature() -> None:
    text = "def f(a: int, b: int) -> int:\ndef f(\n    a: int,\n    b: int,\n) -> int:\n    return a"

    assert shown("def f(a: int, b: int) -> int:", text)[1] == "return a"


def test_a_joined_signature_is_not_spelled_out_either_where_a_brace_follows_it() -> None:
    text = "func f(a int, b int) error\nfunc f(\n\ta int,\n\tb int,\n) error {\n\treturn nil\n}"

    assert shown("func f(a int, b int) error", text)[1] == "    return nil\n}"


def test_of_a_signature_that_the_api_cut_nothing_is_repeated_either() -> None:
    parameters = ", ".join(f"parameter_{n}: int" for n in range(30))
    signature = f"def f({parameters}):"

    assert shown(signature[:300], f"{signature}\n    return 1")[1] == "return 1"
    assert shown(signature[:300], f"{signature}\ndef f(\n    parameter_0: int,")[1] == ""


def test_a_definition_on_one_line_is_shown_once_and_whole() -> None:
    assert shown("def f():", "def f(): return 1") == ("", "def f(): return 1")
    assert shown("type T struct", "type T struct { x int }") == ("", "type T struct { x int }")


def test_a_hit_without_text_has_its_signature() -> None:
    assert shown("import os", "") == ("import os", "")


def test_a_long_text_is_cut_with_a_mark() -> None:
    assert shown(None, "1\n2\n3", 2)[1] == "1\n2\n…"
    assert shown(None, "1\n2", 2)[1] == "1\n2"


def test_what_a_text_is_indented_by_and_blank_lines_around_it_are_not_shown() -> None:
    text = "class C:\n\n    \n        a = 1\n\n            b = 2\n\n"

    assert shown("class C:", text)[1] == "a = 1\n\n    b = 2"


def test_marks_of_the_api_become_style_and_its_escapes_characters() -> None:
    text = marked("a &lt;mark&gt; &amp; <mark>word</mark>s")

    assert text.plain == "a <mark> & words"
    assert [(text.plain[span.start : span.end], span.style) for span in text.spans] == [("word", MARK)]


def test_marks_stay_on_their_words_in_the_part_of_a_text_that_is_shown() -> None:
    highlights = Highlights(
        entity_name="f", description="", snippet="def <mark>f</mark>(a):\n\tif a:\n\t\t<mark>walk</mark>(a)"
    )
    head, body = code_of(hit("def f(a):", "def f(a):\n\tif a:\n\t\twalk(a)", highlights=highlights), 8)

    assert [head.plain[span.start : span.end] for span in head.spans] == ["f"]
    assert [body.plain[span.start : span.end] for span in body.spans] == ["walk"]


@pytest.mark.parametrize(
    ("description", "said"),
    [
        ("Python method: Tree.walk — Walk it.", "Python method — Walk it."),
        ("Python method: Tree.walk", "Python method"),
        ("Markdown section: Guide > Tree.walk", "Markdown section: Guide > Tree.walk"),
        ("Python method: Tree.walker — Walk it.", "Python method: Tree.walker — Walk it."),
        (None, "method"),
    ],
)
def test_a_description_does_not_repeat_the_symbol_before_it(description: str | None, said: str) -> None:
    found = hit(None, "", description=description, entity_name="walk", symbol="Tree.walk", kind="method")

    assert description_of(found).plain == said


def test_what_would_act_on_a_terminal_is_spelled_out() -> None:
    found = hit("f(\u202e)", "a\r\n\tb\x1b[2J\x9b", file_path="a\nb\x1b.py", entity_name="f\x07")

    assert found.snippet == "a\n\tb\\x1b[2J\\x9b"
    assert (found.signature, found.file_path, found.entity_name) == ("f(\\u202e)", "a\\nb\\x1b.py", "f\\x07")


def repository(**others: object) -> Repository:
    row = {"id": 7, "name": "Octo/Hello", "web_url": None, "branch": "main", "status": "completed"}
    counts: dict[str, object] = {"counts": {}, "languages": {}, "skips": {}, "last_run": {}}
    state = {"freshness": "fresh", "commit": None, "indexed_at": None, "progress": None, "last_failure": None}
    return Repository.model_validate(row | counts | state | {"settings": {"exclude": []}} | others)


@pytest.mark.parametrize(
    "name",
    ["7", "octo/hello", "https://github.com/Octo/Hello.git", "git@github.com:octo/hello", "Octo/Hello/"],
)
def test_a_repository_is_named_by_number_name_or_url(name: str) -> None:
    everything = Repositories(repositories=[repository(id=1, name="octo/other"), repository()])

    found = everything.named(name)

    assert found is not None
    assert found.id == 7


def test_of_many_known_repositories_some_are_named() -> None:
    many = Repositories(repositories=[repository(name=f"octo/r{n:02}") for n in range(23)])

    assert Repositories(repositories=[]).known() == "known repositories: none yet"
    assert many.known().endswith("octo/r18, octo/r19 and 3 more")


def test_a_run_is_told_in_files_and_records() -> None:
    counts = {"files": 4, "bytes": 99, "parsed": 3, "skipped_binary": 1, "skipped_secret": 2, "added": 1_200}

    assert last_run(repository(last_run=counts)) == "files: 3 parsed, 3 skipped; records: 1,200 added"
    assert last_run(repository(last_run={"files": 4, "request_units": 9})) == ""


def test_a_commit_that_did_not_come_is_told_from_one_that_did() -> None:
    waited, come = (AtLeast(commit="0123456789abcdef", reached=reached) for reached in (False, True))

    assert arrival(waited) == "0123456789ab has not come yet; an older commit was searched."
    assert arrival(come) == "0123456789ab has come: it, or a newer commit, is what was searched."


def test_counts_are_listed_the_greatest_first_and_zeros_not_at_all() -> None:
    assert counted({"binary": 2, "secret": 0, "no_language": 1_500}) == "1,500 no_language, 2 binary"


def test_a_moment_that_never_was_is_called_never() -> None:
    assert ago(None) == "never"


@pytest.mark.parametrize(
    ("version", "fits"), [((3, 10), False), ((3, 11), True), ((3, 13), True), ((3, 14), False)]
)
def test_the_doctor_knows_which_python_it_needs(version: tuple[int, int], fits: bool) -> None:
    assert (python(version).remedy is None) is fits
