"""A fresh process -> the CPU time that a function's modules take before it can answer.

Seconds differ from machine to machine, so each is held against `import boto3` of the same run, which every
Lambda function of Python can do and few can do without.
"""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

ROUNDS = 9  # after one that writes the bytecode
YARDSTICK = "boto3"
BUDGETS: Mapping[str, float] = {"webhook": 1.6, "authorizer": 1.4, "search": 2.0}
"""CPU time of `import functions.<name>.app`, at most so many times that of `import boto3`."""


def measure(folder: Path) -> Mapping[str, object]:
    """Rounds, each of which imports everything once, so that a busy moment of the machine meets all alike.

    Args:
        folder: empty, where the processes run.
    """
    modules = {YARDSTICK: YARDSTICK, **{name: f"functions.{name}.app" for name in BUDGETS}}
    times: dict[str, list[float]] = {name: [] for name in modules}
    for round_ in range(1 + ROUNDS):
        for name, module in modules.items():
            seconds = cpu_seconds(module, folder)
            if round_ > 0:
                times[name].append(seconds)
    base = median(times[YARDSTICK])
    return {
        "rounds": ROUNDS,
        YARDSTICK: _spread(times[YARDSTICK]),
        "functions": {
            name: {**_spread(times[name]), **_verdict(median(times[name]) / base, budget)}
            for name, budget in BUDGETS.items()
        },
    }


def cpu_seconds(module: str, folder: Path) -> float:
    """User and system time of a process that imports the module and does nothing else."""
    process = subprocess.Popen([sys.executable, "-c", f"import {module}"], cwd=folder)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)  # it was waited for here
    if process.returncode != 0:
        raise RuntimeError(f"`import {module}` failed")
    return usage.ru_utime + usage.ru_stime


def _spread(seconds: Sequence[float]) -> dict[str, float]:
    return {
        "median_ms": round(median(seconds) * 1_000, 1),
        "min_ms": round(min(seconds) * 1_000, 1),
        "max_ms": round(max(seconds) * 1_000, 1),
    }


def _verdict(ratio: float, budget: float) -> dict[str, object]:
    return {"ratio": round(ratio, 2), "budget": budget, "met": ratio <= budget}
