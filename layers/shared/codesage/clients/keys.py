"""API keys <-> DynamoDB, by hash for the authorizer and by organisation for people."""

import time
from collections.abc import Iterable
from typing import cast

from pydantic import TypeAdapter

from codesage.clients import table
from codesage.errors import NotFound
from codesage.keys import ApiKey, Scope, digest_of, new_token

API_KEY = TypeAdapter(ApiKey)


def create_key(
    org: str, name: str, scopes: Iterable[Scope], expires: int | None = None
) -> tuple[str, ApiKey]:
    """The token, which is never to be had again, and what is stored of it."""
    token = new_token()
    digest = digest_of(token)
    key = ApiKey(
        id=digest[:12],
        org=org,
        name=name,
        scopes=frozenset(map(str, scopes)),
        created=int(time.time()),
        expires=expires,
    )
    facts = cast("dict[str, object]", API_KEY.dump_python(key))
    table.commit(
        [
            table.put(f"KEY#{digest}", "KEY", facts),
            table.put(f"O#{org}", f"KEY#{key.id}", {**facts, "digest": digest}),
        ]
    )
    return token, key


def key_of(token: str) -> ApiKey | None:
    """The stored key, expired or not; None for a token that was never given or was revoked."""
    item = table.get(f"KEY#{digest_of(token)}", "KEY")
    return None if item is None else API_KEY.validate_python(item)


def list_keys(org: str) -> list[ApiKey]:
    keys = [API_KEY.validate_python(item) for item in table.query(f"O#{org}", "KEY#")]
    return sorted(keys, key=lambda key: key.created)


def revoke_key(org: str, key_id: str) -> None:
    """Raises NotFound. Functions that have just used the key may accept it for another minute."""
    item = table.get(f"O#{org}", f"KEY#{key_id}")
    if item is None:
        raise NotFound(f"No key has the id {key_id!r}.")
    table.commit([table.delete(f"KEY#{item['digest']}", "KEY"), table.delete(f"O#{org}", f"KEY#{key_id}")])
