"""The description of the API is what the API does."""

from collections.abc import Iterator
from http import HTTPStatus

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import Case
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from codesage.clients.keys import create_key
from codesage.keys import Scope
from functions.search.app import ROUTES
from local import openapi
from tests.api.conftest import indexed_for
from tests.api.corpus import FILES
from tests.repositories import GitRepository
from tests.service import Service

CHECKS = (
    not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance,
)  # fmt: skip
EXAMPLES = 30  # for each operation


@pytest.fixture(scope="module")
def fuzzed(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    """A key for, and the number in, an organisation of its own, because everything is tried on it."""
    git = GitRepository(tmp_path_factory.mktemp("fuzzed") / "work")
    git.commit(FILES)
    number = indexed_for(service, "fuzzed", git, "fuzzed/search")
    yield create_key("fuzzed", "everything", list(Scope))[0], number
    service.quiet()  # each change of settings has a run of its own


schema = schemathesis.openapi.from_path(openapi.TARGET)  # a test below shows that it is served


@schema.parametrize()
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
    database=None,
)
def test_whatever_is_sent_is_answered_as_described(
    case: Case, service: Service, fuzzed: tuple[str, int]
) -> None:
    key, number = fuzzed
    if "id" in (case.path_parameters or {}) and case.method != "DELETE":
        case.path_parameters["id"] = number  # any other is only ever unknown
    headers = {"Authorization": f"Bearer {key}"}

    case.call_and_validate(base_url=service.stack.url, headers=headers, checks=CHECKS)


def test_the_committed_description_is_what_the_models_say() -> None:
    assert openapi.TARGET.read_text() == openapi.text(), "run `make openapi` and commit it"


def test_every_route_is_described_and_every_described_route_is_there() -> None:
    served = {(route.method.lower(), route.path.replace("+}", "}")) for route in ROUTES}

    assert served == {(operation.method, operation.path) for operation in openapi.OPERATIONS}


def test_the_description_is_served_without_a_key_and_not_sent_twice(service: Service) -> None:
    first = service.request("GET", "/openapi.json", key=None)
    again = service.request(
        "GET", "/openapi.json", key=None, headers={"If-None-Match": first.headers["ETag"]}
    )

    assert (first.status, first.body) == (HTTPStatus.OK, openapi.description())
    assert (again.status, again.body) == (HTTPStatus.NOT_MODIFIED, b"")


def test_every_example_of_the_description_has_the_form_that_it_describes() -> None:
    for operation in openapi.OPERATIONS:
        if operation.reply is not None and operation.example is not None:
            assert (
                operation.reply.model_validate(operation.example).model_dump(mode="json") == operation.example
            )
        if operation.body is not None:
            operation.body.model_validate(operation.body_example)
