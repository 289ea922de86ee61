"""Records and ids go in batches; of one that fails, or is refused, nothing else suffers."""

import random
from collections import Counter
from typing import Any

import pytest

from codesage.clients import algolia as adapter
from codesage.clients.algolia import MAX_BATCH_BYTES, MAX_BATCH_RECORDS, Index
from codesage.packs import PackFile
from codesage.records import MAX_RECORD_BYTES, FileRecords, encoded, size_of
from codesage.update import Work
from tests.functions.test_algolia_adapter.scripted import (
    PASSING,
    Algolia,
    Applied,
    Simulated,
    ids,
    limited,
    record,
    records,
)
from tests.loopback import Loopback, Reply, Silence


def batches(server: Loopback) -> list[list[str]]:
    """The objectIDs of each batch that was sent."""
    bodies: list[Any] = [request.json for request in server.requests if request.path.endswith("/batch")]
    return [[action["body"]["objectID"] for action in body["requests"]] for body in bodies]


def test_a_batch_has_at_most_a_thousand_records(algolia: Algolia, server: Loopback) -> None:
    many = records(2 * MAX_BATCH_RECORDS + 1)

    saved = Index("default").save(iter(many))

    assert [len(batch) for batch in batches(server)] == [MAX_BATCH_RECORDS, MAX_BATCH_RECORDS, 1]
    assert len(saved.tasks) == 3
    assert algolia.saved == dict.fromkeys(ids(many), 1)


def test_a_batch_has_at_most_five_megabytes_and_no_fewer_records_than_fit(
    algolia: Algolia, server: Loopback
) -> None:
    many = records(MAX_BATCH_RECORDS, MAX_RECORD_BYTES)

    saved = Index("default").save(many)

    sizes = [len(request.body) for request in server.requests]
    assert all(size <= MAX_BATCH_BYTES for size in sizes)
    assert sizes[0] > MAX_BATCH_BYTES - MAX_RECORD_BYTES - 100
    assert len(sizes) == 2
    assert algolia.saved == dict.fromkeys(ids(many), 1)
    # Some plans limit the average too, to no less than 10,000 bytes.
    assert saved.bytes / len(many) == MAX_RECORD_BYTES


def test_what_is_sent_of_a_record_is_what_was_measured(server: Loopback) -> None:
    one = record(1, 5_000)

    saved = Index("default").save([one])

    assert encoded(one).encode() in server.requests[0].body
    assert saved.bytes == size_of(one)


def test_nothing_to_save_or_to_delete_asks_nothing(server: Loopback) -> None:
    index = Index("default")

    assert (index.save([]).tasks, index.delete([])) == ([], [])
    assert server.requests == []


@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING)
def test_a_batch_that_fails_is_repeated_alone_and_nothing_is_lost(
    fault: Reply, algolia: Algolia, server: Loopback, clock: Simulated
) -> None:
    many = records(2_500)
    algolia.fails("/batch", None, fault, fault)

    saved = Index("default", clock.timing_for(fault)).save(many)

    first, *failed, third = batches(server)
    assert failed[0] == failed[1] == failed[2]
    assert (len(failed), len(first), len(third)) == (3, 1_000, 500)
    assert algolia.saved == dict.fromkeys(ids(many), 1)
    assert len(saved.tasks) == 3


def test_a_batch_whose_answer_is_lost_is_saved_twice_which_is_the_same(
    algolia: Algolia, server: Loopback, clock: Simulated
) -> None:
    many = records(1_500)
    algolia.fails("/batch", None, Applied(Silence.RESET))

    saved = Index("default", clock.timing).save(many)

    assert algolia.saved.keys() == ids(many)
    assert sorted(Counter(algolia.saved.values()).items()) == [(1, 1_000), (2, 500)]
    assert len(saved.tasks) == 2


def test_records_are_deleted_by_their_ids_and_a_rate_limit_repeats_one_batch_only(
    algolia: Algolia, server: Loopback, clock: Simulated
) -> None:
    """Deleting by a filter is one of the few jobs that Algolia runs one at a time."""
    names = [f"7_{number}" for number in range(1_500)]
    algolia.fails("/batch", None, limited("1"))

    tasks = Index("default", clock.timing).delete(names)

    assert len(tasks) == 2
    assert [len(batch) for batch in batches(server)] == [1_000, 500, 500]
    assert algolia.deleted == dict.fromkeys(names, 1)
    assert all(request.path.endswith("/batch") for request in server.requests)


