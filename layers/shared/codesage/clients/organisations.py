"""Organisations <-> the list in DynamoDB and their secrets: which there are, and how one begins.

All that one needs to begin are its line in the list and its secrets; index, prefixes and keys follow from its
name. Only operators come here, with rights of their own, so that AWS's refusals reach them as they are.
"""

import json
from dataclasses import dataclass
from secrets import token_hex

from codesage.clients import table
from codesage.clients.aws import secretsmanager
from codesage.clients.secrets import secret
from codesage.clients.store import ORGS, organisations
from codesage.errors import InvalidRequest, NotFound
from codesage.messages import ORG
from codesage.settings import settings

DEFAULT = "default"  # made by the template, with its secrets
WEBHOOK = "github/webhook"
SEARCH = {
    "algolia-admin": ("ALGOLIA_APP_ID", "ALGOLIA_ADMIN_API_KEY"),
    "algolia-search": ("ALGOLIA_APP_ID", "ALGOLIA_SEARCH_API_KEY"),
}


@dataclass(frozen=True, slots=True)
class NewOrganisation:
    """What its first operator must know.

    Attributes:
        webhook_secret: what git hosts sign with, never shown again; None where its secret is one of `kept`.
        kept: names of secrets that were there already, and were left as they are.
    """

    org: str
    webhook_secret: str | None
    kept: tuple[str, ...]


def known_organisations() -> list[str]:
    """By name; the default one is always there."""
    return sorted({DEFAULT, *organisations()})


def check_known(org: str) -> None:
    """Raises NotFound, which names those that are known."""
    known = known_organisations()
    if org not in known:
        raise NotFound(f"The organisation {org!r} is not known; known organisations: {', '.join(known)}.")


def create_organisation(org: str) -> NewOrganisation:
    """Make its secrets, then put it on the list. After a failure it may be called again.

    The search application is the default organisation's, where that one has one: an index of its own keeps
    them apart. No git host's token is taken over.

    Raises:
        InvalidRequest: no slug, or there is such an organisation.
        ClientError: AWS refused.
    """
    if not ORG.fullmatch(org):
        raise InvalidRequest(
            f"{org!r} is no name of an organisation: 1 to 40 lower-case letters, digits and hyphens."
        )
    if org in known_organisations():
        raise InvalidRequest(
            f"The organisation {org!r} exists already; `keys create --org {org}` makes a key for it."
        )
    webhook_secret = token_hex(32)
    kept = [
        name
        for name, fields in _secrets(webhook_secret).items()
        if not _add_secret(f"{settings().secret_prefix}/{org}/{name}", fields)
    ]
    table.commit([table.put(ORGS, org, {})])
    return NewOrganisation(org, None if WEBHOOK in kept else webhook_secret, tuple(kept))


def _secrets(webhook_secret: str) -> dict[str, dict[str, str]]:
    """Name -> fields, as in the template. The one that is shown once comes last: others may fail."""
    copies = {
        name: {field: secret(DEFAULT, name).get(field, "") for field in fields}
        for name, fields in SEARCH.items()
    }
    return {**copies, "github/token": {"TOKEN": ""}, WEBHOOK: {"WEBHOOK_SECRET": webhook_secret}}


def _add_secret(name: str, fields: dict[str, str]) -> bool:
    """False where there is such a secret already."""
    client = secretsmanager()
    try:
        client.create_secret(Name=name, SecretString=json.dumps(fields))
    except client.exceptions.ResourceExistsException:
        return False
    return True
