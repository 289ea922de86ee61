"""Java: types of all five sorts, their methods and constructors, and imports."""

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
)
from codesage.parsing.signature import one_line
from codesage.parsing.source import Source

_COMMENTS = frozenset({"line_comment", "block_comment"})

_PARENT_CLAUSES = frozenset({"superclass", "super_interfaces", "extends_interfaces"})

_TYPES = frozenset(
    {
        "class_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "annotation_type_declaration",
    }
)

_CONSTANT = frozenset({"static", "final"})

# Follows what has a member: not `util` of `import java.util.*`, which is all that is named there.
_GOES_ON = re.compile(rb"\s*(?:\.(?!\s*\*)|::)")


def _imported(node: Node, source: Source) -> Sequence[str]:
    """Return `java.util.List`, also of a static import, or `java.util.*`."""
    parts = [child for child in node.named_children if child.type not in _COMMENTS]
    return ("".join(text_of(parts[0], source).split()) + (".*" if len(parts) > 1 else ""),) if parts else ()


def _parents(node: Node, source: Source) -> Sequence[str]:
    """Return what a type extends and implements, as written."""
    waiting = [child for child in node.children if child.type in _PARENT_CLAUSES]
    found: list[str] = []
    while waiting:
        clause = waiting.pop(0)
        for child in clause.named_children:
            if child.type == "type_list":
                waiting.insert(0, child)
            elif child.type not in _COMMENTS:
                found.append(one_line(text_of(child, source)))
    return found


def _has_members(node: Node, _source: Source) -> bool:
    return any(child.type == "class_body" for child in node.children)


def _outer_type(node: Node, source: Source) -> Sequence[str]:
    """Return the type around an anonymous class, which owns its methods: they have no other name to go by."""
    ancestor = node.parent
    while ancestor is not None and ancestor.type not in _TYPES:
        ancestor = ancestor.parent
    name = part(ancestor, "name") if ancestor is not None else None
    return (text_of(name, source),) if name is not None else ()


def _is_constant(name: Node, _source: Source) -> bool:
    """Whether a field is `static` and `final`; what else is captured as a constant is one."""
    declarator = name.parent
    declaration = declarator.parent if declarator is not None else None
    if declaration is None or declaration.type != "field_declaration":
        return True
    return {word.type for word in declaration.children[0].children} >= _CONSTANT


def _referred(node: Node, source: Source) -> str:
    """Return the name; none for `var`, nor for a variable or package before a dot, told by a small letter."""
    name = text_of(node, source)
    is_passed = name == "var" or (name[:1].islower() and _GOES_ON.match(source.data, node.end_byte))
    return "" if is_passed else name


TABLE = Table(
    rules=(
        Rule("import_declaration", IMPORT, "import", name=_imported),
        Rule("class_declaration", CLASS, "class", parameters=_parents, is_type=True),
        Rule("interface_declaration", CLASS, "interface", parameters=_parents, is_type=True),
        Rule("enum_declaration", CLASS, "enum", parameters=_parents, is_type=True),
        Rule("record_declaration", CLASS, "record", parameters=_parents, is_type=True),
        Rule("annotation_type_declaration", CLASS, "annotation", parameters=no_parameters, is_type=True),
        Rule("object_creation_expression", None, name=_outer_type, is_type=True, when=_has_members),
        Rule("method_declaration", FUNCTION, "function", returns="type"),
        Rule("annotation_type_element_declaration", FUNCTION, "function", returns="type"),
        Rule("constructor_declaration", FUNCTION, "constructor"),
        Rule("compact_constructor_declaration", FUNCTION, "constructor"),
    ),
    decorations=frozenset({"annotation", "marker_annotation"}),
    comments=_COMMENTS,
    not_parameters=frozenset({"receiver_parameter"}),
    doc_marks=("/*", "///"),
    constant=_is_constant,
    reference=_referred,
    quotes="\"'",
    keywords=frozenset({"catch", "for", "if", "switch", "synchronized", "while"}),
)
