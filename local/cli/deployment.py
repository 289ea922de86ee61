"""The environment, else the profile of a running local stack -> which CodeSage the commands speak to."""

import os
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from local.cli.errors import CommandError
from local.profile import Profile


@dataclass(frozen=True, slots=True)
class Deployment:
    """Where to ask.

    Attributes:
        url: the API's base URL, without a slash at the end.
        api_key: None where nobody gave one.
        profile: of the local stack; None where `url` came from CODESAGE_URL.
    """

    url: str
    api_key: str | None
    profile: Profile | None


def data_folder() -> Path:
    """CODESAGE_DATA, else the default."""
    named = os.environ.get("CODESAGE_DATA")
    return Path(named).expanduser() if named else default_data_folder()


def default_data_folder() -> Path:
    """`~/.local/share/codesage`: one stack per person, whatever folder a shell is in."""
    return Path.home() / ".local" / "share" / "codesage"


def deployment() -> Deployment:
    """What CODESAGE_URL and CODESAGE_API_KEY say, else the stack that runs on the data folder.

    A local stack's key is never sent to a URL of the environment.

    Raises:
        CommandError: neither is there.
    """
    api_key = os.environ.get("CODESAGE_API_KEY") or None
    url = os.environ.get("CODESAGE_URL")
    if url:
        return Deployment(url.rstrip("/"), api_key, None)
    profile = local_profile()
    return Deployment(profile.url, api_key or profile.api_key, profile)


def local_profile() -> Profile:
    """Raises CommandError: no stack runs on the data folder."""
    data = data_folder()
    try:
        return Profile.read(data)
    except FileNotFoundError:
        raise CommandError(
            f"no stack runs on {data}; start it with `codesage up`, or name another with CODESAGE_DATA=DIR"
            " or CODESAGE_URL=URL"
        ) from None
    except (OSError, ValidationError) as error:
        raise CommandError(f"the profile in {data} cannot be read; start the stack anew") from error
