"""C: functions, function-like macros, structs, unions, enums and typedefs, and includes.

A definition is what has a body. A prototype is none, in a header neither: the function is found where it is
defined, once, and not in every header that mentions it. The same goes for `struct node;`. A macro without
parameters is a constant.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from tree_sitter import Node

from codesage.parsing.preprocessor import without_macros, without_split_blocks
from codesage.parsing.rules import (
    CLASS,
    FUNCTION,
    IMPORT,
    Rule,
    Table,
    last_segment,
    no_parameters,
    part,
    text_of,
)
from codesage.parsing.signature import COMMENT, one_line
from codesage.parsing.source import Source

TYPES = ("struct_specifier", "union_specifier", "enum_specifier")

# No names: after a lost brace a statement is read as a definition, `else if (x) { … }`.
KEYWORDS = frozenset({"case", "do", "else", "for", "if", "return", "sizeof", "switch", "while"})

# Of the words before a type those that belong to it; the others say where a function lives.
_QUALIFIERS = frozenset({"_Atomic", "const", "restrict", "volatile"})

# These hold a declarator without a name for it, and beside it no other node than these.
_HOLDERS = frozenset({"attributed_declarator", "parenthesized_declarator", "reference_declarator"})
_BESIDE_A_DECLARATOR = frozenset({"ERROR", "attribute_declaration", "comment", "ms_call_modifier"})

_VARIABLES = frozenset({"identifier", "field_identifier"})

_COMMENT_TEXT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_DOC_TAG = re.compile(r"[@\\](?:brief|short)\s+")
_COMMA_OR_BREAK = re.compile(r"\s*,[\s\\]*")


def defined(types: Iterable[str]) -> dict[str, str]:
    """Return the patterns of those nodes that say what a type is: most only use it, `struct node *next`."""
    return {node: f"({node} name: (_) body: (_))" for node in types}


@lru_cache(maxsize=1)  # each part of one definition is looked for along it
def declarators(declarator: Node | None) -> Sequence[Node]:
    """Return `declarator` and what it is wrapped around, down to the name: `*f(int)`, `f(int)`, `f`."""
    found = []
    while declarator is not None:
        found.append(declarator)
        inner = part(declarator, "declarator")
        if inner is None and declarator.type in _HOLDERS:
            children = declarator.named_children
            inner = next((child for child in children if child.type not in _BESIDE_A_DECLARATOR), None)
        declarator = inner
    return found


@lru_cache(maxsize=1)
def function_in(node: Node) -> Node | None:
    """Return the declarator with the parameters; the innermost, as a function may return a function."""
    found = [each for each in declarators(part(node, "declarator")) if each.type == "function_declarator"]
    return found[-1] if found else None


def is_function(node: Node, _source: Source) -> bool:
    return function_in(node) is not None


def parameters(node: Node, source: Source) -> Sequence[str]:
    """Return the parameters without defaults; none for `(void)`."""
    function = function_in(node)
    listed = part(function, "parameters") if function is not None else None
    texts = [
        one_line(_COMMENT_TEXT.sub(COMMENT, source.text(child.start_byte, _end_of_parameter(child))))
        for child in (listed.named_children if listed is not None else ())
        if child.type not in ("comment", "ERROR")
    ]
    return [] if texts == ["void"] else texts


def _end_of_parameter(parameter: Node) -> int:
    return next((child.start_byte for child in parameter.children if child.type == "="), parameter.end_byte)


def returns(node: Node, source: Source) -> str | None:
    """Return the type with its stars: `const char *`; of a function that returns one, `void (*)(int)`."""
    written, declarator, function = part(node, "type"), part(node, "declarator"), function_in(node)
    if written is None or declarator is None or function is None:
        return None
    qualifiers = [
        text
        for child in node.children
        if child.type == "type_qualifier" and child.end_byte <= written.start_byte
        if (text := text_of(child, source)) in _QUALIFIERS
    ]
    before = source.text(written.start_byte, function.start_byte)
    after = source.text(function.end_byte, declarator.end_byte)
    return one_line(_COMMENT_TEXT.sub(COMMENT, " ".join([*qualifiers, before + after])))


def _name(node: Node, source: Source) -> Sequence[str]:
    name = declarators(part(node, "declarator"))[-1]
    text = text_of(name, source)
    return () if name.is_missing or text in KEYWORDS else (text,)


def included(node: Node, source: Source) -> Sequence[str]:
    """Return `stdio.h` of `<stdio.h>`, and what stands there where it is a macro."""
    path = part(node, "path")
    return (text_of(path, source).strip('<>"'),) if path is not None else ()


def macro_parameters(node: Node, source: Source) -> Sequence[str]:
    listed = part(node, "parameters")
    text = text_of(listed, source).strip("()\\ \t\n") if listed is not None else ""
    return _COMMA_OR_BREAK.split(text) if text else ()


def macro_body(node: Node, _source: Source) -> Node | None:
    """Return the value of a macro of several lines; on one line it is part of the definition line."""
    value = part(node, "value")
    return value if value is not None and value.end_point.row > node.start_point.row else None


def type_names(node: Node, source: Source) -> Sequence[str]:
    """Return what a typedef names, but not the name that its struct has already."""
    defined = part(node, "type")
    tag = part(defined, "name") if defined is not None and part(defined, "body") is not None else None
    taken = text_of(tag, source) if tag is not None else ""
    names = [declarators(each)[-1] for each in node.children_by_field_name("declarator")]
    return [text for name in names if (text := text_of(name, source)) != taken]


def names_a_type(node: Node, _source: Source) -> bool:
    """Whether a typedef is the only name of its struct, whose members then have it for an owner."""
    defined = part(node, "type")
    return defined is not None and part(defined, "body") is not None and part(defined, "name") is None


def doc_text(line: str) -> str:
    """Return the text that Doxygen would show."""
    return _DOC_TAG.sub("", line)


def symbol(node: Node, source: Source) -> str:
    """Return the name in what declares a variable or field; empty for what is defined elsewhere.

    That is a function by its prototype, and a variable that is `extern`.
    """
    *around, name = declarators(node)
    if name.type not in _VARIABLES or (around and around[-1].type == "function_declarator"):
        return ""
    declaration = node.parent
    is_elsewhere = declaration is not None and any(
        child.type == "storage_class_specifier" and text_of(child, source) == "extern"
        for child in declaration.children
    )
    return "" if is_elsewhere else text_of(name, source)


def reference(node: Node, source: Source) -> str:
    name = last_segment(node, source)
    return "" if name in KEYWORDS else name


def readable(data: bytes) -> bytes:
    return without_macros(without_split_blocks(data))


SHARED_RULES = (
    Rule("preproc_include", IMPORT, "import", name=included),
    Rule("preproc_function_def", FUNCTION, "macro", parameters=macro_parameters, body=macro_body),
    Rule(
        "type_definition",
        CLASS,
        "type",
        name=type_names,
        parameters=no_parameters,
        is_type=True,
        when=names_a_type,
    ),
    Rule("type_definition", CLASS, "type", name=type_names, parameters=no_parameters),
)

TABLE = Table(
    rules=(
        *SHARED_RULES,
        *(
            Rule(
                node,
                CLASS,
                node.removesuffix("_specifier"),
                parameters=no_parameters,
                is_type=True,
            )
            for node in TYPES
        ),
        Rule(
            "function_definition",
            FUNCTION,
            "function",
            name=_name,
            parameters=parameters,
            returns=returns,
            when=is_function,
        ),
    ),
    patterns=defined(TYPES),
    wrappers=frozenset({"linkage_specification", "type_definition"}),
    leading=frozenset({"value"}),
    decorations=frozenset({"attribute_declaration", "attribute_specifier"}),
    doc_text=doc_text,
    symbol=symbol,
    reference=reference,
    readable=readable,
    quotes="\"'",
)
