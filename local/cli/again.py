"""A repository that went wrong -> another attempt, asked for by its operator."""

from typing import Annotated

import typer
from rich.text import Text

from local.cli.errors import CommandError
from local.cli.keys import StackName
from local.cli.output import out

RepositoryName = Annotated[str, typer.Argument(metavar="R", help="Number or owner/name.")]


def redrive(repository: RepositoryName, stack: StackName = None) -> None:
    """Look at a repository again now: what failed is tried again, what is current stays."""
    _ask(repository, stack, rebuild=False)
    out.print(Text(f"{repository} is looked at again; `status` shows how far it is."))


def rebuild(
    repository: RepositoryName,
    from_store: Annotated[
        bool, typer.Option("--from-store", help="Only fill the search index, from what the database holds.")
    ] = False,
    stack: StackName = None,
) -> None:
    """Index a repository anew, into a new layout; what is published stays searchable until then."""
    if not from_store:
        _ask(repository, stack, rebuild=True)
        out.print(Text(f"{repository} is built anew; `status` shows how far it is."))
        return
    from codesage.refill import refill  # as in `keys`
    from local.cli.operator import operating

    with operating(stack):
        sent = refill("default", _number(repository))
    out.print(Text(f"{sent:,} records of {repository} were sent to the search index."))


def _ask(repository: str, stack: str | None, *, rebuild: bool) -> None:
    from codesage.clients.store import Store
    from codesage.publishing import ask
    from local.cli.operator import operating

    with operating(stack):
        ask(Store("default").repository(_number(repository)), rebuild=rebuild)


def _number(repository: str) -> int:
    from codesage.clients.store import Store
    from codesage.runs import Status

    rows = [row for row in Store("default").repositories() if row.status is not Status.REMOVED]
    for row in rows:
        if repository.casefold() in (str(row.id), row.labels.name.casefold()):
            return row.id
    known = ", ".join(row.labels.name for row in rows) or "none yet"
    raise CommandError(f"the repository {repository!r} is not known; known repositories: {known}")
