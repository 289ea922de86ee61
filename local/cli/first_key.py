"""A running local stack -> the API key that its data folder remembers, made where there is none."""

from codesage.clients.keys import create_key, key_of
from codesage.keys import Scope
from local.cli.operator import use_local
from local.stack import Stack


def first_key(stack: Stack) -> str:
    """A key with every scope, in the stack's memory and its profile.

    It outlives restarts, unless it was revoked meanwhile: so it is looked up. A stack that begins empty
    remembers none.
    """
    use_local(stack.profile)
    remembered = stack.memory.get("api_key")
    if remembered is not None and key_of(remembered) is not None:
        return remembered
    token, _ = create_key("default", "this machine", Scope)
    stack.remember("api_key", token)
    return token
