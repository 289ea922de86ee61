"""A schedule's name -> its upkeep, done now."""

from typing import Annotated

import typer
from rich.text import Text

from local.cli.errors import CommandError
from local.cli.keys import StackName
from local.cli.output import counted, out


def fire(
    schedule: Annotated[
        str, typer.Argument(metavar="SCHEDULE", help="watch: look after runs that stand still.")
    ],
    stack: StackName = None,
) -> None:
    """Do now what a schedule does by itself, and say what it did."""
    from local.cli.operator import invoke, operating  # as in `keys`

    with operating(stack) as outputs:
        done = invoke(outputs["CleanupFunctionName"], {"schedule": schedule})
    if done.error is not None:
        raise CommandError(done.error)
    entries = done.reply.get("entries") if isinstance(done.reply, dict) else None
    out.print(Text(f"{schedule}: {counted(entries) if entries else 'nothing to do'}"))
