"""The words in which a language's table is written: which nodes are definitions, and where their parts are.

A table is data. What a grammar says in an unusual way (Go's receivers, JavaScript's assigned functions)
is one small function named in its rule; the walk itself is in `syntax` and is the same for all languages.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tree_sitter import Node

from codesage.entities import EntityType
from codesage.parsing.signature import one_line
from codesage.parsing.source import Source

CLASS = EntityType.CLASS
FUNCTION = EntityType.FUNCTION
IMPORT = EntityType.IMPORT


_QUOTES = frozenset("\"'`<")


def always(_node: Node, _source: Source) -> bool:
    return True


def as_written(text: str) -> str:
    return text


def as_stored(data: bytes) -> bytes:
    return data


def text_of(node: Node, source: Source) -> str:
    # Not node.text: after a parse through a read callable that is slower by two orders of magnitude.
    return source.data[node.start_byte : node.end_byte].decode(errors="replace")


def last_segment(node: Node, source: Source) -> str:
    """Return the text of a name, or of a path the last segment: `http` of `"net/http"`."""
    text = text_of(node, source)
    return text.strip("\"'`<>").rpartition("/")[2] if text[:1] in _QUOTES else text


def no_parameters(_node: Node, _source: Source) -> Sequence[str]:
    return ()


@dataclass(frozen=True, slots=True)
class Rule:
    """One node type that defines something.

    Where a part is asked for, a `str` is a path of field names below the node (`"value.body"`), the usual
    case; a function takes the node and the source.

    Attributes:
        node: the node's type.
        entity_type: None opens a scope without being an entity, as Rust's `impl` does.
        word: `struct`, `function`: the entity's kind and the label's second word. A `function` directly in
            a type becomes a `method`.
        name: more than one name gives an entity for each, none drops the node.
        parameters: for a class its parents.
        returns: the return type; a leading `:` or `->` is dropped.
        body: where the header ends. A node without one is header as a whole.
        owner: the type that a definition outside of it belongs to; None means the enclosing one.
        is_type: names a scope, so functions directly inside are its methods.
        keyword: put before the signature of a member of a group, `import ( … )`, that is written without it.
        when: a rule that fails this is passed over; the next one of the same node type is asked.
    """

    node: str
    entity_type: EntityType | None
    word: str | Callable[[Node, Source], str] = ""
    name: str | Callable[[Node, Source], Sequence[str]] = "name"
    parameters: str | Callable[[Node, Source], Sequence[str]] = "parameters"
    returns: str | Callable[[Node, Source], str | None] = "return_type"
    body: str | Callable[[Node, Source], Node | None] = "body"
    owner: Callable[[Node, Source], str | None] | None = None
    is_type: bool = False
    keyword: str = ""
    when: Callable[[Node, Source], bool] = always


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One language.

    Attributes:
        rules: all definitions; several rules of one node type are tried in order.
        patterns: of node types that seldom define anything, a query's pattern of those that may: the others
            are then passed over before Python sees them.
        wrappers: nodes that hold one definition and begin where a reader sees it begin: `export`, `const`.
        decorations: nodes and keywords that may stand between a definition's start and its line, also inside
            its modifiers.
        leading: fields of a wrapper with what stands before the definition and belongs to it, as the method
            of Ruby's call `private def x`.
        comments: node types of comments.
        not_parameters: nodes in a parameter list that are none, such as Python's bare `*`.
        doc: the first line of a docstring inside the node; None where docs are the comments above.
        doc_marks: what a comment begins with that says what the definition below it is; any does by default.
        doc_text: what a line of a doc comment says to a reader: without its XML tags, for C#.
        symbol: what a captured constant or field is called; empty for none after all.
        constant: whether what is captured as a constant is one; else it is a field.
        reference: what a captured use refers to; empty for nothing after all.
        inherits: whether what is captured as inherited is; else that type is only named there.
        readable: what the parser sees of a source, of the same length: without what its grammar trips over.
        quotes: characters that delimit strings.
        keywords: names that are none. Only error recovery gives them, as to an `if` after a lost brace.
    """

    rules: tuple[Rule, ...]
    patterns: Mapping[str, str] = field(default_factory=dict)
    wrappers: frozenset[str] = frozenset()
    decorations: frozenset[str] = frozenset()
    leading: frozenset[str] = frozenset()
    comments: frozenset[str] = frozenset({"comment"})
    not_parameters: frozenset[str] = frozenset()
    doc: Callable[[Node, Source], str] | None = None
    doc_marks: tuple[str, ...] = ("",)
    doc_text: Callable[[str], str] = as_written
    symbol: Callable[[Node, Source], str] = text_of
    constant: Callable[[Node, Source], bool] = always
    reference: Callable[[Node, Source], str] = last_segment
    inherits: Callable[[Node, Source], bool] = always
    readable: Callable[[bytes], bytes] = as_stored
    quotes: str = "\"'`"
    keywords: frozenset[str] = frozenset()

    def by_node(self) -> dict[str, tuple[Rule, ...]]:
        """Return the rules of each node type, in the order in which they are tried."""
        grouped: dict[str, tuple[Rule, ...]] = {}
        for rule in self.rules:
            grouped[rule.node] = (*grouped.get(rule.node, ()), rule)
        return grouped


def part(node: Node, path: str) -> Node | None:
    """Return the node at `path`, field names joined by dots, or None."""
    found: Node | None = node
    for name in path.split("."):
        if found is None:
            return None
        found = found.child_by_field_name(name)
    return found


def unquoted(node: Node, source: Source) -> str:
    """Return the text of a string node without its quotes."""
    return text_of(node, source).strip("\"'`")


def without_default(parameter: Node, source: Source) -> str:
    """Return a parameter's text on one line, up to the `=` of its default value."""
    default = next((child for child in parameter.children if child.type == "="), None)
    end = default.start_byte if default is not None else parameter.end_byte
    return one_line(source.text(parameter.start_byte, end))
