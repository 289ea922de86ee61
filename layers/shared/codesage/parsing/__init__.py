"""A file's bytes -> its entities, symbols and references.

`parsed` says why there are none; `child.ParserChild` runs it where a hostile file costs only itself.
"""

from codesage.entities import Entity
from codesage.languages import Language
from codesage.parsing import (
    asciidoc,
    markdown,
    notebook,
    python,
    restructuredtext,
    syntax,
    terraform_json,
)
from codesage.parsing.outcome import Parsed, Skipped, parsed_of
from codesage.parsing.source import Source, source_of
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
    """Return what `source` defines and uses, or the reason why that is not known."""
    text = source_of(source, cookies=language.name == "python")
    try:
        return _read(text, language, path)
    except syntax.ParseTimeoutError:
        return Skipped(Skip.PARSER_TIMEOUT)


def _read(source: Source, language: Language, path: str) -> Parsed:
    match language.name:
        case "asciidoc":
            return parsed_of(asciidoc.entities(source, language, path))
        case "jupyter":
            return notebook.parsed(source, language, path)
        case "markdown" | "mdx":
            return parsed_of(markdown.entities(source, language, path))
        case "python":
            return python.parsed(source, language)
        case "restructuredtext":
            return parsed_of(restructuredtext.entities(source, language, path))
        case "terraform" if not language.is_source:
            return parsed_of(terraform_json.entities(source, language))
        case _:
            return syntax.parsed(source, language)
