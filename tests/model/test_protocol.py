"""Random histories of the indexing protocol end in a clean rebuild, and no rule of it can be left out."""

from dataclasses import fields

import pytest

from tests.model.explorer import Explored, explore
from tests.model.promises import Broken
from tests.model.rules import Rules
from tests.model.stories import STORIES, Story

HISTORIES = 6_000
BUDGET = 3_000  # histories among which one must break when a rule is left out

FIRST_SEEDS = {
    "marks_are_sent_whole": 4_000,
    "listing_waits": 4_000,
    "own_commit_is_not_wanted": 5_000,
    "dirty_packs": 3_500,
}
"""Where the search starts for rules that only a rare history needs; all others start at 0."""

BY_CHANCE = [field.name for field in fields(Rules) if field.name not in STORIES]


def explored_without(rule: str) -> Explored:
    first = FIRST_SEEDS.get(rule, 0)
    return explore(Rules(**{rule: False}), range(first, first + BUDGET), shorten=False)


def test_any_history_ends_in_a_clean_rebuild(capsys: pytest.CaptureFixture[str]) -> None:
    explored = explore(Rules(), range(HISTORIES))

    assert explored.found is None, str(explored.found)
    with capsys.disabled():
        print(f"\nmodel: {explored.histories} histories, {explored.steps} steps explored")  # noqa: T201


@pytest.mark.parametrize("rule", BY_CHANCE)
def test_without_a_rule_some_history_breaks(rule: str) -> None:
    explored = explored_without(rule)

    assert explored.found is not None, f"no history needs the rule: {rule}"


@pytest.mark.parametrize("rule", STORIES)
def test_a_story_breaks_only_without_its_rule(rule: str) -> None:
    with_rule, without_rule = Story(Rules()), Story(Rules(**{rule: False}))
    STORIES[rule](with_rule)
    STORIES[rule](without_rule)

    with_rule.come_to_rest()

    with pytest.raises(Broken):
        without_rule.come_to_rest()


def test_a_broken_history_is_shortened_and_told_in_words() -> None:
    rules = Rules(entry_goes_last=False)

    whole = explore(rules, range(BUDGET), shorten=False).found
    short = explore(rules, range(BUDGET)).found

    assert whole is not None
    assert short is not None
    assert len(short.choices) < len(whole.choices)
    assert short.broken.promise == whole.broken.promise
    assert short.log[0].startswith("PUSH")
