"""C#: types, methods, constructors, operators, events, delegates and `using`.

A property is a field to those who use it, and as a field it is no entity; nor is an indexer.
"""

import html
import re
from collections.abc import Sequence

from tree_sitter import Node

from codesage.parsing.preprocessor import without_split_blocks
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

# What an XML tag of a doc comment shows itself, `<see cref="T:Shop.Order"/>`; other tags only hold text.
_REFERENCE = re.compile(r"""<(?:see|seealso|paramref|typeparamref)\s+\w+=["'](?:[A-Z]:)?([^"']*)["']\s*/?>""")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")

# No names without an `@`: after a lost brace a statement is read as a definition.
_KEYWORDS = frozenset(
    {"case", "catch", "do", "else", "fixed", "for", "foreach", "if"}
    | {"lock", "return", "switch", "using", "while"}
)

# Words of the language that the grammar takes for names.
_NOT_USED = frozenset({"_", "dynamic", "nameof", "notnull"})

_GAP_BEFORE_SYMBOL = re.compile(r"(?<=operator)\s+(?=[^\w\s])")


def _doc_text(line: str) -> str:
    return html.unescape(_TAG.sub("", _REFERENCE.sub(r"\1", line)))


def _name(node: Node, source: Source) -> Sequence[str]:
    """Return the name without the mark that lets it be a keyword: `class` of `@class`."""
    found = part(node, "name")
    if found is None or found.is_missing or (text := text_of(found, source)) in _KEYWORDS:
        return ()
    return (text.removeprefix("@"),)


def _symbol(node: Node, source: Source) -> str:
    return text_of(node, source).removeprefix("@")


def _is_constant(node: Node, source: Source) -> bool:
    declaration = node.parent
    while declaration is not None and declaration.type in ("variable_declarator", "variable_declaration"):
        declaration = declaration.parent
    return declaration is not None and (
        declaration.type == "enum_member_declaration"
        or any(
            child.type == "modifier" and text_of(child, source) == "const" for child in declaration.children
        )
    )


def _reference(node: Node, source: Source) -> str:
    name = text_of(node, source)
    return "" if name in _NOT_USED else name.removeprefix("@")


def _finalizer(node: Node, source: Source) -> Sequence[str]:
    return [f"~{name}" for name in _name(node, source)]


def _operator(node: Node, source: Source) -> Sequence[str]:
    """Return `operator+`, or `operator int` of a conversion."""
    keyword = next((child for child in node.children if child.type == "operator"), None)
    parameters = part(node, "parameters")
    if keyword is None or parameters is None:
        return ()
    return (_GAP_BEFORE_SYMBOL.sub("", one_line(source.text(keyword.start_byte, parameters.start_byte))),)


def _events(node: Node, source: Source) -> Sequence[str]:
    declaration = next((child for child in node.named_children if child.type == "variable_declaration"), None)
    declarators = declaration.named_children if declaration is not None else []
    return [
        name for child in declarators if child.type == "variable_declarator" for name in _name(child, source)
    ]


def _namespace(node: Node, source: Source) -> Sequence[str]:
    """Return what is used, whatever it is called here: `System.Text` of `using T = System.Text`."""
    alias = part(node, "name")
    used = [child for child in node.named_children if child != alias and child.type != "comment"]
    return [one_line(text_of(child, source)) for child in used[-1:]]


def _parameters(node: Node, source: Source) -> Sequence[str]:
    """Return the parameters; of `params int[] rest` the grammar makes no node, only parts of one."""
    listed = part(node, "parameters")
    groups: list[list[Node]] = [[]]
    for child in listed.children if listed is not None else ():
        if child.type == ",":
            groups.append([])
        elif child.type not in ("(", ")", "comment"):
            groups[-1].append(child)
    return [
        without_default(group[0], source)
        if len(group) == 1
        else one_line(source.text(group[0].start_byte, group[-1].end_byte))
        for group in groups
        if group
    ]


def _parents(node: Node, source: Source) -> Sequence[str]:
    """Return what a type extends and implements, without what it hands to a constructor."""
    bases = next((child for child in node.named_children if child.type == "base_list"), None)
    found = []
    for child in bases.named_children if bases is not None else ():
        if child.type not in ("argument_list", "comment"):
            named = part(child, "type") if child.type == "primary_constructor_base_type" else child
            found.append(one_line(text_of(named or child, source)))
    return found


TABLE = Table(
    rules=(
        Rule("using_directive", IMPORT, "import", name=_namespace),
        *(
            Rule(f"{word}_declaration", CLASS, word, name=_name, parameters=_parents, is_type=True)
            for word in ("class", "interface", "record", "struct")
        ),
        # What an enum has for a base is how its values are stored.
        Rule("enum_declaration", CLASS, "enum", name=_name, parameters=no_parameters, is_type=True),
        *(
            Rule(node, FUNCTION, word, name=name, parameters=_parameters, returns=returns)
            for node, word, name, returns in (
                ("method_declaration", "function", _name, "returns"),
                ("local_function_statement", "function", _name, "type"),
                ("operator_declaration", "function", _operator, "type"),
                ("conversion_operator_declaration", "function", _operator, "type"),
                ("constructor_declaration", "constructor", _name, "type"),
                ("destructor_declaration", "function", _finalizer, "type"),
                ("delegate_declaration", "delegate", _name, "type"),
            )
        ),
        Rule("event_field_declaration", FUNCTION, "event", name=_events, parameters=no_parameters),
        Rule(
            "event_declaration",
            FUNCTION,
            "event",
            name=_name,
            parameters=no_parameters,
            body="accessors",
        ),
        Rule("accessor_declaration", None),  # the functions in a property are local, not its type's
    ),
    patterns={"accessor_declaration": "(accessor_declaration body: (_))"},
    decorations=frozenset({"attribute_list", "preproc_if_in_attribute_list"}),
    doc_marks=("///", "/**"),
    doc_text=_doc_text,
    symbol=_symbol,
    constant=_is_constant,
    reference=_reference,
    readable=without_split_blocks,
    quotes="\"'",
)
