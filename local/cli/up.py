"""A data folder -> the local stack in the foreground, until Ctrl-C."""

import signal
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from local.cli.deployment import data_folder, default_data_folder
from local.cli.errors import CommandError
from local.cli.output import err, note, out, program, show_facts

if TYPE_CHECKING:
    from local.stack import Stack


def up(
    port: Annotated[int, typer.Option(min=1, max=65_535, help="Of the API, on 127.0.0.1.")] = 8080,
    data: Annotated[
        Path | None,
        typer.Option(
            help="Keeps everything; made if missing.",
            envvar="CODESAGE_DATA",
            show_default="~/.local/share/codesage",
        ),
    ] = None,
) -> None:
    """Run the whole service on this machine, in the foreground. Ctrl-C stops it; everything is kept."""
    # Here, because no other command needs the stack and its imports take longer than they do.
    from local.cli.first_key import first_key
    from local.ministack import StandInError
    from local.stack import Stack, StackError
    from local.template import TemplateError

    folder = (data or data_folder()).expanduser().absolute()
    stopping = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: stopping.set())
    try:
        with Stack(folder, port=port) as stack:
            _welcome(stack, folder, first_key(stack))
            stopping.wait()
            err.print(Text("Stopping; the state is being written.", "dim"))
    except (StackError, StandInError, TemplateError) as error:
        raise CommandError(str(error)) from error


def _welcome(stack: "Stack", folder: Path, key: str) -> None:
    if stack.recovered:
        note(
            "The last run ended without writing its state, so this one began empty: every source is indexed"
            " again, and API keys of before are gone."
        )
    out.print(Text("CodeSage runs on this machine.", "bold green"))
    out.print()
    show_facts(
        [
            ("URL", stack.url),
            ("API key", key),
            ("Webhook", str(stack.githost.webhook_url)),
            ("Data", str(folder)),
            ("Logs", str(folder / "logs")),
        ]
    )
    command = program()
    elsewhere = [] if folder == default_data_folder() else [(f"export CODESAGE_DATA={folder}", "")]
    steps = [
        *elsewhere,
        (
            f"{command} index .",
            "index the folder you are in; it may be any folder or the URL of a repository",
        ),
        (f'{command} search "open a connection"', "ask"),
        (f"{command} status", "what is indexed, and how fresh it is"),
    ]
    width = max(len(step) for step, _ in steps)
    out.print()
    out.print(Text("In another terminal:", "bold"))
    for step, why in steps:
        out.print(Text.assemble("  ", step.ljust(width), "  ", (why, "dim")))
    out.print()
    out.print(Text("Ctrl-C stops it; everything is kept.", "dim"))
