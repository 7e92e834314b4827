"""Pages that the web server keeps: the same as new ones, for nobody who signed in, and another one after every change."""

from collections.abc import Iterator
from types import ModuleType
from uuid import uuid4

import judged_rows as rows
import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.cache import caches
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from judged_rows import AT, GEMM, LATER
from page_reading import text_of
from pytest_django import DjangoAssertNumQueries, Settings
from site_fixtures import signed_in

from evaluation.models import Entry, Model, Turn
from evaluation.services import accept_model, merge_models, withdraw
from leaderboard.projection import rebuild, refresh, refresh_kernels, refresh_models
from leaderboard.views import board_views, gap_views, home_views, problem_views
from leaderboard.views.answers import personal
from leaderboard.views.kept_pages import LARGEST_BYTES, KeptPages

pytestmark = pytest.mark.django_db

FIVE = ["pf--", "p---", "----", "-p--", "f---"]
CORRECTNESS = f"/boards/correctness/hopper/?problem={GEMM}&T=4"
SPEED = f"/boards/speed/h200/?problem={GEMM}&T=4"
PROBLEM = f"/problems/{GEMM}/"
GAP = "/gap/?T=4"
PAGES = ("/", PROBLEM, GAP, CORRECTNESS, SPEED)
NAMES = ("home", "problem", "gap", "correctness", "speed")


@pytest.fixture(autouse=True)
def _kept(settings: Settings) -> Iterator[None]:
    """Tests keep no pages, since revisions begin anew in each of them; here one has a store of its own."""
    memory = "django.core.cache.backends.locmem.LocMemCache"
    settings.CACHES = settings.CACHES | {"pages": {"BACKEND": memory, "LOCATION": f"{uuid4()}"}}
    yield
    caches["pages"].clear()


def page_of(address: str) -> str:
    """What somebody gets who was never here before."""
    answer = Client().get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def said(address: str) -> str:
    return text_of(page_of(address))


def seen_by_many(*addresses: str) -> None:
    """Let each page be kept."""
    for address in addresses:
        assert Client().get(address).content == Client().get(address).content


def turns_of(entry: Entry) -> list[Turn]:
    return list(Turn.objects.filter(trajectory__entry=entry).order_by("pk"))


