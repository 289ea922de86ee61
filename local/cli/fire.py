"""A schedule's name -> its upkeep, done now."""

from typing import Annotated

import typer
from rich.text import Text

from local.cli.errors import CommandError
from local.cli.keys import StackName
from local.cli.output import counted, out


def fire(
    schedule: Annotated[
        str,
        typer.Argument(
            metavar="SCHEDULE",
            help="watch: runs that stand still. reconcile: lost webhooks. sweep: stale records.",
        ),
    ],
    stack: StackName = None,
) -> None:
    """Do now what a schedule does by itself, and say what it did."""
    from local.cli.operator import invoke, operating  # as in `keys`

    with operating(stack) as outputs:
        done = invoke(outputs["CleanupFunctionName"], {"schedule": schedule})
    if done.error is not None:
        raise CommandError(done.error)
    counts = done.reply.get("done") if isinstance(done.reply, dict) else None
    out.print(Text(f"{schedule}: {counted(counts) if counts else 'nothing to do'}"))
