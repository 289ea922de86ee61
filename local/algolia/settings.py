"""Settings and query parameters as JSON -> checked values with the service's defaults.

A query parameter overrides the setting of the same name, so a search reads one `Parameters` made of both.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, Self
from urllib.parse import parse_qsl

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError
from pydantic.alias_generators import to_camel

from local.algolia.errors import ApiError

MAX_QUERY_BYTES = 512
MAX_HITS_PER_PAGE = 1000
TAGS = "_tags"
DEFAULT_PRE_TAG = "<em>"
DEFAULT_POST_TAG = "</em>"
DEFAULT_RANKING = ("typo", "geo", "words", "filters", "proximity", "attribute", "exact", "custom")

# Silence would answer another question than the one asked, so what is not built is refused.
NOT_BUILT = frozenset(
    {
        "aroundLatLng",
        "aroundLatLngViaIP",
        "attributeForDistinct",
        "decompoundedAttributes",
        "distinct",
        "facetFilters",
        "indexLanguages",
        "insideBoundingBox",
        "insidePolygon",
        "keepDiacriticsOnCharacters",
        "numericFilters",
        "optionalFilters",
        "replicas",
        "separatorsToIndex",
        "similarQuery",
        "tagFilters",
    }
)


class Searchable(NamedTuple):
    """One searchable attribute.

    Attributes:
        name: the record's field.
        level: its place in the list, from 0; attributes of one comma-separated entry share it.
        ordered: whether a match nearer to the start ranks better.
    """

    name: str
    level: int
    ordered: bool


class Direction(NamedTuple):
    """One entry of `customRanking`."""

    attribute: str
    descending: bool


class Facetable(NamedTuple):
    """One entry of `attributesForFaceting`."""

    attribute: str
    counted: bool


class Shape(NamedTuple):
    """The settings that what is kept of a record depends on.

    Attributes:
        searchable: in order; empty means that every attribute is searchable.
        camel_case: attributes whose words are split at their humps.
        faceted: attributes whose texts can be filtered by, sorted.
        ranked: attributes of the custom ranking, in order.
    """

    searchable: tuple[Searchable, ...]
    camel_case: tuple[str, ...]
    faceted: tuple[str, ...]
    ranked: tuple[str, ...]

    def searchable_of(self, names: Iterable[str]) -> Sequence[Searchable]:
        """The record's own attributes where the settings name none: all equal, in no order."""
        return self.searchable or [Searchable(name, 0, ordered=False) for name in names if name != "objectID"]


