"""Documents: what their entities hold, where that is not simply the file's own lines."""

import json

import pytest

from codesage.entities import Entity
from codesage.languages import language_of
from codesage.parsing import entities_of


def entities(path: str, text: str) -> dict[str, Entity]:
    language = language_of(path)
    assert language is not None
    return {entity.name: entity for entity in entities_of(text.encode(), language, path)}


def notebook(*cells: tuple[str, str]) -> str:
    listed = [
        {
            "cell_type": kind,
            "outputs": [{"text": ["printed\n"]}],
            "source": text.splitlines(keepends=True),
        }
        for kind, text in cells
    ]
    return json.dumps({"cells": listed, "nbformat": 4}, indent=1)


def test_a_notebooks_section_holds_its_text_and_code_without_outputs_and_quoting():
    text = notebook(("markdown", '# "Prices"\n\nHow they move.\n'), ("code", "x = 1\n\ny = 2"))

    section = entities("prices.ipynb", text)['"Prices"']

    assert section.body == '# "Prices"\n\nHow they move.\n\n\nx = 1\n\ny = 2'


def test_a_function_of_a_notebook_keeps_the_lines_that_ipython_takes_out():
    code = "%load_ext x\n\n@cache\n\ndef fetch(url):\n    !wget {url}\n    %time\n    return url"

    function = entities("fetch.ipynb", notebook(("code", code)))["fetch"]

    assert function.body == "def fetch(url):\n    !wget {url}\n    %time\n    return url"
    assert function.signature == "def fetch(url):"


def test_a_section_of_a_notebook_is_60_lines_of_the_document_however_long_its_outputs():
    text = notebook(("markdown", "# Long"), ("code", "\n".join(f"x{n} = {n}" for n in range(100))))

    section = entities("long.ipynb", text)["Long"]

    assert section.body.split("\n")[-1] == "x57 = 57"


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "null", '{"cells": 1}', '{"cells": [1, {}]}', '{"cells": [{"', "\\"]
)
def test_a_notebook_without_cells_has_no_entities(text: str):
    found = entities("empty.ipynb", text)

    assert found == {}


def test_an_escape_of_half_a_character_in_a_notebook_becomes_a_question_mark():
    text = '{"cells": [{"cell_type": "markdown", "source": ["# Half \\ud83d"]}]}'

    found = entities("half.ipynb", text)

    assert list(found) == ["Half ?"]


def test_a_block_in_terraforms_json_begins_at_its_key_also_where_a_line_has_many():
    text = '{"resource": {"x": {"a": {"n": 1}, "b": {"n": "}"}}}}\n'

    found = entities("main.tf.json", text)

    assert found["x.a"].body.startswith('"a": {"n": 1}')
    assert found["x.b"].body.startswith('"b": {"n": "}"}')


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"resource"', '{"resource": "x"}', '{"resource": {"a": 1}}']
)
def test_json_without_a_block_of_terraform_has_no_entities(text: str):
    found = entities("main.tf.json", text)

    assert found == {}


@pytest.mark.parametrize(
    ("path", "text"), [("a.mdx", "{/*\n\nexport {\n\n<h2>\n"), ("a.ipynb", '{"cells":["\\"[')]
)
def test_half_a_megabyte_of_marks_that_nothing_closes_is_read_before_the_tests_time_is_up(
    path: str, text: str
):
    found = entities(path, text * (500_000 // len(text)))

    assert set(found) <= {path}


def test_a_heading_below_a_list_of_forty_levels_begins_a_section():
    levels = "".join(f"{'  ' * depth}- level\n" for depth in range(40))

    found = entities("outline.md", f"# Before\n\n{levels}\n# After\n")

    assert list(found) == ["Before", "After"]


@pytest.mark.parametrize(
    ("path", "heading"),
    [("a.md", "#"), ("a.mdx", "#"), ("a.adoc", "="), ("a.rst", "")],
    ids=lambda value: value,
)
def test_a_heading_of_half_a_megabyte_is_not_in_the_label_of_each_section_below_it(path: str, heading: str):
    title = "long " * 100_000
    below = "b\n-\n\n" if path == "a.rst" else f"{heading * 2} b\n\n"
    text = f"{title}\n{'=' * 500_000}\n\n" if path == "a.rst" else f"{heading} {title}\n\n"
    language = language_of(path)
    assert language is not None

    found = entities_of((text + below * 2_000).encode(), language, path)

    assert [entity.name[:5] for entity in found] == ["long ", *["b"] * 2_000]
    assert {len(entity.label) for entity in found} == {500}
