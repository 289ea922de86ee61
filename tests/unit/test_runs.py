"""State transitions of a repository and its run, each rule by itself."""

from dataclasses import replace

import pytest

from codesage.messages import Labels, SnapshotRequest
from codesage.runs import (
    ANY,
    Layout,
    Repository,
    Run,
    Status,
    Totals,
    WatchAction,
    begun,
    configured,
    emptied,
    ended,
    failed,
    host_lags,
    is_current,
    layout_of_next_run,
    may_end,
    may_publish,
    noted,
    packs_to_do,
    published,
    retry_at,
    settled,
    watch_action,
)

A, B, C = "a" * 40, "b" * 40, "c" * 40
LAYOUT = Layout(1, 4)
ROW = Repository(1, "default", "github", "7", Labels(name="octo/hello", web_url=None, branch="main"))
DONE = replace(
    ROW,
    status=Status.COMPLETED,
    commit=A,
    tree=f"{A}-1",
    layout=LAYOUT,
    parser_version=1,
    last_run=1,
    indexed_at=5,
)
RUN = Run(
    seq=2,
    commit=B,
    tree=f"{B}-2",
    layout=LAYOUT,
    parser_version=1,
    delivery="d",
    started_at=100,
    heard_at=100,
    packs=frozenset({"1.0", "1.1"}),
    attempt=1,
    received=True,
)
HINT = SnapshotRequest(org="default", host="github", host_id="7", delivery="d2", before=A, after=C)


def test_a_run_makes_its_packs_dirty_until_it_is_published() -> None:
    row = begun(replace(DONE, dirty=frozenset({"1.3"})), RUN, B)

    assert row.dirty == {"1.3", "1.0", "1.1"}
    assert (row.run, row.last_run, row.status, row.wanted) == (2, 2, Status.COMPLETED, None)


def test_a_first_run_is_seen_as_processing_and_its_layout_is_the_target() -> None:
    row = begun(ROW, replace(RUN, seq=1), B)

    assert (row.status, row.layout, row.target) == (Status.PROCESSING, None, LAYOUT)


def test_what_a_push_announced_stays_wanted_unless_the_run_goes_there() -> None:
    assert begun(DONE, RUN, C).wanted == C
    assert begun(DONE, RUN, B).wanted is None
    assert begun(replace(DONE, wanted=ANY), RUN, None).wanted is None
    assert begun(replace(DONE, wanted=B), RUN, C).wanted == C


def test_a_hint_during_a_run_is_kept_and_one_for_the_runs_commit_changes_nothing() -> None:
    row = begun(DONE, RUN, B)

    assert noted(row, HINT, RUN).wanted == C
    assert noted(replace(row, wanted=C), HINT.model_copy(update={"after": B}), RUN).wanted == C
    assert noted(row, HINT.model_copy(update={"after": None}), RUN).wanted == ANY
    assert noted(replace(row, wanted=C), HINT.model_copy(update={"after": None}), RUN).wanted == C


def test_a_rebuild_asked_for_during_a_run_is_remembered_until_one_begins() -> None:
    row = noted(begun(DONE, RUN, B), HINT.model_copy(update={"rebuild": True}), RUN)
    rebuilding = replace(RUN, layout=Layout(2, 4))

    assert (row.rebuild, row.wanted) == (True, ANY)
    assert ended(row).rebuild
    assert begun(ended(row), RUN, None).rebuild
    assert not begun(ended(row), rebuilding, None).rebuild


def test_a_host_lags_when_it_shows_the_commit_before_an_announced_one() -> None:
    assert host_lags(DONE, A, HINT)
    assert not host_lags(DONE, C, HINT)
    assert not host_lags(DONE, B, HINT)
    assert host_lags(replace(DONE, wanted=B), A, HINT.model_copy(update={"before": None, "after": None}))
    assert not host_lags(replace(DONE, wanted=ANY), A, HINT.model_copy(update={"before": A, "after": None}))


def test_every_pack_is_done_again_for_a_new_parser_and_after_a_failed_first_run() -> None:
    every = {"1.0", "1.1", "1.2", "1.3"}

    assert packs_to_do(DONE, LAYOUT, frozenset({"1.2"}), 2) == every
    assert packs_to_do(replace(ROW, target=LAYOUT, parser_version=1), LAYOUT, frozenset(), 1) == every
    assert packs_to_do(replace(DONE, dirty=frozenset({"1.1"})), LAYOUT, frozenset({"1.2"}), 1) == {
        "1.1",
        "1.2",
    }


def test_a_rebuild_begins_a_new_layout_and_stays_with_it_until_it_is_published() -> None:
    new = layout_of_next_run(DONE, 8, rebuild=True)
    row = begun(DONE, replace(RUN, layout=new, packs=new.keys), None)
    given_up = failed(row, "x", None, 1)
    resumed = replace(RUN, seq=3, layout=new, packs=new.keys, done=new.keys, leaving=frozenset({"2.7"}))

    assert new == Layout(2, 8)
    assert (
        layout_of_next_run(given_up, 1, rebuild=False) == layout_of_next_run(given_up, 1, rebuild=True) == new
    )
    assert not is_current(given_up, A, 1)
    assert packs_to_do(given_up, new, frozenset(), 1) == new.keys
    done = published(begun(given_up, resumed, None), resumed, Totals(), 9)
    assert (done.layout, done.target) == (new, None)
    assert done.dirty == {"2.7", "1.0", "1.1", "1.2", "1.3"}


