"""A `filters` text -> an expression -> a mask of the records that satisfy it.

expression := any-of { "AND" any-of }                OR binds tighter than AND
any-of     := term { "OR" term }
term       := "(" expression ")" | [ "NOT" ] leaf
leaf       := attribute ":" value | attribute ":" number "TO" number | attribute operator number | value
"""

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from local.algolia.errors import ApiError
from local.algolia.settings import TAGS

Mask: TypeAlias = NDArray[np.bool_]
Numbers: TypeAlias = NDArray[np.float64]

COMPARISONS: dict[str, Callable[[Numbers, float], Mask]] = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    ">": operator.gt,
}

LEXEME = re.compile(
    r"""\s*(?:
        (?P<quoted>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
      | (?P<score><score=\d+>)
      | (?P<sign><=|>=|!=|[<>=:()])
      | (?P<bare>[^\s()"':<>=!]+)
      | (?P<end>$)
    )""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Facet:
    """`attribute:value`, compared without case; a bare value is a tag."""

    attribute: str
    value: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """`attribute operator number`; true where any number of the attribute satisfies it."""

    attribute: str
    sign: str
    number: float


@dataclass(frozen=True, slots=True)
class Between:
    """`attribute:low TO high`, both ends included."""

    attribute: str
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Not:
    leaf: "Facet | Comparison | Between"


@dataclass(frozen=True, slots=True)
class AnyOf:
    terms: "tuple[Expression, ...]"


@dataclass(frozen=True, slots=True)
class AllOf:
    terms: "tuple[Expression, ...]"


Leaf: TypeAlias = Facet | Comparison | Between
Expression: TypeAlias = Leaf | Not | AnyOf | AllOf


class Filterable(Protocol):
    """What an index offers to filters: masks over its records, that the caller may change."""

    def everything(self) -> Mask: ...
    def with_facet(self, attribute: str, value: str) -> Mask: ...
    def with_number(self, attribute: str, accepts: Callable[[Numbers], Mask]) -> Mask: ...


class Lexeme(NamedTuple):
    """One piece of the text; `kind` is the group of `LEXEME` that matched, `column` counts from 0."""

    kind: str
    text: str
    column: int

    def is_word(self, word: str) -> bool:
        return self.kind == "bare" and self.text == word

    def __str__(self) -> str:
        return f"string({self.text})" if self.kind in ("bare", "quoted") else self.text or "end of filter"


def parsed(filters: str) -> Expression:
    """Read a filter.

    Raises:
        ApiError: 400 with the service's wording and, for a syntax error, the column, counted from 0.
    """
    try:
        return _Parser(_lexemes(filters)).whole()
    except RecursionError as error:
        raise _refused("nested too deeply") from error


def satisfying(expression: Expression, index: Filterable) -> Mask:
    """Of all records, which ones satisfy `expression`."""
    match expression:
        case Facet(attribute, value):
            return index.with_facet(attribute, value)
        case Comparison(attribute, sign, number):
            return index.with_number(attribute, lambda found: COMPARISONS[sign](found, number))
        case Between(attribute, low, high):
            return index.with_number(attribute, lambda found: (low <= found) & (found <= high))
        case Not(leaf):
            return index.everything() & ~satisfying(leaf, index)
        case AnyOf(terms):
            return reduce(operator.or_, (satisfying(term, index) for term in terms))
        case AllOf(terms):
            return reduce(operator.and_, (satisfying(term, index) for term in terms))


def _lexemes(filters: str) -> list[Lexeme]:
    found: list[Lexeme] = []
    place = 0
    while True:
        match = LEXEME.match(filters, place)
        if match is None or match.lastgroup is None:
            column = place + len(filters[place:]) - len(filters[place:].lstrip())
            raise _refused(f"Unexpected token {filters[column]} at col {column}")
        kind = match.lastgroup
        text = match.group(kind)
        if kind == "quoted":
            text = re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL)
        found.append(Lexeme(kind, text, match.start(kind)))
        if kind == "end":
            return found
        place = match.end()


class _Parser:
    def __init__(self, lexemes: list[Lexeme]) -> None:
        self._lexemes = lexemes
        self._place = 0

    def whole(self) -> Expression:
        expression = self._expression()
        if self._next.kind != "end":
            raise self._unexpected("end of filter")
        return expression

    @property
    def _next(self) -> Lexeme:
        return self._lexemes[self._place]

    def _take(self) -> Lexeme:
        lexeme = self._next
        self._place += lexeme.kind != "end"
        return lexeme

    def _take_if(self, text: str) -> bool:
        """Take the next lexeme if it is this unquoted word or sign."""
        taken = self._next.kind in ("bare", "sign") and self._next.text == text
        self._place += taken
        return taken

    def _expression(self) -> Expression:
        terms = [self._any_of()]
        while self._take_if("AND"):
            terms.append(self._any_of())
        return terms[0] if len(terms) == 1 else AllOf(tuple(terms))

    def _any_of(self) -> Expression:
        terms = [self._term()]
        while self._take_if("OR"):
            terms.append(self._term())
        if len(terms) == 1:
            return terms[0]
        if isinstance(terms[0], AllOf):
            raise _refused("filter (X AND Y) OR Z is not allowed, only (X OR Y) AND Z is allowed")
        if any(isinstance(term, AllOf) for term in terms):
            raise _refused("filter X OR (Y AND Z) is not allowed, only X AND (Y OR Z) is allowed")
        if len({kind for term in terms for kind in _kinds(term)}) > 1:
            raise _refused(
                "Different types are not allowed in the same OR."
                " Expected a facet, a numeric or a tag condition throughout."
            )
        return AnyOf(tuple(terms))

    def _term(self) -> Expression:
        if self._take_if("("):
            expression = self._expression()
            if not self._take_if(")"):
                raise self._unexpected(")")
            return expression
        if self._take_if("NOT"):
            return Not(self._leaf())
        return self._leaf()

    def _leaf(self) -> Leaf:
        attribute = self._string("attribute")
        if self._take_if(":"):
            leaf = self._facet_or_range(attribute)
            self._place += (
                self._next.kind == "score"
            )  # scores weigh OR branches; all branches weigh alike here
            return leaf
        if self._next.kind == "sign" and self._next.text in COMPARISONS:
            return Comparison(attribute, self._take().text, self._number())
        return Facet(TAGS, attribute)

    def _facet_or_range(self, attribute: str) -> Leaf:
        value = self._string("value")
        if self._next.is_word("TO"):
            self._place -= 1
            low = self._number()
            self._take()
            return Between(attribute, low, self._number())
        return Facet(attribute, value)

    def _string(self, expected: str) -> str:
        operator_word = any(self._next.is_word(word) for word in ("AND", "OR", "NOT"))
        if self._next.kind not in ("bare", "quoted") or operator_word or not self._next.text:
            raise self._unexpected(expected)
        return self._take().text

    def _number(self) -> float:
        try:
            number = float(self._next.text) if self._next.kind == "bare" else None
        except ValueError:
            number = None
        if number is None or number != number:
            raise self._unexpected("numeric value")
        self._take()
        return number

    def _unexpected(self, expected: str) -> ApiError:
        return _refused(f"Unexpected token {self._next} expected {expected} at col {self._next.column}")


def _kinds(term: Expression) -> set[str]:
    match term:
        case Facet(attribute, _):
            return {"tag" if attribute == TAGS else "facet"}
        case Comparison() | Between():
            return {"numeric"}
        case Not(leaf):
            return _kinds(leaf)
        case AnyOf(terms) | AllOf(terms):
            return {kind for inner in terms for kind in _kinds(inner)}


def _refused(reason: str) -> ApiError:
    return ApiError(f"filters: {reason}")
