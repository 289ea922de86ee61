"""Terraform and other HCL: each block at the top of a file, by its labels."""

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from codesage.entities import EntityType
from codesage.parsing.comments import doc_line
from codesage.parsing.rules import Rule, Table, text_of, unquoted
from codesage.parsing.source import Source


def _is_top_level(node: Node, _source: Source) -> bool:
    """Tell a block of the file from one inside a block, also where a brace is lost above it."""
    outer = _enclosing_block(node)
    return outer is None or (outer.has_error and node.start_point.column == 0)


def _enclosing_block(node: Node) -> Node | None:
    parent = node.parent
    while parent is not None and parent.type != "block":
        parent = parent.parent
    return parent


def _labels(node: Node, source: Source) -> list[str]:
    """Return `aws_s3_bucket` and `logs` of `resource "aws_s3_bucket" "logs"`, none of `locals`."""
    words = [child for child in node.named_children if child.type in ("identifier", "string_lit")]
    return [label for word in words[1:] if (label := unquoted(word, source))]


def _name(node: Node, source: Source) -> Sequence[str]:
    return (".".join(_labels(node, source)) or _type(node, source),)


def _word(node: Node, source: Source) -> str:
    return _type(node, source) if _labels(node, source) else "block"


def _type(node: Node, source: Source) -> str:
    return text_of(node.children[0], source)


def _opening_brace(node: Node, _source: Source) -> Node | None:
    return next((child for child in node.children if child.type == "block_start"), None)


def _members(node: Node, source: Source) -> Iterator[Node]:
    """Yield the attributes and blocks directly inside."""
    for body in node.named_children:
        for child in body.named_children if body.type == "body" else ():
            if child.type == "attribute" or (child.type == "block" and not _is_top_level(child, source)):
                yield child


def _member_names(node: Node, source: Source) -> Sequence[str]:
    return [_type(member, source) for member in _members(node, source)]


def _doc(node: Node, source: Source) -> str:
    parent = node.parent  # what stands above the first block stands above the node of them all
    is_first = parent is not None and parent.type == "body" and parent.start_byte == node.start_byte
    above = doc_line(node, parent if parent is not None and is_first else node, TABLE, source)
    return above or _description(node, source)


def _description(node: Node, source: Source) -> str:
    """Return the first line of the attribute `description`, where that is a text and no reference."""
    for member in _members(node, source):
        if member.type == "attribute" and _type(member, source) == "description":
            text = text_of(member.children[-1], source)
            if text.startswith('"'):
                lines = text[1:-1].replace('\\"', '"').split("\\n")
            else:
                lines = text.split("\n")[1:-1] if text.startswith("<<") else []
            return next((line.strip() for line in lines if line.strip()), "")
    return ""


TABLE = Table(
    rules=(
        Rule(
            "block",
            EntityType.TERRAFORM_BLOCK,
            _word,
            name=_name,
            parameters=_member_names,
            body=_opening_brace,
            when=_is_top_level,
        ),
    ),
    doc=_doc,
    quotes='"',
)
