"""TypeScript and TSX: JavaScript, and what has types."""

import re

from tree_sitter import Node

from codesage.parsing.javascript_names import reference
from codesage.parsing.javascript_values import name_of
from codesage.parsing.rules import CLASS, FUNCTION, Rule, Table, no_parameters
from codesage.parsing.source import Source
from codesage.parsing.tables import javascript

_NAMED_BODIES = frozenset({"interface_declaration", "type_alias_declaration"})

# The end of a type, and the indent of the call signature below it: `<T>(value: T): T`, or only its `<`.
# Between them may be comments, a few: nothing is read twice (`*+`), nor far ahead.
_COMMENT = rb"/\*(?:[^*/]|\*(?!/)|/(?!\*))*+\*/|//[^\n]*+"
_UNENDED = re.compile(
    rb"(?<=[\w>\])}'\"])(?<!=>)(\n(?:[ \t]*+\n)*+)[ \t]"
    rb"(?=\s*+(?:(?:%s)\s*+){0,9}+<(?:\n|[^\n]*>\())" % _COMMENT
)


def _readable(data: bytes) -> bytes:
    """Put a semicolon before call signatures: for the grammar, a `<` always goes on with the line above."""
    return _UNENDED.sub(rb"\1;", data)


def _is_member(node: Node, _source: Source) -> bool:
    """A signature in a class or a named type; not one in the type of some parameter."""
    parent = node.parent
    if parent is None or parent.type == "class_body":
        return parent is not None
    return parent.parent is not None and parent.parent.type in _NAMED_BODIES


def _no_body(_node: Node, _source: Source) -> None:
    return None


TABLE = Table(
    rules=(
        *javascript.RULES,
        *javascript.value_rules("public_field_definition"),
        Rule("abstract_class_declaration", CLASS, "class", parameters=javascript.parents, is_type=True),
        Rule("interface_declaration", CLASS, "interface", parameters=javascript.parents, is_type=True),
        Rule("type_alias_declaration", CLASS, "type", parameters=no_parameters, body=_no_body, is_type=True),
        Rule("enum_declaration", CLASS, "enum", parameters=no_parameters, is_type=True),
        Rule("function_signature", FUNCTION, "function"),
        Rule("method_signature", FUNCTION, "function", name=name_of, when=_is_member),
        Rule("abstract_method_signature", FUNCTION, "function", name=name_of),
    ),
    patterns=javascript.patterns("public_field_definition", values="(as_expression) (satisfies_expression)"),
    wrappers=javascript.WRAPPERS | {"ambient_declaration"},
    reference=reference,
    # `declare` says where a definition lives, not what it is.
    decorations=frozenset({"decorator", "declare"}),
    readable=_readable,
)