# ---- records that are refused -------------------------------------------------------------------------


def test_the_one_record_of_a_thousand_that_is_refused_is_named_and_the_others_are_saved(
    algolia: Algolia, server: Loopback, caplog: pytest.LogCaptureFixture
) -> None:
    many = records(1_000, 300)
    bad = many[464] = record(464, 8_500)
    algolia.limit = 8_000

    saved = Index("default").save(many)

    assert saved.refused == {bad["objectID"]}
    assert algolia.saved == dict.fromkeys(ids(many) - saved.refused, 1)
    assert (len(saved.tasks), len(server.requests)) == (1, 2)
    [warning] = [r.getMessage() for r in caplog.records if r.name == adapter.__name__]
    assert warning == "Algolia refused a record of 8500 bytes: function f464 in src/größe.py of repository 7"


def test_of_several_batches_only_the_one_with_the_bad_record_is_sent_again(
    algolia: Algolia, server: Loopback
) -> None:
    many = records(2_500, 300)
    bad = many[1_464] = record(1_464, 8_500)
    algolia.limit = 8_000

    saved = Index("default").save(many)

    assert saved.refused == {bad["objectID"]}
    assert algolia.saved == dict.fromkeys(ids(many) - saved.refused, 1)
    assert [len(batch) for batch in batches(server)] == [1_000, 1_000, 999, 500]


@pytest.mark.parametrize("count", [1, 2, 7, 60, 300])
def test_many_refusals_cost_about_two_requests_each_and_lose_nothing(
    count: int, algolia: Algolia, server: Loopback
) -> None:
    many = records(300, 400)
    for number in random.Random(count).sample(range(len(many)), count):
        many[number] = record(number, 3_000)
    algolia.limit = 2_000

    saved = Index("default").save(many)

    assert len(saved.refused) == count
    assert algolia.saved == dict.fromkeys(ids(many) - saved.refused, 1)
    assert len(server.requests) <= 2 * count + 1
    assert sum(map(len, batches(server))) <= len(many) * (3 + len(many).bit_length())


@pytest.mark.parametrize(("limit", "refused", "requests"), [(100_000, 0, 1), (10_000, 30, 2), (9_200, 38, 2)])
def test_records_beyond_our_own_limit_cost_one_request_more_however_many_they_are(
    limit: int, refused: int, requests: int, algolia: Algolia, server: Loopback
) -> None:
    large = [record(number, 9_000 + 100 * number) for number in range(1, 41)]
    many = records(50, first=100) + large[::-1]
    algolia.limit = limit

    saved = Index("default").save(many)

    assert saved.refused == {r["objectID"] for r in large if size_of(r) > limit}
    assert len(saved.refused) == refused
    assert len(server.requests) == requests
    assert algolia.saved == dict.fromkeys(ids(many) - saved.refused, 1)


def test_a_record_that_is_refused_for_what_it_holds_costs_no_larger_one(
    algolia: Algolia, server: Loopback
) -> None:
    many = [record(number, 300 + number) for number in range(1, 101)]
    algolia.refuses = many[49]["objectID"]

    saved = Index("default").save(many)

    assert saved.refused == {many[49]["objectID"]}
    assert algolia.saved == dict.fromkeys(ids(many) - saved.refused, 1)


def test_a_refused_record_counts_as_oversize_once_however_small_it_seemed() -> None:
    small, large, kept = record(1), record(2, 12_000), record(3)
    found = FileRecords((small, large, kept), facts={}, duplicates=0, oversize=1)
    file = PackFile("src/größe.py", "b" * 40, "100644", 100)
    work = Work(file, None, "python", None, found, marked=False)

    left = work.without({small["objectID"], large["objectID"]})

    assert left.records.records == (kept,)
    assert (left.item.oversize, left.item.entities) == (2, {"function": 1})
