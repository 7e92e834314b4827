"""What is done for every request: its number, the visitor's address, the line in the log."""

import json
import logging
import sys

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from pytest_django import Settings

from portal.logs import JsonLines, request_id
from portal.middleware import bound_request, name_request, see_visitor_address


def address(request: HttpRequest) -> HttpResponse:
    return HttpResponse(request.META["REMOTE_ADDR"])


@pytest.mark.parametrize(
    ("proxies", "header", "seen"),
    [
        (0, "6.6.6.6", "10.0.0.1"),
        (1, "6.6.6.6, 1.2.3.4", "1.2.3.4"),
        (2, "6.6.6.6, 1.2.3.4, 10.0.0.9", "1.2.3.4"),
        (2, "1.2.3.4", "10.0.0.1"),
        (1, "", "10.0.0.1"),
    ],
    ids=["no proxy", "one", "two", "fewer than there should be", "no header"],
)
def test_an_address_is_believed_as_far_as_our_own_proxies_wrote_it(
    proxies: int, header: str, seen: str, settings: Settings
) -> None:
    settings.PROXIES = proxies
    request = RequestFactory().get("/", REMOTE_ADDR="10.0.0.1", HTTP_X_FORWARDED_FOR=header)
    assert see_visitor_address(address)(request).content.decode() == seen


def test_a_request_has_a_number_of_ours_while_it_is_answered_and_in_its_answer() -> None:
    request = RequestFactory().get("/", HTTP_X_REQUEST_ID="theirs")
    response = name_request(lambda _: HttpResponse(request_id.get()))(request)
    assert response["X-Request-Id"] == response.content.decode() != "theirs"
    assert len(response["X-Request-Id"]) == 32
    assert request_id.get() == ""


def line(**more: object) -> dict[str, object]:
    record = logging.makeLogRecord(
        {"name": "portal", "levelname": "WARNING", "msg": "%s\n", "args": ("lost",), "created": 0}
        | more
    )
    text = JsonLines().format(record)
    assert "\n" not in text
    found = json.loads(text)
    assert isinstance(found, dict)
    return found


def test_a_log_line_is_one_line_of_json() -> None:
    assert line() == {
        "at": "1970-01-01T00:00:00.000+00:00",
        "level": "warning",
        "logger": "portal",
        "said": "lost\n",
    }


def test_a_traceback_is_logged_without_the_values_of_variables() -> None:
    password = "ge" + "heim"
    try:
        int(password[:1])
    except ValueError:
        found = line(exc_info=sys.exc_info())
    assert "invalid literal" in str(found["traceback"])
    assert "geheim" not in str(found["traceback"])


@pytest.mark.parametrize(
    ("announced", "status"),
    [
        ("", 200),
        ("0", 200),
        ("0000", 200),
        ("1000", 200),
        ("00001000", 200),
        ("1001", 413),
        ("0" * 30 + "9" * 12, 413),
        ("9" * 5000, 413),
        ("-1", 413),
        ("+5", 413),
        ("1e3", 413),
        ("\u0665", 413),
    ],
    ids=lambda value: str(value)[:12].encode("ascii", "backslashreplace").decode(),
)
def test_a_body_is_bounded_by_what_its_length_says_however_it_is_written(
    announced: str, status: int, settings: Settings
) -> None:
    settings.REQUEST_BYTES = 1000
    request = RequestFactory().get("/api/v1/submissions", CONTENT_LENGTH=announced)
    assert bound_request(lambda _: HttpResponse())(request).status_code == status
