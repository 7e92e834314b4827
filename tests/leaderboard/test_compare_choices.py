"""What can be chosen to compare with, how it may be named, and what is said of a wrong word."""

import re
from html import unescape

import judged_rows as rows
import pytest
from django.test import Client
from django.utils import timezone
from judged_rows import AT, GEMM
from page_reading import found_in, strictly, text_of
from pytest_django import DjangoAssertNumQueries
from seeded_site import Seeded
from site_fixtures import artifacts, seeded, signed_in

from evaluation.models import Entry, Hold, Kernel, ModelAlias, Turn
from evaluation.services import withdraw
from leaderboard.models import Standing
from leaderboard.projection import rebuild
from leaderboard.selectors import comparable
from leaderboard.selectors.comparable import Comparable, entries_beside, kernels_beside
from leaderboard.views.near_words import MOST_NEAR, near

__all__ = ["artifacts", "seeded"]  # fixtures
pytestmark = pytest.mark.django_db

GOOD, POOR = ["pppp"] * 5, ["p---", *["----"] * 4]
MOST_QUERIES = 6


def page_of(client: Client, query: str, status: int = 200) -> str:
    answer = client.get(f"/compare/?{query}")
    assert answer.status_code == status, text_of(answer.content.decode())
    page = answer.content.decode()
    strictly(page)
    return page


def offered(page: str) -> dict[str, str]:
    """The words of the list with what is said of each."""
    _, begin, rest = page.partition('<datalist id="choices">')
    if not begin:
        return {}
    options = re.findall(r'<option value="([^"]*)">([^<]*)</option>', rest.partition("</dat")[0])
    return {unescape(key): unescape(said) for key, said in options}


def kernel_of(entry: Entry) -> str:
    """The kernel of its first turn."""
    turn = Turn.objects.filter(trajectory__entry=entry).order_by("pk")[0]
    assert turn.kernel is not None
    return turn.kernel.sha256


def near_links(page: str) -> list[str]:
    part = page[page.index("<h1>") : page.index("<form")]
    return [one for one in found_in(part).links if one.startswith("?")]


def test_models_with_values_can_be_chosen_by_name_and_others_cannot(
    client: Client, seeded: Seeded
) -> None:
    rows.model(slug="empty", name="Nothing yet")
    page = page_of(client, "")
    found = offered(page)
    assert found["quartz-4"] == "Quartz 4, model"
    assert found[seeded.published.slug].startswith("Paper Model")
    assert not found.keys() & {"empty", "onyx", "agate", "topaz"}
    assert page.count('list="choices"') == 2
    beside = offered(page_of(client, "model=quartz-4"))
    assert beside.keys() == found.keys() - {"quartz-4"}


