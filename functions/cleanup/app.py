"""Cleanup: what its schedules name, one function each."""

import logging
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from codesage.errors import InvalidRequest
from codesage.reconcile import reconcile
from codesage.sweep import sweep
from codesage.watch import watch

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

LOG = logging.getLogger(__name__)

SPARE_SECONDS = 30  # of the function's time are left when no further repository is begun
SCHEDULES: Mapping[str, Callable[[float], dict[str, int]]] = {
    "watch": lambda _: watch(),
    "reconcile": reconcile,
    "sweep": sweep,
}


def lambda_handler(event: dict[str, Any], context: "LambdaContext") -> dict[str, Any]:
    schedule = str(event.get("schedule"))
    if schedule not in SCHEDULES:
        raise InvalidRequest(f"The schedule {schedule!r} is unknown; known: {', '.join(SCHEDULES)}.")
    until = time.monotonic() + context.get_remaining_time_in_millis() / 1000 - SPARE_SECONDS
    done = SCHEDULES[schedule](until)
    LOG.info("%s: %s", schedule, done)
    return {"schedule": schedule, "done": done}
