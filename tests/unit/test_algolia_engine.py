"""The thirty ranking cases of the engine, each named by its rule. Order of hits is what is asserted."""

from collections.abc import Iterable

import pytest
from pydantic import JsonValue

from local.algolia.index import Index
from local.algolia.search import search

SETTINGS: dict[str, JsonValue] = {
    "searchableAttributes": ["entity_name", "description", "content", "parameters", "file_path"],
    "attributesForFaceting": ["filterOnly(repository_id)", "entity_type", "language", "file_path"],
    "camelCaseAttributes": ["entity_name"],
    "customRanking": ["asc(is_test)", "desc(rank_weight)"],
    "highlightPreTag": "<mark>",
    "highlightPostTag": "</mark>",
    "hitsPerPage": 20,
    "maxValuesPerFacet": 100,
}
FIELDS = {
    "N": "entity_name",
    "D": "description",
    "C": "content",
    "P": "parameters",
    "rank": "rank_weight",
    "test": "is_test",
}


def index_of(*records: dict[str, JsonValue], **settings: JsonValue) -> Index:
    """Records r1, r2 … with the short field names above."""
    index = Index({**SETTINGS, **settings})
    for number, record in enumerate(records, 1):
        index.put({"objectID": f"r{number}", **{FIELDS[name]: value for name, value in record.items()}})
    return index


def ids(index: Index, query: str, **parameters: JsonValue) -> list[str]:
    return [hit["objectID"] for hit in reply_to(index, query, **parameters)["hits"]]


def reply_to(index: Index, query: str, **parameters: JsonValue) -> dict:
    return search(index, "code", {"query": query, **parameters})


def ranking_info(index: Index, query: str, field: str, **parameters: JsonValue) -> dict[str, int]:
    hits: Iterable[dict] = reply_to(index, query, getRankingInfo=True, **parameters)["hits"]
    return {hit["objectID"]: hit["_rankingInfo"][field] for hit in hits}


def test_01_every_word_must_match_in_any_attribute():
    index = index_of({"N": "parse_config", "D": "reads yaml"}, {"N": "parse_args"})

    assert ids(index, "parse yaml") == ["r1"]


def test_02_only_the_last_word_is_a_prefix_and_three_letters_allow_no_typo():
    index = index_of({"N": "load_config"})

    assert ids(index, "load con") == ["r1"]
    assert ids(index, "loa config") == []


def test_03_a_word_is_not_found_by_its_end():
    assert ids(index_of({"N": "keynote"}), "note") == []


def test_04_case_and_diacritics_do_not_matter():
    assert ids(index_of({"D": "Café résumé parser"}), "cafe RESUME") == ["r1"]


def test_05_an_underscore_separates_words_and_only_the_matched_one_is_marked():
    [hit] = reply_to(index_of({"N": "parse_config_file"}), "config")["hits"]

    assert hit["_highlightResult"]["entity_name"] == {
        "value": "parse_<mark>config</mark>_file",
        "matchLevel": "full",
        "matchedWords": ["config"],
        "fullyHighlighted": False,
    }


def test_06_camel_case_is_split_only_in_the_listed_attribute():
    index = index_of({"N": "getUserById"}, {"C": "getUserById"})

    assert ids(index, "by user") == ["r1"]


@pytest.mark.parametrize(
    "query",
    [
        "snippetEllipsisText",
        "snippet Ellipsis Text",
        "Ellipsis",
        "EllipsisText",
        "EllipsisTex",
        "Ellipsis Text",
        "Ellipsis snippet",
    ],
)
def test_07_a_camel_case_name_is_found_by_whole_parts_and_glued_parts(query):
    assert ids(index_of({"N": "snippetEllipsisText"}), query) == ["r1"]


def test_07_a_camel_case_name_is_not_found_by_a_piece_from_inside_a_part():
    assert ids(index_of({"N": "snippetEllipsisText"}), "lipsis") == []


def test_08_one_typo_needs_four_letters_and_a_swap_is_one():
    index = index_of({"N": "user"})

    assert ids(index, "usr") == []
    assert ranking_info(index, "usre", "nbTypos") == {"r1": 1}


def test_09_two_typos_need_eight_letters():
    index = index_of({"N": "serializer"}, {"N": "handler"})

    assert ranking_info(index, "serialzr", "nbTypos") == {"r1": 2}
    assert ids(index, "hndlr") == []


def test_10_a_typo_in_the_first_letter_counts_two():
    index = index_of({"N": "tispatch"}, {"N": "dispetch"})

    assert ids(index, "dispatch") == ["r2", "r1"]
    assert ranking_info(index, "dispatch", "nbTypos") == {"r2": 1, "r1": 2}


