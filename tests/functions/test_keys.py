"""API keys: what they open, for how long, and what is kept of them."""

import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import urllib3
from botocore.model import OperationModel
from starlette.requests import Request

from codesage.clients import table
from codesage.clients.aws import dynamodb
from codesage.clients.keys import create_key, key_of, list_keys, note_use, revoke_key
from codesage.errors import InvalidRequest
from codesage.keys import DAY_SECONDS, MAX_REPOSITORIES, Scope, day_of, digest_of, new_token
from functions.authorizer import app
from tests.proxy import Ask, between
from tests.repositories import GitRepository
from tests.service import Service

NOON = 20_000 * DAY_SECONDS + 12 * 3_600
ARN = "arn:aws:execute-api:eu-west-1:123456789012:api/dev/GET/v1/search"


@dataclass
class Clock:
    """What the authorizer of this process takes for the time."""

    now: float

    def time(self) -> float:
        return self.now


@pytest.fixture
def clock(service: Service, monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock(NOON)
    monkeypatch.setattr(app, "time", clock)
    monkeypatch.setattr(app, "_kept", {})
    return clock


@pytest.fixture
def calls(service: Service) -> Iterator[Counter[str]]:
    """What this process asks the database, by operation; refused calls included."""
    calls: Counter[str] = Counter()

    def count(model: OperationModel, **_: object) -> None:
        calls[model.name] += 1

    events = dynamodb().meta.events
    events.register("before-call.dynamodb", count)
    yield calls
    events.unregister("before-call.dynamodb", count)


def asked(headers: Mapping[str, str] | None) -> dict[str, Any]:
    return app.lambda_handler({"methodArn": ARN, "headers": headers}, SimpleNamespace())  # type: ignore[arg-type]


def opens(token: str) -> bool:
    [statement] = asked({"Authorization": f"Bearer {token}"})["policyDocument"]["Statement"]
    return bool(statement["Effect"] == "Allow")


def key(*scopes: Scope, **limits: Any) -> str:
    return create_key("default", "for a test", scopes or (Scope.SEARCH,), **limits)[0]


def items_of(service: Service, token: str) -> list[dict[str, Any]]:
    """Both of a key's items, where they are."""
    digest = digest_of(token)
    by_organisation = [item for item in service.items("O#default") if item.get("digest") == {"S": digest}]
    return service.items(f"KEY#{digest}") + by_organisation


def repository(service: Service, folder: Path, name: str) -> int:
    git = GitRepository(folder / name.replace("/", "-"))
    git.commit({"a.py": "def tell_me():\n    pass\n"})
    return int(service.index(git, name)["id"])


# ---- what a key opens --------------------------------------------------------------------------------------


def test_a_key_opens_what_its_scopes_name_and_nothing_else(service: Service) -> None:
    search, index = key(Scope.SEARCH), key(Scope.INDEX)
    body = json.dumps({"name": "nobody/nothing"}).encode()

    def added(token: str) -> int:
        return service.post("/v1/repositories", body, {"x-api-key": token}).status

    assert service.get("/v1/repositories", key=search).status == 200
    assert service.get("/v1/repositories", key=index).status == 403
    assert added(search) == 403
    assert added(index) == 400  # it may, and there is no such repository


def test_a_key_for_some_repositories_sees_no_other(service: Service, tmp_path: Path) -> None:
    seen, unseen = (repository(service, tmp_path, name) for name in ("keys/seen", "keys/unseen"))
    token = key(repositories=[seen])

    listed = service.get("/v1/repositories", key=token).body["repositories"]
    found = service.get("/v1/search", {"q": "tell_me"}, key=token).body["results"]

    assert {hit["repository"] for hit in service.search("tell_me")} == {"keys/seen", "keys/unseen"}
    assert [hit["repository"] for hit in found] == ["keys/seen"]
    assert [row["id"] for row in listed] == [seen]
    assert service.get(f"/v1/repositories/{unseen}", key=token).status == 404


def test_the_limits_of_a_key_reach_the_functions_as_text(clock: Clock) -> None:
    limited, unlimited = key(Scope.SEARCH, Scope.INDEX, repositories=[12, 3]), key()

    answer = asked({"x-api-key": limited})

    assert answer["context"] == {
        "org": "default",
        "key_id": answer["principalId"],
        "scopes": "index search",
        "repositories": "3 12",
    }
    assert "repositories" not in asked({"x-api-key": unlimited})["context"]


@pytest.mark.parametrize("count", [0, MAX_REPOSITORIES + 1])
def test_a_key_for_no_repository_or_for_too_many_is_not_made(service: Service, count: int) -> None:
    before = list_keys("default")

    with pytest.raises(InvalidRequest, match="1 to 500"):
        key(repositories=range(1, count + 1))

    assert list_keys("default") == before


# ---- where the key is looked for ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Authorization", "Bearer {}"),
        ("authorization", "bearer {}"),
        ("AUTHORIZATION", "  BEARER   {}  "),
        ("x-api-key", "{}"),
        ("X-Api-Key", " {} "),
    ],
)
def test_a_key_is_found_in_either_header_in_any_case(
    service: Service, clock: Clock, name: str, value: str
) -> None:
    headers = {name: value.format(service.key)}

    answer = asked(headers)

    assert answer["context"]["org"] == "default"


