"""TypeScript and TSX: JavaScript, and what has types."""

from tree_sitter import Node

from codesage.parsing.rules import CLASS, FUNCTION, Rule, Table, no_parameters
from codesage.parsing.source import Source
from codesage.parsing.tables import javascript

_NAMED_BODIES = frozenset({"interface_declaration", "type_alias_declaration"})


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
        Rule("method_signature", FUNCTION, "function", name=javascript.name_of, when=_is_member),
        Rule("abstract_method_signature", FUNCTION, "function", name=javascript.name_of),
    ),
    wrappers=javascript.WRAPPERS | {"ambient_declaration"},
    # `declare` says where a definition lives, not what it is.
    decorations=frozenset({"decorator", "declare"}),
)
