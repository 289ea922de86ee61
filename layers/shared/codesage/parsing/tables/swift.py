"""Swift: types and their extensions, functions, initializers, subscripts, macros, imports."""

import re
from collections.abc import Sequence

from tree_sitter import Node

from codesage.parsing.rules import CLASS, FUNCTION, IMPORT, Rule, Table, no_parameters, part, text_of
from codesage.parsing.signature import one_line
from codesage.parsing.source import Source

# Follows what has a member.
_GOES_ON = re.compile(rb"\s*[?!]?\.")

# `Cart.self` and `Cart.init` name no member that is defined somewhere.
_NAMELESS = frozenset({"init", "self"})


def _module(node: Node, source: Source) -> Sequence[str]:
    return [text_of(child, source) for child in node.named_children if child.type == "identifier"]


def _type_word(node: Node, source: Source) -> str:
    """Return `struct`, `extension`: one node type stands for all of them."""
    word = part(node, "declaration_kind")
    return text_of(word, source) if word is not None else "class"


def _type_name(node: Node, source: Source) -> Sequence[str]:
    """Return `Line` of `struct Line` and of `extension Cart.Line<Int>`."""
    named = part(node, "name")
    if named is not None and named.type == "user_type":
        named = next(
            (child for child in reversed(named.named_children) if child.type == "type_identifier"), None
        )
    return (_bare(named, source),) if named is not None and not named.is_missing else ()


def _bare(name: Node, source: Source) -> str:
    return text_of(name, source).strip("`")


def _name(node: Node, source: Source) -> Sequence[str]:
    # A return type is in a field called name as well: the first one is the function's.
    named = part(node, "name")
    return (_bare(named, source),) if named is not None and not named.is_missing else ()


def _keyword(node: Node, _source: Source) -> Sequence[str]:
    """Return `deinit` or `subscript`, which have no name but their keyword."""
    return (node.type.removesuffix("_declaration"),)


def _macro_name(node: Node, source: Source) -> Sequence[str]:
    named = next((child for child in node.named_children if child.type == "simple_identifier"), None)
    return (_bare(named, source),) if named is not None else ()


def _parents(node: Node, source: Source) -> Sequence[str]:
    return [
        one_line(text_of(child, source))
        for child in node.named_children
        if child.type == "inheritance_specifier"
    ]


def _parameters(node: Node, source: Source) -> Sequence[str]:
    # There is no list, and a default value is a sibling of its parameter.
    return [one_line(text_of(child, source)) for child in node.named_children if child.type == "parameter"]


def _returns(node: Node, source: Source) -> str | None:
    arrow = next((child for child in node.children if child.type == "->"), None)
    result = arrow.next_named_sibling if arrow is not None else None
    return one_line(text_of(result, source)) if result is not None else None


def _accessors(node: Node, _source: Source) -> Node | None:
    return next((child for child in node.named_children if child.type == "computed_property"), None)


def _is_constant(name: Node, source: Source) -> bool:
    """Whether a property of a type is a `static let`; what else is captured as a constant is one."""
    declaration = name.parent
    while declaration is not None and declaration.type == "pattern":
        declaration = declaration.parent
    if declaration is None or declaration.type != "property_declaration" or declaration.parent is None:
        return True
    if declaration.parent.type == "source_file":
        return True
    words = source.text(declaration.start_byte, name.start_byte).split()
    return "static" in words and "let" in words


def _referred(node: Node, source: Source) -> str:
    """Return the name without backticks.

    None for a variable or module before a dot, told by its small letter, nor for an attribute of the language
    itself, as `@available`: one that is defined somewhere is a type, and begins with a capital.
    """
    name = text_of(node, source)
    if name[:1].islower():
        is_passed = node.type == "type_identifier" or _GOES_ON.match(source.data, node.end_byte) is not None
        return "" if is_passed or name in _NAMELESS else name
    return name.strip("`") if name[:1] != "$" else ""


TABLE = Table(
    rules=(
        Rule("import_declaration", IMPORT, "import", name=_module, parameters=no_parameters),
        Rule("class_declaration", CLASS, _type_word, name=_type_name, parameters=_parents, is_type=True),
        Rule("protocol_declaration", CLASS, "protocol", name=_type_name, parameters=_parents, is_type=True),
        Rule("typealias_declaration", CLASS, "type", name=_type_name, parameters=no_parameters),
        *(
            Rule(node, FUNCTION, word, name=name, parameters=_parameters, returns=_returns, body=body)
            for node, word, name, body in (
                ("function_declaration", "function", _name, "body"),
                ("protocol_function_declaration", "function", _name, "body"),
                ("init_declaration", "constructor", _name, "body"),
                ("deinit_declaration", "function", _keyword, "body"),
                ("subscript_declaration", "function", _keyword, _accessors),
                ("macro_declaration", "macro", _macro_name, "definition"),
            )
        ),
    ),
    decorations=frozenset({"attribute"}),
    comments=frozenset({"comment", "multiline_comment"}),
    symbol=_bare,
    constant=_is_constant,
    reference=_referred,
    quotes='"',
    keywords=frozenset({"catch", "for", "guard", "if", "switch", "while"}),
)
