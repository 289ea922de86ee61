"""The text of a search box -> words for the engine, and the filters that people write among them.

    repo:octo/hello lang:python path:src/auth type:function is:test -is:test "exact phrase" -excluded words

A name before a colon is a filter only if it is one of ours or looks like one; `std::vector`, `http://x` and
`a:b` inside quotes stay words.
"""

import re
from dataclasses import dataclass, field

NAMES = {
    "repo": "repositories",
    "repository": "repositories",
    "lang": "languages",
    "language": "languages",
    "path": "paths",
    "type": "entity_types",
}
TOKEN = re.compile(
    r"""
    (?P<minus>-?)
    (?: (?P<name>[A-Za-z_]+) : (?! [:/]) (?: "(?P<quoted>[^"]*)" | (?P<value>[^\s"]+) )
      | "(?P<phrase>[^"]*)"
      | (?P<word>\S+) )
    """,
    re.VERBOSE,
)


@dataclass(slots=True)
class Query:
    """What a query says.

    Attributes:
        text: the words, phrases and excluded terms, as the engine takes them.
        advanced: the text holds a phrase or an excluded term, which the engine must be told.
        repositories, languages, paths, entity_types: values of filters; several of one name are alternatives.
        is_test: True for tests only, False for none, None for both.
        unknown: filter names that are none of ours; they are named in the reply, and not searched.
    """

    text: str = ""
    advanced: bool = False
    repositories: list[str] = field(default_factory=list)
    languages: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    entity_types: list[str] = field(default_factory=list)
    is_test: bool | None = None
    unknown: list[str] = field(default_factory=list)


def query_of(q: str) -> Query:
    """Read a query. Nothing is an error here: what is no filter is a word."""
    query = Query()
    words: list[str] = []
    for token in TOKEN.finditer(q):
        name = token["name"]
        if name is None:
            words.append(_word(query, token))
        elif not _is_filter(query, token, name.lower()):
            words.append(token[0])
    query.text = " ".join(filter(None, words))
    return query


def _word(query: Query, token: "re.Match[str]") -> str:
    """A word, phrase or excluded term; a minus counts before a letter only: `->` and `--flag` stay words."""
    if token["phrase"] is not None:
        query.advanced = query.advanced or bool(token["phrase"].strip())
        return token[0] if token["phrase"].strip() else ""
    word = token["word"]
    query.advanced = query.advanced or (bool(token["minus"]) and word[0].isalnum())
    return token[0]


def _is_filter(query: Query, token: "re.Match[str]", name: str) -> bool:
    value = token["value"] if token["quoted"] is None else token["quoted"]
    if name == "is" and value == "test":
        query.is_test = not token["minus"]
        return True
    if name in NAMES and not token["minus"]:
        getattr(query, NAMES[name]).append(value)
        return True
    if token["quoted"] is None and not value.isidentifier():
        return False
    query.unknown.append(f"{token['minus']}{name}:")
    return True
