"""What the parsers promise beyond the cases of each language: exact fields, any bytes, any depth."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codesage.entities import Entity, EntityType
from codesage.languages import LANGUAGES, Language, language_of
from codesage.parsing import entities_of, parsed
from codesage.parsing.outcome import Parsed, Skipped
from codesage.records import records_of
from codesage.skips import Skip


def parse(source: str | bytes, path: str = "a.py") -> list[Entity]:
    language = language_of(path)
    assert language is not None
    return entities_of(source if isinstance(source, bytes) else source.encode(), language, path)


def places(entities: list[Entity]) -> list[tuple[str, int, int]]:
    return [(entity.name, entity.line_start, entity.line_end) for entity in entities]


def test_a_python_function_comes_out_field_by_field():
    definition = [
        "def refresh_token(session, token: str) -> str:",
        '    """Return a new access token for a refresh token."""',
        "    claims = decode(token)",
        "    if claims.expired:",
        "        raise Expired(token)",
        "    session.touch()",
        "    return encode(claims)",
    ]
    source = "\n" * 41 + "\n".join(definition) + "\n"

    entities = parse(source, "src/auth/tokens.py")

    assert entities == [
        Entity(
            entity_type=EntityType.FUNCTION,
            kind="function",
            name="refresh_token",
            label="Python function: refresh_token",
            doc="Return a new access token for a refresh token.",
            parameters=("session", "token: str"),
            return_type="str",
            line_start=42,
            line_end=48,
            signature="def refresh_token(session, token: str) -> str:",
            body="\n".join(definition),
        )
    ]


class TestBody:
    def test_it_begins_after_decorators_and_own_indent_and_keeps_all_other_indents(self):
        [_, method] = parse("class A:\n    @cached\n    def f(self):\n        return 1\n\n\nx = 1\n")

        assert method.body == "def f(self):\n        return 1"

    def test_it_begins_at_the_export_of_a_typescript_definition(self):
        [function] = parse("@log\nexport class A { }  // end\n", "a.ts")

        assert function.body == "export class A { }  // end"

    def test_it_has_60_lines_at_most(self):
        [function] = parse("def f():\n" + "    x\n" * 99)

        assert function.body == "def f():\n" + "\n".join(["    x"] * 59)
        assert function.line_end == 100

    def test_it_has_2000_code_points_at_most_however_many_bytes_they_take(self):
        [function] = parse("def f():\n    x = '" + "\N{GRINNING FACE}" * 3000 + "'\n")

        assert len(function.body) == 2000
        assert function.body.endswith("\N{GRINNING FACE}")

    @pytest.mark.parametrize(
        ("source", "path"), [("import os\n", "a.py"), ('import "os"\n', "a.go"), ("import 'os'\n", "a.ts")]
    )
    def test_an_import_has_none(self, source, path):
        [entity] = parse(source, path)

        assert entity.body == ""

    def test_a_section_holds_its_heading_and_no_trailing_blank_lines(self):
        [first, _] = parse("# A\n\ntext\n\n\n# B\n", "a.md")

        assert first.body == "# A\n\ntext"


class TestSignature:
    @pytest.mark.parametrize(
        ("header", "signature"),
        [
            ("def f( a,  b ):", "def f( a, b ):"),
            ("def f(\n    a,\n    b,\n):", "def f(a, b):"),
            ("def f(a=(1,)):", "def f(a=(1,)):"),
            ("def f(\n    a=(1,),\n):", "def f(a=(1,)):"),
            ("def f(  # why: because\n    a,  # it's b\n):", "def f(a):"),
            ("def f(a='#  :', *, b={1: 2}) -> 'x:y':", "def f(a='#  :', *, b={1: 2}) -> 'x:y':"),
            ("def f() -> (\n    int  # a: b\n):", "def f() -> (int):"),
            ("def f(a: lambda: 0 = lambda: 1):", "def f(a: lambda: 0 = lambda: 1):"),
            ("class A(B, metaclass=C[1:2]):", "class A(B, metaclass=C[1:2]):"),
            ("async  def f(a, \\\n    b):", "async def f(a, \\ b):"),
            ("class A  :", "class A :"),
        ],
    )
    def test_a_python_definition_is_one_line_up_to_and_with_its_colon(self, header, signature):
        [entity] = parse(f"{header} pass\n")

        assert entity.signature == signature

    @pytest.mark.parametrize(
        ("source", "path", "signature"),
        [
            ("function f({ a, b }, c) { }", "a.js", "function f({ a, b }, c)"),
            ("function f({\n  a,\n  b,\n}, c) { }", "a.js", "function f({a, b}, c)"),
            ("function f<\n  A,\n  B,\n>(a: A) { }", "a.ts", "function f<A, B>(a: A)"),
            ("function f(a = `\n  x`) { }", "a.js", "function f(a = ` x`)"),
            ("function f(a /* { */, b) // {\n{ }", "a.js", "function f(a, b)"),
            ("function f(/* first: */ a, b /* c */ /* d */ = 1) {}", "a.js", "function f(a, b = 1)"),
            ("const f = (a) => // {\n{ };", "a.js", "const f = (a)"),
            ("const f = (a) => ({ a });", "a.js", "const f = (a)"),
            ("type A = B<C>;", "a.ts", "type A = B<C>"),
            ("func f() {}", "a.go", "func f()"),
            ("func f(\n\ta int,\n) (\n\tb int,\n) {\n}", "a.go", "func f(a int) (b int)"),
        ],
    )
    def test_other_languages_end_before_brace_arrow_and_semicolon(self, source, path, signature):
        [entity] = parse(source, path)

        assert entity.signature == signature

    @pytest.mark.parametrize("path", ["a.py", "a.pyi"])
    def test_it_has_500_code_points_at_most(self, path):
        [entity] = parse("def f(" + ", ".join(f"parameter_{n}" for n in range(1000)) + "): pass", path)

        assert len(entity.signature) == 500
        assert len(entity.parameters) == 1000


class TestDoc:
    @pytest.mark.parametrize(
        ("above", "doc"),
        [
            ("// One.\n// Two.\n", "One."),
            ("/** One. */\n", "One."),
            ("/**\n * One.\n * @param a\n */\n", "One."),
            ("/**\n * @public\n * One.\n */\n", "One."),
            ("/* Licence. */\n// One.\n", "One."),
            ("/** One. */\n// eslint-disable-next-line\n", "One."),
            ("let x; // not this\n", ""),
            ("// not this\n\n", ""),
            ("/***/\n", ""),
        ],
    )
    def test_it_is_the_first_line_of_the_comment_directly_above(self, above, doc):
        [function] = parse(f"{above}function f() {{}}\n", "a.ts")

        assert function.doc == doc

    def test_a_comment_of_a_group_is_not_that_of_its_first_member(self):
        entities = parse("// Both.\nconst a = () => 1, b = () => 2;\n", "a.js")

        assert [(entity.name, entity.doc) for entity in entities] == [("a", "Both."), ("b", "")]


class TestEncoding:
    @pytest.mark.parametrize(
        "encoded",
        [
            "\ufeffdef f(): 'é'\n".encode(),
            "\ufeffdef f(): 'é'\n".encode("utf-16-le"),
            "\ufeffdef f(): 'é'\n".encode("utf-16-be"),
            "\ufeffdef f(): 'é'\n".encode("utf-32-le"),
            "def f(): 'é'\n".encode(),
            "def f(): 'é'\n".encode("latin-1"),
            b"# coding: unheard-of\n" + "def f(): 'é'\n".encode(),
            b"# coding: zlib\n" + "def f(): 'é'\n".encode(),
            "# -*- coding: iso-8859-15 -*-\ndef f(): 'é'\n".encode("iso-8859-15"),
        ],
    )
    def test_a_file_is_read_in_the_encoding_it_is_in(self, encoded):
        [function] = parse(encoded)

        assert (function.name, function.doc) == ("f", "é")

    def test_a_cookie_that_is_true_is_believed_before_utf_8(self):
        source = "# coding: shift-jis\ndef f(): '表示'\n".encode("shift-jis")

        [function] = parse(source)

        assert function.doc == "表示"

    def test_windows_quotes_are_read_as_such(self):
        [section] = parse(b"# \x93quoted\x94\n", "a.md")

        assert section.name == "“quoted”"

    @pytest.mark.parametrize("line_end", ["\n", "\r\n"])
    @pytest.mark.parametrize(
        ("path", "source"),
        [
            ("a.py", "def f(): pass\n"),
            ("a.ts", "function f() {}\n"),
            ("a.go", "func f() {}\n"),
            ("a.cs", "class f {}\n"),
            ("a.sh", "f() { :; }\n"),
            ("a.tf", 'variable "f" {}\n'),
            ("a.tf.json", '{"variable": {"f": {}}}\n'),
            ("a.md", "# f\n"),
            ("a.rst", "f\n=\n"),
            ("a.adoc", "= f\n"),
            ("a.ipynb", '{"cells": [{"cell_type": "code", "source": "def f(): pass"}]}\n'),
        ],
    )
    def test_a_byte_order_mark_is_in_no_name_and_no_text_and_moves_no_line(self, path, source, line_end):
        marked = f"\ufeff{source}".replace("\n", line_end)

        [marked_entity] = parse(marked, path)

        assert [marked_entity] == parse(source, path)
        assert (marked_entity.name, marked_entity.line_start) == ("f", 1)

    @pytest.mark.parametrize("path", ["a.py", "a.ts", "a.md", "a.go"])
    @pytest.mark.parametrize("source", [b"", b"\xef\xbb\xbf", b"\xff\xfe", b"\n", b"\r\n \r"])
    def test_a_file_without_text_has_no_entities(self, source, path):
        entities = parse(source, path)

        assert entities == []


class TestLines:
    @pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
    @pytest.mark.parametrize(
        ("source", "path"),
        [
            ("x\n\ndef f():\n    pass\n", "a.py"),
            ("x;\n\nfunction f() {\n}\n", "a.js"),
            ("x\n\n# f\ntext\n", "a.md"),
        ],
    )
    def test_they_are_counted_alike_for_every_line_end(self, source, path, line_end):
        entities = parse(source.replace("\n", line_end), path)

        assert places(entities)[-1] == ("f", 3, 4)
        assert "\r" not in entities[-1].body

    @pytest.mark.parametrize("separator", ["\f", "\v", "\x1c", "\x85", "\u2028"])
    def test_what_only_unicode_calls_a_line_break_is_none(self, separator):
        source = f"# a{separator}b\ndef f(): pass\n"

        assert places(parse(source)) == [("f", 2, 2)]
        assert places(parse(source.replace("def f(): pass", "# f"), "a.md"))[-1] == ("f", 2, 2)

    def test_a_definition_at_the_end_of_a_file_without_a_line_end_ends_on_its_last_line(self):
        assert places(parse("\ndef f():\n    pass")) == [("f", 2, 3)]
        assert places(parse("\nfunction f() {\n}", "a.js")) == [("f", 2, 3)]


class TestDamage:
    @pytest.mark.parametrize(
        "rest",
        [
            "x = " + "1+" * 20_000 + "1",
            "x = " + "1+" * 60_000 + "1",
            "x = " + "-" * 100_000 + "1",
            "x = " + "a." * 20_000 + "b",
            "if x: pass\n" + "elif x: pass\n" * 3_000,
            "x = '\0'",
            "print 'python 2'",
        ],
        ids=lambda rest: rest[:20],
    )
    def test_python_that_ast_refuses_keeps_the_definitions_around_the_trouble(self, rest):
        entities = parse(f"def before(): pass\n{rest}\ndef after(): pass\n")

        assert [entity.name for entity in entities] == ["before", "after"]

    @pytest.mark.parametrize(
        "statement",
        [
            "print 'old'",
            "print >>log, 'old'",
            "exec 'old'",
            "x = `old`",
            "raise Old, 'old'",
            "if x <> 0777L:\n\tpass\n        pass",
            "match x:\n    case [1, *rest] if rest:\n        pass",
            "try:\n    pass\nexcept* ValueError:\n    pass",
            "type Pair = tuple[int, int]",
            'x = f"{names["inner"]}"',
            "with (open(a) as b, open(c) as d):\n    pass",
        ],
    )
    def test_python_of_any_age_keeps_the_definitions_around_it(self, statement):
        entities = parse(f"def before(): pass\n{statement}\ndef after[T](x: T): pass\n")

        functions = [entity for entity in entities if entity.entity_type is EntityType.FUNCTION]
        assert [(entity.name, entity.parameters) for entity in functions] == [
            ("before", ()),
            ("after", ("x: T",)),
        ]

    @pytest.mark.parametrize(
        "source",
        ["interface A { val b: C }", "fun interface A { fun f() }", "enum class A { B; fun f() {} }"],
    )
    def test_valid_code_that_a_grammar_takes_for_wrong_is_found(self, source):
        entities = parse(f"{source}\nfun after() {{}}\n", "a.kt")

        assert (entities[0].name, entities[-1].name) == ("A", "after")

    @pytest.mark.parametrize("opening", ["[", "{", "(", "f(", "function f(){", "class A{", "<a>"])
    @pytest.mark.parametrize("path", ["a.tsx", "a.go", "a.py"])
    def test_nesting_without_end_is_survived(self, opening, path):
        outcome = parsed((opening * 5_000).encode(), language_of(path), path)

        assert isinstance(outcome, Parsed)

    def test_definitions_deeper_than_any_person_writes_are_left_out(self):
        source = "function shallow() {}" + "{" * 300 + "function deep() {}" + "}" * 300

        assert [entity.name for entity in parse(source, "a.js")] == ["shallow"]

    def test_a_parse_beyond_its_time_says_so_and_the_next_file_is_not_mixed_with_it(self):
        noise = random.Random(1).randbytes(2_000_000)
        go = language_of("a.go")

        outcome = parsed(noise, go, "a.go")
        following = entities_of(b"package a\nfunc f() {}\n", go, "a.go")

        assert outcome == Skipped(Skip.PARSER_TIMEOUT)
        assert places(following) == [("f", 2, 2)]

    @pytest.mark.filterwarnings("error")
    def test_a_doubtful_escape_in_python_raises_no_warning(self):
        assert places(parse("def f(): return '\\d'\n")) == [("f", 1, 1)]

    @pytest.mark.parametrize("language", LANGUAGES, ids=lambda row: row.extensions[0])
    @settings(deadline=None)  # the first source of a language also waits for its query
    @given(source=st.binary() | st.text(alphabet="def class()<>{}[]:;,.=>#*-'\"`\n\t /hx1é").map(str.encode))
    def test_no_bytes_raise_and_all_lines_exist(self, language: Language, source: bytes):
        entities = entities_of(source, language, "a")

        last_line = source.count(b"\n") + source.count(b"\r") + 1
        assert all(1 <= entity.line_start <= entity.line_end <= last_line for entity in entities)
        assert entities == entities_of(source, language, "a")


class TestMarkdown:
    def test_a_document_without_headings_is_named_by_its_file(self):
        [section] = parse("Just text.\n", "docs/notes.md")

        assert (section.name, section.label) == ("notes.md", "Markdown section: notes.md")

    @pytest.mark.parametrize(
        ("front_matter", "name"),
        [
            ("title: Plain text", "Plain text"),
            ("title: 'One: two'", "One: two"),
            ("subtitle: Not this", "a.md"),
            ("nested:\n  title: Not this", "a.md"),
            ("title:\n", "a.md"),
        ],
    )
    def test_text_before_the_first_heading_is_named_by_the_front_matter(self, front_matter, name):
        [section, _] = parse(f"---\n{front_matter}\n---\ntext\n# A\n", "a.md")

        assert section.name == name

    def test_front_matter_after_a_byte_order_mark_is_still_no_section(self):
        entities = parse("\ufeff---\ntitle: A\n---\n\nTitle\n=====\n", "a.md")

        assert places(entities) == [("Title", 5, 6)]

    @pytest.mark.parametrize("before", ["", "\n\n", "<!-- licence -->\n\n", '<div align="center">\n\n'])
    def test_nothing_but_markup_before_the_first_heading_makes_no_section(self, before):
        entities = parse(f"{before}# A\n", "a.md")

        assert [entity.name for entity in entities] == ["A"]

    def test_a_file_name_that_is_not_text_does_not_spoil_the_section(self):
        [section] = parse("text\n", "docs/\udce9.md")

        assert section.name == "?.md"


class TestKeys:
    """What one entity's record is known by: an objectID, which holds its path, type, name and line."""

    OVERLOADS = (
        "export function parse(text: string): Tree;",
        "export function parse(bytes: Uint8Array): Tree;",
        "export function parse(lines: string[]): Tree;",
        "export function parse(source: unknown): Tree { return read(source); }",
    )

    def keys(self, source: str, path: str) -> list[str]:
        language = language_of(path)
        assert language is not None
        found = records_of(parse(source, path), 1, path, language.name)
        assert found.duplicates == 0
        return [record["objectID"] for record in found.records]

    def test_an_overload_that_is_added_changes_no_key_above_it_and_leaves_no_twin_below(self):
        before = self.keys("\n".join(self.OVERLOADS), "a.ts")
        added = [*self.OVERLOADS[:3], "export function parse(file: File): Tree;", self.OVERLOADS[3]]

        after = self.keys("\n".join(added), "a.ts")

        assert (
            after[:4] == before
        )  # the fourth line was the body's, and is a definition of that name as before
        assert len(set(after)) == 5

    def test_a_signature_that_is_edited_keeps_its_key(self):
        before = self.keys("\n".join(self.OVERLOADS), "a.ts")

        after = self.keys("\n".join(self.OVERLOADS).replace("bytes:", "buffer:"), "a.ts")

        assert after == before

    @pytest.mark.parametrize(
        ("path", "source", "count"),
        [
            ("A.java", "class A {\n  void f(int a) {}\n  void f(String a) {}\n}\n", 3),
            ("a.py", "@overload\ndef f(a: int): ...\n@overload\ndef f(a: str): ...\ndef f(a): pass\n", 3),
            (
                "b.py",
                "class A:\n    @property\n    def x(self): pass\n    @x.setter\n    def x(self, to): pass\n",
                3,
            ),
            ("a.md", "# Guide\n\n## Setup\n\n## Setup\n\n## Setup-1\n\n## Setup\n\n## 🚀\n\n## ---\n", 7),
            ("a.tf", 'resource "a" "logs" {}\nresource "b" "logs" {}\n', 2),
        ],
    )
    def test_what_has_one_name_in_one_file_has_keys_of_its_own(self, path, source, count):
        assert len(set(self.keys(source, path))) == count

    def test_what_has_one_address_in_two_modules_of_terraform_has_keys_of_its_own(self):
        source = 'resource "aws_s3_bucket" "logs" {}\n'

        one, other = self.keys(source, "modules/one/main.tf"), self.keys(source, "modules/other/main.tf")

        assert one != other

    def test_every_file_of_a_terraform_module_gives_its_blocks(self):
        module = {
            "main.tf": 'resource "aws_s3_bucket" "logs" {}\n\nmodule "vpc" {\n  source = "./vpc"\n}\n',
            "vars.tf": 'variable "region" {}\n',
            "locals.tf": "locals {\n" + "".join(f"  key_{n} = {n}\n" for n in range(30)) + "}\n",
            "x.tf.json": '{"output": {"id": {"value": 1}}}\n',
            "terraform.tfvars": 'region = "eu-west-1"\n',
        }

        found = {path: [entity.kind for entity in parse(source, path)] for path, source in module.items()}

        assert found == {
            "main.tf": ["resource", "module"],
            "vars.tf": ["variable"],
            "locals.tf": ["block"],
            "x.tf.json": ["output"],
            "terraform.tfvars": [],  # values have no blocks
        }
