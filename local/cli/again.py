"""A repository that went wrong -> another attempt, asked for by its operator."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from local.cli.keys import DEFAULT_ORG, OrgName, StackName
from local.cli.output import out

if TYPE_CHECKING:
    from codesage.runs import Repository

RepositoryName = Annotated[str, typer.Argument(metavar="R", help="Number, owner/name or URL.")]


def redrive(repository: RepositoryName, org: OrgName = DEFAULT_ORG, stack: StackName = None) -> None:
    """Look at a repository again now: what failed is tried again, what is current stays."""
    _ask(org, repository, stack, rebuild=False)
    out.print(Text(f"{repository} is looked at again; `status` shows how far it is."))


def rebuild(
    repository: RepositoryName,
    from_store: Annotated[
        bool, typer.Option("--from-store", help="Only fill the search index, from what the database holds.")
    ] = False,
    org: OrgName = DEFAULT_ORG,
    stack: StackName = None,
) -> None:
    """Index a repository anew, into a new layout; what is published stays searchable until then."""
    if not from_store:
        _ask(org, repository, stack, rebuild=True)
        out.print(Text(f"{repository} is built anew; `status` shows how far it is."))
        return
    from codesage.refill import refill  # as in `keys`
    from local.cli.operator import operating

    with operating(stack):
        sent = refill(org, _row(org, repository).id)
    out.print(Text(f"{sent:,} records of {repository} were sent to the search index."))


def _ask(org: str, repository: str, stack: str | None, *, rebuild: bool) -> None:
    from codesage.publishing import ask
    from local.cli.operator import operating

    with operating(stack):
        ask(_row(org, repository), rebuild=rebuild)


def _row(org: str, repository: str) -> "Repository":
    """Raises NotFound, which names those that are known."""
    from codesage.catalog import Catalog
    from codesage.clients.organisations import check_known
    from local.cli.operator import operator_of

    check_known(org)
    [row] = Catalog(operator_of(org)).named([repository])
    return row
