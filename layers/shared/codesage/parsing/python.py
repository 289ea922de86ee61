"""A Python source -> entities, symbols and references, through `ast`; where it refuses, tree-sitter.

`ast` follows the running interpreter, and one damaged line loses it the whole file.
"""

import ast
import re
import sys
import warnings
from collections.abc import Iterator

from codesage.entities import Entity, EntityType, Reference, Symbol
from codesage.languages import Language
from codesage.parsing import syntax
from codesage.parsing.outcome import Parsed, parsed_of
from codesage.parsing.python_names import BLOCKS, Function, Scope, references_of, symbols_of
from codesage.parsing.signature import COMMENT, HEADER_BYTES, one_line
from codesage.parsing.source import Source
from codesage.parsing.tables.python import TABLE, first_line

# ast takes minutes over an expression of 100,000 terms and cannot be interrupted.
_MAX_LINE_BYTES = 100_000

_STRING_OR_COMMENT = re.compile(r"""("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|#[^\n]*""")
_COLON = re.compile(rb"(?:[^:#]|#[^\n]*)*:")

_Located = ast.stmt | ast.expr | ast.arg | ast.keyword


def parsed(source: Source, language: Language) -> Parsed:
    """Return what `source` defines and uses.

    Raises:
        ParseTimeoutError: `ast` refused the source, and tree-sitter did not end in time.
    """
    module = _module_of(source)
    if module is None:
        return syntax.parsed(source, language)
    entities: list[Entity] = []
    symbols: list[Symbol] = []
    references: list[Reference] = []
    waiting: list[tuple[ast.AST, Scope]] = [(module, Scope())]
    while waiting:  # no recursion: `elif` nests without limit
        statement, scope = waiting.pop()
        inner = scope
        if isinstance(statement, ast.ClassDef | Function):
            inner = scope.inside(statement, len(entities))
        entities += _entities_of(statement, scope.owner, source, language)
        symbols += symbols_of(statement, scope)
        references += references_of(statement, scope, inner)
        blocks = [child for block in BLOCKS for child in getattr(statement, block, ())]
        waiting += [(child, inner) for child in reversed(blocks)]
    return parsed_of(entities, symbols, references)


def _module_of(source: Source) -> ast.Module | None:
    if max(map(len, source.data.split(b"\n"))) > _MAX_LINE_BYTES:
        return None
    with warnings.catch_warnings(action="ignore"):  # on escapes in strings: the author's, not ours
        try:
            return ast.parse(source.data.decode())
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def _entities_of(
    statement: ast.AST, owner: str | None, source: Source, language: Language
) -> Iterator[Entity]:
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            yield _import(alias.name, statement, source, language)
    elif isinstance(statement, ast.ImportFrom):
        module_name = "." * statement.level + (statement.module or "")
        yield _import(module_name, statement, source, language)
    elif isinstance(statement, Function):
        yield _function(statement, owner, source, language)
    elif isinstance(statement, ast.ClassDef):
        yield _class(statement, owner, source, language)
    elif sys.version_info >= (3, 12) and isinstance(statement, ast.TypeAlias):
        yield _alias(statement, owner, source, language)


def _import(name: str, statement: ast.stmt, source: Source, language: Language) -> Entity:
    start, end = _span(statement, source)
    return Entity(
        entity_type=EntityType.IMPORT,
        kind="import",
        name=name,
        label=f"{language.label} import: {name}",
        line_start=statement.lineno,
        line_end=_last_line(statement),
        signature=_joined(source.text(start, min(end, start + HEADER_BYTES))),
    )


def _function(node: Function, owner: str | None, source: Source, language: Language) -> Entity:
    kind = "method" if owner else "function"
    return Entity(
        entity_type=EntityType.FUNCTION,
        kind=kind,
        name=node.name,
        label=f"{language.label} {kind}: {f'{owner}.' if owner else ''}{node.name}",
        line_start=node.lineno,
        line_end=_last_line(node),
        signature=_header(node, source),
        doc=_doc(node),
        parameters=tuple(_parameters(node.args, source)),
        return_type=_joined(_text(node.returns, source)) if node.returns is not None else None,
        body=_body(node, source),
        scope=owner,
    )


def _class(node: ast.ClassDef, owner: str | None, source: Source, language: Language) -> Entity:
    return Entity(
        entity_type=EntityType.CLASS,
        kind="class",
        name=node.name,
        label=f"{language.label} class: {node.name}",
        line_start=node.lineno,
        line_end=_last_line(node),
        signature=_header(node, source),
        doc=_doc(node),
        parameters=tuple(_joined(_text(base, source)) for base in node.bases),
        body=_body(node, source),
        scope=owner,
    )


if sys.version_info >= (3, 12):

    def _alias(node: ast.TypeAlias, owner: str | None, source: Source, language: Language) -> Entity:
        start, end = _span(node, source)
        return Entity(
            entity_type=EntityType.CLASS,
            kind="type",
            name=node.name.id,
            label=f"{language.label} type: {node.name.id}",
            line_start=node.lineno,
            line_end=_last_line(node),
            signature=_joined(source.text(start, min(end, start + HEADER_BYTES))),
            body=_body(node, source),
            scope=owner,
        )


def _parameters(arguments: ast.arguments, source: Source) -> Iterator[str]:
    for argument in (*arguments.posonlyargs, *arguments.args):
        yield _joined(_text(argument, source))
    if arguments.vararg is not None:
        yield "*" + _joined(_text(arguments.vararg, source))
    for argument in arguments.kwonlyargs:
        yield _joined(_text(argument, source))
    if arguments.kwarg is not None:
        yield "**" + _joined(_text(arguments.kwarg, source))


def _header(node: Function | ast.ClassDef, source: Source) -> str:
    """Return the signature up to and with its colon: the first one after all annotations and values."""
    start = _span(node, source)[0]
    colon = _COLON.match(source.data, max([start, *_ends_of_header_parts(node, source)]))
    end = colon.end() if colon else start
    return _joined(source.text(start, min(end, start + HEADER_BYTES)))


def _ends_of_header_parts(node: Function | ast.ClassDef, source: Source) -> Iterator[int]:
    parts: list[_Located | None] = [*getattr(node, "type_params", ())]
    if isinstance(node, ast.ClassDef):
        parts += [*node.bases, *node.keywords]
    else:
        arguments = node.args
        parts += [*arguments.posonlyargs, *arguments.args, arguments.vararg, *arguments.kwonlyargs]
        parts += [arguments.kwarg, *arguments.defaults, *arguments.kw_defaults, node.returns]
    for found in parts:
        if found is not None:
            yield _span(found, source)[1]


def _doc(node: Function | ast.ClassDef) -> str:
    first = node.body[0]
    if (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    ):
        return first_line(first.value.value)
    return ""


def _body(node: ast.stmt, source: Source) -> str:
    return source.body(_span(node, source)[0], _last_line(node))


def _joined(code: str) -> str:
    if "#" in code:
        code = _STRING_OR_COMMENT.sub(lambda found: found[1] or COMMENT, code)
    return one_line(code, TABLE.quotes)


def _text(node: _Located, source: Source) -> str:
    return source.text(*_span(node, source))


def _span(node: _Located, source: Source) -> tuple[int, int]:
    """Return the offsets of `node`; a definition's begin at `def` or `class`, after its decorators."""
    return source.offset(node.lineno, node.col_offset), source.offset(
        _last_line(node), node.end_col_offset or 0
    )


def _last_line(node: _Located) -> int:
    return node.end_lineno or node.lineno