def test_the_list_of_models_is_bounded(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("Beryl", "Agate", "Cinnabar"):
        rows.judged(POOR, model=rows.model(name=name, slug=name.lower()))
    rebuild(at=AT)
    monkeypatch.setattr(comparable, "MOST_MODELS", 2)
    assert [*offered(page_of(client, ""))] == ["agate", "beryl"]


def test_entries_of_the_same_model_come_before_those_of_the_same_problem(client: Client) -> None:
    model = rows.model(name="Quartz", slug="quartz")
    first = rows.judged(GOOD, model=model)
    same_problem = rows.judged(GOOD, model=rows.model(name="Opal"), harness="own", pack="plain")
    same_model = rows.judged(GOOD, model=model, problem="mha_bwd_d128")
    elsewhere = rows.judged(GOOD, model=rows.model(name="Beryl"), problem="mha_bwd_d128")
    rebuild(at=AT)
    found = offered(page_of(client, f"entry={first.uid}"))
    assert [*found] == [str(same_model.uid), str(same_problem.uid)]
    assert found[str(same_problem.uid)] == "Opal, own plain"
    assert str(elsewhere.uid) in offered(page_of(client, f"entry={same_model.uid}"))


def test_of_entries_at_the_same_problem_only_the_last_are_looked_through(
    monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    quartz = rows.model(name="Quartz", slug="quartz")
    first, alike = rows.judged(GOOD, model=quartz), rows.judged(GOOD, model=quartz)
    rows.judged(GOOD)
    late = [rows.judged(GOOD) for _ in range(2)]
    rows.judged(GOOD, visibility="private")
    monkeypatch.setattr(comparable, "ENTRIES_READ", 2)
    with django_assert_num_queries(1):
        found = entries_beside([first.uid], at=AT)
    assert [one.key for one in found] == [str(one.uid) for one in (alike, late[1], late[0])]
    monkeypatch.setattr(comparable, "MOST_ENTRIES", 2)
    assert entries_beside([first.uid], at=AT) == found[:2]


def test_kernels_that_lead_the_boards_of_the_same_problem_can_be_chosen(client: Client) -> None:
    fast = rows.judged(GOOD, model=rows.model(name="Quartz"), ratio=0.75)
    slow = rows.judged(GOOD, model=rows.model(name="Opal"), ratio=0.25)
    other = rows.judged(GOOD, model=rows.model(name="Beryl"), problem="mha_bwd_d128", ratio=0.5)
    rebuild(at=AT)
    best = {one.entry_id: one.best_kernel for one in Standing.objects.filter(board__kind="speed")}
    found = offered(page_of(client, f"kernel={best[slow.pk]}"))
    assert found == {best[fast.pk]: f"Quartz, {GEMM}, H200"}
    assert best[other.pk] not in found


@pytest.mark.parametrize("which", ["private", "embargoed", "withdrawn", "proposed"])
def test_what_is_not_public_or_not_accepted_is_offered_to_nobody(
    client: Client, seeded: Seeded, which: str
) -> None:
    entry: Entry = getattr(seeded, which)
    kernels = set(
        Kernel.objects.filter(turns__trajectory__entry=entry).values_list("sha256", flat=True)
    )
    for visitor in (client, signed_in(), signed_in(staff=True)):
        beside = offered(page_of(visitor, f"entry={seeded.whole.uid}"))
        assert beside
        assert str(entry.uid) not in beside
        beside = offered(page_of(visitor, f"kernel={kernel_of(seeded.whole)}"))
        assert beside
        assert not kernels & beside.keys()


def test_a_kernel_is_offered_no_more_from_the_moment_it_is_held_or_its_entry_withdrawn() -> None:
    entry = rows.judged(GOOD, model=rows.model(name="Quartz"), ratio=0.75)
    rebuild(at=AT)
    (only,) = kernels_beside([GEMM], at=timezone.now())
    rows.hold(Turn.objects.get(kernel__sha256=only.key), struck=False)
    assert kernels_beside([GEMM], at=timezone.now()) == ()  # the board was not written again yet
    Hold.objects.all().delete()
    assert kernels_beside([GEMM], at=timezone.now()) == (only,)
    assert withdraw(entry, reason="A wrong file was handed in.", at=AT)
    assert kernels_beside([GEMM], at=timezone.now()) == ()


def test_what_is_offered_beside_a_private_entry_is_told_to_nobody_who_may_not_see_it(
    client: Client, seeded: Seeded
) -> None:
    for visitor in (client, signed_in()):
        for query, status in (
            (f"entry={seeded.private.uid}", 404),
            (f"entry={seeded.private.uid}&entry=abc", 400),
        ):
            page = page_of(visitor, query, status)
            assert offered(page) == {}
            assert "Onyx" not in page
    owner = signed_in(owns_all=True)
    assert str(seeded.whole.uid) in offered(page_of(owner, f"entry={seeded.private.uid}"))


@pytest.mark.parametrize(
    "word",
    [
        "/models/quartz/",
        "/models/quartz/entries/?start=50",
        "/models/quartz/#cells",
        "http://testserver/models/quartz/",
        "HTTP://TESTSERVER/models/quartz/cells/?T=4",
        "https://testserver/models/quartz",
        " Quartz ",
        "QUARTZ",
    ],
)
def test_a_model_may_be_named_by_the_address_of_its_page_or_its_name(
    client: Client, word: str
) -> None:
    rows.judged(GOOD, model=rows.model(name="Quartz", slug="quartz"))
    rebuild(at=AT)
    answer = client.get("/compare/", {"model": ["", word], "T": "4", "provenance": "reported"})
    assert answer.status_code == 302
    assert answer["Location"] == "/compare/?model=quartz&T=4&provenance=reported"
    assert client.get(answer["Location"]).status_code == 200


@pytest.mark.parametrize(
    "words",
    [
        ["Rose Quartz", "Smoky Opal"],  # neither has the shape of a slug
        ["QUARTZ", "OPAL"],  # both have it, and are none
        ["Rose Quartz", "opal"],
        ["rose-quartz", "Smoky Opal"],
        ["/models/rose-quartz/", "Smoky Opal"],
    ],
)
def test_names_of_several_models_are_all_kept_and_in_their_order(
    client: Client, words: list[str]
) -> None:
    quartz = rows.model(name="Rose Quartz", slug="rose-quartz")
    ModelAlias.objects.create(model=quartz, alias="quartz")
    rows.judged(GOOD, model=quartz)
    opal = rows.model(name="Smoky Opal", slug="smoky-opal")
    ModelAlias.objects.create(model=opal, alias="opal")
    rows.judged(GOOD, model=opal)
    rebuild(at=AT)
    answer = client.get("/compare/", {"model": words}, follow=True)
    assert answer.status_code == 200
    assert answer.redirect_chain[-1][0] == "/compare/?model=rose-quartz&model=smoky-opal"


def test_a_name_beside_a_word_that_names_nothing_is_kept(client: Client) -> None:
    rows.judged(GOOD, model=rows.model(name="Rose Quartz", slug="rose-quartz"))
    rebuild(at=AT)
    answer = client.get("/compare/", {"model": ["no such", "Rose Quartz"]}, follow=True)
    assert answer.status_code == 400
    assert answer.redirect_chain == [("/compare/?model=no+such&model=rose-quartz", 302)]
    page = answer.content.decode()
    assert "There is nothing to compare as “no such”" in text_of(page)
    assert '<input type="hidden" name="model" value="rose-quartz">' in page


def test_a_pasted_address_says_itself_what_it_is_of(client: Client, seeded: Seeded) -> None:
    entry, kernel = seeded.whole.uid, seeded.evidence.kernel.sha256
    for path, location in (
        (f"http://testserver/entries/{entry}/", f"/compare/?entry={entry}"),
        (f"/entries/{entry}/cells/", f"/compare/?entry={entry}"),
        (f"/kernels/{kernel}/#L3", f"/compare/?kernel={kernel}"),
        (f"http://testserver/kernels/{kernel}/source", f"/compare/?kernel={kernel}"),
    ):
        answer = client.get("/compare/", {"model": path})
        assert (answer.status_code, answer["Location"]) == (302, location)
        assert client.get(location).status_code == 200


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("https://example.org/models/quartz/", "is no address of this site"),
        ("http://testserver.example.org/models/quartz/", "is no address of this site"),
        ("http://testserver@example.org/models/quartz/", "is no address of this site"),
        ("http://[::1/models/quartz/", "is no address"),
        ("/runs/abc/", "is no page of a model, an entry or a kernel"),
        ("//example.org/models/quartz/", "is no page of a model, an entry or a kernel"),
        ("/models/%3Cb%3E/", "There is nothing to compare as “%3Cb%3E”"),
        ("x" * 301, "has at most 300 characters"),
    ],
)
def test_an_address_of_something_else_is_refused_in_words(
    client: Client, word: str, sentence: str
) -> None:
    answer = client.get("/compare/", {"model": word})
    assert answer.status_code == 400
    assert sentence in text_of(answer.content.decode())


