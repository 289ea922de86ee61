"""The template's schedules -> an invocation of their function each time their rate has passed."""

import logging
import threading
import time
from collections.abc import Mapping, Sequence

from local.lambdas import Function, FunctionStoppedError, InvokeResult
from local.template import Schedule

_log = logging.getLogger(__name__)


class Schedules:
    """Fires schedules, one after the other: they are upkeep, and none is urgent.

    Like EventBridge it fires a schedule for the first time when its rate has passed once.
    """

    def __init__(self, schedules: Sequence[Schedule], functions: Mapping[str, Function]) -> None:
        self._schedules = {schedule.name.casefold(): schedule for schedule in schedules}
        self._functions = functions
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="schedules", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()

    def join(self) -> None:
        self._thread.join()

    def fire(self, name: str) -> InvokeResult:
        """Invoke the schedule's function now, and wait for it.

        Args:
            name: the event's name in the template, in any case.

        Raises:
            KeyError: the template has no such schedule; names those it has.
        """
        schedule = self._schedules.get(name.casefold())
        if schedule is None:
            raise KeyError(f"no schedule {name!r}; there are: {', '.join(sorted(self._schedules)) or 'none'}")
        return self._functions[schedule.function].invoke(schedule.input)

    def _run(self) -> None:
        due = {name: time.monotonic() + schedule.every for name, schedule in self._schedules.items()}
        while due:
            name = min(due, key=due.__getitem__)
            if self._stopping.wait(max(0.0, due[name] - time.monotonic())):
                return
            due[name] = time.monotonic() + self._schedules[name].every
            try:
                result = self.fire(name)
            except FunctionStoppedError:
                return
            if result.failed:
                _log.warning("schedule %s failed: %s", name, result.error_message)