@pytest.mark.parametrize("other", ["Basic dXNlcjpwYXNz", "Bearer", "Bearer ", ""])
def test_an_authorization_without_a_bearer_leaves_it_to_the_other_header(
    service: Service, clock: Clock, other: str
) -> None:
    answer = asked({"Authorization": other, "x-api-key": service.key})

    assert answer["context"]["org"] == "default"


def test_of_two_keys_the_bearer_decides(service: Service) -> None:
    good, bad = service.key, new_token()

    def status(bearer: str, api_key: str) -> int:
        headers = {"Authorization": f"Bearer {bearer}", "x-api-key": api_key}
        return service.post("/v1/nothing", b"", headers).status

    assert status(good, bad) == 404
    assert status(bad, good) == 401


@pytest.mark.parametrize("headers", [None, {}, {"Authorization": "Basic dXNlcjpwYXNz"}, {"x-api-key": " "}])
def test_a_request_without_a_key_is_told_that_it_needs_one(
    clock: Clock, headers: dict[str, str] | None
) -> None:
    with pytest.raises(Exception, match=r"^Unauthorized$"):
        asked(headers)


@pytest.mark.parametrize(
    "token",
    ["cs_", "cs_é" + "a" * 42, "cs_\udcff" + "a" * 42, "cs_" + "a" * 44, "x" * 1_000_000, "cs_" + "a" * 43],
    ids=["short", "accent", "surrogate", "one too long", "a million", "never given"],
)
def test_a_token_that_was_never_given_opens_nothing(clock: Clock, token: str) -> None:
    assert not opens(token)


@pytest.mark.parametrize("token", ["x" * 8_000, "clé", "cs_ two words", "a, b"])
def test_a_strange_token_is_unauthorized_over_http(service: Service, token: str) -> None:
    answer = service.post("/v1/nothing", b"", {"x-api-key": token})

    assert (answer.status, answer.body["error"]["type"]) == (401, "Unauthenticated")


# ---- for how long ------------------------------------------------------------------------------------------


def test_an_expired_key_is_unauthorized(service: Service) -> None:
    expired = service.get("/v1/repositories", key=key(expires=int(time.time()) - 1))
    valid = service.get("/v1/repositories", key=key(expires=int(time.time()) + 3_600))

    assert (expired.status, valid.status) == (401, 200)
    assert expired.body["error"]["message"] == "The API key is not valid."


def test_a_key_ends_on_time_although_it_was_read_before(clock: Clock) -> None:
    token = key(expires=NOON + 10)

    assert opens(token)
    clock.now = NOON + 9.9
    assert opens(token)
    clock.now = NOON + 10
    assert not opens(token)


@pytest.mark.parametrize("read_at", [NOON, NOON + 1, NOON + 59.5])
def test_a_revoked_key_is_refused_a_minute_after_it_was_read(clock: Clock, read_at: float) -> None:
    clock.now = read_at
    token = key()
    assert opens(token)

    revoke_key("default", digest_of(token)[:12])

    clock.now = read_at + 59.9
    assert opens(token)
    clock.now = read_at + 60
    assert not opens(token)


def test_a_clock_that_was_set_back_keeps_no_revoked_key(clock: Clock) -> None:
    token = key()
    assert opens(token)
    revoke_key("default", digest_of(token)[:12])

    clock.now = NOON - 1

    assert not opens(token)


def test_a_revoked_key_is_unauthorized_where_it_was_not_seen_lately(service: Service) -> None:
    token = key()

    revoke_key("default", digest_of(token)[:12])

    assert service.get("/v1/repositories", key=token).status == 401


# ---- what is looked up -------------------------------------------------------------------------------------


