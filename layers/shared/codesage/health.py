"""The dependencies -> one status: what works, what does not."""

import time
from collections.abc import Callable, Mapping
from http import HTTPStatus

from codesage.clients import table
from codesage.clients.algolia import SearchIndex
from codesage.errors import CodeSageError

KEPT_SECONDS = 30

_kept: list[tuple[float, dict[str, str]]] = []


def health() -> tuple[HTTPStatus, dict[str, object]]:
    """200 while anything answers, with the failing parts named; 503 when nothing does. Kept for 30 s."""
    if not _kept or time.monotonic() - _kept[0][0] > KEPT_SECONDS:
        _kept[:] = [(time.monotonic(), {name: _probe(probe) for name, probe in PROBES.items()})]
    parts = _kept[0][1]
    working = sum(state == "ok" for state in parts.values())
    status = "ok" if working == len(parts) else "degraded" if working else "down"
    return (
        HTTPStatus.OK if working else HTTPStatus.SERVICE_UNAVAILABLE,
        {"status": status, "parts": dict(parts)},
    )


def _probe(probe: Callable[[], object]) -> str:
    try:
        probe()
    except CodeSageError as error:
        return str(error)
    return "ok"


PROBES: Mapping[str, Callable[[], object]] = {
    "algolia": lambda: SearchIndex("default").search({"query": "", "hitsPerPage": 0}),
    "dynamodb": lambda: table.get("COUNTER", "repository_id"),
}
