"""A Jupyter notebook -> the sections of its text, and the definitions and imports of its code.

The cells, one below the other, are read as one document without outputs. Lines are those of the file: a
notebook is stored with a line for each line of a cell, and where all of a cell is on one line, so are its
entities.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from codesage.entities import Entity
from codesage.languages import LANGUAGES, Language, language_named
from codesage.parsing import markdown, python
from codesage.parsing.json_values import Value, json_value
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


def entities(source: Source, language: Language, path: str) -> Iterator[Entity]:
    """Yield the sections of the text cells, and what the code cells define and import if they are Python.

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
    found: list[Entity] = []
    before = 0  # lines of the document above the cell
    for cell in cells:
        if cell.type == "markdown":
            of_cell, opening = markdown.outline(source_of(cell.text.encode()), path)
            if opening and not headings and not introduction:
                introduction = replace(opening, line=opening.line + before)
            headings += [replace(heading, line=heading.line + before) for heading in of_cell]
        elif is_python and not _OTHER_LANGUAGE.match(cell.text):
            found += _definitions(cell, before, document)
        before += len(cell.places) + 1
    for entity in (*found, *sections(headings, introduction, document, language)):
        start, end = places[entity.line_start - 1], places[entity.line_end - 1]
        yield replace(entity, line_start=start, line_end=end)


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


def _definitions(cell: _Cell, before: int, document: Source) -> Iterator[Entity]:
    # A comment is as long as what it replaces, so all that is found stays in its place.
    code = _IPYTHON_LINE.sub(r"\1#", cell.text)
    for entity in python.entities(source_of(code.encode()), _PYTHON):
        start, end = entity.line_start + before, entity.line_end + before
        body = document.body(document.text_start(start), end) if entity.body else ""
        yield replace(entity, line_start=start, line_end=end, body=body)
