from pathlib import Path

import pytest

from codesage.entities import Entity, EntityType, Reference, ReferenceKind, Symbol, SymbolKind
from codesage.languages import language_of
from codesage.parsing.outcome import Parsed
from tests.bench import ctags
from tests.bench.ctags import Tag, is_definition, missed
from tests.bench.properties import What, findings
from tests.bench.trees import SourceFile


def entity(
    name: str,
    start: int,
    end: int | None = None,
    *,
    entity_type: EntityType = EntityType.FUNCTION,
    signature: str = "",
) -> Entity:
    return Entity(entity_type, "function", name, name, start, start if end is None else end, signature)


def tag(name: str, line: int, *, kind: str = "function", text: str = "") -> Tag:
    return Tag("a", line, kind, name, text)


def source(text: str, path: str = "a.c") -> SourceFile:
    language = language_of(path)
    assert language is not None
    return SourceFile(path, text.encode(), language)


@pytest.mark.parametrize("line", [6, 10, 14])
def test_a_definition_is_found_if_one_of_its_name_begins_at_most_four_lines_away(line: int) -> None:
    assert missed([tag("run", line)], {"a": [entity("run", 10, 12)]}) == []


@pytest.mark.parametrize("line", [5, 15])
def test_a_definition_further_away_is_missed(line: int) -> None:
    assert missed([tag("run", line)], {"a": [entity("run", 10, 12)]}) == [tag("run", line)]


def test_a_definition_may_be_named_on_its_last_line() -> None:
    assert missed([tag("options_t", 30)], {"a": [entity("options_t", 10, 30)]}) == []


def test_a_definition_is_missed_where_only_another_file_or_an_import_has_its_name() -> None:
    entities = {"a": [entity("run", 1, entity_type=EntityType.IMPORT)], "b": [entity("run", 1)]}

    assert missed([tag("run", 1)], entities) == [tag("run", 1)]


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("Shape::draw", "draw"),
        ("os.path.join", "join"),
        ("bats::run", "bats::run"),
        ("operator ==", "operator=="),
        ("run", "#run"),
        ("[Symbol.iterator]", "[Symbol.iterator]"),
    ],
)
def test_names_are_compared_without_qualifier_spaces_and_hash(theirs: str, ours: str) -> None:
    assert missed([tag(theirs, 1)], {"a": [entity(ours, 1)]}) == []


@pytest.mark.parametrize(
    ("language", "kind", "name", "text"),
    [
        ("bash", "function", "run", "run() {"),
        ("bash", "function", "run", "function run {"),
        ("c", "macro", "MAX", "#define MAX(a, b) ((a) > (b) ? (a) : (b))"),
        ("csharp", "class", "Pool", "sealed class Pool<T> where T : class"),
        ("javascript", "class", "Store", "module.exports = class Store {"),
        ("kotlin", "method", "run", "override suspend fun <T> T.run(): Int {"),
        ("typescript", "alias", "Name", "export type Name<T> ="),
        ("go", "func", "Run", "func Run() {"),
    ],
)
def test_a_tag_on_a_line_that_defines_its_name_is_a_definition(
    language: str, kind: str, name: str, text: str
) -> None:
    assert is_definition(tag(name, 1, kind=kind, text=text), language)


@pytest.mark.parametrize(
    ("language", "kind", "name", "text"),
    [
        ("bash", "function", "names=", "local -a names=()"),
        ("c", "macro", "LIMIT", "#define LIMIT 20"),
        ("cpp", "struct", "__anon0a1b", "typedef struct {"),
        ("csharp", "class", "T", "sealed class Pool<T> where T : class"),
        ("javascript", "class", "options", "const options = {"),
        ("javascript", "function", "AnonymousFunction0a1b", "each(function () {"),
        ("kotlin", "method", "<lambda>", "names.map { it.length }"),
        ("kotlin", "method", "name", "fun lengths() = names.map { name -> name.length }"),
        ("typescript", "alias", "Name", "import { type Name } from './names'"),
    ],
)
def test_a_tag_of_a_constant_or_of_something_without_a_name_is_no_definition(
    language: str, kind: str, name: str, text: str
) -> None:
    assert not is_definition(tag(name, 1, kind=kind, text=text), language)


@pytest.mark.skipif(ctags.version() is None, reason=f"no universal-ctags: {ctags.INSTALL}")
def test_ctags_gives_the_kinds_that_are_entities_each_with_its_line(tmp_path: Path) -> None:
    file = source("package a\n\nvar limit = 1\n\nfunc Run() {}\n", "a.go")
    (tmp_path / file.path).write_bytes(file.text)

    assert ctags.tags("go", tmp_path, [file]) == [Tag("a.go", 5, "func", "Run", "func Run() {}")]


def test_there_is_nothing_to_say_of_what_is_where_it_should_be() -> None:
    found = Parsed(
        entities=(entity("run", 1, 3), entity("os", 2, entity_type=EntityType.IMPORT)),
        symbols=(Symbol("limit", 2, SymbolKind.CONSTANT, None),),
        references=(Reference("start", 2, ReferenceKind.CALL, 0),),
    )

    assert list(findings(source("int run() {\n  start(limit);\n}"), found)) == []


@pytest.mark.parametrize(
    ("start", "end"), [(0, 1), (2, 1), (1, 4), (4, 4)], ids=["before", "reversed", "beyond", "behind"]
)
def test_lines_that_the_file_does_not_have_are_found(start: int, end: int) -> None:
    [finding] = findings(source("run\nrun\nrun"), Parsed((entity("run", start, end),)))

    assert finding.what is What.OUTSIDE


@pytest.mark.parametrize(
    "found",
    [
        Parsed((entity("walk", 1),)),
        Parsed((), (Symbol("walk", 1, SymbolKind.FIELD, None),)),
        Parsed((), (), (Reference("walk", 1, ReferenceKind.CALL, None),)),
    ],
)
def test_a_name_that_is_not_on_its_line_is_found(found: Parsed) -> None:
    [finding] = findings(source("int run() {}"), found)

    assert (finding.what, finding.name, finding.text) == (What.ELSEWHERE, "walk", "int run() {}")
    assert finding.what.is_wrong


def test_a_symbol_whose_name_is_a_whole_declaration_is_found() -> None:
    found = Parsed((), (Symbol("limits[2] = {1, 2}", 1, SymbolKind.CONSTANT, None),))

    [finding] = findings(source("int limits[2] = {1, 2};"), found)

    assert finding.what is What.PHRASE


@pytest.mark.parametrize(
    ("text", "found", "what"),
    [
        ("int\nrun() {}", entity("run", 1, 2, signature="int run()"), What.FURTHER),
        ("typedef struct {\n  int a;\n} point;", entity("point", 1, 3), What.BEHIND),
        ("bool operator == (A a) {}", entity("operator==", 1), What.SPACED),
    ],
)
def test_a_name_elsewhere_in_its_definition_has_an_explanation(text: str, found: Entity, what: What) -> None:
    [finding] = findings(source(text), Parsed((found,)))

    assert finding.what is what
    assert not finding.what.is_wrong


def test_both_of_two_entities_with_one_key_are_found() -> None:
    found = findings(source("run run"), Parsed((entity("run", 1), entity("run", 1))))

    assert [finding.what for finding in found] == [What.TWICE, What.TWICE]