@pytest.mark.parametrize("address", PAGES, ids=NAMES)
def test_a_page_that_is_kept_costs_one_query_and_is_the_same_to_the_last_header(
    client: Client, address: str, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    rows.judged(FIVE, model=rows.model(name="Quartz"), ratio=0.5)
    rebuild(at=AT)
    first = client.get(address)
    assert b"Quartz" in first.content
    with django_assert_num_queries(1):
        second = client.get(address)
    assert second.content == first.content
    assert second.headers.pop("X-Request-Id") != first.headers.pop("X-Request-Id")
    assert dict(second.headers) == dict(first.headers)


def test_the_list_of_problems_is_the_same_until_the_catalogue_is_another(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(0):
        first, second = client.get("/problems/"), client.get("/problems/")
    assert (first.content, first["ETag"]) == (second.content, second["ETag"])


def test_another_question_is_another_page() -> None:
    rows.judged(FIVE, ratio=0.5)
    rebuild(at=AT)
    seen_by_many(SPEED)
    assert "25.0 % 5 of 20" in said(f"{SPEED}&p=0.25")
    assert "0.0 % 0 of 20" in said(SPEED)


@pytest.mark.parametrize("address", PAGES, ids=NAMES)
def test_after_a_hold_nobody_gets_the_page_of_before(address: str) -> None:
    entry = rows.judged(["p---", *["----"] * 4], model=rows.model(name="Quartz"), ratio=0.75)
    rebuild(at=AT)
    kernel = turns_of(entry)[0].kernel
    assert kernel is not None
    seen_by_many(address)
    shown = {CORRECTNESS: "1 of 20 turns", SPEED: kernel.sha256, GAP: "1 of 20"}
    assert shown.get(address, "0.7500×") in page_of(address)
    rows.hold(turns_of(entry)[0])
    refresh_kernels([kernel.pk], at=LATER)
    held = page_of(address)
    assert not {one for one in (*shown.values(), "0.7500×") if one in held}


def test_a_new_verdict_is_on_the_page_at_once() -> None:
    entry = rows.judged(["o---", *["----"] * 4], model=rows.model(name="Quartz"))
    rebuild(at=AT)
    seen_by_many(CORRECTNESS)
    assert "1 open, provisional" in said(CORRECTNESS)
    kernel = turns_of(entry)[0].kernel
    assert kernel is not None
    kernel.runs.update(**rows.accepted())
    refresh_kernels([kernel.pk], at=LATER)
    assert "1 of 20 turns" in said(CORRECTNESS)
    assert "provisional" not in said(CORRECTNESS).partition("What the columns say")[0]


def test_an_accepted_and_a_merged_model_are_on_the_page_at_once() -> None:
    entry = rows.judged(FIVE, proposed_model="quartz")
    rows.judged(FIVE, model=rows.model(name="Opal"))
    rebuild(at=AT)
    seen_by_many("/", PROBLEM, GAP, CORRECTNESS)
    quartz, beryl = rows.model(name="Quartz"), rows.model(name="Beryl")
    assert accept_model(entry, quartz)
    refresh([entry.pk], at=LATER)
    seen_by_many("/", PROBLEM, GAP, CORRECTNESS)
    assert "Quartz" in said(CORRECTNESS)
    merge_models(quartz, beryl)
    refresh_models([beryl.pk], at=LATER)
    assert Model.objects.filter(name="Quartz").exists()
    assert "Beryl" in said(CORRECTNESS)
    for address in ("/", PROBLEM, GAP, CORRECTNESS):
        assert "Quartz" not in said(address)


def test_a_withdrawn_entry_is_gone_also_where_it_stood_alone_and_others_changed_since() -> None:
    alone = rows.judged(FIVE, model=rows.model(name="Quartz"), language="triton")
    refresh([alone.pk], at=AT)
    refresh([rows.judged(FIVE, model=rows.model(name="Opal")).pk], at=AT)
    addresses = ("/", PROBLEM, f"/boards/correctness/hopper/?problem={GEMM}&T=4&language=triton")
    seen_by_many(*addresses)
    tags = [Client().get(one)["ETag"] for one in addresses]
    assert all("Quartz" in said(one) for one in addresses)
    assert withdraw(alone, reason="A wrong file was handed in.", at=LATER)
    refresh([alone.pk], at=LATER)
    for address, tag in zip(addresses, tags, strict=True):
        assert "Quartz" not in said(address)
        assert Client().get(address, headers={"If-None-Match": tag}).status_code == 200


@pytest.mark.parametrize(
    ("address", "module", "reader"),
    [
        ("/", home_views, "leaders"),
        (PROBLEM, problem_views, "problem_boards"),
        (f"{GAP}&language=triton", gap_views, "gap_part"),
        (f"{CORRECTNESS}&language=triton", board_views, "board_page"),
    ],
    ids=["home", "problem", "gap", "correctness"],
)
@pytest.mark.parametrize("others", [0, 1], ids=["first of all", "alone in a language"])
def test_an_entry_that_came_while_a_page_was_made_is_gone_from_it_when_it_is_withdrawn(
    monkeypatch: pytest.MonkeyPatch, others: int, address: str, module: ModuleType, reader: str
) -> None:
    for _ in range(others):
        refresh([rows.judged(FIVE, model=rows.model(name="Opal")).pk], at=AT)
    alone = rows.judged(FIVE, model=rows.model(name="Quartz"), language="triton", ratio=0.75)
    read = getattr(module, reader)

    def read_late(*args: object, **named: object) -> object:
        refresh([alone.pk], at=LATER)
        return read(*args, **named)

    with monkeypatch.context() as patched:
        patched.setattr(module, reader, read_late)
        assert "ETag" not in Client().get(address)
    seen = Client().get(address)
    assert b"Quartz" in seen.content
    assert withdraw(alone, reason="A wrong file was handed in.", at=LATER)
    refresh([alone.pk], at=LATER)
    assert b"Quartz" not in Client().get(address).content
    again = Client().get(address, headers={"If-None-Match": seen["ETag"]})
    assert (again.status_code, b"Quartz" in again.content) == (200, False)


def test_a_page_with_nothing_to_show_is_kept_nowhere_as_it_names_other_places() -> None:
    address = "/boards/correctness/hopper/?problem=mha_bwd_d128"
    seen_by_many(address)
    assert "Elsewhere" not in said(address)
    rows.judged(FIVE)
    rebuild(at=AT)
    assert f"Elsewhere on this kind of board: {GEMM} : T = 4" in said(address)


@pytest.mark.parametrize("address", [f"{SPEED}&start=50", f"{GAP}&part=9"], ids=["board", "gap"])
def test_a_page_behind_the_last_row_is_kept_nowhere(
    address: str, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    rows.judged(FIVE)
    rebuild(at=AT)
    with CaptureQueriesContext(connection) as first:
        page_of(address)
    with django_assert_num_queries(len(first)):
        page_of(address)
    assert len(first) > 1


@pytest.mark.parametrize("address", PAGES, ids=NAMES)
def test_who_is_signed_in_gets_no_page_that_is_kept_and_leaves_none(address: str) -> None:
    rows.judged(FIVE)
    rebuild(at=AT)
    own = signed_in().get(address).content.decode()
    assert "visitor0@example.org" in own
    seen_by_many(address)
    assert "visitor0@example.org" not in Client().get(address).content.decode()
    assert "Sign out" in signed_in().get(address).content.decode()


def test_who_has_a_message_waiting_gets_a_page_of_their_own(client: Client) -> None:
    rows.judged(FIVE)
    rebuild(at=AT)
    seen_by_many(CORRECTNESS)
    client.cookies["messages"] = "something"
    answer = client.get(CORRECTNESS)
    assert "private" in answer["Cache-Control"]
    assert "ETag" not in answer


def test_what_is_kept_after_a_question_for_the_head_alone_is_the_whole_page(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    rows.judged(FIVE, model=rows.model(name="Quartz"))
    rebuild(at=AT)
    assert Client().head(CORRECTNESS).content == b""
    with django_assert_num_queries(1):
        assert "Quartz" in said(CORRECTNESS)


class Dictionary(dict[str, bytes]):
    def set(self, key: str, value: bytes) -> None:
        self[key] = value


def asked() -> HttpRequest:
    request = RequestFactory().get("/")
    request.user = AnonymousUser()
    return request


def whole(content: bytes, tag: str = "tag") -> HttpResponse:
    return HttpResponse(content, headers={"ETag": f'"{tag}"'})


def test_a_page_is_made_once_and_kept_under_its_tag() -> None:
    store, made = Dictionary(), iter([whole(b"first")])
    pages = KeptPages(lambda: store)
    for _ in range(2):
        assert pages.answer(asked(), lambda: "tag", lambda _: next(made)).content == b"first"
    assert store == {"tag": b"first"}


def test_a_page_that_changed_while_it_was_made_has_no_tag_and_is_not_kept() -> None:
    store, tags = Dictionary(), iter(["tag", "later"])
    made = KeptPages(lambda: store).answer(asked(), lambda: next(tags), lambda tag: whole(b"", tag))
    assert (made.status_code, "ETag" in made, store) == (200, False, {})


@pytest.mark.parametrize(
    "answer",
    [
        whole(b"x" * (LARGEST_BYTES + 1)),
        whole(b"of its content", tag="other"),
        HttpResponse(b"without a tag"),
        personal(HttpResponse(b"for one")),
        HttpResponse(b"gone", status=404, headers={"ETag": '"tag"'}),
    ],
    ids=["too large", "another tag", "no tag", "personal", "not there"],
)
def test_what_is_no_public_page_of_this_tag_is_not_kept(answer: HttpResponse) -> None:
    store = Dictionary()
    assert KeptPages(lambda: store).answer(asked(), lambda: "tag", lambda _: answer) is answer
    assert store == {}


def test_a_page_that_wrote_the_token_of_a_form_or_a_cookie_is_not_kept() -> None:
    store, request = Dictionary(), asked()

    def with_a_form(_tag: str) -> HttpResponse:
        return whole(get_token(request).encode())

    def with_a_cookie(_tag: str) -> HttpResponse:
        answer = whole(b"")
        answer.set_cookie("number", "1")
        return answer

    KeptPages(lambda: store).answer(request, lambda: "tag", with_a_form)
    KeptPages(lambda: store).answer(asked(), lambda: "tag", with_a_cookie)
    assert store == {}


def test_without_a_store_every_page_is_made_anew() -> None:
    made = iter([whole(b"first"), whole(b"second")])
    pages = KeptPages()
    found = [pages.answer(asked(), lambda: "tag", lambda _: next(made)).content for _ in range(2)]
    assert found == [b"first", b"second"]
