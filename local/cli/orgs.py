"""A slug -> an organisation with its own secrets, index and keys, made with AWS credentials."""

import json
from typing import Annotated

import typer
from rich.text import Text

from codesage.keys import Scope
from local.cli.keys import StackName
from local.cli.output import note, out, show_facts

orgs = typer.Typer(help="Make and list organisations, which see nothing of each other.", no_args_is_help=True)


@orgs.command()
def create(
    slug: Annotated[str, typer.Argument(metavar="SLUG", help="Lower-case letters, digits and hyphens.")],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print {org, webhook_url, webhook_secret, key, kept_secrets}.")
    ] = False,
    stack: StackName = None,
) -> None:
    """Make an organisation, and a key of it with every scope. Secret and key are shown this once."""
    from codesage.clients.keys import create_key
    from codesage.clients.organisations import create_organisation
    from codesage.settings import settings
    from local.cli.operator import operating

    with operating(stack) as outputs:
        made = create_organisation(slug)
        token, _ = create_key(slug, "first key", Scope)
        prefix = f"{settings().secret_prefix}/{slug}"
    webhook_url = f"{outputs['Url']}/webhooks/{slug}/github"
    kept = [f"{prefix}/{name}" for name in made.kept]
    if as_json:
        facts = {
            "org": slug,
            "webhook_url": webhook_url,
            "webhook_secret": made.webhook_secret,
            "key": token,
            "kept_secrets": kept,
        }
        out.print(json.dumps(facts))
        return
    secret = made.webhook_secret or f"the one in {prefix}/github/webhook"
    show_facts([("Webhook URL", webhook_url), ("Webhook secret", secret), ("API key", token)])
    note("Keep secret and key: neither is shown again.")
    for name in kept:
        note(f"The secret {name} was there already and is left as it is.")
    note(f"A token that may read private repositories goes into {prefix}/github/token.")


@orgs.command("list")
def list_orgs(stack: StackName = None) -> None:
    """List the organisations, one a line."""
    from codesage.clients.organisations import known_organisations
    from local.cli.operator import operating

    with operating(stack):
        known = known_organisations()
    for slug in known:
        out.print(Text(slug))
