"""Kotlin: classes, objects, functions, type aliases and imports.

The grammar names few of its parts, so most are found by their type.
"""

import re
from collections.abc import Collection, Sequence
from itertools import dropwhile

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

_COMMENTS = frozenset({"line_comment", "block_comment"})

_TYPES = frozenset({"class_declaration", "object_declaration", "companion_object"})

_TYPE_WORDS = frozenset({"class", "interface", "object"})
_INFIX_OPERANDS = 3  # left, name, right

_BODIES = frozenset({"class_body", "enum_class_body", "function_body", "block"})

# `Base(id)` and `Named by other` hold the type that they begin with.
_AROUND_A_PARENT = frozenset({"delegation_specifier", "constructor_invocation", "explicit_delegation"})

# Follows what has a member: not `math` of `import kotlin.math.*`, which is all that is named there.
_GOES_ON = re.compile(rb"\s*(?:(?:\?|!!)?\.(?!\s*\*)|\?*::)")


def _first(node: Node, types: Collection[str]) -> Node | None:
    return next((child for child in node.children if child.type in types), None)


def _name(node: Node, source: Source) -> Sequence[str]:
    """Return the name without its backticks."""
    found = part(node, "name")
    return (text_of(found, source).strip("`"),) if found is not None and not found.is_missing else ()


def _imported(node: Node, source: Source) -> Sequence[str]:
    """Return `kotlin.math.max`, whatever it is called here, or `kotlin.math.*`."""
    path = _first(node, ("qualified_identifier",))
    if path is None:
        return ()
    return (text_of(path, source) + (".*" if _first(node, ("*",)) else ""),)


def _class_word(node: Node, source: Source) -> str:
    if _first(node, ("interface",)):
        return "interface"
    modifiers = _first(node, ("modifiers",))
    words = modifiers.children if modifiers is not None else []
    return "enum" if any(text_of(word, source) == "enum" for word in words) else "class"


def _parents(node: Node, source: Source) -> Sequence[str]:
    """Return `Base<T>` and `Named` of `: Base<T>(id), Named by other`."""
    listed = _first(node, ("delegation_specifiers",))
    found: list[str] = []
    for specifier in listed.named_children if listed is not None else ():
        parent: Node | None = specifier
        while parent is not None and parent.type in _AROUND_A_PARENT:
            parent = next((child for child in parent.named_children if child.type not in _COMMENTS), None)
        if specifier.type in _AROUND_A_PARENT and parent is not None:
            found.append(one_line(text_of(parent, source)))
    return found


def _parameters(node: Node, source: Source) -> Sequence[str]:
    """Return `vararg names: String` and the like; in the tree `vararg` and a default stand beside it."""
    listed = _first(node, ("function_value_parameters",))
    found: list[str] = []
    modifiers: Node | None = None
    for child in listed.named_children if listed is not None else ():
        if child.type == "parameter":
            start = modifiers.start_byte if modifiers is not None else child.start_byte
            found.append(one_line(source.text(start, child.end_byte)))
        modifiers = child if child.type == "parameter_modifiers" else None
    return found


def _returns(node: Node, source: Source) -> str | None:
    """Return the type after the parameters' colon."""
    after_colon = dropwhile(lambda child: child.type != ":", node.children)
    found = next((child for child in after_colon if child.is_named and child.type not in _COMMENTS), None)
    return one_line(text_of(found, source)) if found is not None else None


def _misread_name(node: Node, source: Source) -> Sequence[str]:
    """Return `Flaky` of `annotation class Flaky`.

    Below an annotation the grammar takes a class without parents and parameters for an expression: `class`
    as an operator between what is before and behind it, the body for a lambda.
    """
    if node.named_child_count < _INFIX_OPERANDS or text_of(node.named_children[1], source) not in _TYPE_WORDS:
        return ()
    right = node.named_children[2]
    name = right if right.type == "identifier" else _first(right, ("identifier",))
    return (text_of(name, source).strip("`"),) if name is not None else ()


def _misread_word(node: Node, source: Source) -> str:
    word = text_of(node.named_children[1], source)
    before = source.text(node.start_byte, node.named_children[1].start_byte).split()
    return "enum" if "enum" in before else word


def _misread_body(node: Node, _source: Source) -> Node | None:
    return _first(node.named_children[2], ("annotated_lambda",))


def _body(node: Node, _source: Source) -> Node | None:
    return _first(node, _BODIES)


def _constructor(_node: Node, _source: Source) -> Sequence[str]:
    return ("constructor",)


def _outer_type(node: Node, source: Source) -> Sequence[str]:
    """Return the type around `object : Runnable { … }`, the owner of its methods: nothing nearer is named."""
    ancestor = node.parent
    while ancestor is not None and not (ancestor.type in _TYPES and part(ancestor, "name")):
        ancestor = ancestor.parent
    return _name(ancestor, source) if ancestor is not None else ()


def _symbol(node: Node, source: Source) -> str:
    return text_of(node, source).strip("`")


def _is_constant(name: Node, source: Source) -> bool:
    """Whether a property in a type is `const`; what else is captured as a constant is one."""
    variable = name.parent
    declaration = variable.parent if variable is not None else None
    if declaration is None or declaration.type != "property_declaration" or declaration.parent is None:
        return True
    modifiers = _first(declaration, ("modifiers",))
    words = [text_of(word, source) for word in modifiers.children] if modifiers is not None else []
    return declaration.parent.type == "source_file" or "const" in words


def _referred(node: Node, source: Source) -> str:
    """Return the name without backticks.

    None for a variable or package before a dot, told by its small letter, and for the word of `Loaf::class`
    or of a misread class.
    """
    name = text_of(node, source)
    is_passed = name[:1].islower() and (
        name in _TYPE_WORDS or _GOES_ON.match(source.data, node.end_byte) is not None
    )
    return "" if is_passed else name.strip("`")


TABLE = Table(
    rules=(
        Rule("import", IMPORT, "import", name=_imported, parameters=no_parameters, body=_body),
        Rule(
            "class_declaration", CLASS, _class_word, name=_name, parameters=_parents, body=_body, is_type=True
        ),
        Rule(
            "object_declaration", CLASS, "object", name=_name, parameters=_parents, body=_body, is_type=True
        ),
        # One without a name is part of its class, which callers name instead.
        Rule("companion_object", CLASS, "object", name=_name, parameters=_parents, body=_body, is_type=True),
        Rule(
            "infix_expression",
            CLASS,
            _misread_word,
            name=_misread_name,
            parameters=no_parameters,
            body=_misread_body,
            is_type=True,
        ),
        Rule("object_literal", None, name=_outer_type, parameters=no_parameters, body=_body, is_type=True),
        Rule("type_alias", CLASS, "type", name="type", parameters=no_parameters, body=_body),
        Rule(
            "function_declaration",
            FUNCTION,
            "function",
            name=_name,
            parameters=_parameters,
            returns=_returns,
            body=_body,
        ),
        Rule(
            "secondary_constructor",
            FUNCTION,
            "constructor",
            name=_constructor,
            parameters=_parameters,
            body=_body,
        ),
    ),
    wrappers=frozenset({"annotated_expression"}),
    decorations=frozenset({"annotation"}),
    comments=_COMMENTS,
    doc_marks=("/*",),
    symbol=_symbol,
    constant=_is_constant,
    reference=_referred,
    keywords=frozenset({"catch", "for", "if", "when", "while"}),
)
