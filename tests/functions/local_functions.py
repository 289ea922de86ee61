"""The text of a handler -> a running function, for tests of what stands around handlers."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from local.lambdas import Function
from local.template import Function as Declared

NO_AWS = "http://127.0.0.1:1"


@contextmanager
def running(
    folder: Path,
    source: str,
    *,
    name: str = "F",
    timeout: int = 20,
    memory: int = 256,
    concurrency: int = 1,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Function]:
    """`source` is the module `app`, whose `run` handles events."""
    code = folder / f"code-{name}"
    code.mkdir(parents=True)
    (code / "app.py").write_text(source)
    declared = Declared(name, code, "app.run", memory, timeout, environment or {})
    function = Function(declared, concurrency, NO_AWS, folder)
    try:
        yield function
    finally:
        function.stop()


def until(condition: Callable[[], object], seconds: float = 30) -> None:
    """Wait until `condition` holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)
