"""Models, entries and kernels side by side."""

import judged_rows as rows
import pytest
from django.test import Client
from judged_rows import AT, GEMM
from page_reading import found_in, strictly, text_of
from pytest_django import DjangoAssertNumQueries
from seeded_site import Seeded
from site_fixtures import artifacts, seeded, signed_in

from evaluation.models import Entry, Kernel, Run, Trajectory, Turn
from leaderboard.projection import rebuild

__all__ = ["artifacts", "seeded"]  # fixtures
pytestmark = pytest.mark.django_db

GOOD, POOR = ["pppp"] * 5, ["p---", *["----"] * 4]


def shown(client: Client, query: str) -> str:
    answer = client.get(f"/compare/?{query}")
    assert answer.status_code == 200, text_of(answer.content.decode())
    page = answer.content.decode()
    strictly(page)
    return page


def words(client: Client, query: str) -> str:
    return text_of(shown(client, query))


def test_two_entries_stand_side_by_side_with_who_is_surely_ahead(client: Client) -> None:
    good = rows.judged(GOOD, model=rows.model(name="Good"), ratio=0.75)
    poor = rows.judged(POOR, model=rows.model(name="Poor"), ratio=0.25)
    rebuild(at=AT)
    page = words(client, f"entry={good.uid}&entry={poor.uid}&T=4")
    correctness = page[page.index("Correctness, verified") : page.index("Instruction, verified")]
    assert "1 problem has a value of each" in correctness
    assert correctness.index("20 of 20 turns") < correctness.index("1 of 20 turns")
    assert "rank 1, ahead" in correctness
    assert "Ahead of 1 common 1 0" in correctness
    speed = page[page.index("Speed, verified") :]
    assert speed.index("0.7500×") < speed.index("0.2500×")


def test_who_is_within_the_others_interval_is_not_ahead(client: Client) -> None:
    one = rows.judged(["pf--", "p---", "----", "-p--", "f---"])
    other = rows.judged(["pf--", "p---", "----", "-p--", "ff--"])
    rebuild(at=AT)
    page = words(client, f"entry={one.uid}&entry={other.uid}&T=4")
    assert "Compare 2 entries" in page
    assert "Ahead of 1 common 0 0" in page
    assert ", ahead" not in page


def test_a_model_stands_with_its_best_entry_and_says_of_how_many(client: Client) -> None:
    model = rows.model(slug="quartz", name="Quartz")
    rows.judged(GOOD, model=model)
    rows.judged(POOR, model=model)
    rows.judged(POOR, model=rows.model(slug="opal", name="Opal"))
    rebuild(at=AT)
    page = words(client, "model=quartz&model=opal&T=4")
    assert "20 of 20 turns rank 1, ahead ; best of 2 entries there" in page
    alone = words(client, "model=quartz")
    assert "Name another one" in alone
    assert "None of them has values at T = 8" in alone


def test_models_are_compared_on_boards_of_the_newest_judge_series_alone(client: Client) -> None:
    quartz = rows.model(slug="quartz", name="Quartz")
    rows.judged(GOOD, model=quartz, judge="9")
    rows.judged(POOR, model=quartz, judge="10")
    rows.judged(POOR, model=rows.model(slug="opal", name="Opal"), judge="10")
    rebuild(at=AT)
    page = words(client, "model=quartz&model=opal&T=4")
    assert "judge 10" in page
    assert "judge 9" not in page
    assert "20 of 20 turns" not in page


def test_published_values_are_compared_with_each_other_alone(
    client: Client, seeded: Seeded
) -> None:
    page = words(client, "model=paper-model-a&model=paper-model-b&provenance=paper")
    assert "91 of 96 turns" in page
    assert "ahead" not in page.lower()
    assert "None of them has values" in words(client, "model=paper-model-a&model=paper-model-b")


def test_kernels_stand_side_by_side_with_their_runs_and_what_differs(
    client: Client, seeded: Seeded
) -> None:
    one, other = seeded.evidence.kernel.sha256, seeded.refused.kernel.sha256
    page = shown(client, f"kernel={one}&kernel={other}")
    text = text_of(page)
    assert "accepted" in text
    assert "banned" in text or seeded.refused.verdict.replace("_", " ") in text
    assert "What differs in the sources" in text
    assert "+ // ⟨U+202E⟩ <script>alert(2)</script>" in text
    assert "<script>alert(2)" not in page
    assert f"/runs/{seeded.evidence.uid}/" in found_in(page).links
    assert "No line differs" not in text


