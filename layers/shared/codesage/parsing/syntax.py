"""A source and its language's table -> entities, symbols and references, through tree-sitter.

The table's node types and the patterns of `references/` become one query, so the walk over the tree stays
in C and Python sees only what is kept. Nothing here recurses: a hostile file may nest deeper than any stack.
"""

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module, resources
from operator import itemgetter
from typing import cast

import tree_sitter
from tree_sitter import Node, Parser, Query, QueryCursor, Tree
from tree_sitter_language_pack import SupportedLanguage, get_binding

from codesage.entities import Entity, EntityType, Reference, ReferenceKind, Symbol, SymbolKind
from codesage.languages import Language
from codesage.parsing.comments import doc_line
from codesage.parsing.conflicts import ours
from codesage.parsing.outcome import Parsed, parsed_of
from codesage.parsing.rules import FUNCTION, IMPORT, Rule, Table, part, text_of, without_default
from codesage.parsing.signature import COMMENT, HEADER_BYTES, one_line
from codesage.parsing.source import Source

PARSE_SECONDS = 2.0
"""Of CPU time, not of the wall clock: a busy neighbour must not decide whether a file is found."""

# Deeper definitions are not written by people, and the query's time grows with the square of the depth.
_MAX_DEPTH = 200

_READ_BYTES = 65_536

# A smaller file is parsed without a watch on the time, which costs a tenth. Should it take long after all,
# its process is killed.
_UNWATCHED_BYTES = 65_536

# A header with none of these needs no walk: they begin comments and decorations.
_LEFT_OUT_MARKS = ("//", "/*", "#", "--", "@")

# An annotation in a header is the definition's own if this near to it: `public @Nullable String name()`.
# Deeper ones belong to a parameter, whose text they are part of.
_DECORATION_DEPTH = 2

_INHERITS = re.compile(r";+\s*inherits:\s*([\w, ]+)")

_DEFINITION = "definition"
_CONSTANT, _FIELD, _MEMBER = "definition.constant", "definition.field", "definition.member"
_SYMBOLS = {f"definition.{kind}": kind for kind in SymbolKind} | {_MEMBER: SymbolKind.FIELD}
_ARGUMENT = "reference.argument"
# In their order: of one name the last one wins.
_REFERENCES = {f"reference.{kind}": kind for kind in ReferenceKind} | {_ARGUMENT: ReferenceKind.OTHER}

_OPENERS = f" \t\n\r\f\v{{;,\\{COMMENT}"  # a `\` goes on with a macro
_TYPE_MARK = re.compile(r"^(?::|->)\s*")


class ParseTimeoutError(Exception):
    """A file took longer than PARSE_SECONDS to parse."""


@dataclass(frozen=True, slots=True)
class _Reader:
    """A language made ready: its table, and what tree-sitter needs. Reused from file to file."""

    table: Table
    rules: dict[str, tuple[Rule, ...]]
    parser: Parser
    query: Query


@dataclass(frozen=True, slots=True)
class _Scope:
    """A definition around the place that was reached.

    Attributes:
        end: offset behind it.
        name: its name, that of the type for an `impl`.
        is_type: whether functions directly inside are its methods.
        is_local: whether the symbols in it are of no interest from outside: the variables of a function, and
            the one that holds what is imported.
        within: number of the innermost entity here.
        is_entity: whether it is one itself, as an `impl` is not.
    """

    end: int
    name: str
    is_type: bool
    is_local: bool
    within: int | None
    is_entity: bool


