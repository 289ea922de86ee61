"""Facts of one data folder -> a file only its owner can read, so that a restart finds the same again."""

import json
import os
from collections.abc import Callable
from pathlib import Path


def write_private(path: Path, text: str) -> None:
    """Replace a file in one step, readable by its owner alone."""
    beside = path.with_suffix(".new")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
    beside.replace(path)


class Memory:
    """Ports, keys and secrets of a stack, by name."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._facts: dict[str, str] = json.loads(path.read_text()) if path.exists() else {}

    def get(self, name: str) -> str | None:
        return self._facts.get(name)

    def remember(self, name: str, value: str) -> None:
        self._facts[name] = value
        self._write()

    def forget(self, name: str) -> None:
        if self._facts.pop(name, None) is not None:
            self._write()

    def _write(self) -> None:
        write_private(self._path, json.dumps(self._facts, indent=2))

    def once(self, name: str, make: Callable[[], str]) -> str:
        """The value remembered under `name`, made now if there is none."""
        value = self.get(name)
        if value is None:
            value = make()
            self.remember(name, value)
        return value
