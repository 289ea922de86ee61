"""A Python statement -> the constants and fields it defines, and the names it uses.

Statements inside of it are read by themselves. The walk over expressions takes half of the time that a
Python file takes, so it is one loop over a table of fields, not a visitor.
"""

import ast
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from codesage.entities import Reference, ReferenceKind, Symbol, SymbolKind

_ENUM = re.compile(r"\w*(?:Enum|Flag|Choices)")
_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")

Function = ast.FunctionDef | ast.AsyncFunctionDef

BLOCKS = ("body", "handlers", "cases", "orelse", "finalbody")
"""The lists of statements that a statement may hold, in the order of the source."""

# Fields of nodes that never hold an expression, nor anything around one.
_NO_EXPRESSIONS = frozenset(
    {
        "arg",
        "asname",
        "attr",
        "conversion",
        "ctx",
        "id",
        "is_async",
        "kind",
        "kwd_attrs",
        "name",
        "names",
        "op",
    }
    | {"ops", "rest", "simple", "type_comment"}
)


def _fields_by_node() -> dict[type[ast.AST], tuple[str, ...]]:
    """Return the fields in which each type of node holds expressions; leaves are left out."""
    fields: dict[type[ast.AST], tuple[str, ...]] = {}
    waiting = [ast.AST]
    while waiting:
        node = waiting.pop()
        waiting += node.__subclasses__()
        passed = {*_NO_EXPRESSIONS, *(() if issubclass(node, ast.expr) else BLOCKS)}
        fields[node] = tuple(name for name in node._fields if name not in passed)
    fields[ast.arguments] = ("defaults", "kw_defaults")
    del fields[ast.Constant]
    return {node: names for node, names in fields.items() if names}