def test_packs_of_an_older_layout_stay_dirty_until_they_are_emptied() -> None:
    row = replace(DONE, layout=Layout(2, 4), dirty=frozenset({"1.3", "2.1"}))

    assert packs_to_do(row, Layout(2, 4), frozenset({"2.0"}), 1) == {"2.0", "2.1"}
    run = replace(RUN, layout=Layout(2, 4), packs=frozenset({"2.0", "2.1"}))
    assert published(begun(row, run, None), run, Totals(), 9).dirty == {"1.3"}


def test_nothing_is_to_do_only_for_the_published_commit_without_dirt_by_this_parser() -> None:
    assert is_current(DONE, A, 1)
    assert not is_current(DONE, B, 1)
    assert not is_current(DONE, A, 2)
    assert not is_current(replace(DONE, dirty=frozenset({"1.1"})), A, 1)


def test_new_settings_are_settled_by_the_first_run_that_knows_them() -> None:
    changed = configured(replace(begun(DONE, RUN, None), dirty=frozenset()), ("gen/",))
    knowing = replace(RUN, seq=RUN.seq + 1)

    by_old = published(changed, RUN, Totals(), 9)
    by_new = published(begun(ended(by_old), knowing, None), knowing, Totals(), 9)

    assert configured(changed, ("gen/",)) is changed
    assert not is_current(ended(by_old), B, 1)
    assert is_current(ended(by_new), B, 1)
    assert (by_new.exclude, by_new.unsettled) == (("gen/",), None)


def test_a_run_is_published_when_its_last_pack_is_done_and_only_once() -> None:
    row = begun(DONE, RUN, B)
    whole = replace(RUN, done=RUN.packs)

    assert not may_publish(row, replace(RUN, done=frozenset({"1.0"})))
    assert may_publish(row, whole)
    assert not may_publish(row, replace(whole, published_at=1))
    assert not may_publish(replace(row, run=3), whole)


def test_publishing_leaves_only_packs_to_be_emptied_dirty_and_then_the_run_ends() -> None:
    run = replace(RUN, done=RUN.packs, leaving=frozenset({"1.1"}), published_at=9)

    row = published(begun(DONE, run, B), run, Totals({"files": 3}), 9)

    assert (row.commit, row.tree, row.dirty, row.run) == (B, f"{B}-2", {"1.1"}, 2)
    assert not may_end(row, run)
    assert may_end(emptied(row, "1.1"), run)
    assert ended(emptied(row, "1.1")).run is None


def test_a_failure_keeps_the_published_commit_and_the_dirt() -> None:
    row = failed(begun(DONE, RUN, B), "the host is away", B, 50)

    assert (row.status, row.commit, row.dirty, row.run) == (Status.COMPLETED, A, RUN.packs, None)
    assert (row.freshness, row.attempts) == ("stale", 1)
    assert failed(ROW, "x", None, 1).status is Status.FAILED


def test_success_forgets_failures() -> None:
    row = settled(failed(DONE, "x", None, 1))

    assert (row.freshness, row.attempts, row.last_failure) == ("fresh", 0, None)


def test_pauses_before_a_new_start_grow_and_then_stay() -> None:
    pauses = [retry_at(replace(DONE, attempts=attempts), 0, pause=5) for attempts in range(1, 7)]

    assert pauses == [60, 300, 900, 3600, 3600, 3600]


IN_FLIGHT = begun(DONE, RUN, B)


@pytest.mark.parametrize(
    ("row", "run", "due", "now", "action"),
    [
        (IN_FLIGHT, RUN, None, 150, WatchAction.WAIT),
        (IN_FLIGHT, RUN, None, 161, WatchAction.FAIL),
        (IN_FLIGHT, replace(RUN, exhausted=True), None, 101, WatchAction.WAIT),
        (IN_FLIGHT, replace(RUN, received=False), None, 161, WatchAction.WAIT),
        (IN_FLIGHT, replace(RUN, received=False), None, 400, WatchAction.FAIL),
        (replace(DONE, status=Status.REMOVED), RUN, 200, 100, WatchAction.CLEAR),
        (IN_FLIGHT, replace(RUN, done=RUN.packs), None, 161, WatchAction.FINISH),
        (replace(IN_FLIGHT, run=None), RUN, None, 101, WatchAction.ASK),
        (replace(IN_FLIGHT, run=3), RUN, None, 101, WatchAction.ASK),
        (DONE, None, None, 101, WatchAction.ASK),
        (DONE, RUN, 200, 199, WatchAction.WAIT),
        (DONE, RUN, 200, 200, WatchAction.ASK),
    ],
)
def test_what_the_watch_does(
    row: Repository, run: Run | None, due: int | None, now: int, action: WatchAction
) -> None:
    assert watch_action(row, run, due, now, patience=60) is action