@dataclass(slots=True)
class _Findings:
    """What was found so far, and the definitions around the place that was reached, outermost first."""

    entities: list[Entity] = field(default_factory=list)
    symbols: list[Symbol] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    scopes: list[_Scope] = field(default_factory=list)

    @property
    def within(self) -> int | None:
        return self.scopes[-1].within if self.scopes else None

    def owner(self) -> str | None:
        """Return the type whose method a function would be here."""
        return self.scopes[-1].name if self.scopes and self.scopes[-1].is_type else None

    def leave(self, offset: int) -> None:
        """Close what ends before `offset`."""
        scopes = self.scopes
        while scopes and scopes[-1].end <= offset:
            scopes.pop()

    def enter(self, rule: Rule, name: str, end: int, entities: Sequence[Entity]) -> None:
        """Open the definition that gave `entities`: none for an `impl`."""
        is_import = rule.entity_type is IMPORT
        within = len(self.entities) if entities and not is_import else self.within
        is_local = is_import or rule.entity_type is FUNCTION
        self.scopes.append(_Scope(end, name, rule.is_type, is_local, within, bool(entities)))
        self.entities.extend(entities)

    def add_symbol(self, name: str, line: int, capture: str) -> None:
        scopes = self.scopes
        if capture == _MEMBER:
            scopes = scopes[:-1]
        elif scopes and scopes[-1].name == name:  # the value's own scope: `shape = { … }`
            if scopes[-1].is_entity:
                return
            scopes = scopes[:-1]
        if not (scopes and scopes[-1].is_local):
            self.symbols.append(Symbol(name, line, _SYMBOLS[capture], scopes[-1].name if scopes else None))


def table_of(name: str) -> Table:
    """Load `codesage.parsing.tables.<name>`."""
    return cast("Table", import_module(f"codesage.parsing.tables.{name}").TABLE)


def grammar_of(language: Language) -> tree_sitter.Language:
    """Raises ValueError for a language that is read without one."""
    if language.wheel is not None:
        return tree_sitter.Language(import_module(language.wheel).language())
    if language.grammar is None:
        raise ValueError(f"{language.label} is read without a grammar")
    return tree_sitter.Language(get_binding(cast("SupportedLanguage", language.grammar)))


def patterns_of(name: str) -> str:
    """Return `references/<name>.scm`, behind the files that its first line says it inherits.

    A capture is `@reference.<kind>`, `@definition.<kind of symbol>`, each on the name itself, or one of
    three: `@definition.member`, a field that is written among the parameters of a constructor;
    `@reference.argument`, what is handed over where other patterns see a type; and `@name`, the name of a
    definition, which they take for a use.
    """
    text = (resources.files(__package__) / "references" / f"{name}.scm").read_text()
    inherited = _INHERITS.match(text)
    names = inherited[1].replace(" ", "").split(",") if inherited else []
    return "\n".join([*map(patterns_of, names), text])


def parsed(source: Source, language: Language) -> Parsed:
    """Return what `source` defines and uses; it may be broken anywhere.

    Raises:
        ParseTimeoutError: the parse did not end in time.
    """
    reader = _reader_of(language)
    table = reader.table
    findings = _Findings()
    for start, _, capture, node in _captures(reader, source):
        findings.leave(start)
        if kind := _REFERENCES.get(capture):
            if name := table.reference(node, source):
                if kind is ReferenceKind.INHERIT and not table.inherits(node, source):
                    kind = ReferenceKind.TYPE
                findings.references.append(Reference(name, source.line_of(start), kind, findings.within))
        elif capture == _DEFINITION:
            _define(node, findings, reader, source, language.label)
        elif name := table.symbol(node, source):
            if capture == _CONSTANT and not table.constant(node, source):
                capture = _FIELD
            findings.add_symbol(name, source.line_of(start), capture)
    return parsed_of(findings.entities, findings.symbols, findings.references)


def _define(node: Node, findings: _Findings, reader: _Reader, source: Source, language_label: str) -> None:
    rule = next((rule for rule in reader.rules[node.type] if rule.when(node, source)), None)
    names = _names(rule, node, source) if rule else ()
    if rule is None or not names or _is_misread(node, names, reader.table):
        return
    found = _entities_of(node, rule, names, findings.owner(), reader.table, source, language_label)
    findings.enter(rule, names[0], node.end_byte, list(found))


@cache
def _reader_of(language: Language) -> _Reader:
    table = table_of(language.name)
    rules = table.by_node()
    grammar = grammar_of(language)
    definitions = " ".join(f"{table.patterns.get(node, f'({node})')} @{_DEFINITION}" for node in rules)
    query = Query(grammar, definitions + patterns_of(language.grammar or language.name))
    return _Reader(table, rules, Parser(grammar), query)


