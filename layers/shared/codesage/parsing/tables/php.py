"""PHP: types, functions, methods, each name of a `use`, and included files."""

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
    unquoted,
)
from codesage.parsing.signature import one_line
from codesage.parsing.source import Source

_PARENTS = frozenset({"base_clause", "class_interface_clause"})
_NAMES = frozenset({"name", "qualified_name"})
_STRINGS = frozenset({"string", "encapsed_string"})

# Names by the grammar, keywords by the language: `new static`, `self $other`, `Cart::class`, `isset($cart)`.
_KEYWORDS = frozenset({"class", "empty", "isset", "parent", "self", "static"}) | {
    f"__{place}__"
    for place in ("class", "dir", "file", "function", "line", "method", "namespace", "property", "trait")
}
_NAME = re.compile(r"[^\W\d]\w*")
_PATH_END = re.compile(r"""[/"']([^/"'$]+)["'][\s)]*$""")


def _used(node: Node, source: Source) -> Sequence[str]:
    r"""Return `A\B` and `A\C` of `use A\{B, C as D};`."""
    prefix = "".join(
        text_of(child, source) + "\\" for child in node.named_children if child.type == "namespace_name"
    )
    group = part(node, "body")
    clauses = (group if group is not None else node).named_children
    names = [
        child
        for clause in clauses
        if clause.type == "namespace_use_clause"
        for child in clause.named_children[:1]
        if child.type in _NAMES and not child.is_missing
    ]
    return [prefix + text_of(name, source).removeprefix("\\") for name in names]


def _no_body(_node: Node, _source: Source) -> None:
    return None


def _included(node: Node, source: Source) -> Sequence[str]:
    """Return the path; as written where it is put together, nothing where no part of it is known."""
    path = node.named_child(0)
    if path is not None and path.type == "parenthesized_expression":
        path = path.named_child(0)
    if path is None:
        return ()
    if path.type in _STRINGS:
        return (unquoted(path, source),)
    has_text = any(child.type in _STRINGS for child in path.named_children)
    return (one_line(text_of(path, source)),) if has_text else ()


def _parents(node: Node, source: Source) -> Sequence[str]:
    clauses = [child for child in node.named_children if child.type in _PARENTS]
    return [
        text_of(parent, source)
        for clause in clauses
        for parent in clause.named_children
        if parent.type in _NAMES
    ]


def _reference(node: Node, source: Source) -> str:
    """Return the name; of an included path that ends as a string the last segment.

    The string in `[$this, "total"]` is a method only if it can be the name of one.
    """
    text = text_of(node, source)
    if node.type == "name":
        return "" if text.lower() in _KEYWORDS else text
    if node.type == "string_content":
        return text if _NAME.fullmatch(text) else ""
    path = _PATH_END.search(text)
    return path[1] if path else ""


TABLE = Table(
    rules=(
        Rule("namespace_use_declaration", IMPORT, "import", name=_used, body=_no_body),
        Rule("include_expression", IMPORT, "import", name=_included),
        Rule("include_once_expression", IMPORT, "import", name=_included),
        Rule("require_expression", IMPORT, "import", name=_included),
        Rule("require_once_expression", IMPORT, "import", name=_included),
        Rule("class_declaration", CLASS, "class", parameters=_parents, is_type=True),
        Rule("interface_declaration", CLASS, "interface", parameters=_parents, is_type=True),
        Rule("trait_declaration", CLASS, "trait", parameters=no_parameters, is_type=True),
        Rule("enum_declaration", CLASS, "enum", parameters=_parents, is_type=True),
        Rule("function_definition", FUNCTION, "function"),
        Rule("method_declaration", FUNCTION, "function"),
    ),
    decorations=frozenset({"attribute_list"}),
    reference=_reference,
    quotes="\"'",
    keywords=frozenset({"catch", "elseif", "for", "foreach", "if", "match", "switch", "while"}),
)
