"""The search page finds what the visitor may see, and nothing else."""

import judged_rows as rows
import pytest
from django.test import Client
from page_reading import found_in, strictly, text_of
from pytest_django import DjangoAssertNumQueries
from seeded_site import Seeded
from site_fixtures import artifacts, seeded, signed_in

from evaluation.models import Entry, Hold, ModelAlias, Run, Turn

__all__ = ["artifacts", "seeded"]  # fixtures
pytestmark = pytest.mark.django_db


def links(client: Client, question: str) -> list[str]:
    """What is found, without the site's own links."""
    answer = client.get("/search/", {"q": question})
    assert answer.status_code == 200
    page = answer.content.decode()
    strictly(page)
    body = page[page.index("</form>") : page.index("</main>")]
    return found_in(body).links


def test_parts_of_names_find_models_entries_and_problems(client: Client) -> None:
    model = rows.model(name="GPT-5.2 Codex", slug="gpt-52-codex")
    ModelAlias.objects.create(model=model, alias="strawberry")
    entry = rows.judged(["p"], model=model, harness="mini-swe-agent")
    for question in ("gpt-5.2", "CODEX 5.2", "strawb"):
        assert links(client, question) == ["/models/gpt-52-codex/", f"/entries/{entry.uid}/"]
    assert links(client, "mini-swe codex") == [f"/entries/{entry.uid}/"]
    assert links(client, str(entry.uid)[:8]) == [f"/entries/{entry.uid}/"]
    assert links(client, "gemm n7168") == ["/problems/gemm_n7168_k5120/"]
    assert links(client, "codex nothing") == []
    assert links(client, "%") == links(client, "_____") == []


def test_a_kernel_is_found_by_the_beginning_of_its_hash(client: Client) -> None:
    entry = rows.judged(["p"])
    turn = Turn.objects.get(trajectory__entry=entry)
    assert turn.kernel is not None
    kernel = turn.kernel
    kernel.sha256 = "c0ffee" + "0" * 58
    kernel.save()
    found = [f"/kernels/{kernel.sha256}/", "/problems/gemm_n7168_k5120/"]
    assert links(client, "c0ffee") == links(client, "C0FFEE") == found
    assert links(client, kernel.sha256) == found
    assert links(client, "c0ffe") == links(client, "c0ffee1") == []


@pytest.mark.parametrize("which", ["private", "embargoed", "withdrawn"])
def test_what_is_not_public_is_found_by_its_owner_and_staff_alone(
    client: Client, seeded: Seeded, which: str
) -> None:
    entry: Entry = getattr(seeded, which)
    turn = Turn.objects.filter(trajectory__entry=entry)[0]
    assert turn.kernel is not None
    sha256 = "c0ffee" + "0" * 58
    type(turn.kernel).objects.filter(pk=turn.kernel.pk).update(sha256=sha256)
    entry_link, kernel_link = f"/entries/{entry.uid}/", f"/kernels/{sha256}/"
    for visitor in (client, signed_in()):
        assert entry_link not in links(visitor, str(entry.uid)[:13])
        assert links(visitor, "c0ffee") == []
    for visitor in (signed_in(staff=True), signed_in(owns_all=True)):
        assert links(visitor, str(entry.uid)[:13]) == [entry_link]
        assert kernel_link in links(visitor, "c0ffee")


@pytest.mark.parametrize("letter", ["h", "o"], ids=["held", "open"])
def test_a_kernel_that_is_held_or_waits_is_found_by_its_owner_and_staff_alone(
    client: Client, letter: str
) -> None:
    entry = rows.judged([letter])
    turn = Turn.objects.get(trajectory__entry=entry)
    assert turn.kernel is not None
    sha256 = "c0ffee" + "0" * 58
    type(turn.kernel).objects.filter(pk=turn.kernel.pk).update(sha256=sha256)
    assert links(client, "c0ffee") == links(signed_in(), "c0ffee") == []
    assert links(signed_in(staff=True), "c0ffee")[0] == f"/kernels/{sha256}/"
    Hold.objects.all().delete()
    Run.objects.all().delete()
    rows.run(turn, "p")
    assert links(client, "c0ffee")[0] == f"/kernels/{sha256}/"
    assert links(signed_in(owns_all=True), "c0ffee")[0] == f"/kernels/{sha256}/"


def test_a_name_that_was_not_accepted_finds_its_public_entry_and_no_model(client: Client) -> None:
    entry = rows.judged(["p"], proposed_model="Mine")
    rows.model(name="Mine alone", accepted_at=None)
    assert links(client, "mine") == [f"/entries/{entry.uid}/"]


def test_a_search_is_bounded_and_says_how(
    client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    model = rows.model(name="Many")
    for _ in range(30):
        rows.entry(["p"], model=model)
    with django_assert_max_num_queries(3):
        assert len(links(client, "many")) == 26
    assert client.get("/search/", {"q": "x" * 101}).status_code == 400
    assert client.get("/search/", {"q": "a b c d e f g"}).status_code == 400
    assert links(client, "\0") == links(client, "") == []


def test_a_hostile_question_is_shown_as_text(client: Client) -> None:
    answer = client.get("/search/", {"q": '"><script>\u202e'})
    page = answer.content.decode()
    strictly(page)
    assert "<script>" not in page[page.index("<main") :]
    assert "⟨U+202E⟩" in text_of(page)