def test_a_wrong_word_is_answered_with_what_was_near_beside_what_was_right(
    client: Client, seeded: Seeded
) -> None:
    page = page_of(client, "model=opal-2&model=quarts-4&T=4", 404)
    said = text_of(page)
    assert "There is no model “quarts-4”. Near it: Quartz 4 model" in said
    assert near_links(page) == ["?model=opal-2&model=quartz-4&T=4"]
    assert client.get(f"/compare/{near_links(page)[0]}").status_code == 200
    assert '<input type="hidden" name="model" value="opal-2">' in page
    assert "quartz-4" in offered(page)
    assert near_links(page_of(client, "model=paper+model", 400)) == [
        "?model=paper-model-a",
        "?model=paper-model-b",
    ]


def test_a_word_that_nothing_is_near_leads_to_the_search(client: Client, seeded: Seeded) -> None:
    page = page_of(client, "model=zzzzzzzzzz", 404)
    assert "Nothing that everybody may see is near it." in text_of(page)
    assert {"/search/", "/models/"} <= set(found_in(page).links)


def test_the_beginning_of_a_uid_or_a_hash_finds_what_it_may_be(
    client: Client, seeded: Seeded
) -> None:
    uid, sha256 = str(seeded.whole.uid), seeded.evidence.kernel.sha256
    page = page_of(client, f"entry={uid[:8]}", 400)
    assert f"?entry={uid}" in near_links(page)
    page = page_of(client, f"kernel={sha256[:12]}", 400)
    assert near_links(page) == [f"?kernel={sha256}"]
    held = seeded.held.sha256
    private = kernel_of(seeded.private)
    for visitor in (client, signed_in()):
        for hidden in (held, private):
            assert hidden not in page_of(visitor, f"kernel={hidden[:60]}", 400)
        for entry in (seeded.private, seeded.embargoed):
            assert str(entry.uid) not in page_of(visitor, f"entry={str(entry.uid)[:8]}", 400)


