"""Every language against its cases: a folder with one input file and what it must give.

`expected.json` has the entities. `names.json`, where there is one, has the symbols as line, kind, scope and
name, and the references as line, kind, name and the label of the definition around them.
"""

import dataclasses
import json
import os
from pathlib import Path

import pytest

from codesage.entities import Entity
from codesage.languages import LANGUAGES, Language, language_of
from codesage.parsing import entities_of, parsed
from codesage.parsing.outcome import Parsed
from codesage.parsing.syntax import grammar_of, patterns_of, table_of

CASES = sorted(Path(__file__).parent.glob("*/*/expected.json"))
NAMES = sorted(Path(__file__).parent.glob("*/*/names.json"))
SAMPLES = os.environ.get("CODESAGE_SAMPLES")

with_grammar = pytest.mark.parametrize(
    "language", [row for row in LANGUAGES if row.is_source], ids=lambda row: row.extensions[0]
)


def shown(entity: Entity) -> dict[str, object]:
    """The entity as JSON, without its body (that follows from the lines) and without what is empty."""
    values = dataclasses.asdict(entity)
    del values["body"]
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in values.items() if value
    }


def input_of(case: Path) -> Path:
    [found] = [path for path in case.parent.iterdir() if path.name not in ("expected.json", "names.json")]
    return found


def title(case: Path) -> str:
    return f"{case.parent.parent.name}-{case.parent.name}"


@pytest.mark.parametrize("case", CASES, ids=title)
def test_a_file_gives_the_entities_that_its_case_expects(case):
    source = input_of(case)
    language = language_of(source.name)

    entities = entities_of(source.read_bytes(), language, source.name)

    assert [shown(entity) for entity in entities] == json.loads(case.read_text())


@pytest.mark.parametrize("case", NAMES, ids=title)
def test_a_file_gives_the_symbols_and_references_that_its_case_expects(case):
    source = input_of(case)
    expected = json.loads(case.read_text())

    found = parsed(source.read_bytes(), language_of(source.name), source.name)

    assert isinstance(found, Parsed)
    assert [[s.line, s.kind, s.scope, s.name] for s in found.symbols] == expected["symbols"]
    labels = [None if use.within is None else found.entities[use.within].label for use in found.references]
    uses = [[use.line, use.kind, use.name] for use in found.references]
    assert [[*use, label] for use, label in zip(uses, labels, strict=True)] == expected["references"]


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda row: row.extensions[0])
def test_every_language_has_a_case(language: Language):
    inputs = [input_of(case).name for case in CASES if case.parent.parent.name == language.name]

    assert language in [language_of(name) for name in inputs]


@with_grammar
def test_every_grammar_has_patterns_of_its_references_and_a_case_of_them(language: Language):
    inputs = [input_of(case).name for case in NAMES]

    assert "@reference." in patterns_of(language.grammar or language.name)
    assert language in [language_of(name) for name in inputs]


@with_grammar
def test_every_node_type_of_a_table_is_known_to_its_grammar(language: Language):
    table, grammar = table_of(language.name), grammar_of(language)
    named = {rule.node for rule in table.rules} | table.wrappers | table.comments | table.not_parameters

    unknown = {node for node in named if grammar.id_for_node_kind(node, True) is None}

    assert unknown == set()


@with_grammar
def test_every_field_of_a_table_is_known_to_its_grammar(language: Language):
    grammar = grammar_of(language)
    parts = [
        part for rule in table_of(language.name).rules for part in (rule.name, rule.parameters, rule.body)
    ]
    fields = {field for part in parts if isinstance(part, str) for field in part.split(".")}

    unknown = {field for field in fields if grammar.field_id_for_name(field) is None}

    assert unknown == set()


@pytest.mark.skipif(not SAMPLES, reason="CODESAGE_SAMPLES names no file of samples")
def test_the_shared_samples_give_the_entities_they_expect():
    samples = json.loads(Path(SAMPLES).read_text())["languages"]
    known = {name: sample for name, sample in samples.items() if language_of(sample["path"])}

    for name, sample in known.items():
        language = language_of(sample["path"])
        entities = entities_of(sample["source"].encode(), language, sample["path"])
        got = [
            {
                "entity_type": entity.entity_type,
                "entity_name": entity.name,
                "description": f"{entity.label} — {entity.doc}" if entity.doc else entity.label,
                "parameters": list(entity.parameters),
                "return_type": entity.return_type,
                "line_start": entity.line_start,
                "line_end": entity.line_end,
                "signature": entity.signature,
                "language": language.name,
            }
            for entity in entities
        ]
        expected = [{**entity, "language": language.name} for entity in sample["entities"]]

        assert got == expected, name
