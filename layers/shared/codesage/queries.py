"""The text of a search box -> words for the engine, and the filters that people write among them.

    repo:octo/hello lang:python path:"my folder" type:function is:test -lang:go "exact phrase" -excluded words

Code is full of colons, minuses and quotes, so syntax is only what stands alone between spaces and is unlikely
to be code. `key: value`, `x:int`, `node:fs`, `Foo::bar`, `path:=`, `http://x`, `C:\\x`, `->`, `--flag`, `-1`
and `-l` are words, and anything inside quotes is text.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from codesage.errors import InvalidRequest
from codesage.languages import SPELLINGS
from codesage.records import LONE_SURROGATE

MAX_QUERY_BYTES = 512  # of UTF-8, for what is left without its filters; the engine refuses more
MAX_CHARACTERS = 10_240  # of all of it; no longer URL passes API Gateway, but a body could
MAX_VALUES = 50  # of one filter
TOO_LONG = f"query is too long; the limit is {MAX_QUERY_BYTES} bytes"

FILTERS = {
    "repo": "repositories",
    "repository": "repositories",
    "lang": "languages",
    "language": "languages",
    "path": "paths",
    "type": "entity_types",
}
FOREIGN = frozenset(
    (
        "author",
        "branch",
        "ext",
        "extension",
        "file",
        "filename",
        "in",
        "org",
        "owner",
        "rev",
        "symbol",
        "user",
    )
)
"""Filters of other code searches. Any other name before a colon is more likely code."""

KNOWN = "filters are repo:, lang:, path:, type: and is:test"
PUNCTUATED = {spelling: name for spelling, name in SPELLINGS.items() if not spelling.isalnum()}
"""Languages whose names the engine, which drops punctuation, would take for `c`, `f` or `net`."""

TOKEN = re.compile(
    r"""
      (?<!\S) (?P<minus>-?) (?P<name>[A-Za-z]+)
          : (?! [:=] | // ) (?: "(?P<quoted>[^"]+)" | (?P<value>[^\s"]+) ) (?!\S)
    | (?<!\S) -? "(?P<phrase>[^"]*)"
    | (?<!\S) - (?P<excluded>_*[^\W\d_]\w[^\s"]*) (?!\S)
    | (?P<word>\S+)
    """,
    re.VERBOSE,
)
FOREIGN_VALUE = re.compile(r"[\w./@*-]+")
MISREAD = re.compile(r'"|(?<![^\W_])-+')  # by the engine: any quote, and a minus where a word may begin


@dataclass(frozen=True, slots=True)
class Terms:
    """Values of filters as they were written, none twice, at most MAX_VALUES of a kind; alternatives."""

    repositories: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    entity_types: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """What a query says.

    Attributes:
        text: the words, phrases and excluded terms, as the engine takes them; MAX_QUERY_BYTES at most.
        advanced: the text holds a phrase or an excluded term, which the engine must be told.
        is_test: True for tests only, False for none, None for both; the last one written counts.
        hints: what was taken otherwise than it was written, or left out, in words for people.
    """

    text: str = ""
    advanced: bool = False
    wanted: Terms = Terms()
    unwanted: Terms = Terms()
    is_test: bool | None = None
    hints: tuple[str, ...] = ()

    @property
    def is_only_punctuation(self) -> bool:
        """There is text, and no word in it: the engine would answer with everything."""
        return bool(self.text) and not _has_word(self.text)


def query_of(q: str) -> Query:
    """Read a query. Nothing is malformed here: what is no syntax is a word.

    Raises:
        InvalidRequest: longer than MAX_QUERY_BYTES without its filters or than MAX_CHARACTERS with them, or
            more than MAX_VALUES of one filter.
    """
    if len(q) > MAX_CHARACTERS:
        raise InvalidRequest(TOO_LONG)
    found = _Filters()
    tokens = list(TOKEN.finditer(LONE_SURROGATE.sub("\ufffd", q)))
    tokens = [token for token in tokens if not found.take(token)]
    if not found.wanted["languages"]:  # else `lang:go C++` is about Go that calls C++
        tokens = [token for token in tokens if not found.take_language(token)]
    pieces = [_piece(token) for token in tokens]
    advanced = any(piece.is_syntax for piece in pieces)
    text = _text(pieces, advanced)
    if len(text.encode()) > MAX_QUERY_BYTES:
        raise InvalidRequest(TOO_LONG)
    return Query(
        text=text,
        advanced=advanced,
        wanted=_terms(found.wanted),
        unwanted=_terms(found.unwanted),
        is_test=found.is_test,
        hints=tuple(dict.fromkeys(found.hints)),
    )


def _no_values() -> dict[str, list[str]]:
    return {kind: [] for kind in FILTERS.values()}


@dataclass(slots=True)
class _Filters:
    """Filters met so far; `take…` tells whether the token was one, and no word then."""

    wanted: dict[str, list[str]] = field(default_factory=_no_values)
    unwanted: dict[str, list[str]] = field(default_factory=_no_values)
    is_test: bool | None = None
    hints: list[str] = field(default_factory=list)

    def take(self, token: re.Match[str]) -> bool:
        if token["name"] is None:
            return False
        name, value = token["name"].lower(), token["quoted"] or token["value"].rstrip(",;")
        if name in FILTERS:
            return self._take_value(FILTERS[name], value, bool(token["minus"]))
        if name == "is":
            return self._take_is(value, bool(token["minus"]))
        return self._take_foreign(name, token)

    def take_language(self, token: re.Match[str]) -> bool:
        """A word that is a language, also at the end of a clause: `how is it done in C++?`"""
        word = token[0].rstrip(",.;:?!").removeprefix("-")
        name = PUNCTUATED.get(word.lower())
        if name is None:
            return False
        self.hints.append(f'{word} was taken for the language {name}; in quotes, "{word}", it is text.')
        return self._take_value("languages", name, token[0].startswith("-"))

    def _take_value(self, kind: str, value: str, unwanted: bool) -> bool:
        if not value.strip():
            return False
        (self.unwanted if unwanted else self.wanted)[kind].append(value)
        return True

    def _take_is(self, value: str, unwanted: bool) -> bool:
        if value.lower() == "test":
            self.is_test = not unwanted
        else:
            self.hints.append("is: takes nothing but test; another value was left out.")
        return True

    def _take_foreign(self, name: str, token: re.Match[str]) -> bool:
        if name not in FOREIGN or (token["value"] and not FOREIGN_VALUE.fullmatch(token["value"])):
            return False
        self.hints.append(f"{token['minus']}{name}: is no filter here and was left out; {KNOWN}.")
        return True


class _Piece(NamedTuple):
    """Part of the text; `is_syntax` for a phrase or an excluded term, which the engine must read as such."""

    text: str
    is_syntax: bool


def _piece(token: re.Match[str]) -> _Piece:
    is_phrase = token["phrase"] is not None and _has_word(token["phrase"])
    return _Piece(token[0], is_phrase or token["excluded"] is not None)


def _text(pieces: Iterable[_Piece], advanced: bool) -> str:
    """As written, but without what the engine would misread where it is told to look for syntax."""
    texts = [
        MISREAD.sub(" ", piece.text) if advanced and not piece.is_syntax else piece.text for piece in pieces
    ]
    return " ".join(word for text in texts for word in text.split())


def _terms(values: dict[str, list[str]]) -> Terms:
    distinct = {kind: tuple(dict.fromkeys(found)) for kind, found in values.items()}
    for name, kind in FILTERS.items():
        if len(distinct[kind]) > MAX_VALUES:
            raise InvalidRequest(f"{name}: takes at most {MAX_VALUES} values in one query.")
    return Terms(**distinct)


def _has_word(text: str) -> bool:
    return any(character.isalnum() for character in text)
