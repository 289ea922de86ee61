"""Scala 2 and 3: classes, objects, traits, enums, givens, types, `def`s, and imports."""

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
    without_default,
)
from codesage.parsing.signature import one_line
from codesage.parsing.source import Source

_COMMENTS = frozenset({"comment", "block_comment"})

# Follows what has a member, but not all of them, as in `import syntax._`; or what is bound by a `case`.
_GOES_ON = re.compile(rb"\s*(?:\.(?!\s*[*_](?!\w))|=>)")

# Stand for a type that is not named: `Either[String, *]`, `List[?]`.
_NAMELESS = frozenset({"*", "?", "_"})


def _imported(node: Node, source: Source) -> Sequence[str]:
    """Return `a.b._` and `c.{D, E => F}` of `import a.b._, c.{D, E => F}`, as written."""
    keyword, *rest = node.children
    names, start = [], keyword.end_byte
    for child in rest:
        if child.type == ",":
            names.append(source.text(start, child.start_byte))
            start = child.end_byte
    names.append(source.text(start, node.end_byte))
    return [one_line(name) for name in names]


def _name(node: Node, source: Source) -> Sequence[str]:
    named = part(node, "name")
    return (text_of(named, source).strip("`"),) if named is not None and not named.is_missing else ()


def _given_name(node: Node, source: Source) -> Sequence[str]:
    """Return the name, or the type of a given that has none."""
    named = part(node, "name") or part(node, "return_type")
    return (one_line(text_of(named, source)),) if named is not None else ()


def _given_type(node: Node, source: Source) -> Sequence[str]:
    return [
        one_line(text_of(given, source))
        for given in node.children_by_field_name("return_type")
        if given.is_named
    ]


def _parents(node: Node, source: Source) -> Sequence[str]:
    clause = part(node, "extend")
    types = clause.children_by_field_name("type") if clause is not None else ()
    return [one_line(text_of(parent, source)) for parent in types if parent.is_named]  # `with` is a type, too


def _parameters(node: Node, source: Source) -> Sequence[str]:
    lists = [child for child in node.children_by_field_name("parameters") if child.type == "parameters"]
    return [
        without_default(parameter, source)
        for listed in lists
        for parameter in listed.named_children
        if parameter.type not in _COMMENTS
    ]


def _word(node: Node, source: Source) -> str:
    named = part(node, "name")
    return "constructor" if named is not None and text_of(named, source) == "this" else "function"


def _body(node: Node, _source: Source) -> Node | None:
    """Return the `=` or `with` before a body, which are no part of a header, or the body."""
    opener = next((child for child in node.children if child.type in ("=", "with")), None)
    return opener or part(node, "body")


def _has_members(node: Node, _source: Source) -> bool:
    body = part(node, "body")
    return body is not None and body.type in ("with_template_body", "template_body")


def _symbol(node: Node, source: Source) -> str:
    return text_of(node, source).strip("`")


def _referred(node: Node, source: Source) -> str:
    """Return the name without backticks; none for a value or package before a dot, told by a small letter."""
    name = text_of(node, source)
    is_passed = name[:1].islower() and _GOES_ON.match(source.data, node.end_byte) is not None
    return "" if is_passed or name in _NAMELESS else name.strip("`")


TABLE = Table(
    rules=(
        Rule("import_declaration", IMPORT, "import", name=_imported),
        *(
            Rule(node, CLASS, word, name=_name, parameters=_parents, is_type=True)
            for node, word in (
                ("class_definition", "class"),
                ("object_definition", "object"),
                ("package_object", "object"),
                ("trait_definition", "trait"),
                ("enum_definition", "enum"),
            )
        ),
        Rule(
            "given_definition",
            CLASS,
            "given",
            name=_given_name,
            parameters=_given_type,
            body=_body,
            is_type=True,
            when=_has_members,
        ),
        Rule("type_definition", CLASS, "type", name=_name, parameters=no_parameters),
        Rule("function_definition", FUNCTION, _word, name=_name, parameters=_parameters, body=_body),
        Rule("function_declaration", FUNCTION, _word, name=_name, parameters=_parameters),
    ),
    decorations=frozenset({"annotation"}),
    comments=_COMMENTS,
    symbol=_symbol,
    reference=_referred,
    quotes='"',
    keywords=frozenset({"catch", "for", "if", "match", "while"}),
)
