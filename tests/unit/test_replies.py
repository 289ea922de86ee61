"""What an outcome looks like over HTTP."""

import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import fields
from http import HTTPStatus
from typing import NoReturn

import pytest

from codesage.errors import (
    CodeSageError,
    InvalidRequest,
    Misconfigured,
    NotReady,
    TooManyRequests,
    Unauthenticated,
    Unavailable,
)
from codesage.replies import INTERNAL, Answer, error_answer, http_answer, preflight, with_cors
from codesage.settings import Settings, settings

ORIGIN = "https://code.example"


@pytest.fixture
def cors(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Sets the one origin that may call."""
    for field in fields(Settings):
        monkeypatch.setenv(field.name.upper(), "1")

    def allow(origin: str) -> None:
        monkeypatch.setenv("CORS_ORIGIN", origin)
        settings.cache_clear()

    yield allow
    settings.cache_clear()


def raising(error: Exception) -> Callable[[], NoReturn]:
    def ask() -> NoReturn:
        raise error

    return ask


@pytest.mark.parametrize(
    ("error", "status", "wait"),
    [
        (TooManyRequests("slower", 7), 429, "7"),
        (Unavailable("away", 30), 503, "30"),
        (Unavailable("away"), 503, "5"),
        (NotReady("soon", 10), 409, "10"),
        (NotReady("never began"), 409, None),
        (Misconfigured("no key"), 503, None),
        (InvalidRequest("no"), 400, None),
    ],
)
def test_an_error_says_when_to_try_again_where_waiting_helps(
    error: CodeSageError, status: int, wait: str | None
) -> None:
    answer = error_answer(error)

    assert (answer.status, answer.headers.get("Retry-After")) == (status, wait)
    assert answer.body == {"error": {"type": type(error).__name__, "message": str(error)}}


def test_who_is_not_known_is_told_how_to_be() -> None:
    assert error_answer(Unauthenticated("who?")).headers["WWW-Authenticate"] == "Bearer"


def test_an_unforeseen_error_says_nothing_of_itself_and_is_logged_with_the_request(
    caplog: pytest.LogCaptureFixture,
) -> None:
    answer = http_answer(raising(RuntimeError("host-17.internal refused")), "r-1")

    assert answer.status == HTTPStatus.INTERNAL_SERVER_ERROR
    assert answer.body == {"error": {"type": "InternalError", "message": INTERNAL}}
    assert "request r-1: unforeseen" in caplog.text
    assert "host-17.internal refused" in caplog.text


def test_a_vendors_text_stays_out_of_the_answer() -> None:
    def ask() -> NoReturn:
        try:
            raise OSError("host-17.internal refused")
        except OSError as error:
            raise Unavailable("Search is unavailable; try again later.") from error

    assert "host-17" not in http_answer(ask, "r-1").text


def test_the_request_id_is_in_the_log_and_in_every_answer(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        good = http_answer(lambda: Answer(HTTPStatus.OK, {}, {"ETag": '"1"'}), "r-1")
        bad = http_answer(raising(InvalidRequest("no")), "r-2")

    assert good.headers == {"ETag": '"1"', "X-Request-Id": "r-1"}
    assert bad.headers == {"X-Request-Id": "r-2"}
    assert "request r-2 was answered with InvalidRequest: no" in caplog.text


def test_an_answer_without_a_body_is_empty() -> None:
    reply = Answer(HTTPStatus.NOT_MODIFIED, None, {"ETag": '"1"'}).proxy_reply

    assert (reply["statusCode"], reply["body"]) == (304, "")
    assert reply["headers"] == {"ETag": '"1"'}


def test_a_path_that_is_no_utf8_leaves_as_json_that_reads_back_the_same() -> None:
    body = {"path": b"caf\xe9 \xf0\x9f\x9a\x80.py".decode("utf-8", "surrogateescape")}

    text = Answer(HTTPStatus.OK, body).text

    assert json.loads(text.encode("utf-8")) == body
    assert "🚀" in text


def test_without_an_allowed_origin_no_page_may_read_an_answer(cors: Callable[[str], None]) -> None:
    cors("")

    assert with_cors(Answer(HTTPStatus.OK, {})).headers == {}
    assert with_cors(preflight()) == Answer(HTTPStatus.NO_CONTENT, None, {})


def test_pages_of_the_allowed_origin_may_send_a_key_and_read_when_to_come_back(
    cors: Callable[[str], None],
) -> None:
    cors(ORIGIN)

    asked, answered = with_cors(preflight()), with_cors(Answer(HTTPStatus.OK, {}, {"ETag": '"1"'}))

    assert asked.headers["Access-Control-Allow-Origin"] == ORIGIN
    assert "Authorization" in asked.headers["Access-Control-Allow-Headers"]
    assert "DELETE" in asked.headers["Access-Control-Allow-Methods"]
    assert answered.headers["Access-Control-Allow-Origin"] == ORIGIN
    assert "Retry-After" in answered.headers["Access-Control-Expose-Headers"]
    assert answered.headers["ETag"] == '"1"'
