"""Words and numbers -> a terminal, or plain lines where output is piped.

Text that is not ours goes out as `Text`, never as markup: `[t.Any]` in a signature is no colour.
"""

import re
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

# What moves a terminal's cursor, changes its state, or turns the order of letters around.
_UNSEEN = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_PIPED_WIDTH = 1_000  # whoever reads a pipe wants whole lines

out = Console(
    highlight=False, markup=False, soft_wrap=True, width=None if sys.stdout.isatty() else _PIPED_WIDTH
)
err = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)


def visible(text: str) -> str:
    r"""Text out of a repository, in which what would act on a terminal is spelled out: `\x1b`."""
    return _UNSEEN.sub(lambda found: repr(found[0])[1:-1], text.replace("\r\n", "\n"))


def complain(message: str) -> None:
    """One line on standard error."""
    err.print(Text.assemble(("error: ", "bold red"), " ".join(message.split())))


def note(message: str) -> None:
    """Something beside the answer: on standard error, so that a pipe gets the answer alone."""
    err.print(Text(message, "yellow"))


def write_reply(body: bytes) -> None:
    """An API reply, byte for byte; on a terminal the prompt gets a line of its own."""
    sys.stdout.buffer.write(body)
    if sys.stdout.isatty():
        sys.stdout.buffer.write(b"\n")
    sys.stdout.buffer.flush()


def show_facts(pairs: Sequence[tuple[str, str | Text]]) -> None:
    """Names and values, a line each, the values one below the other."""
    width = max(len(name) for name, _ in pairs)
    for name, value in pairs:
        out.print(Text.assemble((name.ljust(width), "dim"), "  ", value))


def columns(*names: str) -> Table:
    """An empty table without lines, for `out.print`; cells are folded where the terminal is too narrow."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for name in names:
        table.add_column(name, overflow="fold")
    return table


def counted(counts: Mapping[str, int]) -> str:
    """`1,406 function, 156 class`, the greatest first; empty without counts."""
    ranked = sorted(counts.items(), key=lambda item: -item[1])
    return ", ".join(f"{count:,} {name}" for name, count in ranked if count)


def ago(moment: int | None) -> str:
    """How long ago a Unix time is: `12 s ago`; `never` for None."""
    if moment is None:
        return "never"
    seconds = max(0, int(time.time()) - moment)
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit} ago"
    return f"{seconds} s ago"


def program() -> str:
    """How to call this command again: its name where the PATH finds it, else the path it was called by."""
    called = Path(sys.argv[0])
    found = shutil.which("codesage")
    if found is not None and Path(found).resolve() == called.resolve():
        return "codesage"
    return str(called) if called.name == "codesage" else "codesage"
