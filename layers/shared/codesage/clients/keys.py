"""API keys <-> DynamoDB, by hash for the authorizer and by organisation for people.

The authorizer stands before every request and starts cold with this module, so items are read by hand here
and not by pydantic.
"""

import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import fields
from typing import cast

from codesage.clients import table
from codesage.errors import InvalidRequest, NotFound, Superseded
from codesage.keys import MAX_REPOSITORIES, ApiKey, Scope, day_of, digest_of, new_token


def create_key(
    org: str,
    name: str,
    scopes: Iterable[Scope],
    expires: int | None = None,
    repositories: Iterable[int] | None = None,
) -> tuple[str, ApiKey]:
    """The token, which is never to be had again, and what is stored of it.

    Args:
        expires: Unix seconds; None for never.
        repositories: numbers of the only ones it may see, 1 to MAX_REPOSITORIES; None for all.

    Raises:
        InvalidRequest: too many repositories, or none, which a stored item could not tell from all.
    """
    limit = None if repositories is None else frozenset(repositories)
    if limit is not None and not 1 <= len(limit) <= MAX_REPOSITORIES:
        raise InvalidRequest(
            f"repositories: a key is limited to 1 to {MAX_REPOSITORIES} of them, or to none."
        )
    token = new_token()
    digest = digest_of(token)
    key = ApiKey(
        id=digest[:12],
        org=org,
        name=name,
        scopes=frozenset(map(str, scopes)),
        created=int(time.time()),
        expires=expires,
        repositories=limit,
    )
    item = _item_of_key(key)
    table.commit(
        [
            table.put(*_by_hash(digest), item),
            table.put(*_by_organisation(key.org, key.id), {**item, "digest": digest}),
        ]
    )
    return token, key


def key_of(token: str) -> ApiKey | None:
    """The stored key, expired or not; None for a token that was never given or was revoked."""
    item = table.get(*_by_hash(digest_of(token)))
    return None if item is None else _key_of_item(item)


def list_keys(org: str) -> list[ApiKey]:
    """Expired ones included, the oldest first."""
    keys = map(_key_of_item, table.query(*_by_organisation(org)))
    return sorted(keys, key=lambda key: key.created)


def note_use(token: str, key: ApiKey, now: float) -> None:
    """Remember the day that the key is used on. Nothing is written where its item names that day already."""
    day = day_of(now)
    if key.used is not None and key.used >= day:
        return
    places = (_by_hash(digest_of(token)), _by_organisation(key.org, key.id))
    with suppress(Superseded):  # it was revoked meanwhile, or another process noted the day
        table.commit(
            [
                table.update(
                    *place,
                    "SET #used = :day",
                    {":day": day},
                    {"#used": "used"},
                    "attribute_exists(PK) AND (attribute_not_exists(#used) OR #used < :day)",
                )
                for place in places
            ]
        )


def revoke_key(org: str, key_id: str) -> None:
    """Raises NotFound. Functions that have just used the key may accept it for another minute."""
    place = _by_organisation(org, key_id)
    item = table.get(*place)
    if item is None:
        raise NotFound(f"No key has the id {key_id!r}.")
    table.commit([table.delete(*_by_hash(str(item["digest"]))), table.delete(*place)])


def _by_hash(digest: str) -> tuple[str, str]:
    return f"KEY#{digest}", "KEY"


def _by_organisation(org: str, key_id: str = "") -> tuple[str, str]:
    """Without an id, where all of the organisation's keys begin."""
    return f"O#{org}", f"KEY#{key_id}"


def _item_of_key(key: ApiKey) -> dict[str, object]:
    """What is None is left out, so that a condition need only ask whether it is there."""
    values = {field.name: getattr(key, field.name) for field in fields(key)}
    return {name: value for name, value in values.items() if value is not None}


def _key_of_item(item: Mapping[str, object]) -> ApiKey:
    limit = cast("frozenset[str] | None", item.get("repositories"))  # numbers in a set are stored as text
    return ApiKey(
        id=str(item["id"]),
        org=str(item["org"]),
        name=str(item["name"]),
        scopes=cast("frozenset[str]", item.get("scopes", frozenset())),
        created=cast("int", item["created"]),
        expires=cast("int | None", item.get("expires")),
        repositories=None if limit is None else frozenset(map(int, limit)),
        used=cast("int | None", item.get("used")),
    )
