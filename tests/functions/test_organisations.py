"""Organisations: what one gets of its own, and that none reaches another's."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import pytest
import urllib3

from codesage.clients.keys import create_key
from codesage.clients.organisations import check_known, create_organisation, known_organisations
from codesage.errors import InvalidRequest, NotFound
from codesage.keys import Scope
from codesage.settings import settings
from local.githost import Source
from local.githost.deliveries import deliver
from tests.repositories import GitRepository
from tests.service import Answer, Service, eventually

ZEROS = "0" * 40


@dataclass(frozen=True)
class Tenant:
    """An organisation as its operator knows it, with one repository that nobody else has."""

    service: Service
    org: str
    webhook_secret: str
    key: str
    git: GitRepository
    source: Source

    def push(self, *, org: str | None = None, secret: str | None = None) -> int:
        """Announce the head as a host does. Returns the status."""
        payload = {
            "ref": "refs/heads/main",
            "before": ZEROS,
            "after": self.git.git("rev-parse", "HEAD"),
            "repository": {
                "id": self.source.id,
                "full_name": self.source.name,
                "html_url": None,
                "default_branch": "main",
            },
        }
        url = f"{self.service.stack.url}/webhooks/{org or self.org}/github"
        return deliver(url, "push", payload, secret=secret or self.webhook_secret, delivery_id=None).status

    def get(self, path: str, query: Mapping[str, Any] | None = None) -> Answer:
        return self.service.get(path, query, key=self.key)

    def report(self) -> dict[str, Any]:
        """Of its one repository, once its head is indexed."""
        rows = eventually(
            lambda: self.get("/v1/repositories").body["repositories"],
            lambda rows: bool(rows) and rows[0]["commit"] == self.git.git("rev-parse", "HEAD"),
        )
        [row] = rows
        return cast("dict[str, Any]", row)


@pytest.fixture(scope="module")
def acme(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Tenant:
    """One whose repository was pushed, beside a repository of the default organisation."""
    made = create_organisation("acme")
    assert made.webhook_secret is not None
    key, _ = create_key("acme", "first key", Scope)
    token = {"TOKEN": service.stack.memory.get("githost-token")}
    service.stack.client("secretsmanager").put_secret_value(
        SecretId=f"{settings().secret_prefix}/acme/github/token", SecretString=json.dumps(token)
    )
    git = GitRepository(tmp_path_factory.mktemp("acme") / "work")
    git.commit({"trap.py": "def coyote_trap():\n    return 'anvil'\n"})
    tenant = Tenant(
        service, "acme", made.webhook_secret, key, git, service.stack.githost.add("acme/traps", git.folder)
    )
    assert tenant.push() == 202
    return tenant


@pytest.fixture(scope="module")
def of_default(service: Service, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    git = GitRepository(tmp_path_factory.mktemp("default") / "work")
    git.commit({"run.py": "def roadrunner():\n    return 'beep'\n"})
    return service.index(git, "octo/run")


def secrets_of(service: Service, org: str) -> dict[str, dict[str, str]]:
    """Name without prefix and organisation -> fields."""
    client, prefix = service.stack.client("secretsmanager"), f"{settings().secret_prefix}/{org}/"
    pages = client.get_paginator("list_secrets").paginate()
    names = [secret["Name"] for page in pages for secret in page["SecretList"]]
    return {
        name.removeprefix(prefix): json.loads(client.get_secret_value(SecretId=name)["SecretString"])
        for name in names
        if name.startswith(prefix)
    }


def records_in(service: Service, index: str) -> list[str]:
    """Names of the index's records, its marker left out."""
    memory = service.stack.memory
    headers = {
        "x-algolia-application-id": str(memory.get("algolia-app-id")).upper(),
        "x-algolia-api-key": str(memory.get("algolia-admin-key")),
    }
    url = f"{service.stack.algolia.url}/1/indexes/{index}/browse"
    reply = urllib3.request("POST", url, json={"hitsPerPage": 1000}, headers=headers, retries=False)
    return [hit["entity_name"] for hit in reply.json()["hits"] if "entity_name" in hit]


# ---- how one begins ----------------------------------------------------------------------------------------


def test_an_organisation_has_secrets_of_the_same_names_and_fields_as_the_templates(service: Service) -> None:
    create_organisation("secrets-1")

    made, default = secrets_of(service, "secrets-1"), secrets_of(service, "default")

    assert {name: list(fields) for name, fields in made.items()} == {
        name: list(fields) for name, fields in default.items()
    }


