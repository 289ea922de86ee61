"""Scopes -> API keys: made, listed and revoked with AWS credentials, so that the first needs no key."""

import json
import re
import time
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.text import Text

from codesage.keys import DAY_SECONDS, ApiKey, Scope, day_of
from local.cli.output import ago, columns, note, out

DEFAULT_ORG = "default"
UNIT_SECONDS = {"h": 3_600, "d": DAY_SECONDS}
SPAN = re.compile(r"([1-9]\d{0,4})([hd])")

StackName = Annotated[
    str | None,
    typer.Option(
        "--stack",
        metavar="NAME",
        help="CloudFormation stack, with your AWS credentials. Default: the local stack.",
    ),
]
OrgName = Annotated[str, typer.Option("--org", metavar="SLUG", help="Organisation; `orgs list` names them.")]


def moment_of(text: str) -> int:
    """`12h` or `30d` from now, or the beginning of a day in UTC, `2030-12-31` -> Unix seconds to come.

    Raises BadParameter.
    """
    now = int(time.time())
    span = SPAN.fullmatch(text)
    if span is not None:
        return now + int(span[1]) * UNIT_SECONDS[span[2]]
    try:
        moment = int(datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC).timestamp())
    except ValueError:
        raise typer.BadParameter("give hours (12h), days (30d) or a date (2030-12-31)") from None
    if moment <= now:
        raise typer.BadParameter(f"{text} is over")
    return moment


# The AWS clients are imported by the commands: a search should not wait for them.
keys = typer.Typer(help="Make, list and revoke API keys.", no_args_is_help=True)


@keys.command()
def create(
    scope: Annotated[list[Scope], typer.Option(help="May repeat.")],
    name: Annotated[str, typer.Option(metavar="N", help="What people know the key by.")] = "unnamed",
    repository: Annotated[
        list[str] | None,
        typer.Option(metavar="R", help="Number or owner/name of the only one it may see; may repeat."),
    ] = None,
    expires: Annotated[
        int | None,
        typer.Option(
            parser=moment_of,
            metavar="WHEN",
            help="12h, 30d, or the date (UTC) at whose beginning it ends. Default: never.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help='Print {"key": …}.')] = False,
    org: OrgName = DEFAULT_ORG,
    stack: StackName = None,
) -> None:
    """Make a key and print it. It is stored as a hash, so nobody can show it again."""
    from codesage.clients.keys import create_key
    from codesage.clients.organisations import check_known
    from local.cli.operator import operating

    with operating(stack):
        check_known(org)
        token, key = create_key(org, name, scope, expires, _numbers(org, repository) if repository else None)
    if as_json:
        out.print(json.dumps({"key": token}))
        return
    out.print(Text(token))
    note(f"Key {key.id} may {', '.join(sorted(key.scopes))}. Keep it: it cannot be shown again.")


@keys.command("list")
def list_keys(org: OrgName = DEFAULT_ORG, stack: StackName = None) -> None:
    """List the keys: what they may do, not what they are."""
    from codesage.clients import keys as stored
    from codesage.clients.organisations import check_known
    from codesage.clients.store import Store
    from local.cli.operator import operating

    with operating(stack):
        check_known(org)
        known = stored.list_keys(org)
        names = {row.id: row.labels.name for row in Store(org).repositories()}
    table = columns("id", "name", "scopes", "repositories", "made", "expires", "last used")
    for key in known:
        table.add_row(
            key.id,
            Text(key.name),
            ", ".join(sorted(key.scopes)),
            Text(_limit(key, names)),
            ago(key.created),
            _end(key),
            _last_use(key),
        )
    out.print(table)


@keys.command()
def revoke(
    key_id: Annotated[str, typer.Argument(metavar="ID", help="`keys list` shows it.")],
    org: OrgName = DEFAULT_ORG,
    stack: StackName = None,
) -> None:
    """Let a key open nothing any more; functions that have just used it take up to a minute."""
    from codesage.clients.keys import revoke_key
    from local.cli.operator import operating

    with operating(stack):
        revoke_key(org, key_id)
    out.print(Text(f"Key {key_id} is revoked."))


def _numbers(org: str, repositories: Iterable[str]) -> list[int]:
    """Raises NotFound, which names those that are known."""
    from codesage.catalog import Catalog
    from local.cli.operator import operator_of

    return [row.id for row in Catalog(operator_of(org)).named(repositories)]


def _limit(key: ApiKey, names: Mapping[int, str]) -> str:
    if key.repositories is None:
        return "all"
    return ", ".join(names.get(number, str(number)) for number in sorted(key.repositories))


def _end(key: ApiKey) -> str:
    if key.expires is None:
        return "never"
    spelled = f"{datetime.fromtimestamp(key.expires, UTC):%Y-%m-%d %H:%M}"
    return spelled if key.is_valid(time.time()) else f"{spelled} (over)"


def _last_use(key: ApiKey) -> str:
    """A day, because no more is kept of it."""
    if key.used is None:
        return "never"
    return "today" if key.used == day_of(time.time()) else f"{datetime.fromtimestamp(key.used, UTC):%Y-%m-%d}"
