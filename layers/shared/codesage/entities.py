"""Source text -> entities: what one definition, import, section or block is, before it becomes a record."""

from dataclasses import dataclass
from enum import StrEnum


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
