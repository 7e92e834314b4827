"""What every page has: a strict policy, words for what went wrong, files of our own alone."""

import hashlib
import json
import re
from pathlib import Path

import pytest
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.db import Error
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path

from portal import health, urls

VENDORED = {
    "of pages": Path(__file__).parents[2] / "static" / "vendor",
    "of tests": Path(__file__).parents[1] / "vendor",
}
TEMPLATES = Path(__file__).parents[2] / "templates"
POLICY = {
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
}


def forbidden(_: HttpRequest) -> HttpResponse:
    raise PermissionDenied


def suspicious(_: HttpRequest) -> HttpResponse:
    raise SuspiciousOperation


def broken(_: HttpRequest) -> HttpResponse:
    raise LookupError("a mistake of ours")


urlpatterns = [
    *urls.urlpatterns,
    path("forbidden", forbidden),
    path("suspicious", suspicious),
    path("broken", broken),
]


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/", "/accounts/login/", "/accounts/signup/", "/admin/login/"])
def test_a_page_may_load_and_send_to_this_site_alone(client: Client, address: str) -> None:
    response = client.get(address)
    assert response.status_code == 200
    assert {one.strip() for one in response["Content-Security-Policy"].split(";")} == POLICY
    assert response["X-Frame-Options"] == "DENY"
    assert response["X-Content-Type-Options"] == "nosniff"


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/", "/accounts/login/", "/accounts/signup/", "/missing"])
def test_a_page_holds_nothing_that_the_policy_would_stop(client: Client, address: str) -> None:
    page = client.get(address).content.decode()
    assert "<style" not in page
    assert re.findall(r"<script(?![^>]* src=\"/static/)", page) == []
    assert re.findall(r"\s(?:style|on[a-z]+)=", page) == []
    assert re.findall(r"(?:src|href|action)=\"(?:https?:)?//", page) == []


@pytest.mark.django_db
def test_a_page_can_be_read_from_its_start_without_the_menu(client: Client) -> None:
    page = client.get("/").content.decode()
    assert page.index('href="#content"') < page.index("<nav")
    assert '<main class="container" id="content"' in page
    assert page.count("<h1") == 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("/", []),
        ("/boards/correctness/hopper/", ["Correctness"]),
        ("/problems/gemm_n7168_k5120/", ["Problems"]),
        ("/accounts/login/", []),
    ],
)
def test_the_menu_says_where_one_is(client: Client, address: str, words: list[str]) -> None:
    page = client.get(address).content.decode()
    menu = page[page.index("<nav") : page.index("</nav>")]
    assert re.findall(r'aria-current="true">([^<]+)<', menu) == words


@pytest.mark.urls(__name__)
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("address", "status", "said"),
    [
        ("/missing", 404, "There is no such page"),
        ("/forbidden", 403, "This is not yours to see"),
        ("/suspicious", 400, "We could not read that request"),
        ("/broken", 500, "We made a mistake"),
    ],
)
def test_what_went_wrong_is_said_in_words_with_a_number_to_ask_by(
    address: str, status: int, said: str
) -> None:
    response = Client(raise_request_exception=False).get(address)
    page = response.content.decode()
    assert response.status_code == status
    assert f"<h1>{said}</h1>" in page
    assert "a mistake of ours" not in page
    assert response["X-Request-Id"]


@pytest.mark.django_db
def test_a_form_from_another_site_is_refused_in_words() -> None:
    response = Client(enforce_csrf_checks=True).post("/accounts/login/", {"login": "a"})
    assert response.status_code == 403
    assert "That form was too old" in response.content.decode()


@pytest.mark.django_db
def test_a_server_whose_database_answers_is_healthy(client: Client) -> None:
    response = client.get("/healthz")
    assert (response.status_code, response.json()) == (200, {"database": "answers"})
    assert "no-store" in response["Cache-Control"]


def test_a_server_whose_database_does_not_answer_is_not(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Away:
        def cursor(self) -> None:
            raise Error("no connection")

    monkeypatch.setattr(health, "connection", Away())
    response = client.get("/healthz")
    assert (response.status_code, response.json()) == (503, {"database": "does not answer"})


@pytest.mark.parametrize("folder", VENDORED.values(), ids=VENDORED.keys())
def test_every_vendored_file_is_the_one_that_the_manifest_names(folder: Path) -> None:
    named = {
        name: sha256
        for package in json.loads((folder / "manifest.json").read_text())
        for name, sha256 in package["files"].items()
    }
    there = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
        if path.name != "manifest.json"
    }
    assert there == named


@pytest.mark.parametrize("folder", VENDORED.values(), ids=VENDORED.keys())
def test_every_vendored_package_has_its_version_source_and_licence(folder: Path) -> None:
    for package in json.loads((folder / "manifest.json").read_text()):
        assert package.keys() == {
            *("name", "package", "version", "package_sha256", "licence", "files")
        }
        assert all(f"{package['name']}-{package['version']}" in name for name in package["files"])
        assert any(name.endswith(".LICENSE") for name in package["files"])


def test_the_script_may_evaluate_nothing_and_ask_this_site_alone() -> None:
    found = re.search(
        r"name=\"htmx-config\" content='([^']+)'", (TEMPLATES / "base.html").read_text()
    )
    assert found is not None
    config = json.loads(found[1])
    assert config["allowEval"] is False
    assert config["includeIndicatorStyles"] is False
    assert config["selfRequestsOnly"] is True


@pytest.mark.parametrize("name", ["ptxboard.css", "vendor/pico-2.1.1.min.css"])
def test_a_style_sheet_is_served_without_any_step_before_the_start(
    client: Client, name: str
) -> None:
    response = client.get(f"/static/{name}")
    assert len(response.getvalue()) > 1000
    assert response.status_code == 200
    assert response["Content-Type"].startswith("text/css")
