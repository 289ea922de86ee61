"""How often a key asked within this minute: one counter in the table, so that it holds for all processes."""

import logging
import math

from codesage.clients import table
from codesage.errors import TooManyRequests, Unavailable

LOG = logging.getLogger(__name__)

MINUTE = 60
KEPT_SECONDS = 3_600  # a counter's item after its minute; DynamoDB takes its time to remove it anyway


def take(org: str, key_id: str, per_minute: int, now: float) -> None:
    """Count one request of a key in the minute of `now`, in Unix seconds.

    A database that fails counts nobody and stops nobody: the limit protects the service, not the caller.

    Raises:
        TooManyRequests: it is more than `per_minute`. Refused requests count as well.
    """
    minute = int(now // MINUTE)
    end = (minute + 1) * MINUTE
    try:
        asked = table.increment(f"O#{org}", f"RATE#{key_id}#{minute}", "asked", expires_at=end + KEPT_SECONDS)
    except Unavailable:
        LOG.warning("the requests of key %s are not counted", key_id, exc_info=True)
        return
    if asked > per_minute:
        seconds = math.ceil(end - now)
        raise TooManyRequests(
            f"This key may ask {per_minute} times a minute; try again in {seconds} s.", seconds
        )
