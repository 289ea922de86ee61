"""Rust: types, functions, methods by the type of their `impl`, macros and `use`."""

import re
from collections.abc import Sequence

from tree_sitter import Node

from codesage.parsing.rules import (
    CLASS,
    FUNCTION,
    IMPORT,
    Rule,
    Table,
    no_parameters,
    part,
    text_of,
)
from codesage.parsing.signature import one_line
from codesage.parsing.source import Source

# What stands around a type's name -> the field in which it holds the type.
_AROUND_A_NAME = {
    "generic_type": "type",
    "reference_type": "type",
    "pointer_type": "type",
    "scoped_type_identifier": "name",
    "dynamic_type": "trait",
}

_BRACES_OF_MEMBERS = frozenset({"field_declaration_list", "enum_variant_list"})

# `'static` and `?Sized` bound a trait, but it inherits nothing from them.
_NOT_PARENTS = frozenset({"lifetime", "removed_trait_bound", "line_comment", "block_comment"})

# Follows a module in a path, but for one that is used itself: `io` of `io::{self, Read}` and of `io::*`.
_GOES_ON = re.compile(rb"\s*::(?![<*]|\s*\{\s*self\b)")

# Follows a name in a macro before a bracket that does not call it: `first == (second)`.
_OPERATOR = re.compile(rb"\s*(?:!=|[-+*/%^&|<>=,;?@]|:(?!:)|\.\.|as\b|in\b)[-+*/%^&|<>=,;?@!\s]*\(")

# Follows a setting in an attribute: `cfg(test, feature = "x")`.
_NEXT_SETTING = re.compile(rb"\s*[,=)]")

_NAMELESS = frozenset({"_", "Self"})


def _name(node: Node, source: Source) -> Sequence[str]:
    """Return the name without the mark that lets it be a keyword: `match` of `r#match`."""
    found = part(node, "name")
    return (text_of(found, source).removeprefix("r#"),) if found is not None and not found.is_missing else ()


def _used(node: Node, source: Source) -> Sequence[str]:
    """Return what is used, whatever it is called here: `std::fmt` of `use std::fmt as f`."""
    path = part(node, "argument")
    if path is not None and path.type == "use_as_clause":
        path = part(path, "path")
    return (one_line(text_of(path, source)),) if path is not None else ()


def _implementor(node: Node, source: Source) -> Sequence[str]:
    """Return `Pool` of `impl<T> Reset for &mut net::Pool<T>`; a type without a name is its own: `[T]`."""
    found = part(node, "type")
    while found is not None:
        if found.type == "bounded_type":
            found = next(iter(found.named_children), None)
        elif found.type in _AROUND_A_NAME:
            found = part(found, _AROUND_A_NAME[found.type])
        else:
            return (one_line(text_of(found, source)),)
    return ()


def _supertraits(node: Node, source: Source) -> Sequence[str]:
    bounds = part(node, "bounds")
    children = bounds.named_children if bounds is not None else []
    return [one_line(text_of(child, source)) for child in children if child.type not in _NOT_PARENTS]


def _members(node: Node, _source: Source) -> Node | None:
    """Return the braces; the fields of `struct Pair(u8, u8)` are part of its header."""
    body = part(node, "body")
    return body if body is not None and body.type in _BRACES_OF_MEMBERS else None


def _macro_rules(node: Node, _source: Source) -> Node | None:
    return next((child for child in node.children if child.type in ("{", "(", "[")), None)


def _constant(node: Node, source: Source) -> str:
    """Return the name; none for `const _: () = …`, which only checks something."""
    name = text_of(node, source)
    return name if name not in _NAMELESS else ""


def _referred(node: Node, source: Source) -> str:
    """Return the name without `r#`; none for a module on the way to a name, told by its small letter."""
    name = text_of(node, source).removeprefix("r#")
    if name in _NAMELESS or (name[:1].islower() and _is_passed(node, source)):
        return ""
    if _OPERATOR.match(source.data, node.end_byte) and _holder(node) == "token_tree":
        return ""
    return name


def _is_passed(node: Node, source: Source) -> bool:
    """Whether a name with a small letter is that of a module in a path, or a setting in an attribute."""
    if _GOES_ON.match(source.data, node.end_byte):
        return True
    if _NEXT_SETTING.match(source.data, node.end_byte) is None:
        return False
    tokens = node.parent
    return tokens is not None and tokens.type == "token_tree" and _holder(tokens) == "attribute"


def _holder(node: Node) -> str:
    return node.parent.type if node.parent is not None else ""


TABLE = Table(
    rules=(
        Rule("use_declaration", IMPORT, "import", name=_used),
        Rule("extern_crate_declaration", IMPORT, "import"),
        Rule("struct_item", CLASS, "struct", name=_name, parameters=no_parameters, body=_members),
        Rule("enum_item", CLASS, "enum", name=_name, parameters=no_parameters, body=_members),
        Rule("union_item", CLASS, "union", name=_name, parameters=no_parameters, body=_members),
        Rule("trait_item", CLASS, "trait", name=_name, parameters=_supertraits, is_type=True),
        Rule("type_item", CLASS, "type", name=_name, parameters=no_parameters),
        Rule("impl_item", None, name=_implementor, is_type=True),
        Rule("function_item", FUNCTION, "function", name=_name),
        Rule("function_signature_item", FUNCTION, "function", name=_name),
        Rule(
            "macro_definition",
            FUNCTION,
            "macro",
            name=_name,
            parameters=no_parameters,
            body=_macro_rules,
        ),
    ),
    decorations=frozenset({"attribute_item"}),
    comments=frozenset({"line_comment", "block_comment"}),
    not_parameters=frozenset({"attribute_item"}),
    doc_marks=("///", "/**"),
    symbol=_constant,
    reference=_referred,
    quotes='"',  # a `'` begins a lifetime
    keywords=frozenset({"if", "loop", "match", "unsafe", "while"}),
)
