"""Parameters of a URL -> what the index is asked, but for where to look."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from codesage.filters import Selection, path_hints
from codesage.languages import LANGUAGES, language_named
from codesage.parameters import Whole
from codesage.queries import Query

MAX_REPOSITORIES = 50
MAX_PAGE = 100_000  # far beyond what the index pages over, and within the numbers it takes
HIGHLIGHTED = ("entity_name", "description", "content")
EVERY_QUESTION: Mapping[str, object] = {
    "highlightPreTag": "<mark>",
    "highlightPostTag": "</mark>",
    "removeWordsIfNoResults": "allOptional",
    "removeStopWords": True,
    "ignorePlurals": True,
    "queryLanguages": ["en"],
}
"""Sent with every question, so that a plain sentence degrades into a search for its words."""

Facet = Literal["language", "entity_type"]


def _split(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(part for value in values for part in value.split(","))


class SearchParams(BaseModel):
    """What a caller may ask. Filters of parameters and filters written into `q` all hold."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    q: Annotated[
        str,
        Field(
            description="Words, a name or a question; empty for all. `repo:`, `lang:`, `path:`, `type:` and"
            ' `is:test`, each also with a minus, `-word` and `"a phrase"` narrow it.'
            " Without those filters at most 512 bytes of UTF-8."
        ),
    ]
    type: Literal["entities"] = "entities"
    repository: Annotated[
        tuple[str, ...],
        Field(max_length=MAX_REPOSITORIES, description="Number, owner/name or URL; may repeat."),
    ] = ()
    language: Annotated[str, Field(description="For example `python`.")] | None = None
    entity_type: (
        Annotated[str, Field(description="class, function, terraform_block, doc_section or import.")] | None
    ) = None
    path: Annotated[str, Field(description="A folder such as `src/auth`, or one file.")] | None = None
    limit: Annotated[Whole, Field(ge=1, le=50, description="Results on a page.")] = 10
    page: Annotated[Whole, Field(ge=0, le=MAX_PAGE, description="Counts from 0.")] = 0
    highlight: Annotated[bool, Field(description="Add `highlights` to each result.")] = False
    facets: Annotated[
        tuple[Facet, ...],
        BeforeValidator(_split),
        Field(description="Count all hits by these, joined with commas."),
    ] = ()
    at_least: (
        Annotated[
            str,
            StringConstraints(pattern=r"^[0-9a-f]{7,64}$"),
            Field(
                description="Wait up to 5 s until the one repository shows this commit (7 digits or more)."
            ),
        ]
        | None
    ) = None


def selections_of(params: SearchParams, query: Query) -> list[Selection]:
    """What the parameters, the query and its negations narrow the search to; all of them hold."""
    explicit = Selection(
        languages=() if params.language is None else (params.language,),
        entity_types=() if params.entity_type is None else (params.entity_type,),
        paths=() if params.path is None else (params.path,),
    )
    wanted, unwanted = query.wanted, query.unwanted
    inline = Selection(
        languages=wanted.languages,
        entity_types=wanted.entity_types,
        paths=wanted.paths,
        is_test=query.is_test,
    )
    negated = Selection(
        languages=unwanted.languages,
        entity_types=unwanted.entity_types,
        paths=unwanted.paths,
        excluded=True,
    )
    return [explicit, inline, negated]


def question_of(params: SearchParams, query: Query, filters: str) -> dict[str, object]:
    """Source: `spec: search`, "Parameters sent with every query". What to retrieve is left to the asker."""
    question: dict[str, object] = {
        **EVERY_QUESTION,
        "query": query.text,
        "filters": filters,
        "hitsPerPage": params.limit,
        "page": params.page,
        "attributesToHighlight": list(HIGHLIGHTED) if params.highlight else [],
    }
    if query.advanced:
        question["advancedSyntax"] = True
    if params.facets:
        question["facets"] = list(params.facets)
    return question


def hints_of(params: SearchParams, query: Query) -> list[str]:
    """What of the question was taken otherwise than it was written, in words for people."""
    hints = list(query.hints)
    for name in _with(params.language, query.wanted.languages):
        if language_named(name) is None:
            known = ", ".join(sorted({language.name for language in LANGUAGES}))
            hints.append(f"No file is of the language {name!r}; languages: {known}.")
    hints += path_hints(_with(params.path, query.wanted.paths))
    hints += path_hints(query.unwanted.paths, excluded=True)
    if query.is_only_punctuation:
        hints.append("The index holds words only; a query needs a letter or a digit.")
    return hints


def _with(explicit: str | None, inline: Iterable[str]) -> list[str]:
    return [*([] if explicit is None else [explicit]), *inline]
