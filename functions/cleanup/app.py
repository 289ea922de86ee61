"""Cleanup: what its schedules name, one function each."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from codesage.errors import InvalidRequest
from codesage.watch import watch


def lambda_handler(event: dict[str, Any], _: LambdaContext) -> dict[str, Any]:
    schedule = event.get("schedule")
    if schedule != "watch":
        raise InvalidRequest(f"The schedule {schedule!r} is unknown; known: watch.")
    return {"schedule": schedule, "entries": watch()}
