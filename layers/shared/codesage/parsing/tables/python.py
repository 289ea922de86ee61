"""Python as tree-sitter reads it: for files that `ast` refuses, of Python 2 or half-edited."""

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
)
from codesage.parsing.signature import one_line
from codesage.parsing.source import Source


def _modules(node: Node, source: Source) -> Sequence[str]:
    imported = node.children_by_field_name("name")
    names = (part(child, "name") if child.type == "aliased_import" else child for child in imported)
    return [text_of(name, source) for name in names if name is not None]


def _future(_node: Node, _source: Source) -> Sequence[str]:
    return ("__future__",)


def _parents(node: Node, source: Source) -> Sequence[str]:
    listed = part(node, "superclasses")
    children = listed.named_children if listed is not None else []
    return [
        one_line(text_of(child, source))
        for child in children
        if child.type not in ("keyword_argument", "comment", "dictionary_splat")
    ]


def _alias(node: Node, source: Source) -> Sequence[str]:
    left = part(node, "left")
    return (text_of(left, source).partition("[")[0].strip(),) if left is not None else ()


def _docstring(node: Node, source: Source) -> str:
    body = part(node, "body")
    first = next((child for child in body.named_children if child.type != "comment"), None) if body else None
    if first is not None and first.type == "expression_statement":
        first = first.named_child(0)
    if first is None or first.type != "string":
        return ""
    content = "".join(
        text_of(child, source) for child in first.named_children if child.type == "string_content"
    )
    return first_line(content)


def first_line(docstring: str) -> str:
    """Return the first line with text of a docstring, or an empty string."""
    return next((line for text in docstring.split("\n") if (line := text.strip())), "")


TABLE = Table(
    rules=(
        Rule("import_statement", IMPORT, "import", name=_modules),
        Rule("import_from_statement", IMPORT, "import", name="module_name"),
        Rule("future_import_statement", IMPORT, "import", name=_future),
        Rule("class_definition", CLASS, "class", parameters=_parents, is_type=True),
        Rule("type_alias_statement", CLASS, "type", name=_alias, parameters=no_parameters),
        Rule("function_definition", FUNCTION, "function"),
    ),
    wrappers=frozenset({"decorated_definition"}),
    decorations=frozenset({"decorator"}),
    not_parameters=frozenset({"keyword_separator", "positional_separator"}),
    doc=_docstring,
    quotes="\"'",
)