_FIELDS = _fields_by_node()


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a statement stands.

    Attributes:
        owner: name of the class it is directly in.
        within: number of the innermost definition around it.
        constants: whether the fields of that class are constants, as those of an enum.
        fields_of: name of the class whose instance is made ready here, by `__init__`.
        is_local: whether it is in a function, and so are the names it defines.
    """

    owner: str | None = None
    within: int | None = None
    constants: bool = False
    fields_of: str | None = None
    is_local: bool = False

    def inside(self, definition: ast.ClassDef | Function, number: int) -> "Scope":
        """Return the scope of the statements of a definition, of which the entity has this number."""
        if isinstance(definition, ast.ClassDef):
            bases = [_last_name(base) or "" for base in definition.bases]
            return Scope(definition.name, number, constants=any(map(_ENUM.fullmatch, bases)))
        makes_ready = definition.name in ("__init__", "__post_init__")
        return Scope(within=number, fields_of=self.owner if makes_ready else None, is_local=True)


def symbols_of(statement: ast.AST, scope: Scope) -> Iterator[Symbol]:
    """Yield the variables of a module, those of a class, and the attributes that `__init__` gives `self`."""
    match statement:
        case ast.Assign():
            targets: Iterable[ast.expr] = statement.targets
        case ast.AnnAssign():
            targets = (statement.target,)
        case _:
            return
    for name in _assigned(targets):
        if isinstance(name, ast.Name) and not scope.is_local:
            is_constant = scope.owner is None or scope.constants or name.id.isupper()
            kind = SymbolKind.CONSTANT if is_constant else SymbolKind.FIELD
            yield Symbol(name.id, name.lineno, kind, scope.owner)
        elif scope.fields_of and isinstance(name, ast.Attribute) and _is_self(name.value):
            yield Symbol(name.attr, name.end_lineno or name.lineno, SymbolKind.FIELD, scope.fields_of)


def _assigned(targets: Iterable[ast.expr]) -> Iterator[ast.expr]:
    """Yield what is assigned to, also within `first, (second, *rest) = …`."""
    waiting = [*targets][::-1]
    while waiting:
        target = waiting.pop()
        if isinstance(target, ast.Tuple | ast.List):
            waiting += reversed(target.elts)
        elif isinstance(target, ast.Starred):
            waiting.append(target.value)
        else:
            yield target


def references_of(statement: ast.AST, scope: Scope, inner: Scope) -> list[Reference]:
    """Return what a statement uses, without the statements in it.

    Args:
        scope: where it stands.
        inner: where its parameters and bases stand: within itself, if it is a definition.
    """
    found: list[Reference] = []
    if sys.version_info >= (3, 12) and isinstance(statement, ast.TypeAlias):
        _read_types([*statement.type_params, statement.value], found, inner.within)
        return found
    match statement:
        case ast.Import() | ast.ImportFrom():
            found += _imported(statement, scope)
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            _read_decorators(statement, found, scope.within)
            _read([*statement.args.defaults, *filter(None, statement.args.kw_defaults)], found, inner.within)
            _read_types([*_annotations(statement), *_type_parameters(statement)], found, inner.within)
        case ast.ClassDef():
            _read_decorators(statement, found, scope.within)
            _read_bases(statement, found, inner.within)
            _read_types([*_type_parameters(statement)], found, inner.within)
        case ast.AnnAssign():
            _read_types([statement.annotation], found, scope.within)
            _read([statement.target, *filter(None, [statement.value])], found, scope.within)
        case ast.ExceptHandler():
            _read_types([*filter(None, [statement.type])], found, scope.within)
        case _:
            _read([statement], found, scope.within)
    return found


def _read(waiting: list[ast.AST], found: list[Reference], within: int | None) -> None:
    """Add the calls below `waiting`, and the names that are handed over."""
    while waiting:
        node = waiting.pop()
        kind = node.__class__
        if kind in _USES:
            _USES[kind](node, found, within)
        for name in _FIELDS.get(kind, ()):
            value = getattr(node, name)
            if isinstance(value, list):
                waiting += value
            elif value is not None:
                waiting.append(value)


def _of_call(node: ast.Call, found: list[Reference], within: int | None) -> None:
    _add(node.func, ReferenceKind.CALL, found, within)
    for argument in node.args:
        for handed in argument.elts if isinstance(argument, ast.Tuple) else (argument,):
            _add(handed, ReferenceKind.OTHER, found, within)


def _of_keyword(node: ast.keyword, found: list[Reference], within: int | None) -> None:
    if node.arg is not None:
        _add(node.value, ReferenceKind.OTHER, found, within)


def _of_dict(node: ast.Dict, found: list[Reference], within: int | None) -> None:
    for value in node.values:
        _add(value, ReferenceKind.OTHER, found, within)


def _of_pattern(node: ast.MatchClass, found: list[Reference], within: int | None) -> None:
    _add(node.cls, ReferenceKind.TYPE, found, within)


_USES: Mapping[type[ast.AST], Callable[..., None]] = {
    ast.Call: _of_call,
    ast.Dict: _of_dict,
    ast.keyword: _of_keyword,
    ast.MatchClass: _of_pattern,
}
"""The nodes that use names by themselves, not only in what is below them."""


def _read_types(waiting: list[ast.AST], found: list[Reference], within: int | None) -> None:
    """Add the types that annotations name, those in quotes as well."""
    while waiting:
        node = waiting.pop()
        _add(node, ReferenceKind.TYPE, found, within)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            names = [name.rpartition(".")[2] for name in _NAME.findall(node.value) if name != "None"]
            found += [Reference(name, node.lineno, ReferenceKind.TYPE, within) for name in names]
        elif isinstance(node, ast.Subscript) and _last_name(node.value) == "Literal":
            waiting.append(node.value)
        elif isinstance(node, ast.Subscript) and _last_name(node.value) == "Annotated":
            named, *facts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            waiting += [node.value, named]
            _read([*facts], found, within)
        elif not isinstance(node, ast.Attribute):
            waiting += ast.iter_child_nodes(node)


def _read_decorators(definition: ast.ClassDef | Function, found: list[Reference], within: int | None) -> None:
    for decorator in definition.decorator_list:
        _add(decorator, ReferenceKind.CALL, found, within)
    _read([*definition.decorator_list], found, within)


def _read_bases(definition: ast.ClassDef, found: list[Reference], within: int | None) -> None:
    for base in definition.bases:
        if isinstance(base, ast.Subscript):
            _add(base.value, ReferenceKind.INHERIT, found, within)
            _read_types([base.slice], found, within)
        else:
            _add(base, ReferenceKind.INHERIT, found, within)
    _read([*definition.bases, *definition.keywords], found, within)


def _annotations(function: Function) -> Iterator[ast.expr]:
    arguments = function.args
    listed = (
        *arguments.posonlyargs,
        *arguments.args,
        *arguments.kwonlyargs,
        arguments.vararg,
        arguments.kwarg,
    )
    for argument in listed:
        if argument is not None and argument.annotation is not None:
            yield argument.annotation
    if function.returns is not None:
        yield function.returns


def _type_parameters(definition: ast.ClassDef | Function) -> Sequence[ast.AST]:
    """Return `T: Model` of `class Box[T: Model]`; an interpreter that knows no such thing has none."""
    return getattr(definition, "type_params", ())


def _imported(statement: ast.Import | ast.ImportFrom, scope: Scope) -> Iterator[Reference]:
    """Yield the names that are imported: of `import a.b` the module's own, `b`."""
    for alias in statement.names:
        if alias.name != "*":
            name = alias.name.rpartition(".")[2]
            yield Reference(name, alias.lineno, ReferenceKind.IMPORT, scope.within)


def _add(node: ast.AST, kind: ReferenceKind, found: list[Reference], within: int | None) -> None:
    if isinstance(node, ast.Name):
        found.append(Reference(node.id, node.lineno, kind, within))
    elif isinstance(node, ast.Attribute):
        found.append(Reference(node.attr, node.end_lineno or node.lineno, kind, within))


def _last_name(node: ast.AST) -> str | None:
    """Return `Model` of `Model`, `models.Model` and `models.Model[int]`."""
    if isinstance(node, ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None


def _is_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"
