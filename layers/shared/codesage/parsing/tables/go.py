"""Go: types, functions, methods by their receiver, and each import of a group."""

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

_TYPE_WORDS = {"struct_type": "struct", "interface_type": "interface"}
_TYPES = frozenset({"type_spec", "type_alias"})
_EXPORT = re.compile(r"export \w+")


def _path(node: Node, source: Source) -> Sequence[str]:
    path = part(node, "path")
    return (unquoted(path, source),) if path is not None else ()


def _type_word(node: Node, _source: Source) -> str:
    defined = part(node, "type")
    return _TYPE_WORDS.get(defined.type, "type") if defined is not None else "type"


def _members(node: Node, _source: Source) -> Node | None:
    """Return the braces of a struct or interface; any other type is its own header."""
    defined = part(node, "type")
    if defined is None or defined.type not in _TYPE_WORDS:
        return None
    return next((child for child in defined.children if child.type in ("field_declaration_list", "{")), None)


def _is_of_named_type(method: Node, _source: Source) -> bool:
    """Whether a method is listed by a type, not by an `interface{ … }` written out in some expression."""
    listed_in = method.parent.parent if method.parent is not None else None
    return listed_in is not None and listed_in.type in _TYPES


def _receiver(node: Node, source: Source) -> str | None:
    """Return `Server` of `(s *Server[T])`: the first type name in it."""
    receiver = part(node, "receiver")
    waiting = [receiver] if receiver is not None else []
    while waiting:
        inner = waiting.pop()
        if inner.type == "type_identifier":
            return text_of(inner, source)
        waiting.extend(reversed(inner.named_children))
    return None


def _doc_text(line: str) -> str:
    """Leave out cgo's `//export Name`, which is no sentence about it."""
    return "" if _EXPORT.fullmatch(line) else line


def _parameters(node: Node, source: Source) -> Sequence[str]:
    """Return `a` and `b int` for `a, b int`, which the grammar takes for one node with two names."""
    listed = part(node, "parameters")
    texts: list[str] = []
    for parameter in listed.named_children if listed is not None else ():
        if parameter.type == "comment":
            continue
        names = parameter.children_by_field_name("name")
        texts += [text_of(name, source) for name in names[:-1]]
        start = names[-1].start_byte if names else parameter.start_byte
        texts.append(one_line(source.text(start, parameter.end_byte)))
    return texts


TABLE = Table(
    rules=(
        Rule("import_spec", IMPORT, "import", name=_path, keyword="import"),
        Rule(
            "type_spec",
            CLASS,
            _type_word,
            parameters=no_parameters,
            body=_members,
            is_type=True,
            keyword="type",
        ),
        Rule(
            "type_alias",
            CLASS,
            "type",
            parameters=no_parameters,
            body=_members,
            is_type=True,
            keyword="type",
        ),
        Rule("function_declaration", FUNCTION, "function", parameters=_parameters, returns="result"),
        Rule(
            "method_declaration",
            FUNCTION,
            "function",
            parameters=_parameters,
            returns="result",
            owner=_receiver,
        ),
        Rule(
            "method_elem",
            FUNCTION,
            "function",
            parameters=_parameters,
            returns="result",
            when=_is_of_named_type,
        ),
    ),
    wrappers=frozenset({"import_declaration", "type_declaration"}),
    doc_text=_doc_text,
)
