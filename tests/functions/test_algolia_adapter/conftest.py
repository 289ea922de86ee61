"""The adapter's environment: an application of each test's own, and servers in the place of its hosts."""

import socket
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import fields
from uuid import uuid4

import pytest
from algoliasearch.http.hosts import CallType, Host, HostsCollection
from algoliasearch.search.config import SearchConfig

from codesage.clients import secrets
from codesage.settings import Settings, settings
from tests.functions.test_algolia_adapter.scripted import (
    ADMIN,
    NAME,
    PREFIX,
    SEARCH,
    Algolia,
    Serve,
    Simulated,
    UseHosts,
)
from tests.loopback import HOST, Loopback


@pytest.fixture(autouse=True)
def app_id() -> Iterator[str]:
    """An application that no other test has, in an environment of its own."""
    app_id = f"APP{uuid4().hex[:8].upper()}"
    with pytest.MonkeyPatch.context() as environment:
        for setting in fields(Settings):
            environment.setenv(setting.name.upper(), "1")
        environment.setenv("ALGOLIA_INDEX_NAME", NAME)
        environment.setenv("ALGOLIA_ENDPOINT", "")
        environment.setenv("SECRET_PREFIX", PREFIX)
        for name in ("HTTP_PROXY", "HTTPS_PROXY"):
            environment.delenv(name, raising=False)
        for role, key in (("admin", ADMIN), ("search", SEARCH)):
            found = {"ALGOLIA_APP_ID": app_id, f"ALGOLIA_{role.upper()}_API_KEY": key}
            environment.setitem(secrets._cache, f"{PREFIX}/default/algolia-{role}", (float("inf"), found))
        settings.cache_clear()
        yield app_id
    settings.cache_clear()


@pytest.fixture
def clock() -> Simulated:
    return Simulated()


@pytest.fixture
def algolia() -> Algolia:
    return Algolia()


@pytest.fixture
def server(algolia: Algolia, monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    """The one host of the application."""
    with Loopback(algolia.answer) as server:
        monkeypatch.setenv("ALGOLIA_ENDPOINT", server.url)
        yield server


@pytest.fixture
def serve() -> Iterator[Serve]:
    with ExitStack() as running:
        yield lambda algolia: running.enter_context(Loopback(algolia.answer))


@pytest.fixture
def use_hosts(monkeypatch: pytest.MonkeyPatch) -> UseHosts:
    """Puts others in the place of the hosts that the client knows by itself."""

    def use_hosts(read: Sequence[int], write: Sequence[int]) -> None:
        def set_hosts(config: SearchConfig) -> None:
            roles = [(port, CallType.READ) for port in read] + [(port, CallType.WRITE) for port in write]
            config.hosts = HostsCollection([Host(HOST, "http", port, accept=role) for port, role in roles])

        monkeypatch.setattr(SearchConfig, "set_default_hosts", set_hosts)

    return use_hosts


@pytest.fixture
def closed() -> Iterator[int]:
    """A port that is taken and refuses connections."""
    with socket.socket() as bound:
        bound.bind((HOST, 0))
        yield bound.getsockname()[1]
