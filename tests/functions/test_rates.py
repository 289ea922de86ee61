"""How often a key may ask in a minute, over the real table."""

import logging
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest

from codesage.clients.rates import KEPT_SECONDS, take
from codesage.errors import TooManyRequests
from codesage.settings import settings
from tests.service import Service

LIMIT = 100
MINUTE = (time.time() // 60 + 60) * 60  # one to come: counters of the past may be gone by their TTL


@pytest.fixture
def key(service: Service) -> str:
    """A key that never asked."""
    return uuid4().hex[:12]


@pytest.fixture
def no_table(service: Service, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TABLE_NAME", "no-such-table")
    settings.cache_clear()
    yield
    monkeypatch.undo()
    settings.cache_clear()


def refused(key: str, now: float, org: str = "default") -> int | None:
    """Seconds after which it may ask again, or None where it may now."""
    try:
        take(org, key, LIMIT, now)
    except TooManyRequests as error:
        return error.retry_after
    return None


def test_a_hundred_pass_the_next_waits_for_the_minutes_end_and_then_passes(key: str) -> None:
    first = [refused(key, MINUTE + 10.25) for _ in range(LIMIT)]

    assert first == [None] * LIMIT
    assert refused(key, MINUTE + 10.25) == 50
    assert refused(key, MINUTE + 59.9) == 1
    assert refused(key, MINUTE + 60) is None


def test_the_refusal_names_the_limit_and_the_wait(key: str) -> None:
    take("default", key, 1, MINUTE)

    with pytest.raises(TooManyRequests, match=r"This key may ask 1 times a minute; try again in 60 s\."):
        take("default", key, 1, MINUTE)


def test_keys_and_organisations_count_apart(key: str) -> None:
    for _ in range(LIMIT):
        take("default", key, LIMIT, MINUTE)

    assert refused(key + "x", MINUTE) is None
    assert refused(key, MINUTE, org="other") is None
    assert refused(key, MINUTE) == 60


def test_of_requests_at_the_same_moment_no_more_than_the_limit_pass(key: str) -> None:
    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(lambda _: refused(key, MINUTE), range(LIMIT + 20)))

    assert outcomes.count(None) == LIMIT


def test_a_counter_goes_some_time_after_its_minute(service: Service, key: str) -> None:
    take("default", key, LIMIT, MINUTE + 10)

    [item] = [i for i in service.items("O#default") if i["SK"]["S"].startswith(f"RATE#{key}#")]
    assert item["SK"]["S"] == f"RATE#{key}#{int(MINUTE) // 60}"
    assert int(item["expires_at"]["N"]) == MINUTE + 60 + KEPT_SECONDS


@pytest.mark.usefixtures("no_table")
def test_a_database_that_fails_lets_everybody_through_and_is_logged(
    key: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        outcomes = [refused(key, MINUTE) for _ in range(LIMIT + 1)]

    assert outcomes == [None] * (LIMIT + 1)
    assert f"the requests of key {key} are not counted" in caplog.text
