"""Terraform and other HCL: each block at the top of a file, by its labels."""

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from codesage.entities import EntityType
from codesage.parsing.comments import doc_line
from codesage.parsing.rules import Rule, Table, text_of, unquoted
from codesage.parsing.source import Source

# What begins as an address does and is none, and the attributes that say which provider is meant.
_NOT_BLOCKS = frozenset({"count", "each", "path", "self", "terraform"})
_PROVIDERS = ("provider", "providers")

# [host/]owner/name/provider
_IN_REGISTRY = re.compile(r"(?:[\w-]+\.[\w.-]+/)?[\w-]+/([\w-]+)/[\w-]+")


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


def _symbol(node: Node, source: Source) -> str:
    """Return a key of `locals`; of other blocks without a label the attributes are settings."""
    block = _enclosing_block(node)
    return text_of(node, source) if block is not None and _type(block, source) == "locals" else ""


def _reference(node: Node, source: Source) -> str:
    match node.type:
        case "variable_expr":
            return _block_at(node, source)
        case "string_lit":
            return _module(node, source)
        case _:
            return text_of(node, source).rpartition("::")[2]


def _block_at(node: Node, source: Source) -> str:
    """Return what the block is called whose address begins here, as in `_name`; empty if it is no address."""
    first, path = text_of(node, source), _attributes_behind(node, source)
    if first in _NOT_BLOCKS:
        return ""
    if path and first in ("local", "module", "var"):
        return path[0]
    if path and first == "data":
        return ".".join(path[:2])
    if path and "_" in first:  # a resource begins with its provider's name
        is_item = path[0] == "value" or path == ["key"]  # of a `dynamic` block
        return "" if is_item else f"{first}.{path[0]}"
    return first if _attribute_around(node, source) in _PROVIDERS else ""


def _attributes_behind(node: Node, source: Source) -> list[str]:
    """Return `aws_ami`, `new` and `id`, which stand behind the `data` of `data.aws_ami.new.id`."""
    names = []
    following = node.next_named_sibling
    while following is not None and following.type == "get_attr":
        names.append(text_of(following.children[-1], source))
        following = following.next_named_sibling
    return names


def _attribute_around(node: Node, source: Source) -> str:
    outer = node.parent
    while outer is not None and outer.type != "attribute":
        outer = outer.parent
    return _type(outer, source) if outer is not None else ""


def _module(node: Node, source: Source) -> str:
    """Return `network` of `source = "./modules/network"`, `vpc` of a registry's `"owner/vpc/aws"`."""
    if _attribute_around(node, source) != "source":
        return ""
    path = unquoted(node, source).partition("?")[0].removesuffix(".git")
    found = _IN_REGISTRY.fullmatch(path)
    name = found[1] if found else path.rpartition("/")[2]
    return "" if name in (".", "..") else name


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
    symbol=_symbol,
    reference=_reference,
    quotes='"',
)
