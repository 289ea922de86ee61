"""A node of JavaScript or TypeScript that names a value -> the value, its names, and who can see it.

Callbacks are functions too, and more than all others together. So what is assigned, stored in a constant or
is a member of an object is a definition only where all of its module sees it.
"""

from collections.abc import Callable, Iterator, Sequence

from tree_sitter import Node

from codesage.parsing.rules import part, text_of, unquoted
from codesage.parsing.source import Source

FUNCTION_VALUES = frozenset({"arrow_function", "function_expression", "generator_function"})

_VALUE_FIELDS = {
    "variable_declarator": "value",
    "assignment_expression": "right",
    "pair": "value",
    "export_statement": "value",
    "field_definition": "value",
    "public_field_definition": "value",
}
NAMING = frozenset(_VALUE_FIELDS)
"""Nodes that give a name to a value."""

_NAME_FIELDS = {"assignment_expression": "left", "pair": "key", "field_definition": "property"}
"""The field with the name, where that is not `name`."""

AROUND_VALUES = frozenset({"as_expression", "satisfies_expression", "parenthesized_expression"})
"""What may stand around a value and leaves it what it is."""

# What in React takes a component and gives it back: `const Button = forwardRef((props, ref) => …)`.
_COMPONENT_CALLS = frozenset({"memo", "forwardRef"})

_MAYBE_AROUND = AROUND_VALUES | {"assignment_expression", "call_expression"}

# Nobody needs more names and parentheses, and a parser's stack is not to be walked for each of them.
_MAX_AROUND = 20

_NAMESPACES = frozenset({"internal_module", "module"})
_BRANCHES = frozenset({"if_statement", "else_clause", "try_statement", "catch_clause", "finally_clause"})

# A value whose ancestors up to the module are all of these is a declaration; of a block its owner decides.
_DECLARATIONS = frozenset().union(
    {"program", "ERROR", "object", "class", "class_body", "class_declaration", "abstract_class_declaration"},
    {"expression_statement", "return_statement", "ambient_declaration"},
    {"lexical_declaration", "variable_declaration"},
    NAMING,
    AROUND_VALUES,
    _NAMESPACES,
    _BRANCHES,
)

# What stands between a function that is called at once and its statement: `!function () { … }.call(this)`.
_AROUND_CALLED = frozenset(
    {"parenthesized_expression", "member_expression", "call_expression", "arguments"}
    | {"unary_expression", "await_expression"}
)

# What may stand between a value and the node that names it.
_ON_THE_WAY = NAMING | AROUND_VALUES | _AROUND_CALLED

_MODULE_TARGETS = ("module.exports", "exports")


def value_field(node: Node) -> Node | None:
    """Return what `node` gives a name to, as it is written."""
    field = _VALUE_FIELDS.get(node.type)
    return node.child_by_field_name(field) if field is not None else None


def value_of(node: Node, source: Source) -> Node | None:
    """Return what `node` names, behind further names (`a = b = …`), types, parentheses, component calls."""
    value = value_field(node)
    for _ in range(_MAX_AROUND):
        if value is None or (kind := value.type) not in _MAYBE_AROUND:
            break
        if kind == "assignment_expression":
            value = value_field(value)
        elif kind != "call_expression":
            value = inside(value)
        elif _is_component_call(value, source):
            arguments = part(value, "arguments")
            value = inside(arguments) if arguments is not None else None
        else:
            break
    return value


def inside(node: Node) -> Node | None:
    """Return the first thing in `node` that is no comment."""
    return next((child for child in node.named_children if child.type != "comment"), None)


def _is_component_call(call: Node, source: Source) -> bool:
    called = part(call, "function")
    if called is not None and called.type == "member_expression":
        called = part(called, "property")
    return called is not None and text_of(called, source) in _COMPONENT_CALLS


def holds(*types: str) -> Callable[[Node, Source], bool]:
    """Return the condition that a node defines what is of one of `types`."""

    def condition(node: Node, source: Source) -> bool:
        value = value_of(node, source)
        return (
            value is not None
            and value.type in types
            and _naming(value, source) == node
            and _is_defined(node, source)
        )

    return condition


def is_named_by_itself(node: Node, source: Source) -> bool:
    """Whether a function or class in an expression has a name, and none by what holds it."""
    if part(node, "name") is None:
        return False
    naming = _naming(node, source)
    return naming is None or not _is_defined(naming, source)


def is_member_or_declared(node: Node, source: Source) -> bool:
    """Whether a method is one of a class, or of an object that all of the module sees."""
    parent = node.parent
    return parent is not None and (parent.type == "class_body" or _is_declared(node, source))


def _naming(value: Node, source: Source) -> Node | None:
    """Return the outermost node that names `value`: the whole of `a = b = function () { … }`."""
    naming, outer = None, value.parent
    while outer is not None and outer.type in _ON_THE_WAY:
        naming = outer if outer.type in NAMING else naming
        outer = outer.parent
    return naming if naming is not None and value_of(naming, source) == value else None


def _is_defined(node: Node, source: Source) -> bool:
    return _is_declared(node, source) or _constructed(node, source) is not None


