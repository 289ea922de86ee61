"""A file's bytes -> its entities.

`parsed` says why there are none; `child.ParserChild` runs it where a hostile file costs only itself.
"""

from codesage.entities import Entity
from codesage.languages import Language
from codesage.parsing import markdown, python, syntax
from codesage.parsing.outcome import Parsed, Skipped
from codesage.parsing.source import source_of
from codesage.skips import Skip


def entities_of(source: bytes, language: Language, path: str) -> list[Entity]:
    """Return what `source` defines, imports or says, by line; nothing where the parse did not end in time.

    No bytes make this raise. They may make it slow, or end the process: see `child`.

    Args:
        source: the file as it is in the tree, in any encoding.
        language: a row of `LANGUAGES`.
        path: names a document that has no title.
    """
    outcome = parsed(source, language, path)
    return list(outcome.entities) if isinstance(outcome, Parsed) else []


def parsed(source: bytes, language: Language, path: str) -> Parsed | Skipped:
    """Return the entities of `source` by line, outer ones first, or the reason why there are none."""
    text = source_of(source, cookies=language.name == "python")
    try:
        match language.name:
            case "python":
                found = list(python.entities(text, language))
            case "markdown":
                found = list(markdown.entities(text, language, path))
            case _:
                found = list(syntax.entities(text, language))
    except syntax.ParseTimeoutError:
        return Skipped(Skip.PARSER_TIMEOUT)
    return Parsed(tuple(sorted(found, key=lambda entity: entity.line_start)))
