"""The parts of the `codesage` command that need no stack."""

from pathlib import Path

import pytest

from local.cli.doctor import python
from local.cli.errors import CommandError
from local.cli.output import ago, counted
from local.cli.replies import Hit, KnownSources, NewSource
from local.cli.sources import check_name_is_free, source_of
from local.cli.view import body_of
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


def hit(signature: str | None, snippet: str) -> Hit:
    return Hit(
        entity_name="f",
        entity_type="function",
        file_path="a.py",
        line_start=1,
        language="python",
        signature=signature,
        snippet=snippet,
        description=None,
        url=None,
        repository="a/b",
    )


def test_the_text_of_a_hit_does_not_repeat_its_signature() -> None:
    text = "def f(a) -> int:\n    return a"

    assert body_of(hit("def f(a) -> int:", text), 8) == "return a"


def test_the_text_of_a_hit_does_not_spell_out_its_joined_signature() -> None:
    text = "def f(a: int, b: int) -> int:\ndef f(\n    a: int,\n    b: int,\n) -> int:\n    return a"

    assert body_of(hit("def f(a: int, b: int) -> int:", text), 8) == "return a"


def test_of_a_signature_that_the_api_cut_nothing_is_repeated_either() -> None:
    parameters = ", ".join(f"parameter_{n}: int" for n in range(30))
    signature = f"def f({parameters}):"

    assert body_of(hit(signature[:300], f"{signature}\n    return 1"), 8) == "return 1"
    assert body_of(hit(signature[:300], f"{signature}\ndef f(\n    parameter_0: int,"), 8) == ""


def test_a_definition_on_one_line_is_shown_whole() -> None:
    assert body_of(hit("def f():", "def f(): return 1"), 8) == "def f(): return 1"


def test_a_long_text_is_cut_with_a_mark() -> None:
    assert body_of(hit(None, "1\n2\n3"), 2) == "1\n2\n…"
    assert body_of(hit(None, "1\n2"), 2) == "1\n2"


def test_counts_are_listed_the_greatest_first_and_zeros_not_at_all() -> None:
    assert counted({"binary": 2, "secret": 0, "no_language": 1_500}) == "1,500 no_language, 2 binary"


def test_a_moment_that_never_was_is_called_never() -> None:
    assert ago(None) == "never"


@pytest.mark.parametrize(
    ("version", "fits"), [((3, 10), False), ((3, 11), True), ((3, 13), True), ((3, 14), False)]
)
def test_the_doctor_knows_which_python_it_needs(version: tuple[int, int], fits: bool) -> None:
    assert (python(version).remedy is None) is fits
