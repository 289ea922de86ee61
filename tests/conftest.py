"""What tests of all kinds share: one running stack, started when a test first asks for it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from local.stack import Stack
    from tests.service import Service


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Stack]":
    """The whole service with empty state, in which what takes a minute takes a second."""
    from local.stack import Stack  # here, because most tests need no stack and its imports are heavy

    with Stack(tmp_path_factory.mktemp("stack"), port=0, time_factor=60) as running:
        yield running


@pytest.fixture(scope="session")
def service(stack: "Stack") -> "Iterator[Service]":
    """The same stack, with this process as its operator: it makes API keys and looks into the stores."""
    from tests.service import Service

    with pytest.MonkeyPatch.context() as environment:
        for name, value in stack.functions["AuthorizerFunction"]._variables.items():
            environment.setenv(name, value)
        yield Service(stack)