def test_what_is_hidden_is_answered_as_what_never_was(client: Client, seeded: Seeded) -> None:
    never = "0" * 8 + "-0000-4000-8000-" + "0" * 12
    pages = [
        page_of(client, f"entry={one}", 404).replace(str(one), "UID")
        for one in (seeded.private.uid, never)
    ]
    assert pages[0] == pages[1]
    pages = [
        page_of(client, f"kernel={one}", 404).replace(one, "SHA")
        for one in (seeded.held.sha256, "f" * 64)
    ]
    assert pages[0] == pages[1]


def test_hostile_names_and_words_are_shown_as_text(client: Client) -> None:
    name = '"><script>alert(1)</script>\u202e'
    rows.judged(GOOD, model=rows.model(name=name, slug="hostile"), harness="</datalist>")
    shown = rows.judged(GOOD, model=rows.model(name="Quartz", slug="quartz"))
    rebuild(at=AT)
    for query, status in (
        ("", 200),
        (f"entry={shown.uid}", 200),
        ("model=%3Cscript%3Ealert(1)", 400),
        ("model=hostil", 404),
    ):
        page = page_of(client, query, status)
        assert "<script>alert" not in page
        assert "\u202e" not in page
        assert page.count("</datalist>") <= 2
    assert "⟨U+202E⟩" in offered(page_of(client, ""))["hostile"]


def test_a_word_with_a_null_character_is_one_that_databases_can_look_for(
    client: Client, seeded: Seeded
) -> None:
    for kind in ("model", "entry", "kernel"):
        page_of(client, f"{kind}=%00")
        assert "as “a b”" in text_of(page_of(client, f"{kind}=a%00b", 400))
        assert "as “a b”" in text_of(page_of(client, f"model=/{_PAGES[kind]}/a%00b/", 400))
    assert "Compare 1 model" in text_of(page_of(client, "model=%00quartz-4%00"))


_PAGES = {"model": "models", "entry": "entries", "kernel": "kernels"}


def test_choosing_costs_few_queries(
    client: Client, seeded: Seeded, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for query, most in (
        ("", 1),
        ("model=quartz-4&model=opal-2", 4),
        (f"entry={seeded.whole.uid}", 4),
        ("model=quarts", MOST_QUERIES),
        ("model=quarts+4", MOST_QUERIES),
        (f"entry={seeded.whole.uid}&entry=abc", MOST_QUERIES),
        (f"kernel={'a' * 64}", MOST_QUERIES),
    ):
        with django_assert_max_num_queries(most):
            client.get(f"/compare/?{query}")
    with django_assert_max_num_queries(1):
        kernels_beside([GEMM], at=timezone.now())


def test_near_are_words_that_hold_it_before_words_much_alike() -> None:
    known = [
        Comparable("quarta", "Quarta", ""),
        Comparable("old-quartz", "Old Quartz", ""),
        Comparable("opal", "Opal", ""),
    ]
    assert [one.key for one in near("Quartz", known)] == ["old-quartz", "quarta"]
    assert near("", known) == ()
    many = [Comparable(f"model-{one}", f"Model {one}", "") for one in range(99)]
    assert len(near("model", many)) == MOST_NEAR
