"""JavaScript: classes, functions however they get their name, imports and `require`.

Which of the values that get a name are definitions, `javascript_values` knows.
"""

from collections.abc import Sequence

from tree_sitter import Node

from codesage.parsing.javascript_names import reference
from codesage.parsing.javascript_values import (
    AROUND_VALUES,
    FUNCTION_VALUES,
    NAMING,
    holds,
    inside,
    is_member_or_declared,
    is_named_by_itself,
    name_of,
    owner_of,
    value_field,
    value_of,
)
from codesage.parsing.rules import (
    CLASS,
    FUNCTION,
    IMPORT,
    Rule,
    Table,
    part,
    text_of,
    unquoted,
    without_default,
)
from codesage.parsing.signature import one_line
from codesage.parsing.source import Source

_PARENT_CLAUSES = frozenset({"class_heritage", "extends_clause", "implements_clause", "extends_type_clause"})
_AROUND_PARENTS = AROUND_VALUES | {"generic_type", "instantiation_expression"}


def _required(node: Node) -> Node | None:
    """Return the string of `require("x")`, also of `require("x").y`."""
    value = value_field(node)
    while value is not None and value.type in ("member_expression", *AROUND_VALUES):
        value = inside(value)
    if value is None or value.type != "call_expression":
        return None
    arguments = part(value, "arguments")
    argument = (
        arguments.named_child(0) if arguments is not None and arguments.named_child_count == 1 else None
    )
    return argument if argument is not None and argument.type == "string" else None


def _requires(node: Node, source: Source) -> bool:
    if (argument := _required(node)) is None or argument.parent is None or argument.parent.parent is None:
        return False
    function = part(argument.parent.parent, "function")
    return function is not None and text_of(function, source) == "require"


def _required_module(node: Node, source: Source) -> Sequence[str]:
    argument = _required(node)
    return (unquoted(argument, source),) if argument is not None else ()


def _imports(node: Node, source: Source) -> bool:
    return bool(_module(node, source))


def _module(node: Node, source: Source) -> Sequence[str]:
    found = part(node, "source")
    if found is None:  # import x = require("y")
        clauses = (part(child, "source") for child in node.named_children)
        found = next((clause for clause in clauses if clause is not None), None)
    return (unquoted(found, source),) if found is not None else ()


def _value_body(node: Node, source: Source) -> Node | None:
    value = value_of(node, source)
    return part(value, "body") if value is not None else None


def _value_parameters(node: Node, source: Source) -> Sequence[str]:
    value = value_of(node, source)
    return _parameters_of(value, source) if value is not None else ()


def _parameters_of(node: Node, source: Source) -> Sequence[str]:
    bare = part(node, "parameter")  # x => x
    if bare is not None:
        return (text_of(bare, source),)
    listed = part(node, "parameters")
    children = listed.named_children if listed is not None else []
    return [without_default(child, source) for child in children if child.type != "comment"]


def _value_returns(node: Node, source: Source) -> str | None:
    value = value_of(node, source)
    found = part(value, "return_type") if value is not None else None
    return one_line(text_of(found, source).removeprefix(":")) if found is not None else None


def parents(node: Node, source: Source) -> Sequence[str]:
    """Return what a class extends and implements, or an interface extends, without type arguments."""
    holder = value_of(node, source) if node.type in NAMING else node
    waiting = [child for child in holder.named_children if child.type in _PARENT_CLAUSES] if holder else []
    found: list[str] = []
    while waiting:
        parent = waiting.pop(0)
        if parent.type in _PARENT_CLAUSES:
            waiting = [*parent.named_children, *waiting]
        elif parent.type not in ("type_arguments", "comment"):
            found.append(_parent(parent, source))
    return found


def _parent(node: Node, source: Source) -> str:
    while node.type in _AROUND_PARENTS and (inner := inside(node)) is not None:
        node = inner
    return one_line(text_of(node, source))


def value_rules(*nodes: str) -> tuple[Rule, ...]:
    """Return the rules of nodes that give a name to a function, a class, or an object with methods."""
    return tuple(
        rule
        for node in nodes
        for rule in (
            Rule(
                node,
                FUNCTION,
                "function",
                name=name_of,
                parameters=_value_parameters,
                returns=_value_returns,
                body=_value_body,
                owner=owner_of,
                when=holds(*FUNCTION_VALUES),
            ),
            Rule(
                node,
                CLASS,
                "class",
                name=name_of,
                parameters=parents,
                body=_value_body,
                is_type=True,
                when=holds("class"),
            ),
            Rule(node, None, name=name_of, is_type=True, when=holds("object")),
        )
    )


RULES = (
    Rule("import_statement", IMPORT, "import", name=_module, when=_imports),
    Rule("export_statement", IMPORT, "import", name=_module, when=_imports),
    Rule("variable_declarator", IMPORT, "import", name=_required_module, when=_requires),
    Rule("assignment_expression", IMPORT, "import", name=_required_module, when=_requires),
    Rule("class_declaration", CLASS, "class", parameters=parents, is_type=True),
    Rule("function_declaration", FUNCTION, "function"),
    Rule("generator_function_declaration", FUNCTION, "function"),
    Rule("class", CLASS, "class", parameters=parents, is_type=True, when=is_named_by_itself),
    Rule("function_expression", FUNCTION, "function", when=is_named_by_itself),
    Rule("generator_function", FUNCTION, "function", when=is_named_by_itself),
    Rule("method_definition", FUNCTION, "function", name=name_of, when=is_member_or_declared),
    *value_rules("variable_declarator", "assignment_expression", "pair", "export_statement"),
)

WRAPPERS = frozenset(
    {"export_statement", "lexical_declaration", "variable_declaration", "expression_statement"}
)

_VALUES = (
    "(arrow_function) (function_expression) (generator_function) (class) (object)"
    " (assignment_expression) (call_expression) (parenthesized_expression) (member_expression)"
)


def patterns(*fields: str, values: str = "") -> dict[str, str]:
    """Return patterns of the nodes that name a value, for those whose value may be a definition.

    Args:
        fields: node types of fields of a class.
        values: node types of values beside JavaScript's.
    """
    found = {
        node: f"({node} value: [{_VALUES} {values}])" for node in ("variable_declarator", "pair", *fields)
    }
    return {**found, "assignment_expression": f"(assignment_expression right: [{_VALUES} {values}])"}


TABLE = Table(
    rules=(*RULES, *value_rules("field_definition")),
    patterns=patterns("field_definition"),
    wrappers=WRAPPERS,
    reference=reference,
    decorations=frozenset({"decorator"}),
)
