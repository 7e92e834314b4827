"""The list of one's own submissions in another order and with fewer columns, in one address."""

import re
from datetime import UTC, datetime
from html import unescape

import html5lib
import pytest
from django.test import Client
from submission_steps import person

from portal.accounts.models import User
from portal.uploads import status, views
from portal.uploads.models import Submission

pytestmark = pytest.mark.django_db

LIST = "/submissions/"


def submission(of: User, name: str, day: int, *, size: int, **columns: object) -> None:
    at = datetime(2026, 11, day, tzinfo=UTC)
    whole = {"owner": of.owner, "uploader": of.owner, "created_at": at, "changed_at": at}
    bytes_of = {"file_name": name, "size": size, "received": size, "sha256": f"{size:064x}"}
    Submission.objects.create(**whole | bytes_of | columns)


@pytest.fixture
def ada(client: Client) -> User:
    """Somebody with four submissions, beside somebody with one that is first by every column."""
    ada = person()
    submission(ada, "delta.zip", 1, state="refused", refused="It is no kernel.", size=40)
    submission(ada, "Beta.zip", 2, state="understood", size=10, total=7)
    submission(ada, "alpha.zip", 3, state="withdrawn", size=30)
    submission(ada, "gamma.zip", 4, state="received", size=20, total=9)
    submission(person("bob@example.org"), "aaa.zip", 5, state="received", size=99, total=99)
    client.force_login(ada)
    return ada


def page_of(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    page = answer.content.decode()
    html5lib.HTMLParser(strict=True).parse(page)
    return page


def text_of(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def links_on(page: str) -> list[str]:
    return [unescape(one) for one in re.findall(r'href="([^"]*)"', page)]


def names_on(page: str) -> list[str]:
    return re.findall(r">(\w+)\.zip</a>", page)


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("", ["gamma", "alpha", "Beta", "delta"]),
        ("-created", ["delta", "Beta", "alpha", "gamma"]),
        ("file", ["alpha", "Beta", "delta", "gamma"]),
        ("-file", ["gamma", "delta", "Beta", "alpha"]),
        ("state", ["gamma", "Beta", "delta", "alpha"]),
        ("-state", ["alpha", "delta", "Beta", "gamma"]),
        ("size", ["delta", "alpha", "gamma", "Beta"]),
        ("-size", ["Beta", "gamma", "alpha", "delta"]),
        ("trajectories", ["gamma", "Beta", "alpha", "delta"]),
        ("-trajectories", ["Beta", "gamma", "alpha", "delta"]),  # not counted comes last
    ],
)
def test_ones_own_submissions_stand_in_the_order_that_is_asked_for_and_nobody_elses(
    client: Client, ada: User, sort: str, expected: list[str]
) -> None:
    assert names_on(page_of(client, f"{LIST}?sort={sort}" if sort else LIST)) == expected


def test_columns_are_left_out_and_every_link_of_the_list_keeps_them(
    client: Client, ada: User
) -> None:
    page = page_of(client, f"{LIST}?sort=size&columns=state.size")
    head = page[page.index("<thead>") : page.index("</thead>")]
    assert [text_of(one) for one in re.findall(r"<th .*?</th>", head)] == [
        "File",
        "State",
        "Size ▼",
    ]
    body = page[page.index("<tbody>") : page.index("</tbody>")]
    assert body.count("<td") == 4 * 3
    assert "?sort=-size&columns=state.size" in links_on(page)
    assert re.search(r'aria-sort="descending"><a [^>]* rel="nofollow">Size ▼', page)
    answer = client.get(f"{LIST}?columns=size&columns=state&sort=created&first=0")
    assert (answer.status_code, answer["Location"]) == (302, f"{LIST}?columns=state.size")


def test_the_next_page_goes_on_in_the_same_order(
    client: Client, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (status, views):
        monkeypatch.setattr(module, "SUBMISSIONS_SHOWN", 2)
    page = page_of(client, f"{LIST}?sort=file&columns=size")
    assert names_on(page) == ["alpha", "Beta"]
    assert "?sort=file&columns=size&first=2" in links_on(page)
    rest = page_of(client, f"{LIST}?sort=file&columns=size&first=2")
    assert names_on(rest) == ["delta", "gamma"]
    assert "?sort=file&columns=size" in links_on(rest)


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("sort=owner", "Nothing is ordered by “owner”. There are: file, state, trajectories, size"),
        ("columns=file", "There is no column “file”. There are: state, trajectories, size"),
        ("first=x", "The filter “first” takes a whole number"),
    ],
)
def test_what_is_on_no_list_is_refused_in_words(
    client: Client, ada: User, query: str, sentence: str
) -> None:
    answer = client.get(f"{LIST}?{query}")
    assert answer.status_code == 400
    assert sentence in text_of(answer.content.decode())


def test_who_did_not_sign_in_is_asked_to_whatever_the_order(client: Client, ada: User) -> None:
    client.logout()
    answer = client.get(f"{LIST}?sort=size")
    assert answer.status_code == 302
    assert answer["Location"].startswith("/accounts/login/")