def test_11_three_typos_are_possible_only_with_the_first_letter():
    assert ranking_info(index_of({"N": "connection"}), "qonection", "nbTypos") == {"r1": 3}


def test_12_typos_come_before_every_other_criterion():
    index = index_of({"D": "json parser", "rank": 1}, {"N": "parsre", "rank": 99})

    assert ids(index, "parser") == ["r1", "r2"]


@pytest.mark.parametrize(("tolerance", "expected"), [("min", ["r1"]), ("strict", ["r1", "r2"])])
def test_13_min_and_strict_keep_the_lowest_typo_counts(tolerance, expected):
    index = index_of({"D": "json parser", "rank": 1}, {"N": "parsre", "rank": 99})

    assert ids(index, "parser", typoTolerance=tolerance) == expected


def test_14_numbers_tolerate_typos_unless_told_otherwise():
    index = index_of({"D": "port 8080"}, {"D": "port 8081"})

    assert ids(index, "port 8080") == ["r1", "r2"]
    assert ids(index, "port 8080", allowTyposOnNumericTokens=False) == ["r1"]


def test_15_neighbouring_words_rank_by_their_distance():
    index = index_of({"D": "http async client"}, {"D": "http client"})

    assert ids(index, "http client") == ["r2", "r1"]
    assert ranking_info(index, "http client", "proximityDistance") == {"r2": 1, "r1": 2}


def test_16_proximity_comes_before_attribute():
    index = index_of({"N": "retry", "D": "client"}, {"N": "misc", "D": "retry client"})

    assert ids(index, "retry client") == ["r2", "r1"]


def test_17_elements_of_an_array_are_far_apart():
    index = index_of({"P": ["foo", "bar"], "rank": 1}, {"P": ["foo", "cat", "bar"], "rank": 9})

    assert ids(index, "foo bar") == ["r2", "r1"]
    assert ranking_info(index, "foo bar", "proximityDistance") == {"r1": 8, "r2": 8}


def test_18_the_order_of_attributes_ranks():
    index = index_of({"D": "cache get", "rank": 99}, {"N": "cache_get", "rank": 1})

    assert ids(index, "cache") == ["r2", "r1"]


def test_19_the_position_in_an_ordered_attribute_ranks():
    records = ({"N": "parse_error", "rank": 99}, {"N": "error_parse", "rank": 1})

    assert ids(index_of(*records), "error") == ["r2", "r1"]
    assert ids(index_of(*records, searchableAttributes=["unordered(entity_name)"]), "error") == ["r1", "r2"]


def test_20_attributes_of_one_entry_are_equal_and_unordered():
    index = index_of(
        {"D": "zip", "rank": 9}, {"N": "zip", "rank": 1}, searchableAttributes=["entity_name,description"]
    )

    assert ids(index, "zip") == ["r1", "r2"]


def test_20_positions_do_not_count_where_attributes_share_an_entry():
    index = index_of(
        {"D": "the zip file", "rank": 9},
        {"N": "zip file now", "rank": 1},
        searchableAttributes=["entity_name,description"],
    )

    assert ids(index, "zip") == ["r1", "r2"]


def test_21_one_word_is_exact_only_as_a_whole_value():
    index = index_of({"N": "parse_config", "rank": 9}, {"N": "parse", "rank": 1})

    assert ids(index, "parse") == ["r2", "r1"]


def test_22_whole_words_are_exact_and_prefixes_are_not():
    index = index_of({"D": "load config", "rank": 9}, {"D": "load conf", "rank": 1})

    assert ids(index, "load conf") == ["r2", "r1"]
    assert ranking_info(index, "load conf", "nbExactWords") == {"r2": 2, "r1": 1}


def test_23_plurals_are_exact_so_custom_ranking_decides():
    index = index_of({"D": "load file", "rank": 1}, {"D": "load files", "rank": 9})

    assert ids(index, "load file", ignorePlurals=True, queryLanguages=["en"]) == ["r2", "r1"]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("files open", "open file"),
        ("queries open", "open query"),
        ("class open", "open classes"),
        ("classes open", "open class"),
        ("children open", "open child"),
        ("index open", "open indices"),
    ],
)
def test_23_the_other_number_of_a_word_is_found_only_on_request(query, text):
    index = index_of({"D": text})
    without_typos = {"typoTolerance": False}

    assert ids(index, query, ignorePlurals=True, **without_typos) == ["r1"]
    assert ids(index, query, **without_typos) == []


def test_24_an_empty_query_gives_custom_ranking_with_missing_values_last():
    index = index_of(
        {"N": "a", "test": False, "rank": 1},
        {"N": "a", "test": True, "rank": 9},
        {"N": "a", "test": False, "rank": 5},
        {"N": "a", "rank": 9},
    )

    assert ids(index, "") == ["r3", "r1", "r2", "r4"]