def _is_declared(node: Node, source: Source) -> bool:
    """Whether what `node` names is there for all of the module, maybe under a condition."""
    inner, outer = node, node.parent
    while outer is not None:
        if outer.type == "statement_block":
            around = _around_block(outer, inner, source)
            if around is None:
                return False
            outer = around
        elif outer.type not in _DECLARATIONS:
            return False
        inner, outer = outer, outer.parent
    return True


def _around_block(block: Node, statement: Node, source: Source) -> Node | None:
    """Return whose block it is, where `statement` in it is as good as outside of it."""
    owner = block.parent
    if owner is None or owner.type in _NAMESPACES:
        return owner
    if owner.type in _BRANCHES:  # `const` ends with its block, `var` and assignments do not
        return None if statement.type == "lexical_declaration" else owner
    return _call_of_body(owner, source)


def _call_of_body(function: Node, source: Source) -> Node | None:
    """Return `(function () { … })()` for its function: the body of such a call is that of the module.

    So is the body of a function handed to such a call, or to AMD's `define`.
    """
    inner, outer, is_called = function, function.parent, False
    while outer is not None and outer.type in _AROUND_CALLED:
        if outer.type == "arguments" and (is_called or not _runs_module(outer.parent, source)):
            return None
        is_called = is_called or outer.type == "call_expression"
        inner, outer = outer, outer.parent
    return inner if is_called else None


def _runs_module(call: Node | None, source: Source) -> bool:
    called = part(call, "function") if call is not None else None
    if called is not None and called.type == "parenthesized_expression":
        called = inside(called)
    return called is not None and (called.type in FUNCTION_VALUES or text_of(called, source) == "define")


def name_of(node: Node, source: Source) -> Sequence[str]:
    """Return `run` of `exports.run = …`, `a` and `b` of `x.a = x.b = …`.

    What a module exports as a whole, and a class that is put into a property, go by their own names. Without
    one an export is called `default` or, in CommonJS, `exports`.
    """
    value = value_of(node, source)
    own = part(value, "name") if value is not None else None
    targets = list(_targets(node))
    named = [target for target in targets if text_of(target, source) not in _MODULE_TARGETS]
    if own is not None and value is not None:
        is_property = bool(named) and named[0].type == "member_expression"
        if not named or (value.type == "class" and is_property):
            return (text_of(own, source),)
    names = filter(None, (_name(target, source) for target in named or targets))
    return tuple(dict.fromkeys(names)) or (("default",) if node.type == "export_statement" else ())


def _targets(node: Node) -> Iterator[Node]:
    """Yield what is named: `a.b` and `c` of `a.b = c = …`."""
    naming: Node | None = node
    for _ in range(_MAX_AROUND):
        target = part(naming, _NAME_FIELDS.get(naming.type, "name")) if naming is not None else None
        if naming is None or target is None:
            return
        yield target
        value = value_field(naming)
        naming = value if value is not None and value.type == "assignment_expression" else None


def _name(target: Node, source: Source) -> str:
    """Return the last name of `target`; that of the class for its prototype, an empty one for a pattern."""
    named: Node | None = part(target, "object") if _is_prototype(target, source) else target
    if named is not None and named.type == "member_expression":
        named = part(named, "property")
    elif named is not None and named.type == "subscript_expression":
        index = part(named, "index")
        named = index if index is not None and index.type == "string" else None
    if named is None or named.is_missing or named.type in ("object_pattern", "array_pattern"):
        return ""
    return unquoted(named, source)


def _is_prototype(node: Node, source: Source) -> bool:
    attribute = part(node, "property")
    return attribute is not None and text_of(attribute, source) == "prototype"


def owner_of(node: Node, source: Source) -> str | None:
    """Return `Shape` of `Shape.prototype.draw = …`, and of `this.draw = …` where shapes are made."""
    target = part(node, "left.object")
    if target is None:
        return None
    return _name(target, source) if _is_prototype(target, source) else _constructed(node, source)


def _constructed(node: Node, source: Source) -> str | None:
    """Return `Shape` for `this.draw = …`, a statement of its constructor or of a function called `Shape`."""
    target = part(node, "left.object")
    if target is None or target.type != "this":
        return None
    function = _function_around(node)
    if function is None:
        return None
    if function.type == "method_definition":
        is_constructor = name_of(function, source) == ("constructor",)
        made = function.parent.parent if is_constructor and function.parent is not None else None
        return _own_or_given_name(made, source) if made is not None else None
    name = _own_or_given_name(function, source)
    return name if name is not None and name[:1].isupper() else None


def _function_around(expression: Node) -> Node | None:
    """Return the function of which `expression` is a statement."""
    block = expression.parent.parent if expression.parent is not None else None
    return block.parent if block is not None and block.type == "statement_block" else None


def _own_or_given_name(value: Node, source: Source) -> str | None:
    own = part(value, "name")
    if own is not None:
        return text_of(own, source)
    naming = _naming(value, source)
    return next(iter(name_of(naming, source)), None) if naming is not None else None
