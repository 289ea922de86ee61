"""What a search reply holds beside the order of its hits: highlights, snippets, facets, pages, attributes."""

import pytest

from local.algolia.errors import ApiError
from local.algolia.index import Index
from local.algolia.search import search
from local.algolia.settings import Parameters


def index_with(*records: dict, **settings) -> Index:
    index = Index({"searchableAttributes": ["name", "text", "tags"], **settings})
    for number, record in enumerate(records):
        index.put({"objectID": f"r{number:04}", **record})
    return index


def highlighted(query: str, value: str | list[str], attribute: str = "name", **settings) -> dict:
    reply = search(index_with({attribute: value}, **settings), "i", {"query": query})
    return reply["hits"][0]["_highlightResult"][attribute]


def test_a_prefix_match_marks_only_the_matched_letters():
    leaf = highlighted("action", "Actiontec")

    assert leaf["value"] == "<em>Action</em>tec"
    assert leaf["matchLevel"] == "full"


def test_a_misspelt_word_is_marked_whole():
    assert highlighted("parsre", "the Parser")["value"] == "the <em>Parser</em>"


def test_folded_letters_are_marked_in_the_original_spelling():
    assert highlighted("stras", "Straße 1")["value"] == "<em>Straß</em>e 1"


def test_a_camel_case_part_is_marked_inside_its_name():
    assert highlighted("user", "getUserById", camelCaseAttributes=["name"])["value"] == "get<em>User</em>ById"


def test_a_joined_word_is_marked_over_its_joint():
    assert highlighted("ospath", "import os.path")["value"] == "import <em>os.path</em>"


def test_matched_words_are_query_words_and_the_level_says_how_many():
    leaf = search(index_with({"name": "parse", "text": "yaml"}), "i", {"query": "parse yam"})["hits"][0]

    assert leaf["_highlightResult"]["name"] == {
        "value": "<em>parse</em>",
        "matchLevel": "partial",
        "matchedWords": ["parse"],
        "fullyHighlighted": True,
    }
    assert leaf["_highlightResult"]["text"]["matchedWords"] == ["yam"]


def test_an_attribute_without_a_match_has_level_none_and_no_marks():
    reply = search(index_with({"name": "parse", "text": "other"}), "i", {"query": "parse"})

    leaf = reply["hits"][0]["_highlightResult"]["text"]
    assert leaf == {"value": "other", "matchLevel": "none", "matchedWords": []}


def test_an_array_is_highlighted_element_by_element():
    leaves = highlighted("token", ["session", "token: str"], attribute="tags")

    assert [leaf["value"] for leaf in leaves] == ["session", "<em>token</em>: str"]


def test_values_are_not_escaped():
    assert highlighted("operator", "operator<")["value"] == "<em>operator</em><"


def test_the_tags_of_the_query_hold_and_an_empty_tag_is_the_default():
    index = index_with({"name": "parse"})

    custom = search(index, "i", {"query": "parse", "highlightPreTag": "[", "highlightPostTag": ""})

    assert custom["hits"][0]["_highlightResult"]["name"]["value"] == "[parse</em>"


def test_a_snippet_has_the_asked_number_of_words_around_the_first_match():
    index = index_with({"text": " ".join(f"w{number}" for number in range(50)) + " target tail"})

    reply = search(index, "i", {"query": "target", "attributesToSnippet": ["text:4"]})

    leaf = reply["hits"][0]["_snippetResult"]["text"]
    assert leaf == {"value": "…w48 w49 <em>target</em> tail", "matchLevel": "full"}


def test_only_the_asked_attributes_come_back_and_always_the_object_id():
    index = index_with({"name": "parse", "text": "x"})

    some = search(index, "i", {"query": "", "attributesToRetrieve": ["name"], "attributesToHighlight": []})
    others = search(
        index, "i", {"query": "", "attributesToRetrieve": ["*", "-name"], "attributesToHighlight": []}
    )

    assert some["hits"] == [{"objectID": "r0000", "name": "parse"}]
    assert others["hits"] == [{"objectID": "r0000", "text": "x"}]


def test_facets_count_all_matches_commonest_first():
    records = [{"name": "x", "language": language} for language in ["go", "python", "Python", "python"]]
    index = index_with(*records, attributesForFaceting=["language", "filterOnly(name)"])

    reply = search(index, "i", {"query": "x", "facets": ["*"], "hitsPerPage": 1})

    assert list(reply["facets"].items()) == [("language", {"python": 3, "go": 1})]
    assert reply["exhaustive"]["facetsCount"] is True


def test_no_more_facet_values_come_than_asked_for():
    records = [{"language": f"l{number}"} for number in range(5)]
    index = index_with(*records, attributesForFaceting=["language"])

    reply = search(index, "i", {"query": "", "facets": ["language"], "maxValuesPerFacet": 2})

    assert reply["facets"]["language"] == {"l0": 1, "l1": 1}


