"""The list of runs in flight -> runs that stand still are ended, failed repositories are started again."""

import logging
import time
from collections import Counter

from codesage.clients.store import RunEntry, Store, run_entries
from codesage.errors import CodeSageError, NotFound
from codesage.publishing import ask, finish
from codesage.removal import clear
from codesage.runs import Repository, Run, WatchAction, failed, retry_at, watch_action
from codesage.settings import settings

LOG = logging.getLogger(__name__)


def watch() -> dict[str, int]:
    """Look at every entry once; returns how many met each action."""
    return Counter(_look_safely(entry) for entry in run_entries())


def _look_safely(entry: RunEntry) -> str:
    """One entry that cannot be dealt with now never keeps the watch from the others."""
    try:
        return _look(entry)
    except CodeSageError as error:
        LOG.warning("the watch could not deal with repository %s: %s", entry.repository_id, error)
        return "unavailable"


def _look(entry: RunEntry) -> WatchAction:
    store, now = Store(entry.org), int(time.time())
    row = store.repository(entry.repository_id)
    run = _run(store, entry)
    action = watch_action(row, run, entry.due, now, settings().patience_seconds)
    match action:
        case WatchAction.ASK:
            ask(row)
            store.take_entry(entry)
        case WatchAction.FINISH:
            finish(store, row.id, entry.run)
        case WatchAction.CLEAR:
            if clear(row) and now >= (entry.due or 0):
                store.forget_removed(row.id)
        case WatchAction.FAIL if run is not None:
            _fail(store, row, run, now)
        case _:
            pass
    return action


def _run(store: Store, entry: RunEntry) -> Run | None:
    try:
        return store.run(entry.repository_id, entry.run)
    except NotFound:
        return None


def _fail(store: Store, row: Repository, run: Run, now: int) -> None:
    silence = (now - run.heard_at) // 60
    reason = run.failure or f"Nothing was heard of the run for {silence} minutes; it is started again."

    def fail(row: Repository) -> Repository:
        return failed(row, reason, run.commit, now) if row.run == run.seq else row

    before, after = store.change(row.id, fail)
    if after is not before:
        LOG.warning("run %s of repository %s failed: %s", run.seq, row.id, reason)
        store.put_entry(row.id, run.seq, retry_at(after, now, settings().pause_seconds))
