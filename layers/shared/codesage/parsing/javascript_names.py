"""A captured use in JavaScript or TypeScript -> the name that it refers to.

What is captured by its place only may be something else: a string that is given to a call is a module only
for `require`, a tag of JSX is a component only with a capital letter.
"""

import re

from tree_sitter import Node

from codesage.parsing.rules import part, text_of, unquoted
from codesage.parsing.source import Source

_REQUIRES = re.compile(rb"(?:^|[^\w$.])(?:require|import)\s*\($")
_IMPORTED = re.compile(rb"(?:require|await\s+import)\s*\(")
_CALL_BYTES = 40  # enough to see what is called before its first argument

_FOLDERS = re.compile(r"^.*[/:]")  # also the `node:` of a built-in module
_EXTENSION = re.compile(r"\.[cm]?[jt]sx?$")
_NO_NAMES = frozenset({"", ".", ".."})


def reference(node: Node, source: Source) -> str:
    """Return the name, that of a module without folders and extension; empty for no use at all."""
    match node.type:
        case "string":
            return _module(node, source)
        case "jsx_opening_element" | "jsx_self_closing_element":
            return _component(node, source)
        case "shorthand_property_identifier_pattern" | "pair_pattern" | "object_assignment_pattern":
            return _destructured(node, source)
        case _:
            return text_of(node, source)


def _module(node: Node, source: Source) -> str:
    """Return `text` of `"./util/text.js"`, where that is imported or required."""
    before = source.data[max(0, node.start_byte - _CALL_BYTES) : node.start_byte].rstrip()
    if before.endswith(b"(") and not _REQUIRES.search(before):
        return ""
    name = _EXTENSION.sub("", _FOLDERS.sub("", unquoted(node, source)))
    return "" if name in _NO_NAMES else name


def _component(tag: Node, source: Source) -> str:
    """Return `Menu` of `<Menu />`, nothing of `<div>`: that is HTML's."""
    name = part(tag, "name")
    text = text_of(name, source) if name is not None else ""
    return "" if text[:1].islower() else text


def _destructured(node: Node, source: Source) -> str:
    """Return `total` of `const { total: sum } = require("./cart")`."""
    declarator = node.parent.parent if node.parent is not None else None
    value = part(declarator, "value") if declarator is not None else None
    if value is None or not _IMPORTED.match(source.data, value.start_byte):
        return ""
    name = part(node, "key") or part(node, "left") or node
    return text_of(name, source)