class Parameters(BaseModel):
    """What a search reads, settings included. Names and defaults are the service's."""

    model_config = ConfigDict(frozen=True, extra="ignore", alias_generator=to_camel, populate_by_name=True)

    # of an index
    searchable_attributes: tuple[str, ...] = ()
    attributes_for_faceting: tuple[str, ...] = ()
    camel_case_attributes: tuple[str, ...] = ()
    custom_ranking: tuple[str, ...] = ()
    ranking: tuple[str, ...] = DEFAULT_RANKING
    pagination_limited_to: int = Field(1000, ge=0, le=20_000)
    disable_typo_tolerance_on_words: tuple[str, ...] = ()

    # of an index or a query
    query: str = ""
    query_type: Literal["prefixLast", "prefixAll", "prefixNone"] = "prefixLast"
    filters: str = ""
    page: int = Field(0, ge=0)
    hits_per_page: int = Field(20, ge=0, le=MAX_HITS_PER_PAGE)
    offset: int | None = Field(None, ge=0)
    length: int | None = Field(None, ge=0, le=MAX_HITS_PER_PAGE)
    attributes_to_retrieve: tuple[str, ...] = ("*",)
    restrict_searchable_attributes: tuple[str, ...] = ()
    typo_tolerance: bool | Literal["min", "strict"] = True
    min_word_size_for_1_typo: int = Field(4, ge=0, alias="minWordSizefor1Typo")
    min_word_size_for_2_typos: int = Field(8, ge=0, alias="minWordSizefor2Typos")
    allow_typos_on_numeric_tokens: bool = True
    disable_typo_tolerance_on_attributes: tuple[str, ...] = ()
    remove_words_if_no_results: Literal["none", "allOptional"] = "none"
    remove_stop_words: bool | tuple[str, ...] = False
    ignore_plurals: bool | tuple[str, ...] = False
    optional_words: tuple[str, ...] = ()
    advanced_syntax: bool = False
    min_proximity: int = Field(1, ge=1, le=7)
    exact_on_single_word_query: Literal["attribute", "word", "none"] = "attribute"
    facets: tuple[str, ...] = ()
    max_values_per_facet: int = Field(100, ge=1, le=1000)
    attributes_to_highlight: tuple[str, ...] | None = None
    highlight_pre_tag: str = DEFAULT_PRE_TAG
    highlight_post_tag: str = DEFAULT_POST_TAG
    attributes_to_snippet: tuple[str, ...] = ()
    snippet_ellipsis_text: str = "…"
    get_ranking_info: bool = False

    @classmethod
    def of(cls, settings: Mapping[str, JsonValue], query: Mapping[str, JsonValue]) -> Self:
        """Overlay `query` on `settings`; `null` stands for the default in both.

        Raises:
            ApiError: 400 for a value out of bounds, a query over 512 bytes, or a parameter that is not built.
        """
        given = {name: value for name, value in {**settings, **query}.items() if value is not None}
        if unbuilt := sorted(NOT_BUILT.intersection(name for name, value in given.items() if value)):
            raise ApiError(f'Parameter "{unbuilt[0]}" is not supported by this server')
        if isinstance(given.get("optionalWords"), str):
            given["optionalWords"] = [given["optionalWords"]]
        try:
            parameters = cls.model_validate(given)
        except ValidationError as error:
            fault = error.errors()[0]
            name = ".".join(str(part) for part in fault["loc"])
            raise ApiError(f'Invalid value for "{name}" parameter, {fault["msg"]}') from error
        if len(parameters.query.encode()) > MAX_QUERY_BYTES:
            raise ApiError(
                f'Invalid value for "query" parameter, expected string shorter than {MAX_QUERY_BYTES} bytes'
            )
        return parameters

    def searchable(self) -> list[Searchable]:
        """In order; empty means that every attribute is searchable, at one level and unordered."""
        found: list[Searchable] = []
        for level, entry in enumerate(self.searchable_attributes):
            names = [name.strip() for name in entry.split(",")]
            for name in names:
                modifier, plain = modified(name)
                found.append(Searchable(plain, level, ordered=modifier != "unordered" and len(names) == 1))
        return found

    def facetable(self) -> list[Facetable]:
        pairs = [modified(entry) for entry in self.attributes_for_faceting]
        return [Facetable(attribute, counted=modifier != "filterOnly") for modifier, attribute in pairs]

    def directions(self) -> list[Direction]:
        pairs = [modified(entry) for entry in self.custom_ranking]
        return [Direction(attribute, descending=modifier == "desc") for modifier, attribute in pairs]

    def shape(self) -> "Shape":
        return Shape(
            tuple(self.searchable()),
            tuple(self.camel_case_attributes),
            tuple(sorted({TAGS, *(facetable.attribute for facetable in self.facetable())})),
            tuple(direction.attribute for direction in self.directions()),
        )


def modified(entry: str) -> tuple[str, str]:
    """`desc(rank)` -> (`desc`, `rank`); a plain `rank` -> (``, `rank`)."""
    modifier, bracket, rest = entry.strip().partition("(")
    return (modifier, rest.removesuffix(")").strip()) if bracket else ("", modifier)


def decoded_params(body: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """A search body, whose parameters may be given as one URL-encoded `params` text."""
    plain = {name: value for name, value in body.items() if name != "params"}
    params = body.get("params")
    if not isinstance(params, str):
        return plain
    return {**{name: _from_text(value) for name, value in parse_qsl(params, keep_blank_values=True)}, **plain}


def _from_text(value: str) -> JsonValue:
    """In the URL form lists are JSON; all other values are read from plain text."""
    if not value.startswith("["):
        return value
    try:
        items: JsonValue = json.loads(value)
    except json.JSONDecodeError as error:
        raise ApiError(f"Invalid JSON in parameter: {value}") from error
    return items
