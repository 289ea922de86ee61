"""`python -m local.demo SDIST`: the tour, on a stack that is gone afterwards."""

import signal
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from rich.text import Text

from local.cli.errors import CommandError
from local.cli.output import complain, err
from local.demo.package import Package
from local.demo.tour import Tour
from local.ministack import StandInError
from local.stack import Stack, StackError
from local.template import TemplateError

LOG_LINES = 15


def main(sdist: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="codesage-demo-") as temporary, ExitStack() as running:
        data = Path(temporary) / "data"
        running.push(lambda kind, *_: _show_logs(data) if kind and issubclass(kind, Exception) else None)
        package = Package.unpacked(sdist, Path(temporary))
        Tour(running.enter_context(Stack(data, port=0)), package).run()


def _show_logs(data: Path) -> None:
    for log in sorted((data / "logs").glob("*.log")):
        lines = log.read_text(errors="replace").splitlines()[-LOG_LINES:]
        if lines:
            err.print(Text(f"--- the end of {log.name}", "bold"))
            err.print(Text("\n".join(lines)))


def _interrupted(*_: object) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _interrupted)  # so that it too leaves nothing behind
    try:
        main(Path(sys.argv[1]).absolute())
    except (CommandError, StackError, StandInError, TemplateError) as error:
        complain(str(error))
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
