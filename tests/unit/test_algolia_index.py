"""The index under change: whatever was put and removed before, it answers as one built afresh."""

from hypothesis import given, settings
from hypothesis import strategies as st

from local.algolia.index import Index
from local.algolia.search import search
from local.algolia.tokens import tokens
from local.algolia.vocabulary import Vocabulary

SETTINGS = {
    "searchableAttributes": ["name", "tags"],
    "attributesForFaceting": ["language"],
    "camelCaseAttributes": ["name"],
    "customRanking": ["desc(rank)"],
}
NAMES = st.sampled_from(["parseConfig", "parse_config", "os.path", "real-time", "Config", "user 42", ""])
RECORDS = st.fixed_dictionaries(
    {
        "objectID": st.sampled_from("abcd"),
        "name": NAMES,
        "tags": st.lists(NAMES, max_size=2),
        "language": st.sampled_from(["go", "Go", "python"]),
        "rank": st.integers(0, 3),
    }
)
STEPS = st.lists(st.one_of(RECORDS, st.sampled_from("abcd")), max_size=20)
QUERIES = ["", "parse", "config", "parseconfig", "confgi", "real-time", "ospath", "user 4"]


@settings(deadline=None)
@given(STEPS)
def test_an_index_changed_step_by_step_answers_as_one_built_afresh(steps):
    changed, kept = Index(SETTINGS), {}
    for step in steps:
        if isinstance(step, dict):
            changed.put(step)
            kept[step["objectID"]] = step
        else:
            changed.remove(step)
            kept.pop(step, None)
    fresh = Index(SETTINGS)
    for record in kept.values():
        fresh.put(record)

    for query in QUERIES:
        for filters in ("", "language:go", "rank > 1"):
            asked = {"query": query, "filters": filters, "facets": ["language"], "getRankingInfo": True}
            assert _comparable(search(changed, "i", asked)) == _comparable(search(fresh, "i", asked))


@settings(deadline=None)
@given(
    st.lists(st.text("abc", min_size=1, max_size=6)), st.text("abc", min_size=1, max_size=6), st.booleans()
)
def test_near_words_are_those_of_the_textbook_distance(words, word, prefix):
    vocabulary = sorted(set(words))

    near = Vocabulary.of(vocabulary).near(word, 2, prefix=prefix)

    found = {vocabulary[number]: typos for number, typos in zip(*near, strict=True)}

    expected = {}
    for candidate in vocabulary:
        beginnings = (
            [candidate[:length] for length in range(1, len(candidate) + 1)] if prefix else [candidate]
        )
        edits = min(_edits(word, beginning) for beginning in beginnings)
        if 0 < edits <= 2:
            expected[candidate] = edits + (candidate[0] != word[0])
    assert found == expected


@given(st.text(max_size=60))
def test_every_word_lies_where_it_says_and_has_only_letters_and_digits(text):
    for token in tokens(text, camel_case=True):
        assert 0 <= token.start < token.end <= len(text)
        assert token.text
        assert token.text.isalnum()


def test_the_joint_rules_are_those_of_the_guide():
    words = {
        text: {token.text for token in tokens(text)}
        for text in [
            "hello.world",
            "B.C.E.",
            "os.path.join",
            "m.55",
            "5.mm",
            "3.GB",
            "1.5",
            "real-time",
            "utf-8",
        ]
    }

    assert words == {
        "hello.world": {"hello", "world", "helloworld"},
        "B.C.E.": {"bce"},
        "os.path.join": {"path", "join", "ospathjoin"},
        "m.55": {"m55"},
        "5.mm": {"5", "mm"},
        "3.GB": {"3", "gb"},
        "1.5": {"1", "5"},
        "real-time": {"real", "time", "realtime"},
        "utf-8": {"utf", "8"},
    }


def test_a_letter_that_is_only_a_mark_is_a_word_of_its_own():
    assert [token.text for token in tokens("\u037a x")] == ["\u037a", "x"]


def test_camel_case_breaks_before_a_capital_and_before_the_last_of_many():
    found = [(token.text, token.position) for token in tokens("HTTPServer2Error", camel_case=True)]

    assert found == [("httpserver2error", 0), ("http", 0), ("server2error", 1)]


def _comparable(reply: dict) -> dict:
    """A reply without its duration; spellings of a facet depend on which came first, so without case."""
    facets = {value.lower(): count for value, count in reply["facets"].get("language", {}).items()}
    return {**reply, "processingTimeMS": 0, "facets": facets}


def _edits(word: str, other: str) -> int:
    """The textbook table of inserts, deletions, replacements and swaps of neighbours."""
    table = {(i, 0): i for i in range(len(word) + 1)} | {(0, j): j for j in range(len(other) + 1)}
    for i in range(1, len(word) + 1):
        for j in range(1, len(other) + 1):
            differs = word[i - 1] != other[j - 1]
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + differs)
            if i > 1 and j > 1 and word[i - 1] == other[j - 2] and word[i - 2] == other[j - 1]:
                table[i, j] = min(table[i, j], table[i - 2, j - 2] + 1)
    return table[len(word), len(other)]