def test_a_numeric_facet_has_text_keys_and_statistics():
    index = index_with({"stars": 1}, {"stars": 3}, {"stars": 3}, attributesForFaceting=["stars"])

    reply = search(index, "i", {"query": "", "facets": ["stars"]})

    assert reply["facets"] == {"stars": {"3": 2, "1": 1}}
    assert reply["facets_stats"] == {"stars": {"min": 1, "max": 3, "avg": 7 / 3, "sum": 7}}


def test_pages_follow_each_other_without_gap_or_repeat():
    index = index_with(*({"name": "same"} for _ in range(7)))

    pages = [search(index, "i", {"query": "same", "hitsPerPage": 3, "page": page}) for page in range(3)]

    assert [hit["objectID"] for page in pages for hit in page["hits"]] == [f"r{n:04}" for n in range(7)]
    assert [(page["nbHits"], page["nbPages"], page["page"]) for page in pages] == [
        (7, 3, 0),
        (7, 3, 1),
        (7, 3, 2),
    ]


def test_a_page_past_the_first_thousand_hits_is_empty_and_says_so():
    index = index_with(*({"name": "same"} for _ in range(1010)))

    last = search(index, "i", {"query": "same", "hitsPerPage": 100, "page": 9})
    beyond = search(index, "i", {"query": "same", "hitsPerPage": 100, "page": 10})

    assert (len(last["hits"]), last["nbHits"], last["nbPages"]) == (100, 1010, 10)
    assert (beyond["hits"], beyond["nbHits"], beyond["nbPages"]) == ([], 0, 0)
    assert "1000 hits" in beyond["message"]


def test_offset_and_length_stand_for_page_and_hits_per_page():
    index = index_with(*({"name": "same"} for _ in range(7)))

    reply = search(index, "i", {"query": "same", "offset": 2, "length": 2})

    assert [hit["objectID"] for hit in reply["hits"]] == ["r0002", "r0003"]
    assert "page" not in reply


def test_no_hits_per_page_counts_only():
    reply = search(index_with({"name": "same"}), "i", {"query": "same", "hitsPerPage": 0})

    assert (reply["hits"], reply["nbHits"], reply["nbPages"]) == ([], 1, 0)


def test_a_query_of_512_bytes_is_accepted():
    assert search(index_with(), "i", {"query": "é" * 256})["hits"] == []


def test_a_query_of_513_bytes_is_refused():
    with pytest.raises(ApiError, match="shorter than 512 bytes"):
        search(index_with(), "i", {"query": "é" * 256 + "a"})


def test_parameters_may_come_url_encoded_in_one_text():
    index = index_with({"name": "parse"}, {"name": "parse"})

    reply = search(
        index, "i", {"params": "query=par%73e&hitsPerPage=1&attributesToRetrieve=%5B%22name%22%5D"}
    )

    assert [hit["name"] for hit in reply["hits"]] == ["parse"]


def test_a_parameter_that_is_not_built_is_refused_instead_of_ignored():
    with pytest.raises(ApiError, match="facetFilters"):
        search(index_with(), "i", {"query": "", "facetFilters": ["a:b"]})


def test_hits_per_page_above_a_thousand_is_refused():
    with pytest.raises(ApiError, match="hitsPerPage"):
        search(index_with(), "i", {"query": "", "hitsPerPage": 1001})


def test_without_searchable_attributes_every_attribute_is_searched():
    index = Index({})
    index.put({"objectID": "1", "any": "parse", "count": 42})

    assert search(index, "i", {"query": "parse"})["nbHits"] == 1
    assert search(index, "i", {"query": "42"})["nbHits"] == 1


def test_a_setting_of_the_index_is_the_default_of_the_query():
    index = index_with({"name": "a"}, {"name": "a"}, hitsPerPage=1)

    assert len(search(index, "i", {"query": ""})["hits"]) == 1
    assert len(search(index, "i", {"query": "", "hitsPerPage": 2})["hits"]) == 2


def test_words_after_the_thousandth_character_are_far_from_all_others():
    padding = "x " * 600
    index = index_with({"text": f"{padding} open file"}, {"text": f"open file {padding}"})

    reply = search(index, "i", {"query": "open file", "getRankingInfo": True})

    distances = {hit["objectID"]: hit["_rankingInfo"]["proximityDistance"] for hit in reply["hits"]}
    assert distances == {"r0000": 8, "r0001": 1}


def test_parameter_names_are_the_services():
    parameters = Parameters.of({"minWordSizefor1Typo": 3}, {"ignorePlurals": ["en"], "hitsPerPage": "5"})

    assert (parameters.min_word_size_for_1_typo, parameters.hits_per_page) == (3, 5)
