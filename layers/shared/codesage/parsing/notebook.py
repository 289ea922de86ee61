"""A Jupyter notebook -> the sections of its text, and what its code defines and uses.

The cells, one below the other, are read as one document without outputs. Lines are those of the file: a
notebook is stored with a line for each line of a cell, and where all of a cell is on one line, so are its
entities.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from codesage.entities import Entity, Reference, Symbol
from codesage.languages import LANGUAGES, Language, language_named
from codesage.parsing import markdown, python
from codesage.parsing.json_values import Value, json_value
from codesage.parsing.outcome import Parsed, parsed_of
from codesage.parsing.sections import Heading, Introduction, sections
from codesage.parsing.source import Source, source_of

# What IPython takes out before Python sees a cell: magics, shell commands, questions.
_IPYTHON_LINE = re.compile(r"^([ \t]*)(?=[%!?]|[\w.]+\?{1,2}[ \t]*$|[\w, \t]+=[ \t]*[%!]).", re.MULTILINE)
_OTHER_LANGUAGE = re.compile(
    r"\s*%%(?:bash|cmd|html|HTML|javascript|js|latex|markdown|perl|R|ruby|script|sh|sql|svg|SVG|system|!)(?!\w)"
)
_LINE = re.compile(r"[^\n]*\n|[^\n]+")

_PYTHON = next(row for row in LANGUAGES if row.name == "python")


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cell: its type, its text, and for each line of it the line of the file."""

    type: str
    text: str
    places: tuple[int, ...]


def parsed(source: Source, language: Language, path: str) -> Parsed:
    """Return the sections of the text cells, and what the code cells define and use if they are Python.

    A section reaches to the next heading, with the code between.

    Raises:
        ParseTimeoutError: a code cell is not Python after all, and its parse did not end in time.
    """
    notebook = json_value(source)
    cells = list(_cells(notebook, source))
    document = source_of("\n\n".join(cell.text for cell in cells).encode())
    places = [place for cell in cells for place in (*cell.places, cell.places[-1])]
    is_python = _is_python(notebook)
    headings: list[Heading] = []
    introduction: Introduction | None = None
    entities: list[Entity] = []
    symbols: list[Symbol] = []
    references: list[Reference] = []
    before = 0  # lines of the document above the cell
    for cell in cells:
        if cell.type == "markdown":
            of_cell, opening = markdown.outline(source_of(cell.text.encode()), path)
            if opening and not headings and not introduction:
                introduction = replace(opening, line=opening.line + before)
            headings += [replace(heading, line=heading.line + before) for heading in of_cell]
        elif is_python and not _OTHER_LANGUAGE.match(cell.text):
            code = _python(cell)
            references += [_moved(use, places, before, len(entities)) for use in code.references]
            symbols += [symbol._replace(line=places[before + symbol.line - 1]) for symbol in code.symbols]
            entities += [_with_lines(entity, before, document) for entity in code.entities]
        before += len(cell.places) + 1
    entities += sections(headings, introduction, document, language)
    placed = [
        replace(entity, line_start=places[entity.line_start - 1], line_end=places[entity.line_end - 1])
        for entity in entities
    ]
    return parsed_of(placed, symbols, references)


def _cells(notebook: Value, source: Source) -> Iterator[_Cell]:
    """Yield the cells of text and of code; others are for tools that convert notebooks."""
    listed = notebook.members.get("cells")
    for cell in listed.items if listed else ():
        cell_type, stored = cell.members.get("cell_type"), cell.members.get("source")
        if cell_type and stored and cell_type.text in ("markdown", "code"):
            yield _cell(cell_type.text, stored.items or [stored], source)


def _cell(cell_type: str, pieces: list[Value], source: Source) -> _Cell:
    texts = [piece.text.replace("\r\n", "\n").replace("\r", "\n") for piece in pieces]
    places: list[int] = []
    is_line_start = True
    for piece, text in zip(pieces, texts, strict=True):
        for line in _LINE.findall(text):
            if is_line_start:
                places.append(source.line_of(piece.start))
            is_line_start = line.endswith("\n")
    if is_line_start:  # an empty last line
        places.append(source.line_of(pieces[-1].start))
    return _Cell(cell_type, "".join(texts), tuple(places))


def _is_python(notebook: Value) -> bool:
    """Tell whether the code is Python: one that names no language is as old as that."""
    metadata = notebook.members.get("metadata")
    for group, key in (("language_info", "name"), ("kernelspec", "language")):
        described = metadata.members.get(group) if metadata else None
        named = described.members.get(key) if described else None
        if named and named.text:
            return language_named(named.text) == "python"
    return True


def _python(cell: _Cell) -> Parsed:
    # A comment is as long as what it replaces, so all that is found stays in its place.
    code = _IPYTHON_LINE.sub(r"\1#", cell.text)
    return python.parsed(source_of(code.encode()), _PYTHON)


def _with_lines(entity: Entity, before: int, document: Source) -> Entity:
    """Return an entity of a cell as one of the document."""
    start, end = entity.line_start + before, entity.line_end + before
    body = document.body(document.text_start(start), end) if entity.body else ""
    return replace(entity, line_start=start, line_end=end, body=body)


def _moved(use: Reference, places: Sequence[int], before: int, entities: int) -> Reference:
    """Return a reference of a cell as one of the file, behind the entities of the cells above."""
    within = None if use.within is None else use.within + entities
    return use._replace(line=places[before + use.line - 1], within=within)