def test_its_webhook_secret_is_its_own_and_nothing_else_is_taken_over_but_the_search(
    service: Service,
) -> None:
    made = [create_organisation(org) for org in ("secrets-2", "secrets-3")]

    first, second, default = (secrets_of(service, org) for org in ("secrets-2", "secrets-3", "default"))

    assert [new.webhook_secret for new in made] == [
        secrets["github/webhook"]["WEBHOOK_SECRET"] for secrets in (first, second)
    ]
    assert len({secrets["github/webhook"]["WEBHOOK_SECRET"] for secrets in (first, second, default)}) == 3
    assert first["github/token"] == {"TOKEN": ""}
    assert first["algolia-admin"] == default["algolia-admin"]
    assert first["algolia-search"] == default["algolia-search"]


def test_where_the_default_has_no_search_the_fields_are_empty(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_PREFIX", "codesage/nothing-set")
    settings.cache_clear()
    try:
        create_organisation("secrets-4")
        made = secrets_of(service, "secrets-4")
    finally:
        monkeypatch.undo()
        settings.cache_clear()

    assert made["algolia-search"] == {"ALGOLIA_APP_ID": "", "ALGOLIA_SEARCH_API_KEY": ""}
    assert made["algolia-admin"] == {"ALGOLIA_APP_ID": "", "ALGOLIA_ADMIN_API_KEY": ""}


def test_an_organisation_that_exists_is_not_made_again(service: Service) -> None:
    create_organisation("twice")
    before = secrets_of(service, "twice")

    for org in ("twice", "default"):
        with pytest.raises(InvalidRequest, match=f"'{org}' exists already"):
            create_organisation(org)

    assert secrets_of(service, "twice") == before


def test_one_that_was_half_made_is_completed_and_what_it_had_is_left_as_it_is(service: Service) -> None:
    service.stack.client("secretsmanager").create_secret(
        Name=f"{settings().secret_prefix}/half/github/webhook", SecretString='{"WEBHOOK_SECRET": "mine"}'
    )

    made = create_organisation("half")

    assert (made.webhook_secret, made.kept) == (None, ("github/webhook",))
    assert secrets_of(service, "half")["github/webhook"] == {"WEBHOOK_SECRET": "mine"}
    assert set(secrets_of(service, "half")) == set(secrets_of(service, "default"))


@pytest.mark.parametrize("slug", ["", "Acme", "a b", "a/b", "..", "ümlaut", "new\n", "a" * 41])
def test_what_is_no_slug_makes_nothing(service: Service, slug: str) -> None:
    before = known_organisations()

    with pytest.raises(InvalidRequest, match="lower-case letters"):
        create_organisation(slug)

    assert known_organisations() == before


def test_an_unknown_organisation_is_refused_with_those_that_are_known(service: Service) -> None:
    create_organisation("known")

    check_known("known")
    check_known("default")
    with pytest.raises(NotFound, match=r"'nobody' is not known; known organisations: .*default.*known"):
        check_known("nobody")


# ---- what is kept apart ------------------------------------------------------------------------------------


def test_a_push_must_be_signed_with_the_secret_of_the_organisation_it_goes_to(acme: Tenant) -> None:
    of_default = acme.service.stack.memory.get("webhook-secret")

    assert acme.push(secret=of_default) == 401
    assert acme.push(org="default") == 401
    assert acme.push() == 202


def test_its_records_items_and_packs_are_under_its_own_name(
    acme: Tenant, of_default: dict[str, Any], service: Service
) -> None:
    number = acme.report()["id"]

    def stored_by(org: str) -> set[str]:
        items = {item["PK"]["S"].split("#")[3] for item in service.items(f"O#{org}#R#")}
        objects = {key.split("/")[2] for key in service.objects(f"packs/{org}/")}
        return items | objects

    assert records_in(service, "codesage_code_entities__org_acme") == ["coyote_trap"]
    assert "coyote_trap" not in records_in(service, "codesage_code_entities")
    assert stored_by("acme") == {str(number)}
    assert str(of_default["id"]) in stored_by("default")
    assert str(number) not in stored_by("default")


def test_its_key_finds_what_it_has_and_nothing_of_others(acme: Tenant, of_default: dict[str, Any]) -> None:
    acme.report()

    own = acme.get("/v1/search", {"q": "coyote_trap"}).body["results"]
    others = acme.get("/v1/search", {"q": "roadrunner"}).body["results"]

    assert [hit["entity_name"] for hit in own] == ["coyote_trap"]
    assert others == []
    assert acme.get(f"/v1/repositories/{of_default['id']}").status == 404
    assert acme.get("/v1/search", {"q": "x", "repository": "octo/run"}).status == 404


def test_nobody_else_finds_anything_of_it(acme: Tenant, of_default: dict[str, Any], service: Service) -> None:
    report = acme.report()
    query = {"q": "coyote_trap"}

    assert service.search("roadrunner")
    assert service.search(**query) == []
    assert service.get("/v1/search", query | {"repository": report["id"]}).status == 404
    assert service.get(f"/v1/repositories/{report['id']}", {"org": "acme"}).status == 404
    assert service.report("acme/traps") is None
