"""Scopes -> API keys: made, listed and revoked with AWS credentials, so that the first needs no key."""

import json
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.text import Text

from codesage.keys import Scope
from local.cli.output import ago, columns, note, out

ORG = "default"

StackName = Annotated[
    str | None,
    typer.Option(
        "--stack",
        metavar="NAME",
        help="CloudFormation stack, with your AWS credentials. Default: the local stack.",
    ),
]

# The AWS clients are imported by the commands: a search should not wait for them.
keys = typer.Typer(help="Make, list and revoke API keys.", no_args_is_help=True)


@keys.command()
def create(
    scope: Annotated[list[Scope], typer.Option(help="May repeat.")],
    name: Annotated[str, typer.Option(metavar="N", help="What people know the key by.")] = "unnamed",
    as_json: Annotated[bool, typer.Option("--json", help='Print {"key": …}.')] = False,
    stack: StackName = None,
) -> None:
    """Make a key and print it. It is stored as a hash, so nobody can show it again."""
    from codesage.clients.keys import create_key
    from local.cli.operator import operating

    with operating(stack):
        token, key = create_key(ORG, name, scope)
    if as_json:
        out.print(json.dumps({"key": token}))
        return
    out.print(Text(token))
    note(f"Key {key.id} may {', '.join(sorted(key.scopes))}. Keep it: it cannot be shown again.")


@keys.command("list")
def list_keys(stack: StackName = None) -> None:
    """List the keys: what they may do, not what they are."""
    from codesage.clients import keys as stored
    from local.cli.operator import operating

    with operating(stack):
        known = stored.list_keys(ORG)
    table = columns("id", "name", "scopes", "made", "expires")
    for key in known:
        expires = "never" if key.expires is None else f"{datetime.fromtimestamp(key.expires, UTC):%Y-%m-%d}"
        table.add_row(key.id, Text(key.name), ", ".join(sorted(key.scopes)), ago(key.created), expires)
    out.print(table)


@keys.command()
def revoke(
    key_id: Annotated[str, typer.Argument(metavar="ID", help="`keys list` shows it.")],
    stack: StackName = None,
) -> None:
    """Let a key open nothing any more; functions that have just used it take up to a minute."""
    from codesage.clients.keys import revoke_key
    from local.cli.operator import operating

    with operating(stack):
        revoke_key(ORG, key_id)
    out.print(Text(f"Key {key_id} is revoked."))
