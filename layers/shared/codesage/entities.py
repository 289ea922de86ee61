"""Source text -> entities, symbols and references: what a parser finds, before anything is stored.

An entity becomes a record. Symbols and references are too many for that: they are kept beside the text, for
answers about names.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class EntityType(StrEnum):
    """The five types of `spec: records`. The order of members is the order in reports."""

    CLASS = "class"
    FUNCTION = "function"
    TERRAFORM_BLOCK = "terraform_block"
    DOC_SECTION = "doc_section"
    IMPORT = "import"


@dataclass(frozen=True, slots=True)
class Entity:
    """One definition as a parser found it.

    Attributes:
        entity_type: the record's type.
        kind: the finer word for symbol answers: `method`, `struct`, `interface`, `section` …
        name: the bare name; for an import its module or path.
        label: `Python function: refresh_token`; without the doc line.
        doc: first line of the docstring or doc comment; empty without one, and for sections.
        parameters: parameter texts without default values; for a class its parents.
        return_type: as written, or None.
        line_start: 1-based line of the definition itself, not of its decorators or comments.
        line_end: 1-based, inclusive.
        signature: the definition joined to one line, not yet cut.
        body: the source from the definition's first character to the end of `line_end`, at most
            60 lines and 2000 code points; empty for an import.
        scope: name of the nearest enclosing type or receiver, or None.
    """

    entity_type: EntityType
    kind: str
    name: str
    label: str
    line_start: int
    line_end: int
    signature: str
    doc: str = ""
    parameters: tuple[str, ...] = ()
    return_type: str | None = None
    body: str = ""
    scope: str | None = None


class SymbolKind(StrEnum):
    """What a definition that is no entity may be."""

    CONSTANT = "constant"
    FIELD = "field"


class Symbol(NamedTuple):
    """A constant, field or enum member. Those inside functions are left out.

    Attributes:
        line: 1-based line of the name.
        scope: name of the nearest enclosing type, or None.
    """

    name: str
    line: int
    kind: SymbolKind
    scope: str | None


class ReferenceKind(StrEnum):
    """How a name is used. Of one name in one place the last of these holds that is true."""

    OTHER = "other"
    TYPE = "type"
    CALL = "call"
    IMPORT = "import"
    INHERIT = "inherit"


class Reference(NamedTuple):
    """A use of a name that may be defined anywhere. A tuple, as a file has hundreds.

    Attributes:
        name: the last part of what is written: `dumps` of `json.dumps`; of an imported path its last segment.
        line: 1-based line of that part.
        within: number, in the file's entities by line, of the innermost definition around it; None at the
            top of the file.
    """

    name: str
    line: int
    kind: ReferenceKind
    within: int | None
