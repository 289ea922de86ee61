"""Terraform's JSON syntax -> one entity per block, named and labelled as in HCL."""

from collections.abc import Iterator

from codesage.entities import Entity, EntityType
from codesage.languages import Language
from codesage.parsing.json_values import Value, json_value
from codesage.parsing.signature import SIGNATURE_CHARACTERS
from codesage.parsing.source import Source

_LABELS = {
    "resource": 2,
    "data": 2,
    "ephemeral": 2,
    "variable": 1,
    "output": 1,
    "module": 1,
    "provider": 1,
    "check": 1,
}
"""How many levels of keys are a block's labels; all other types have none."""

_COMMENT = "//"


def entities(source: Source, language: Language) -> Iterator[Entity]:
    """Yield the blocks of `source`. Their signature is the header they would have in HCL."""
    for block_type, value in json_value(source).members.items():
        for labels, block in _blocks(value, _LABELS.get(block_type, 0), ()):
            name = ".".join(labels) or block_type
            word = block_type if labels else "block"
            line_start, line_end = source.line_of(block.start), source.line_of(block.end - 1)
            yield Entity(
                entity_type=EntityType.TERRAFORM_BLOCK,
                kind=word,
                name=name,
                label=f"{language.label} {word}: {name}",
                line_start=line_start,
                line_end=line_end,
                signature=" ".join([block_type, *(f'"{label}"' for label in labels)])[:SIGNATURE_CHARACTERS],
                doc=_doc(block),
                parameters=tuple(member for member in block.members if member != _COMMENT),
                body=source.body(block.start, line_end),
            )


def _blocks(value: Value, depth: int, labels: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Value]]:
    """Yield the objects `depth` levels of keys below `value`. Each level may be a list of objects."""
    for block in [value] if value.is_object else value.items:
        if block.is_object and not depth:
            yield labels, block
        for key, inner in block.members.items() if depth else ():
            yield from _blocks(inner, depth - 1, (*labels, key))


def _doc(block: Value) -> str:
    texts = (block.members[key].text for key in (_COMMENT, "description") if key in block.members)
    return next((line.strip() for text in texts for line in text.split("\n") if line.strip()), "")
