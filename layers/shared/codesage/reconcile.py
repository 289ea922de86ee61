"""Every idle repository <-> its host's head: a hint for each that is behind, whatever webhook was lost."""

import logging
import time
from collections import Counter

from codesage.clients.github import GitHub
from codesage.clients.store import Store, organisations
from codesage.errors import CodeSageError
from codesage.languages import PARSER_VERSION
from codesage.publishing import ask
from codesage.runs import Repository, Status, needs_run

LOG = logging.getLogger(__name__)

MAX_HINTS = 100  # for one organisation in one pass, so that a new parser does not start everything at once


def reconcile(until: float) -> dict[str, int]:
    """Ask the hosts for the heads of all idle repositories, from where the last pass stopped.

    Args:
        until: monotonic seconds at which to stop; a cursor remembers the place.

    Returns:
        How many repositories were `current`, `behind` (a hint was sent), `busy` or `unreachable`.
    """
    seen: Counter[str] = Counter()
    for org in organisations():
        try:
            seen += _reconcile_org(org, until)
        except CodeSageError as error:  # one organisation's trouble is no other's
            LOG.warning("the reconcile of %s stopped: %s", org, error)
    return dict(seen)


def _reconcile_org(org: str, until: float) -> Counter[str]:
    store, host = Store(org), GitHub(org)
    seen: Counter[str] = Counter()
    start = store.cursor("reconcile")
    rows = [row for row in store.repositories() if row.status is not Status.REMOVED]
    for row in [row for row in rows if row.id > start] or rows:
        if time.monotonic() > until or seen["behind"] == MAX_HINTS or not host.has_budget:
            store.put_cursor("reconcile", row.id - 1)
            return seen
        seen[_reconciled(host, row)] += 1
    store.put_cursor("reconcile", 0)
    return seen


def _reconciled(host: GitHub, row: Repository) -> str:
    if row.run is not None:
        return "busy"
    try:
        head = host.head(row.host_id, row.labels.branch)
    except CodeSageError as error:  # unreachable is never deleted: what is published stays
        LOG.warning("the head of repository %s is not to be had: %s", row.id, error)
        return "unreachable"
    if not needs_run(row, head, PARSER_VERSION):
        return "current"
    ask(row)
    return "behind"
