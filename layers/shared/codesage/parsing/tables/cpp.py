"""C++: C, and classes with their methods, operators, concepts, aliases and `using`.

As in C a definition is what has a body, or `= default` or `= delete` for one. A pure method, `= 0`, counts
where it is declared: it is an interface's. A function defined outside of its class belongs to what stands
before its `::`.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from tree_sitter import Node

from codesage.parsing.rules import (
    CLASS,
    FUNCTION,
    IMPORT,
    Rule,
    Table,
    last_segment,
    no_parameters,
    part,
    text_of,
)
from codesage.parsing.signature import one_line
from codesage.parsing.source import Source
from codesage.parsing.tables import c

_TYPES = (*c.TYPES, "class_specifier")
_CLASSES = frozenset({"class_specifier", "struct_specifier", "union_specifier"})

_KEYWORDS = c.KEYWORDS | {"catch"}

# These are written as functions are called, and are words of the language.
_NOT_USED = (
    _KEYWORDS
    | {"alignof", "const_cast", "decltype", "dynamic_cast"}
    | {"reinterpret_cast", "static_cast", "typeid"}
)

_PLAIN_NAMES = frozenset({"field_identifier", "identifier", "namespace_identifier", "type_identifier"})

# What a base class may have beside it.
_NOT_PARENTS = frozenset({"access_specifier", "attribute_declaration", "comment"})

_GAP_BEFORE_SYMBOL = re.compile(r"(?<=operator)\s+(?=[^\w\s])")


@lru_cache(maxsize=1)
def _declared(node: Node) -> Node | None:
    """Return the name in what `node` declares, with what qualifies it."""
    found = None
    for found in c.declarators(part(node, "declarator")):
        if found.type == "operator_cast":  # `operator bool() const` is name and declarator in one
            break
    return found


def _unqualified(name: Node) -> Node:
    """Return `area` of `geo::Shape::area`."""
    while name.type == "qualified_identifier" and (inner := part(name, "name")) is not None:
        name = inner
    return name


def _bare(name: Node, source: Source) -> str:
    """Return `hash` of `std::hash<Key>`, `operator bool` of `Shape::operator bool() const`."""
    name = _unqualified(name)
    if name.type in _PLAIN_NAMES:
        return "" if name.is_missing else text_of(name, source)
    if name.type in ("template_type", "template_function"):
        name = part(name, "name") or name
    last = c.declarators(name)[-1]
    end = last.start_byte if name.type == "operator_cast" else name.end_byte
    return "" if name.is_missing else _GAP_BEFORE_SYMBOL.sub("", one_line(source.text(name.start_byte, end)))


def _reference(node: Node, source: Source) -> str:
    name = last_segment(node, source)
    return "" if name in _NOT_USED else name


def _name(node: Node, source: Source) -> Sequence[str]:
    found = part(node, "name") or _declared(node)
    name = _bare(found, source) if found is not None else ""
    return () if name in _KEYWORDS else (name,)


def _owner(node: Node, source: Source) -> str | None:
    """Return `Shape` of `geo::Shape<T>::area`: whether that is a type or a namespace, only its file knows."""
    name, scope = part(node, "name") or _declared(node), None
    while name is not None and name.type == "qualified_identifier":
        scope, name = part(name, "scope"), part(name, "name")
    return _bare(scope, source) if scope is not None else None


def _class_around(node: Node, source: Source) -> str | None:
    ancestor = node.parent
    while ancestor is not None and ancestor.type != "compound_statement":
        if ancestor.type in _CLASSES and (name := part(ancestor, "name")) is not None:
            return _bare(name, source)
        ancestor = ancestor.parent
    return None


def _function_word(node: Node, source: Source) -> str:
    owner = _owner(node, source) or _class_around(node, source)
    is_constructor = part(node, "type") is None and owner is not None and _name(node, source)[0] == owner
    return "constructor" if is_constructor else "function"


def _is_function(node: Node, source: Source) -> bool:
    name = _declared(node)
    if name is None or (not c.is_function(node, source) and _unqualified(name).type != "operator_cast"):
        return False
    return part(node, "type") is not None or name.type != "identifier" or not _is_statement(node)


def _is_statement(node: Node) -> bool:
    """Whether it stands in a body: a function without a type there is a macro, `FOREACH(x, xs) { … }`."""
    ancestor = node.parent
    while ancestor is not None and ancestor.type != "compound_statement":
        if ancestor.type in _CLASSES:
            return False
        ancestor = ancestor.parent
    return ancestor is not None


def _is_pure(node: Node, source: Source) -> bool:
    default, function = part(node, "default_value"), c.function_in(node)
    if default is None or function is None or text_of(default, source) != "0":
        return False
    name = part(function, "declarator")
    return name is not None and name.type != "parenthesized_declarator"  # that is a pointer to a function


def _returns(node: Node, source: Source) -> str | None:
    function, name = c.function_in(node), _declared(node)
    if name is not None and _unqualified(name).type == "operator_cast":
        return _bare(name, source).removeprefix("operator ")
    trailing = [
        child
        for child in (function.named_children if function is not None else ())
        if child.type == "trailing_return_type"
    ]
    if trailing:
        return one_line(text_of(trailing[0], source).removeprefix("->"))
    return c.returns(node, source)


def _body(node: Node, _source: Source) -> Node | None:
    """Return the braces, or the `try` that takes the initializers in too."""
    last = node.child(node.child_count - 1)
    return part(node, "body") or (last if last is not None and last.type == "try_statement" else None)


def _parents(node: Node, source: Source) -> Sequence[str]:
    clauses = (child for child in node.named_children if child.type == "base_class_clause")
    return [
        one_line(text_of(child, source))
        for clause in clauses
        for child in clause.named_children
        if child.type not in _NOT_PARENTS
    ]


def _used(node: Node, source: Source) -> Sequence[str]:
    return [one_line(text_of(child, source)) for child in node.named_children if child.type != "comment"][-1:]


def _is_outside_of_classes(node: Node, _source: Source) -> bool:
    """`using Base::draw` in a class redeclares a member of it."""
    return node.parent is None or node.parent.type != "field_declaration_list"


TABLE = Table(
    rules=(
        *c.SHARED_RULES,
        Rule("using_declaration", IMPORT, "import", name=_used, when=_is_outside_of_classes),
        *(
            Rule(
                node,
                CLASS,
                node.removesuffix("_specifier"),
                name=_name,
                parameters=_parents,
                owner=_owner,
                is_type=True,
            )
            for node in _TYPES
        ),
        Rule("concept_definition", CLASS, "concept", parameters=no_parameters),
        Rule("alias_declaration", CLASS, "type", parameters=no_parameters),
        *(
            Rule(
                node,
                FUNCTION,
                _function_word,
                name=_name,
                parameters=c.parameters,
                returns=_returns,
                body=_body,
                owner=_owner,
                when=when,
            )
            for node, when in (("function_definition", _is_function), ("field_declaration", _is_pure))
        ),
    ),
    patterns=c.defined(_TYPES) | {"field_declaration": "(field_declaration default_value: (number_literal))"},
    wrappers=c.TABLE.wrappers | {"friend_declaration", "template_declaration"},
    leading=c.TABLE.leading,
    # Whom a template is for stands before the definition, as an annotation does.
    decorations=c.TABLE.decorations | {"requires_clause", "template", "template_parameter_list"},
    doc_text=c.doc_text,
    symbol=c.symbol,
    reference=_reference,
    readable=c.readable,
    quotes=c.TABLE.quotes,
)