def test_25_a_query_word_is_cut_in_two_but_not_in_three():
    index = index_of({"D": "parse config"}, {"D": "parse config file"})

    assert ranking_info(index, "parseconfig", "nbTypos") == {"r1": 0, "r2": 0}
    assert ids(index, "parseconfigfile") == []


def test_26_all_query_words_are_also_looked_for_as_one():
    assert ids(index_of({"C": "getUserById"}), "get user by id") == ["r1"]


def test_27_a_short_piece_beside_a_dot_is_not_a_word():
    index = index_of({"C": "os.path walk"}, {"C": "os path walk"})

    assert ids(index, "os walk") == ["r2"]


def test_28_a_hyphen_makes_a_sequence_and_a_space_does_not():
    index = index_of({"D": "real time"}, {"D": "time real"}, {"D": "real quick time"})

    assert ids(index, "real-time") == ["r1"]
    assert ids(index, "real time") == ["r1", "r2", "r3"]


def test_29_stop_words_are_dropped_and_a_prefix_word_stays():
    index = index_of({"D": "parse config"}, {"D": "theme"})
    stop_words: dict[str, JsonValue] = {"removeStopWords": True, "queryLanguages": ["en"]}

    assert ids(index, "what is a config", **stop_words) == ["r1"]
    assert ids(index, "the", **stop_words) == ["r2"]


def test_30_words_become_optional_only_when_nothing_has_them_all():
    records = ({"D": "parse yaml"}, {"D": "parse"}, {"D": "toml"})

    partly = ids(index_of(*records), "parse yaml zebra", removeWordsIfNoResults="allOptional")
    fully = ids(
        index_of(*records, {"D": "zebra yaml parse"}),
        "parse yaml zebra",
        removeWordsIfNoResults="allOptional",
    )

    assert partly == ["r1", "r2"]
    assert fully == ["r4"]


def test_a_dropped_word_is_marked_in_the_reply():
    reply = reply_to(index_of({"D": "parse"}), "parse zebra", removeWordsIfNoResults="allOptional")

    assert reply["queryAfterRemoval"] == "parse <em>zebra</em>"


def test_a_quoted_phrase_matches_side_by_side_in_order_and_without_typos():
    index = index_of({"D": "open file now"}, {"D": "file open now"}, {"D": "opne file now"})

    assert ids(index, '"open file"', advancedSyntax=True) == ["r1"]


def test_a_word_after_a_minus_excludes_records_that_have_it():
    index = index_of({"D": "open file"}, {"D": "open socket"})

    assert ids(index, "open -socket", advancedSyntax=True) == ["r1"]


def test_a_minus_means_nothing_without_the_advanced_syntax():
    index = index_of({"D": "open file"}, {"D": "open socket"})

    assert ids(index, "open -socket") == ["r2"]


def test_a_stop_word_inside_an_identifier_is_kept():
    index = index_of({"N": "get_or_create"}, {"N": "get_create"})

    assert ids(index, "get_or_create", removeStopWords=True) == ["r1"]


def test_words_first_in_the_ranking_puts_more_words_before_fewer_typos():
    index = index_of({"D": "parse"}, {"D": "parse yamll"}, ranking=["words", "typo", "custom"])

    assert ids(index, "parse yaml zebra", removeWordsIfNoResults="allOptional") == ["r2", "r1"]


def test_a_search_restricted_to_an_attribute_ignores_the_others():
    index = index_of({"N": "parser"}, {"D": "parser"})

    assert ids(index, "parser", restrictSearchableAttributes=["entity_name"]) == ["r1"]


def test_typos_are_not_looked_for_in_attributes_where_they_are_off():
    index = index_of({"N": "parsre"}, {"C": "parsre"}, disableTypoToleranceOnAttributes=["content"])

    assert ids(index, "parser") == ["r1"]


def test_a_dotted_name_is_found_by_the_dotted_query():
    index = index_of({"C": "self.db"}, {"C": "import os.path"})

    assert ids(index, "self.db") == ["r1"]
    assert ids(index, "os.path") == ["r2"]


def test_a_long_dotted_name_is_found_in_the_middle_of_a_query():
    index = index_of({"C": "use os.db.io now"})

    assert ids(index, "use os.db.io now") == ["r1"]


def test_a_replaced_record_is_found_by_its_new_words_only():
    index = index_of({"N": "alpha"}, {"N": "alpha"})

    index.put({"objectID": "r1", "entity_name": "omega"})

    assert ids(index, "alpha") == ["r2"]
    assert ids(index, "omega") == ["r1"]


def test_the_last_record_removed_leaves_nothing_behind():
    index = index_of({"N": "alpha_beta"})

    index.remove("r1")

    assert ids(index, "") == []
    assert index.view.segments == ()
