"""Every page is valid HTML, and the check of that sees each kind of mistake."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import resolve
from every_page import PAGES, REFUSALS, kinds_of_pages, pages_of_rows
from own_pages import OwnPages, own_pages
from page_markup import mistakes
from pytest_django import Settings
from seeded_site import Seeded
from site_fixtures import artifacts, seeded

__all__ = ["artifacts", "seeded"]  # fixtures

HEAD = '<!doctype html><html lang="en"><head><title>A</title></head><body><main><h1>A</h1>'
END = "</main></body></html>"
WRONG = {
    "<p id='a'>a</p><p id='a'>b</p>": "2 elements are called a",
    "<p id='a b'>a</p>": "a name is empty or has a space: 'a b'",
    "<h1>B</h1>": "2 elements h1",
    "<center>a</center>": "center is no element of these pages",
    "<p align='left'>a</p>": "p has no attribute align",
    "<strong><div>a</div></strong>": "div stands in strong",
    "<ul><p>a</p></ul>": "p is a child of ul",
    "<a href='/'>a<button>b</button></a>": "button stands in a, which is pressed itself",
    "<a>a</a>": "a link leads nowhere",
    "<a href='/'></a>": "a says nothing",
    "<img src='a'>": "a picture has no words",
    "<time datetime='yesterday'>a</time>": "time is 'yesterday'",
    "<time datetime='2026-11-30T12:00:00.123456+00:00'>a</time>": (
        "time is '2026-11-30T12:00:00.123456+00:00'"
    ),
    "<label for='b'>a</label>": "label refers by for to b, which is not there",
    "<input name='q'>": "input q has no label",
    "<h3>a</h3>": "h3 “a” follows h1",
    "<table><tbody><tr><th>a</th></tr><tr><td>a</td><td>b</td></tr></tbody></table>": (
        "a table has rows of [1, 2] columns"
    ),
    "<table><tbody><tr><td>a</td></tr></tbody></table>": "a table has no heads",
}
RIGHT = (
    "<form method='get' action='/'><label>a <input name='q'></label><input type='hidden' name='b'></form>"
    "<h2>b</h2><time datetime='2026-11-30T12:00:00+00:00'>noon</time>"
    "<table><tbody><tr><th colspan='2'>a</th></tr><tr><td>a</td><td>b</td></tr></tbody></table>"
)


@pytest.mark.parametrize(("part", "said"), WRONG.items(), ids=WRONG.values())
def test_each_kind_of_mistake_is_seen(part: str, said: str) -> None:
    assert said in mistakes(f"{HEAD}{part}{END}")


def test_what_is_not_well_formed_is_seen_and_what_is_right_is_not() -> None:
    assert mistakes(f"{HEAD}<p><b>a</p>{END}") != []
    assert mistakes(f"{HEAD}{RIGHT}{END}") == []


@pytest.fixture
def own(settings: Settings, tmp_path: Path, seeded: Seeded) -> OwnPages:
    settings.UPLOAD_SPOOL = settings.FILE_UPLOAD_TEMP_DIR = tmp_path / "spool"
    return own_pages(seeded)


@pytest.mark.django_db
def test_every_kind_of_page_is_valid(
    client: Client, settings: Settings, seeded: Seeded, own: OwnPages
) -> None:
    found = {}
    everybody = PAGES | pages_of_rows(seeded)
    for name, (path, status) in (
        {name: (path, 200) for name, path in everybody.items()} | REFUSALS
    ).items():
        found[name] = _mistakes_at(client, path, status)
    client.cookies[settings.SESSION_COOKIE_NAME] = own.session
    for name, path in own.pages.items():
        found[name] = _mistakes_at(client, path, 200)
    assert {name: wrong for name, wrong in found.items() if wrong} == {}
    looked_at = {resolve(path.partition("?")[0]).url_name for path in everybody.values()}
    looked_at |= {resolve(path).url_name for path in own.pages.values()}
    assert kinds_of_pages() - looked_at == set()


def _mistakes_at(client: Client, path: str, status: int) -> list[str]:
    answer = client.get(path)
    assert answer.status_code == status, path
    return mistakes(answer.content.decode())
