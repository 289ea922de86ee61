"""One stack with two indexed repositories, for all that asks the API questions."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from codesage.clients.aws import secretsmanager
from codesage.clients.keys import create_key
from codesage.clients.organisations import create_organisation
from codesage.keys import Scope
from codesage.settings import settings
from local.githost.deliveries import deliver
from local.githost.payloads import RefChange, push_json
from tests.api.corpus import FILES, OTHER_FILES, WEB
from tests.repositories import GitRepository
from tests.service import Service, eventually


@dataclass(frozen=True)
class Indexed:
    """A repository as the tests know it."""

    service: Service
    name: str
    id: int
    commit: str
    git: GitRepository


@pytest.fixture(scope="session")
def corpus(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Indexed:
    """octo/search, whose links are known."""
    return indexed(service, "octo/search", tmp_path_factory.mktemp("search"), FILES, WEB)


@pytest.fixture(scope="session")
def other(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Indexed:
    """octo/other, whose host is not known."""
    return indexed(service, "octo/other", tmp_path_factory.mktemp("other"), OTHER_FILES, None)


def indexed(
    service: Service,
    name: str,
    folder: Path,
    files: dict[str, str | bytes | None],
    web_url: str | None,
) -> Indexed:
    git = GitRepository(folder / "work")
    git.commit(files)
    report = service.index(git, name, web_url)
    return Indexed(service, name, report["id"], report["commit"], git)


def indexed_for(service: Service, org: str, git: GitRepository, name: str) -> int:
    """Push to another organisation's webhook, signed with its secret, and wait; returns the number."""
    made = create_organisation(org)
    token = service.stack._secret("githost-token")
    secretsmanager().put_secret_value(
        SecretId=f"{settings().secret_prefix}/{org}/github/token", SecretString=json.dumps({"TOKEN": token})
    )
    host = service.stack.githost
    source = host.add(name, git.folder, f"https://github.com/{name}")
    head = git.git("rev-parse", "HEAD")
    change = RefChange("refs/heads/main", "0" * 40, head)
    payload = push_json(host._sources, source, change, host.url)
    url = f"{service.stack.url}/webhooks/{org}/github"
    delivery = deliver(url, "push", payload, secret=made.webhook_secret or "", delivery_id=None)
    assert delivery.accepted, delivery
    key, _ = create_key(org, "waiting", [Scope.SEARCH])

    def reports() -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = service.get("/v1/repositories", key=key).body["repositories"]
        return [row for row in rows if row["commit"] == head and row["freshness"] == "fresh"]

    [row] = eventually(reports, bool)
    return int(row["id"])