def _captures(reader: _Reader, source: Source) -> list[tuple[int, int, str, Node]]:
    """Return start, negated end, capture and node of all that was captured, in the order of the source."""
    cursor = QueryCursor(reader.query)
    cursor.set_max_start_depth(_MAX_DEPTH)
    captured = cursor.captures(_tree(reader.parser, reader.table.readable(ours(source.data))).root_node)
    uses = _once(captured, _REFERENCES)
    for node in captured.get("name", ()):
        uses.pop(node.start_byte, None)
    # Definitions first, outer ones before inner ones: what begins with them is in them.
    found = [(node.start_byte, -node.end_byte, _DEFINITION, node) for node in captured.get(_DEFINITION, ())]
    for names in (_once(captured, _SYMBOLS), uses):
        found += [(start, 0, capture, node) for start, (capture, node) in names.items()]
    found.sort(key=itemgetter(0, 1))  # captures have no order
    return found


def _tree(parser: Parser, data: bytes) -> Tree:
    if len(data) <= _UNWATCHED_BYTES:
        return parser.parse(data)
    deadline = time.process_time() + PARSE_SECONDS
    try:
        # Only a read callable makes the parser heed its progress callback, at a tenth of its speed.
        return parser.parse(
            lambda offset, _point: data[offset : offset + _READ_BYTES],
            progress_callback=lambda _offset, _has_error: time.process_time() > deadline,
        )
    except ValueError:
        parser.reset()  # or the next parse would go on with this file
        raise ParseTimeoutError from None


def _once(captured: Mapping[str, Sequence[Node]], captures: Iterable[str]) -> dict[int, tuple[str, Node]]:
    """Return by their starts the nodes that any of `captures` took, each with the last that did."""
    return {node.start_byte: (capture, node) for capture in captures for node in captured.get(capture, ())}


def _entities_of(
    node: Node,
    rule: Rule,
    names: Sequence[str],
    scope: str | None,
    table: Table,
    source: Source,
    language_label: str,
) -> Iterator[Entity]:
    if rule.entity_type is None:
        return
    outermost = _outermost(node, table)
    start = _start_of(outermost, table)
    end = source.trimmed_end(start, _end_of(node, table))
    line_start, line_end = source.line_of(start), source.line_of(max(start, end - 1))
    owner = (rule.owner(node, source) if rule.owner else None) or scope
    word = rule.word if isinstance(rule.word, str) else rule.word(node, source)
    is_function = rule.entity_type is EntityType.FUNCTION
    is_import = rule.entity_type is EntityType.IMPORT
    if word == "function" and owner:
        word = "method"
    signature = _signature(node, outermost, start, rule, table, source)
    doc = "" if is_import else _doc(node, outermost, table, source)
    parameters = () if is_import else _parameters(rule, node, table, source)
    return_type = _returns(rule, node, source) if is_function else None
    body = "" if is_import else source.body(start, line_end)
    for name in names:
        qualified = f"{owner}.{name}" if owner and is_function else name
        yield Entity(
            entity_type=rule.entity_type,
            kind=word,
            name=name,
            label=f"{language_label} {word}: {qualified}",
            line_start=line_start,
            line_end=line_end,
            signature=signature,
            doc=doc,
            parameters=parameters,
            return_type=return_type,
            body=body,
            scope=None if is_import else owner,
        )


def _names(rule: Rule, node: Node, source: Source) -> Sequence[str]:
    if not isinstance(rule.name, str):
        return [name for name in rule.name(node, source) if name]
    found = part(node, rule.name)
    # The parser's error recovery makes up names that are not in the file.
    return [text_of(found, source)] if found is not None and not found.is_missing else []


def _is_misread(node: Node, names: Sequence[str], table: Table) -> bool:
    return names[0] in table.keywords and node.has_error


