"""Paths and the languages they are taken for."""

import subprocess
import sys

import pytest

from codesage.languages import LANGUAGES, SPELLINGS, language_named, language_of


@pytest.mark.parametrize(
    ("path", "name", "grammar"),
    [
        ("src/app.py", "python", "python"),
        ("typings/app.pyi", "python", "python"),
        ("README.md", "markdown", None),
        ("docs/guide.markdown", "markdown", None),
        ("docs/page.mdx", "mdx", None),
        ("docs/index.rst", "restructuredtext", None),
        ("docs/index.adoc", "asciidoc", None),
        ("notes/prices.ipynb", "jupyter", None),
        ("bin/deploy.sh", "bash", "bash"),
        ("infra/main.tf", "terraform", "hcl"),
        ("infra/main.tf.json", "terraform", None),
        ("cmd/main.go", "go", "go"),
        ("web/store.ts", "typescript", "typescript"),
        ("web/types.d.ts", "typescript", "typescript"),
        ("web/page.tsx", "typescript", "tsx"),
        ("web/page.jsx", "javascript", "javascript"),
        ("OLD/SETUP.PY", "python", "python"),
    ],
)
def test_a_path_is_of_the_language_its_extension_says(path, name, grammar):
    language = language_of(path)

    assert language is not None
    assert (language.name, language.grammar) == (name, grammar)


@pytest.mark.parametrize(
    "path", ["", "LICENSE", "py", "tf.json", "package.json", "a.py/data.bin", ".py", "app.pyc"]
)
def test_a_path_without_a_known_extension_has_no_language(path):
    language = language_of(path)

    assert language is None


def test_no_extension_and_no_file_name_belongs_to_two_rows():
    claimed = [claim for row in LANGUAGES for claim in (*row.extensions, *row.filenames)]

    assert len(claimed) == len(set(claimed))


def test_rows_of_one_name_share_its_label_and_differ_in_grammar():
    labels = {row.name: row.label for row in LANGUAGES}
    rows = {(row.name, row.grammar) for row in LANGUAGES}

    assert all(row.label == labels[row.name] for row in LANGUAGES)
    assert len(rows) == len(LANGUAGES)


def test_asking_for_a_language_loads_no_grammar():
    script = "import sys, codesage.languages; print('tree_sitter' in sys.modules)"

    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert answer.stdout == "False\n"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("python", "python"),
        ("Python3", "python"),
        ("py", "python"),
        (".pyi", "python"),
        ("JavaScript", "javascript"),
        ("JS", "javascript"),
        ("nodejs", "javascript"),
        ("ts", "typescript"),
        ("tsx", "typescript"),
        (" golang ", "go"),
        ("shell", "bash"),
        ("HCL", "terraform"),
        ("notebook", "jupyter"),
        ("md", "markdown"),
    ],
)
def test_a_language_is_known_by_name_label_extension_and_common_spelling(text, name):
    assert language_named(text) == name


@pytest.mark.parametrize("text", ["", " ", ".", "cobol", "..py", "app.py", "py thon"])
def test_a_text_that_names_no_language_of_ours_is_none(text):
    assert language_named(text) is None


def test_every_row_is_known_by_its_own_words():
    for row in LANGUAGES:
        for text in (row.name, row.label, *row.extensions):
            assert language_named(text) == row.name


def test_a_spelling_is_understood_as_soon_as_its_language_has_a_row():
    names = {row.name for row in LANGUAGES}

    for spelling, name in SPELLINGS.items():
        assert language_named(spelling) == (name if name in names else None)


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("bin/run", b"#!/usr/bin/env python3\nprint()\n", "python"),
        ("bin/run", b"#!/usr/bin/python2.7 -u\n", "python"),
        ("bin/run", b"#!/bin/sh\n", "bash"),
        ("bin/run", b"#!/usr/bin/env -S node --harmony\n", "javascript"),
        ("bin/run", b"#!/opt/pythonic/tool\n", None),
        ("bin/run", b"no first line\n#!/bin/sh\n", None),
        ("bin/run.dat", b"#!/bin/sh\n", None),
        ("bin/run", b"", None),
    ],
)
def test_a_script_without_an_extension_is_what_its_first_line_says(
    path: str, text: bytes, name: str | None
) -> None:
    language = language_of(path, text)

    assert (None if language is None else language.name) == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (b"", "c"),
        (b"#include <x.h>\nint f(int class_count);\n", "c"),
        (b"#pragma once\nnamespace a {\nint f();\n}\n", "cpp"),
        (b"template <typename T>\nT f(T);\n", "cpp"),
        (b"struct A {\n  private:\n    int x;\n};\n", "cpp"),
        (b"class A {};\n", "cpp"),
    ],
)
def test_a_header_is_cpp_where_a_line_begins_as_no_line_of_c_does(text: bytes, name: str) -> None:
    language = language_of("include/a.h", text)

    assert language is not None
    assert language.name == name