@pytest.mark.parametrize("known", [True, False])
def test_a_token_is_looked_up_once_a_minute_whether_it_is_known_or_not(
    clock: Clock, calls: Counter[str], known: bool
) -> None:
    token = key() if known else new_token()

    counts = []
    for moment in (NOON, NOON + 1, NOON + 59, NOON + 60, NOON + 61):
        clock.now = moment
        opens(token)
        counts.append(calls["GetItem"])

    assert counts == [1, 1, 1, 2, 2]


def test_what_no_key_looks_like_is_not_looked_up(clock: Clock, calls: Counter[str]) -> None:
    opens("cs_wrong")

    assert not calls


def test_tokens_that_are_guessed_do_not_fill_the_memory(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "MAX_KEPT", 4)
    token = key()
    assert opens(token)

    for _ in range(10):
        assert not opens(new_token())

    assert len(app._kept) == 4
    assert opens(token)


# ---- what is kept of it ------------------------------------------------------------------------------------


def test_nothing_in_the_database_holds_the_key(service: Service) -> None:
    token = key()
    service.get("/v1/repositories", key=token)

    everything = str(service.items(""))

    assert digest_of(token) in everything
    assert token not in everything
    assert token.removeprefix("cs_") not in everything


def test_a_key_is_read_as_it_was_made(service: Service) -> None:
    token, made = create_key(
        "default", "Ada's laptop", [Scope.INDEX, Scope.SEARCH], expires=NOON, repositories=[7, 1_000_000]
    )
    plain_token, plain = create_key("default", "plain", [Scope.ADMIN])

    listed = list_keys("default")

    assert (key_of(token), key_of(plain_token)) == (made, plain)
    assert made in listed
    assert plain in listed


def test_a_key_that_was_stored_before_keys_had_limits_is_still_one(clock: Clock) -> None:
    token = new_token()
    facts = {"id": "old", "org": "default", "name": "old", "created": 1, "expires": None}
    item = facts | {"scopes": frozenset({"search"})}
    table.commit([table.put(f"KEY#{digest_of(token)}", "KEY", item)])

    answer = asked({"x-api-key": token})

    assert answer["context"] == {"org": "default", "key_id": "old", "scopes": "search"}


def test_the_day_of_last_use_is_noted_on_both_items_and_no_moment(service: Service) -> None:
    token = key()
    before = day_of(time.time())

    service.get("/v1/repositories", key=token)

    used = [int(item["used"]["N"]) for item in items_of(service, token)]
    assert len(used) == 2
    assert set(used) <= {before, day_of(time.time())}


def test_last_use_is_written_once_a_day(clock: Clock, calls: Counter[str]) -> None:
    token = key()
    calls.clear()

    counts = []
    for moment in (NOON, NOON + 30, NOON + 61, NOON + DAY_SECONDS, NOON + DAY_SECONDS + 61):
        clock.now = moment
        opens(token)
        counts.append(calls["TransactWriteItems"])

    assert counts == [1, 1, 1, 2, 2]
    stored = key_of(token)
    assert stored is not None
    assert stored.used == day_of(NOON + DAY_SECONDS)


def test_a_day_that_another_process_noted_is_not_set_back(service: Service) -> None:
    token = key()
    stored = key_of(token)
    assert stored is not None

    note_use(token, stored, NOON + DAY_SECONDS)
    note_use(token, stored, NOON)

    assert key_of(token) == replace(stored, used=day_of(NOON + DAY_SECONDS))


def test_noting_its_use_does_not_bring_back_a_key_that_was_revoked_meanwhile(service: Service) -> None:
    token = key()
    stored = key_of(token)
    assert stored is not None
    revoke_key("default", stored.id)

    note_use(token, stored, NOON)

    assert items_of(service, token) == []


def test_an_expired_key_is_not_noted_as_used(clock: Clock) -> None:
    token = key(expires=NOON)

    opens(token)

    stored = key_of(token)
    assert stored is not None
    assert stored.used is None


def test_a_use_that_cannot_be_noted_refuses_nobody(service: Service) -> None:
    token = key()

    def refuse_writes(request: Request, _: bytes, ask: Ask) -> urllib3.BaseHTTPResponse:
        if not request.headers.get("x-amz-target", "").endswith("WriteItems"):
            return ask()
        refusal = {"__type": "com.amazon.coral.service#AccessDeniedException", "message": "no"}
        return urllib3.HTTPResponse(json.dumps(refusal).encode(), status=400)

    with between([service.stack.functions["AuthorizerFunction"]], "AWS_ENDPOINT_URL", refuse_writes):
        answer = service.get("/v1/repositories", key=token)

    assert answer.status == 200
    assert [item.get("used") for item in items_of(service, token)] == [None, None]