def _parameters(rule: Rule, node: Node, table: Table, source: Source) -> tuple[str, ...]:
    if not isinstance(rule.parameters, str):
        return tuple(rule.parameters(node, source))
    listed = part(node, rule.parameters)
    if listed is None:
        return ()
    ignored = table.comments | table.not_parameters
    return tuple(
        without_default(child, source) for child in listed.named_children if child.type not in ignored
    )


def _returns(rule: Rule, node: Node, source: Source) -> str | None:
    if not isinstance(rule.returns, str):
        return rule.returns(node, source)
    found = part(node, rule.returns)
    return _TYPE_MARK.sub("", one_line(text_of(found, source))) if found is not None else None


def _doc(node: Node, outermost: Node, table: Table, source: Source) -> str:
    return table.doc(node, source) if table.doc else doc_line(node, outermost, table, source)


def _signature(node: Node, outermost: Node, start: int, rule: Rule, table: Table, source: Source) -> str:
    body = part(node, rule.body) if isinstance(rule.body, str) else rule.body(node, source)
    end = min(node.end_byte if body is None else body.start_byte, start + HEADER_BYTES)
    header = _without_opener(_header(outermost, start, end, table, source))
    signature = one_line(header, table.quotes)
    if rule.keyword and not signature.startswith(rule.keyword):
        return f"{rule.keyword} {signature}"
    return signature


def _without_opener(header: str) -> str:
    """Cut what begins a body or ends the statement, step by step: a pattern would search from each place."""
    while (shorter := header.rstrip(_OPENERS).removesuffix("=>")) != header:
        header = shorter
    return header


def _header(root: Node, start: int, end: int, table: Table, source: Source) -> str:
    """Return the text from `start` to `end` with COMMENT in place of comments and decorations."""
    header = source.text(start, end)
    if not any(mark in header for mark in _LEFT_OUT_MARKS):
        return header
    kept = []
    for node in _left_out(root, start, end, table):
        kept.append(source.text(start, node.start_byte))
        start = node.end_byte
    return COMMENT.join([*kept, source.text(start, end)])


def _left_out(root: Node, start: int, end: int, table: Table) -> list[Node]:
    found: list[Node] = []
    waiting = [(root, 0)]
    while waiting:
        node, depth = waiting.pop()
        is_decoration = node.is_named and node.type in table.decorations and depth <= _DECORATION_DEPTH
        if node.type in table.comments or is_decoration:
            found.append(node)
            continue
        inside = [child for child in node.children if child.start_byte < end and child.end_byte > start]
        waiting.extend((child, depth + 1) for child in reversed(inside))
    return found


def _outermost(node: Node, table: Table) -> Node:
    """Return the wrapper that begins with `node`: the `export` of a class, not the `(` of a group."""
    while table.wrappers:
        parent = node.parent
        if parent is None or parent.type not in table.wrappers or not _opens(parent, node, table):
            break
        node = parent
    return node


def _opens(parent: Node, node: Node, table: Table) -> bool:
    for index in range(parent.child_count):  # by number: few are looked at, and there may be thousands
        child = parent.child(index)
        if child is None or child == node:
            return True
        is_passed = child.type in table.comments or child.type in table.decorations or not child.is_named
        if child.type == "(" or not (is_passed or parent.field_name_for_child(index) in table.leading):
            return False
    return False


def _start_of(outermost: Node, table: Table) -> int:
    """Return the offset of the definition line: decorators and comments stand before it."""
    waiting = [outermost]
    while waiting:
        node = waiting.pop()
        if node.type in table.decorations or node.type in table.comments:
            continue
        if not node.children:
            return node.start_byte
        waiting.extend(reversed(node.children))
    return outermost.start_byte


def _end_of(definition: Node, table: Table) -> int:
    """Return the offset behind the definition: a body without a closing brace takes comments after it in."""
    node = definition
    while count := node.child_count:  # by number: a list of the children would hold all of a class
        last = next((n for n in range(count - 1, -1, -1) if not _is_comment(node, n, table)), None)
        inner = None if last is None else node.child(last)
        if inner is None:
            break
        node = inner
    return node.end_byte


def _is_comment(node: Node, number: int, table: Table) -> bool:
    child = node.child(number)
    return child is not None and child.type in table.comments
