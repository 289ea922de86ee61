"""Random queries against random indices: the engine answers as its oracle does, with plain loops.

More of them: CODESAGE_DIFFERENTIAL_QUERIES=100000 pytest tests/unit/test_algolia_differential.py
"""

import os
from collections.abc import Iterator
from random import Random

import pytest
from pydantic import JsonValue

from local.algolia.index import Index
from local.algolia.search import search
from tests import ranking_oracle

QUERIES = int(os.environ.get("CODESAGE_DIFFERENTIAL_QUERIES", "3000"))
QUERIES_PER_STATE = 50
STATES_PER_INDEX = 4
RECORDS = 200

STEMS = """
    parse config user get set by id file files reader error handler http server client token tokens cache
    index indices os path yaml json load open real time snippet text ellipsis connect connection child
    children query queries a the is of in utf8 8080 5 3 résumé straße
"""
WORDS = STEMS.split()
JOINTS = (" ", " ", " ", "_", ".", "-", "/", "'", ", ", "")
LANGUAGES = ("go", "Go", "python", "rust", "TypeScript")
ATTRIBUTES = ("name", "text", "tags", "path")
CRITERIA = ("typo", "geo", "words", "filters", "proximity", "attribute", "exact", "custom")


class Chance:
    """Records, settings and queries that look a little like those of code; all from one seed."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def likely(self, chance: float) -> bool:
        return self._random.random() < chance

    def one_of(self, *values: JsonValue) -> JsonValue:
        return self._random.choice(values)

    def settings(self) -> dict[str, JsonValue]:
        settings: dict[str, JsonValue] = {
            "attributesForFaceting": ["language", "filterOnly(path)", "rank", "kinds"],
        }
        if self.likely(0.9):
            settings["searchableAttributes"] = self.one_of(
                ["name", "text", "tags", "path"],
                ["name", "unordered(text)", "tags"],
                ["name,text", "unordered(tags)", "path"],
                ["unordered(text)"],
            )
        if self.likely(0.7):
            settings["camelCaseAttributes"] = self.one_of(["name"], ["name", "tags"])
        if self.likely(0.8):
            settings["customRanking"] = self.one_of(
                ["desc(rank)"],
                ["asc(is_test)", "desc(rank)"],
                ["desc(language)", "asc(rank)"],
                ["asc(mixed)"],
            )
        if self.likely(0.4):
            settings["ranking"] = self._random.sample(CRITERIA, self._random.randint(2, len(CRITERIA)))
        return settings

    def word(self) -> str:
        word = self._random.choice(WORDS)
        return self._random.choice((word, word, word.capitalize(), word.upper()))

    def text(self, longest: int) -> str:
        words = [self.word() for _ in range(self._random.randint(0, longest))]
        return "".join(word + self._random.choice(JOINTS) for word in words)

    def record(self, object_id: str) -> dict[str, JsonValue]:
        record: dict[str, JsonValue] = {
            "objectID": object_id,
            "name": self.text(3).strip(),
            "text": self.text(12),
            "tags": [self.text(3) for _ in range(self._random.randint(0, 4))],
            "path": self.text(4).replace(" ", "/"),
            "language": self._random.choice(LANGUAGES),
            "kinds": [self._random.choice(("class", "Class", "function")) for _ in range(2)],
            "rank": self._random.randint(0, 3),
            "is_test": self.likely(0.3),
            "mixed": self.one_of(1, 2.5, "b", "bé", "a", True, None),
        }
        if self.likely(0.03):
            record["text"] = self.text(400) if self.likely(0.5) else self.text(4) * 300
        return {name: value for name, value in record.items() if self.likely(0.95) or name == "objectID"}

    def misspelt(self, word: str) -> str:
        place = self._random.randrange(len(word))
        letter = self._random.choice("aeiostrx1")
        return self._random.choice(
            (
                word[:place] + letter + word[place + 1 :],
                word[:place] + letter + word[place:],
                word[:place] + word[place + 1 :],
                word[:place] + word[place + 1 : place + 2] + word[place] + word[place + 2 :],
            )
        )

    def asked_word(self) -> str:
        word = "".join(self._random.choice(WORDS) for _ in range(self._random.choice((1, 1, 1, 1, 2, 2, 3))))
        for _ in range(self._random.choice((0, 0, 0, 1, 1, 2))):
            word = self.misspelt(word) or "x"
        return word[: self._random.randint(1, len(word))] if self.likely(0.25) else word

    def query(self) -> str:
        words = [self.asked_word() for _ in range(self._random.choice((0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 6)))]
        query = "".join(word + self._random.choice((*JOINTS, " ", " ", ' "', '" ', " -")) for word in words)
        return query[:120]

    def filter_term(self) -> str:
        return str(
            self.one_of(
                "language:go",
                "NOT language:python",
                'language:"RUST" OR language:go',
                "rank > 1",
                "rank = 2 OR rank = 0",
                "rank != 1",
                "NOT rank < 2",
                "rank:1 TO 2",
                "is_test=1",
                "kinds:class",
                "kinds:Function",
                "rank:2",
                "objectID:r17",
                "undeclared:x",
            )
        )

    def asked(self) -> dict[str, JsonValue]:
        asked: dict[str, JsonValue] = {"query": self.query()}
        choices: dict[str, tuple[JsonValue, ...]] = {
            "queryType": ("prefixAll", "prefixNone"),
            "typoTolerance": (False, "min", "strict", "min", "strict"),
            "minWordSizefor1Typo": (1, 3, 6),
            "minWordSizefor2Typos": (5, 10),
            "allowTyposOnNumericTokens": (False,),
            "disableTypoToleranceOnAttributes": (["name"], ["text", "tags"]),
            "disableTypoToleranceOnWords": (["parse", "config"],),
            "restrictSearchableAttributes": (["text"],),
            "removeWordsIfNoResults": ("allOptional",) * 3,
            "removeStopWords": (True,),
            "ignorePlurals": (True,) * 3,
            "optionalWords": ("user file", ["get", "path by", "error"]),
            "advancedSyntax": (True,) * 2,
            "minProximity": (2, 7),
            "exactOnSingleWordQuery": ("word", "none"),
            "ranking": (list(reversed(CRITERIA)), ["words", "exact", "attribute"]),
            "filters": (self.filter_term(), f"{self.filter_term()} AND {self.filter_term()}"),
        }
        for name, values in choices.items():
            if self.likely(0.15):
                asked[name] = self.one_of(*values)
        asked["hitsPerPage"] = self._random.choice((1, 3, 10, 1000))
        return asked | {"getRankingInfo": True, "facets": ["language", "kinds", "rank"]}


def states(chance: Chance) -> Iterator[tuple[Index, ranking_oracle.Index]]:
    """One index at several times, with another history of writes and merges before each."""
    settings = chance.settings()
    index, kept = Index(settings), {}
    for _ in range(STATES_PER_INDEX):
        for _ in range(chance._random.randint(1, 4)):
            for number in chance._random.sample(range(RECORDS), RECORDS // 3):
                record = chance.record(f"r{number}")
                index.put(record)
                kept[record["objectID"]] = record
            for number in chance._random.sample(range(RECORDS), RECORDS // 10):
                index.remove(f"r{number}")
                kept.pop(f"r{number}", None)
            assert len(index.view) == len(kept)
        yield index, ranking_oracle.Index(settings, kept.values())


@pytest.mark.parametrize("seed", range(max(1, QUERIES // (STATES_PER_INDEX * QUERIES_PER_STATE))))
def test_the_engine_answers_as_plain_loops_do(seed: int) -> None:
    chance = Chance(seed)
    for index, oracle in states(chance):
        for _ in range(QUERIES_PER_STATE):
            asked = chance.asked()
            if not oracle.searchable or "text" not in {found.name for found in oracle.searchable}:
                asked.pop("restrictSearchableAttributes", None)

            reply = search(index, "i", asked)

            expected = ranking_oracle.answer(oracle, asked)
            assert compared(reply) == expected, asked


def compared(reply: dict) -> ranking_oracle.answers.Answer:
    facets = {attribute: {} for attribute in ("language", "kinds", "rank")} | reply["facets"]
    return ranking_oracle.answers.Answer(
        reply["nbHits"],
        [hit["objectID"] for hit in reply["hits"]],
        [hit["_rankingInfo"] for hit in reply["hits"]],
        [hit.get("_highlightResult") for hit in reply["hits"]],
        {name: {value.lower(): count for value, count in found.items()} for name, found in facets.items()},
        reply.get("queryAfterRemoval"),
    )
