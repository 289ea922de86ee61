"""JavaScript: classes, functions however they get their name, imports and `require`.

Callbacks are functions too, and more than all others together. What is assigned, stored in a constant or
is a member of an object counts only at declaration level; a function declared by name counts anywhere.
"""

from collections.abc import Sequence

from tree_sitter import Node

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

_FUNCTION_VALUES = frozenset({"arrow_function", "function_expression", "generator_function"})

# The fields in which the different owners of a value keep it, and those in which they keep its name.
_VALUE_FIELDS = ("value", "right")
_NAME_FIELDS = ("name", "key", "property", "left")

# A value whose ancestors up to the module are all of these is a declaration. The body of a namespace is
# a block as a function's is: that one is told by its parent.
_DECLARATIONS = frozenset(
    {
        "program",
        "export_statement",
        "ambient_declaration",
        "expression_statement",
        "lexical_declaration",
        "variable_declaration",
        "variable_declarator",
        "assignment_expression",
        "object",
        "pair",
        "as_expression",
        "satisfies_expression",
        "class",
        "class_body",
        "class_declaration",
        "abstract_class_declaration",
        "field_definition",
        "public_field_definition",
        "internal_module",
        "module",
    }
)
_NAMESPACES = frozenset({"internal_module", "module"})


def _value_of(node: Node) -> Node | None:
    """Return what `node` assigns, without `as T` and `satisfies T`."""
    value = next((found for field in _VALUE_FIELDS if (found := part(node, field)) is not None), None)
    while value is not None and value.type in ("as_expression", "satisfies_expression"):
        value = value.named_child(0)
    return value


def _is_declared(node: Node, _source: Source) -> bool:
    ancestor = node.parent
    while ancestor is not None:
        parent = ancestor.parent
        is_namespace_body = (
            ancestor.type == "statement_block" and parent is not None and parent.type in _NAMESPACES
        )
        if ancestor.type not in _DECLARATIONS and not is_namespace_body:
            return False
        ancestor = parent
    return True


def _holds_function(node: Node, source: Source) -> bool:
    value = _value_of(node)
    return value is not None and value.type in _FUNCTION_VALUES and _is_declared(node, source)


def _holds_class(node: Node, source: Source) -> bool:
    value = _value_of(node)
    return value is not None and value.type == "class" and _is_declared(node, source)


def _holds_object(node: Node, source: Source) -> bool:
    value = _value_of(node)
    return value is not None and value.type == "object" and _is_declared(node, source)


def _is_class_member_or_declared(node: Node, source: Source) -> bool:
    parent = node.parent
    return parent is not None and (parent.type == "class_body" or _is_declared(node, source))


def _required(node: Node) -> Node | None:
    """Return the string of `require("x")`, also of `require("x").y`."""
    value = _value_of(node) if node.type == "variable_declarator" else node.named_child(0)
    while value is not None and value.type == "member_expression":
        value = part(value, "object")
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


def name_of(node: Node, source: Source) -> Sequence[str]:
    """Return `run` of `exports.run = …`, `default` where `export default` names nothing."""
    if node.type == "export_statement":
        value = _value_of(node)
        name = part(value, "name") if value is not None else None
        return (text_of(name, source) if name is not None else "default",)
    name = next((found for field in _NAME_FIELDS if (found := part(node, field)) is not None), None)
    if name is not None and name.type == "member_expression":
        name = part(name, "property")
    if (
        name is None
        or name.is_missing
        or name.type in ("object_pattern", "array_pattern", "subscript_expression")
    ):
        return ()
    return (unquoted(name, source),)


def _prototype(node: Node, source: Source) -> str | None:
    """Return `Shape` of `Shape.prototype.draw = function …`."""
    target = part(node, "left.object")
    if target is None or target.type != "member_expression":
        return None
    base, attribute = part(target, "object"), part(target, "property")
    if base is None or attribute is None or text_of(attribute, source) != "prototype":
        return None
    return text_of(base, source)


def _value_body(node: Node, _source: Source) -> Node | None:
    value = _value_of(node)
    return part(value, "body") if value is not None else None


def _value_parameters(node: Node, source: Source) -> Sequence[str]:
    value = _value_of(node)
    return _parameters_of(value, source) if value is not None else ()


def _parameters_of(node: Node, source: Source) -> Sequence[str]:
    bare = part(node, "parameter")  # x => x
    if bare is not None:
        return (text_of(bare, source),)
    listed = part(node, "parameters")
    children = listed.named_children if listed is not None else []
    return [without_default(child, source) for child in children if child.type != "comment"]


def _value_returns(node: Node, source: Source) -> str | None:
    value = _value_of(node)
    found = part(value, "return_type") if value is not None else None
    return one_line(text_of(found, source).removeprefix(":")) if found is not None else None


def parents(node: Node, source: Source) -> Sequence[str]:
    """Return what a class extends and implements, or an interface extends, without type arguments."""
    holder = _value_of(node) if node.type in ("variable_declarator", "export_statement") else node
    found: list[str] = []
    clauses = list(holder.named_children) if holder is not None else []
    while clauses:
        clause = clauses.pop(0)
        if clause.type == "class_heritage":
            inner = [child for child in clause.named_children if child.type.endswith("_clause")]
            clauses = [*inner, *clauses]
            found += [] if inner else [one_line(text_of(clause, source).removeprefix("extends"))]
        elif clause.type in ("extends_clause", "implements_clause", "extends_type_clause"):
            named = [
                child for child in clause.named_children if child.type not in ("type_arguments", "comment")
            ]
            found += [_without_type_arguments(child, source) for child in named]
    return found


def _without_type_arguments(node: Node, source: Source) -> str:
    name = part(node, "name") if node.type == "generic_type" else None
    return one_line(text_of(name if name is not None else node, source))


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
                owner=_prototype,
                when=_holds_function,
            ),
            Rule(
                node,
                CLASS,
                "class",
                name=name_of,
                parameters=parents,
                body=_value_body,
                is_type=True,
                when=_holds_class,
            ),
            Rule(node, None, name=name_of, is_type=True, when=_holds_object),
        )
    )


RULES = (
    Rule("import_statement", IMPORT, "import", name=_module, when=_imports),
    Rule("export_statement", IMPORT, "import", name=_module, when=_imports),
    Rule("variable_declarator", IMPORT, "import", name=_required_module, when=_requires),
    Rule("class_declaration", CLASS, "class", parameters=parents, is_type=True),
    Rule("function_declaration", FUNCTION, "function"),
    Rule("generator_function_declaration", FUNCTION, "function"),
    Rule("method_definition", FUNCTION, "function", name=name_of, when=_is_class_member_or_declared),
    *value_rules("variable_declarator", "assignment_expression", "pair", "export_statement"),
)

WRAPPERS = frozenset(
    {"export_statement", "lexical_declaration", "variable_declaration", "expression_statement"}
)

TABLE = Table(
    rules=(*RULES, *value_rules("field_definition")),
    wrappers=WRAPPERS,
    decorations=frozenset({"decorator"}),
)