def test_more_than_two_kernels_have_links_to_the_differences_of_pairs(
    client: Client, seeded: Seeded
) -> None:
    keys = [seeded.evidence.kernel.sha256, seeded.refused.kernel.sha256]
    turn = Turn.objects.filter(trajectory__entry=seeded.whole, trajectory__number=0)[0]
    assert turn.kernel is not None
    keys.append(turn.kernel.sha256)
    links = found_in(shown(client, "&".join(f"kernel={one}" for one in keys))).links
    assert f"?kernel={keys[0]}&kernel={keys[2]}" in links
    assert f"?kernel={keys[1]}&kernel={keys[2]}" in links  # without the first
    pair = words(client, f"kernel={keys[0]}&kernel={keys[2]}")
    assert "the bytes of one of them are not kept here" in pair


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("sort=x", "There is no filter “sort”"),
        ("model=a&entry=b", "not of several"),
        ("kernel=abc", "64 hexadecimal digits"),
        ("entry=abc", "an entry is named by its uid"),
        ("model=a/b", "There is nothing to compare as “a/b”"),
        ("model=a&T=0", "a number from 1"),
        ("model=a&T=99999999999", "a number from 1"),
        ("provenance=hearsay", "“hearsay” is no provenance"),
        ("&".join(f"model=m{n}" for n in range(7)), "At most 6"),
    ],
    ids=range(9),
)
def test_a_question_that_no_page_answers_is_refused_in_words(
    client: Client, query: str, sentence: str
) -> None:
    answer = client.get(f"/compare/?{query}")
    assert answer.status_code == 400
    assert sentence in text_of(answer.content.decode())


def test_without_anything_to_compare_the_page_says_how_it_is_done(client: Client) -> None:
    assert "Two to 6 models, entries or kernels side by side" in words(client, "")
    assert "Two to 6" in words(client, "model=&model=")
    assert client.get("/compare/?model=nobody").status_code == 404


@pytest.mark.parametrize("which", ["private", "embargoed", "withdrawn"])
def test_what_is_not_public_is_compared_by_its_owner_and_staff_alone(
    client: Client, seeded: Seeded, which: str
) -> None:
    entry: Entry = getattr(seeded, which)
    kernel = Kernel.objects.filter(turns__trajectory__entry=entry)[0]
    pages = [
        f"/compare/?entry={seeded.whole.uid}&entry={entry.uid}",
        f"/compare/?kernel={seeded.evidence.kernel.sha256}&kernel={kernel.sha256}",
    ]
    for visitor in (client, signed_in()):
        assert [visitor.get(one).status_code for one in pages] == [404, 404]
    for visitor in (signed_in(staff=True), signed_in(owns_all=True)):
        assert [visitor.get(one).status_code for one in pages] == [200, 200]


def test_a_held_kernel_is_as_far_from_others_as_one_that_waits(
    client: Client, seeded: Seeded
) -> None:
    page = f"/compare/?kernel={seeded.evidence.kernel.sha256}&kernel={seeded.held.sha256}"
    assert client.get(page).status_code == 404
    assert signed_in(staff=True).get(page).status_code == 200


def test_a_comparison_costs_few_queries(
    client: Client, seeded: Seeded, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    slugs = ["quartz-4", "feldspar-l", "opal-2", "beryl", "jasper-mini", "a-mason"]
    with django_assert_max_num_queries(3):
        client.get("/compare/?" + "&".join(f"model={one}" for one in slugs))
    kernels = Kernel.objects.filter(
        turns__trajectory__in=Trajectory.objects.filter(entry=seeded.whole, problem=GEMM),
        turns__number=0,
    )
    keys = kernels.order_by("pk").values_list("sha256", flat=True)[:6]
    assert len(keys) == 6
    with django_assert_max_num_queries(60):
        answer = client.get("/compare/?" + "&".join(f"kernel={one}" for one in keys))
    assert answer.status_code == 200
    assert Run.objects.filter(kernel__sha256__in=list(keys)).count() == 6
