"""Pages of models and of cells: the best of each board, every cell page by page, and files of exactly what they show."""

import csv
import io
import json
import re

import judged_rows as rows
import pytest
from django.test import Client
from judged_rows import AT, GEMM
from page_reading import found_in, strictly, text_of
from pytest_django import DjangoAssertNumQueries
from seeded_site import Seeded
from site_fixtures import artifacts, seeded, signed_in

from evaluation.models import Entry, Hold, Model, Run, Turn
from leaderboard.projection import rebuild
from leaderboard.views.list_question import start_before

__all__ = ["artifacts", "seeded"]  # fixtures
pytestmark = pytest.mark.django_db

GOOD, POOR = ["pp--"] * 5, ["p---"] * 5
MHA = "mha_bwd_d128"


def shown(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, (address, answer.status_code)
    page = answer.content.decode()
    strictly(page)
    return page


def saved(client: Client, address: str) -> list[dict[str, str]]:
    text = client.get(address).getvalue().decode()
    return list(csv.DictReader(io.StringIO(text, newline="")))


def table(page: str, heading: str) -> list[str]:
    """The words of the rows below a heading; none where it is not there."""
    start = page.find(f"<h2>{heading}")
    if start < 0:
        return []
    body = page[page.index("<tbody>", start) : page.index("</tbody>", start)]
    return [text_of(one) for one in re.findall(r"<tr>.*?</tr>", body, re.DOTALL)]


@pytest.fixture
def quartz() -> Model:
    """A model with two entries at one problem, of which one is better, and another model there."""
    model = rows.model(slug="quartz", name="Quartz")
    rows.judged(GOOD, model=model, ratio=0.75, harness="careful")
    rows.judged(POOR, model=model, ratio=0.5, harness="hasty")
    rows.judged(POOR, model=rows.model(slug="opal", name="Opal"))
    rebuild(at=AT)
    return model


def test_a_model_shows_its_best_entry_on_each_board_and_of_how_many(
    client: Client, quartz: Model
) -> None:
    page = shown(client, "/models/quartz/")
    for heading in ("Correctness", "Instruction", "Speed"):
        (only,) = table(page, f"{heading}, verified by us")
        assert "careful" in only
        assert "best of 2 entries" in only
    (correct,) = table(page, "Correctness, verified by us")
    assert "10 of 20 turns" in correct
    assert "50.0 % T = 4, best of 2" in text_of(page)


def test_an_entry_stands_with_the_most_turns_up_to_those_that_are_asked_for(
    client: Client, quartz: Model
) -> None:
    (only,) = table(shown(client, "/models/quartz/?T=1"), "Correctness, verified by us")
    assert "5 of 5 turns" in only
    (only,) = table(shown(client, "/models/quartz/?T=64"), "Correctness, verified by us")
    assert "10 of 20 turns" in only


def test_the_boards_of_an_older_judge_series_are_among_all_cells_alone(client: Client) -> None:
    model = rows.model(slug="quartz", name="Quartz")
    rows.judged(GOOD, model=model, judge="9")
    rows.judged(POOR, model=model, judge="10")
    rebuild(at=AT)
    (only,) = table(shown(client, "/models/quartz/"), "Correctness, verified by us")
    assert "5 of 20 turns" in only
    every = table(shown(client, "/models/quartz/cells/?kind=correctness"), "Correctness")
    assert ["judge 9" in one for one in every] == [False, False, True, True]


def test_targets_are_told_apart_where_there_are_several(client: Client) -> None:
    model = rows.model(slug="quartz", name="Quartz")
    rows.judged(GOOD, model=model)
    entry = rows.entry(POOR, model=model)
    rows.add_turns(entry, POOR, MHA, place={"target": "blackwell"}, device="b200")
    rebuild(at=AT)
    whole = shown(client, "/models/quartz/")
    assert len(table(whole, "Correctness")) == 2
    assert "?target=blackwell" in found_in(whole).links
    page = shown(client, "/models/quartz/?target=blackwell")
    (only,) = table(page, "Correctness")
    assert only.startswith(f"{MHA} 4 25.0 %")
    assert "Blackwell measured on B200" in only
    assert "B200" in text_of(page[page.index("Problem by device") :])


def test_without_a_filter_a_model_shows_what_we_verified_or_else_what_others_say(
    client: Client, seeded: Seeded
) -> None:
    slug = seeded.published.slug
    page = shown(client, f"/models/{slug}/")
    assert len(table(page, "Correctness, published, not checked by us")) == 5
    assert "verified by us" not in text_of(page[page.index("<h1>") :])
    quartz = shown(client, "/models/quartz-4/")
    assert table(quartz, "Correctness, verified by us")
    assert not table(quartz, "Correctness, reported")
    told = shown(client, "/models/quartz-4/?provenance=reported")
    assert table(told, "Correctness, reported by the upload")
    assert not table(told, "Correctness, verified")
    empty = shown(client, f"/models/{slug}/?provenance=verified")
    assert "No verified value stands under this name with these filters" in text_of(empty)


@pytest.mark.parametrize(
    "query", ["", "?provenance=reported", "?T=1", "?provenance=verified&target=hopper"]
)
@pytest.mark.parametrize("slug", ["quartz-4", "paper-model-a"])
def test_the_file_of_a_model_has_the_rows_of_its_page(
    client: Client, seeded: Seeded, slug: str, query: str
) -> None:
    page = shown(client, f"/models/{slug}/{query}")
    kinds = ("Correctness,", "Instruction,", "Speed,")
    rows_there = [one for kind in kinds for one in table(page, kind)]
    file = saved(client, f"/models/{slug}.csv{query}")
    assert len(file) == len(rows_there)
    for line, row in zip(rows_there, file, strict=True):
        assert (row["problem"] or f"Suite “{row['suite']}”") in line
        assert f" {row['turn_limit']} " in line
    if file:
        assert f"/models/{slug}.csv{query}" in found_in(page).links
    whole = json.loads(client.get(f"/models/{slug}.json{query}").content)
    assert whole["page"] == f"http://testserver/models/{slug}/{query}"
    assert len(whole["rows"]) == len(file)


@pytest.mark.parametrize(
    ("given", "canonical"),
    [
        ("T=8", ""),
        ("target=&T=", ""),
        ("T=4&target=hopper&provenance=verified", "?provenance=verified&target=hopper&T=4"),
    ],
)
def test_the_address_of_a_model_is_written_one_way(
    client: Client, quartz: Model, given: str, canonical: str
) -> None:
    answer = client.get(f"/models/quartz/?{given}")
    assert (answer.status_code, answer["Location"]) == (302, f"/models/quartz/{canonical}")


@pytest.mark.parametrize(
    ("start", "total", "expected"),
    [(0, 9, 0), (3, 9, 0), (5, 9, 0), (5, 6, 0), (8, 9, 3), (9, 9, 5), (10, 10, 5), (99, 0, 0)],
)
def test_before_a_page_is_another_one_with_rows(start: int, total: int, expected: int) -> None:
    assert start_before(start, 5, total) == expected


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("/models/quartz/?sort=x", "There is no filter “sort”"),
        ("/models/quartz/?T=0", "takes a number from 1"),
        ("/models/quartz/?provenance=hearsay", "“hearsay” is no provenance"),
        ("/models/quartz.csv?target=voodoo", "“voodoo” is no target"),
        ("/models/quartz/cells/?kind=beauty", "“beauty” is no kind"),
        ("/models/quartz/cells.csv?problem=nothing", "“nothing” is no problem"),
        ("/models/quartz/cells/?start=-1", "takes a whole number"),
        ("/models/quartz/entries/?first=1", "There is no filter “first”"),
        ("/models/quartz/entries.csv?start=x", "takes a whole number"),
        ("/models/?start=x", "takes a whole number"),
        ("/models.csv?T=8", "There is no filter “T”"),
    ],
    ids=range(11),
)
def test_a_question_that_no_page_of_a_model_answers_is_refused_in_words(
    client: Client, quartz: Model, address: str, sentence: str
) -> None:
    answer = client.get(address)
    assert answer.status_code == 400
    assert sentence in text_of(answer.content.decode())


def test_every_cell_stands_page_by_page_in_one_order_and_so_do_the_files(
    client: Client, quartz: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("leaderboard.selectors.cells", "leaderboard.views.cell_views"):
        monkeypatch.setattr(f"{module}.CELLS_A_PAGE", 5)
    whole = shown(client, "/models/quartz/cells/")
    assert "1 to 5 of 12 cells" in text_of(whole)
    assert found_in(whole).links.count("?start=5") == 1
    files = []
    for start in (0, 5, 10):
        query = f"?start={start}" if start else ""
        page = shown(client, f"/models/quartz/cells/{query}")
        file = saved(client, f"/models/quartz/cells.csv{query}")
        assert page.count("<tr>") - page.count("<thead>") == len(file)
        files += [(row["board"], row["entry"], row["turn_limit"]) for row in file]
    assert len(set(files)) == len(files) == 12
    assert {row[2] for row in files} == {"1", "4"}
    last = found_in(shown(client, "/models/quartz/cells/?start=10")).links
    assert "?start=5" in last
    assert "?start=15" not in last
    beyond = shown(client, "/models/quartz/cells/?start=90000")
    assert "No cell stands here with these filters from there on" in text_of(beyond)
    assert [one for one in found_in(beyond).links if "start" in one] == ["?start=10"]


def test_cells_are_chosen_by_values_board_target_and_problem(
    client: Client, seeded: Seeded
) -> None:
    query = f"provenance=verified&target=hopper&kind=speed&problem={GEMM}"
    page = shown(client, f"/models/quartz-4/cells/?{query}")
    file = saved(client, f"/models/quartz-4/cells.csv?{query}")
    assert {(row["provenance"], row["kind"], row["problem"]) for row in file} == {
        ("verified", "speed", GEMM)
    }
    assert {row["turn_limit"] for row in file} == {"1", "4", "8"}
    assert len(table(page, "Speed, verified by us")) == len(file) == 3
    answer = client.get("/models/quartz-4/cells/?start=0&problem=&kind=speed")
    assert answer["Location"] == "/models/quartz-4/cells/?kind=speed"
    own = saved(client, f"/entries/{seeded.whole.uid}/cells.csv?{query}")
    assert own == file


def test_the_entries_of_a_model_are_listed_page_by_page_and_so_are_their_files(
    client: Client,
) -> None:
    model = rows.model(slug="quartz", name="Quartz")
    for number in range(52):
        rows.entry(["p"], model=model, pack=f"pack {number}", created_at=AT)
    rows.entry(["p"], model=model, pack="hidden", visibility="private")
    page = shown(client, "/models/quartz/")
    assert "The newest 10 of 52" in text_of(page)
    assert page.count("pack ") == 10
    first = shown(client, "/models/quartz/entries/")
    assert "1 to 50 of 52, the newest first" in text_of(first)
    assert "?start=50" in found_in(first).links
    rest = shown(client, "/models/quartz/entries/?start=50")
    assert "51 to 52 of 52" in text_of(rest)
    files = [saved(client, f"/models/quartz/entries.csv{one}") for one in ("", "?start=50")]
    assert [len(one) for one in files] == [50, 2]
    packs = [row["pack"] for one in files for row in one]
    assert packs == [f"pack {number}" for number in reversed(range(52))]
    assert [one for one in packs[50:] if one not in rest] == []
    beyond = shown(client, "/models/quartz/entries/?start=90000")
    assert "No public entry stands here from there on: there are 52" in text_of(beyond)
    assert [one for one in found_in(beyond).links if "start" in one] == ["?start=50"]
    assert client.get("/models/quartz/entries/?start=0")["Location"] == "/models/quartz/entries/"


def test_models_are_listed_page_by_page_and_so_are_their_files(client: Client) -> None:
    for number in range(103):
        rows.model(slug=f"m-{number}", name=f"Name {number:03}")
    rows.model(slug="hidden", name="Name 000 hidden", accepted_at=None)
    first, rest = shown(client, "/models/"), shown(client, "/models/?start=100")
    assert "1 to 100 of 103 by name" in text_of(first)
    assert "101 to 103 of 103 by name" in text_of(rest)
    assert "?start=100" in found_in(first).links
    files = [saved(client, f"/models.csv{one}") for one in ("", "?start=100")]
    assert [len(one) for one in files] == [100, 3]
    assert [row["model"] for row in files[1]] == ["Name 100", "Name 101", "Name 102"]
    beyond = shown(client, "/models/?start=10000000")
    assert "there are 103" in text_of(beyond)
    assert [one for one in found_in(beyond).links if "start" in one] == ["?start=100"]
    assert client.get("/models/?start=0")["Location"] == "/models/"


@pytest.mark.parametrize("entries", [2, 24])
def test_a_page_of_a_model_is_as_large_and_costs_as_many_queries_for_many_entries(
    client: Client, entries: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    model = rows.model(slug="quartz", name="Quartz")
    for number in range(entries):
        entry = rows.entry(GOOD, model=model, harness=f"harness {number}")
        for problem in (GEMM, MHA):
            rows.add_turns(entry, GOOD, problem)
    rebuild(at=AT)
    with django_assert_num_queries(11):
        page = shown(client, "/models/quartz/")
    assert sum(len(table(page, f"{kind}, ver")) for kind in ("Correct", "Instruct")) == 0
    assert [len(table(page, f"{one}, verified")) for one in ("Correctness", "Speed")] == [2, 2]
    assert f"best of {entries} entries" in text_of(page)
    assert len(page) < 50_000
    with django_assert_num_queries(4):
        every = shown(client, "/models/quartz/cells/")
    assert len(every) < 150_000
    assert f"of {entries * 2 * 3 * 2} cells" in text_of(every)


HIDDEN = ["private", "embargoed", "withdrawn"]


@pytest.mark.parametrize("which", HIDDEN)
def test_what_is_not_public_is_in_no_list_of_cells_and_counted_in_none(
    client: Client, seeded: Seeded, which: str
) -> None:
    entry: Entry = getattr(seeded, which)
    assert entry.model is not None
    slug = entry.model.slug
    for visitor in (client, signed_in(), signed_in(owns_all=True), signed_in(staff=True)):
        page = shown(visitor, f"/models/{slug}/")
        assert "No value stands under this name yet" in text_of(page)
        assert str(entry.uid) not in page
        assert "No cell stands here" in text_of(shown(visitor, f"/models/{slug}/cells/"))
        assert saved(visitor, f"/models/{slug}/cells.csv") == []
        assert "No public entry stands here yet" in text_of(
            shown(visitor, f"/models/{slug}/entries/")
        )
    for visitor in (client, signed_in()):
        status = visitor.get(f"/entries/{entry.uid}/cells/").status_code
        assert status == (200 if which == "withdrawn" else 404)
        assert visitor.get(f"/entries/{entry.uid}/cells.csv").status_code == status


def test_a_model_that_is_not_listed_has_none_of_these_pages(client: Client) -> None:
    rows.model(slug="secret", name="Secret", accepted_at=None)
    for page in ("/", ".csv", "/cells/", "/cells.json", "/entries/", "/entries.csv"):
        assert client.get(f"/models/secret{page}").status_code == 404
    assert client.get("/entries/6f9619ff-8b86-4d11-b42d-00c04fc964ff/cells/").status_code == 404


def test_a_held_turn_cannot_be_told_from_an_open_one_on_any_page_of_a_model(
    client: Client,
) -> None:
    model = rows.model(slug="quartz", name="Quartz")
    entry = rows.judged(["p---", *["----"] * 4], model=model)
    turn = Turn.objects.get(trajectory__entry=entry, trajectory__number=0, number=0)
    Turn.objects.filter(trajectory__entry=entry).update(completion_tokens=100)
    run = Run.objects.get(kernel=turn.kernel)
    uid = entry.uid
    pages = [
        *("/models/quartz/", "/models/quartz/cells/", "/models/quartz/entries/", "/gap/?T=4"),
        *(f"/entries/{uid}/", f"/entries/{uid}/cells/", "/models/quartz.json", "/models/"),
    ]
    hold = rows.hold(turn)
    rebuild(at=AT)
    held = [client.get(one).content for one in pages]
    Hold.objects.filter(pk=hold.pk).delete()
    Run.objects.filter(pk=run.pk).delete()
    rows.run(turn, "o")
    rebuild(at=AT)
    assert [client.get(one).content for one in pages] == held
    assert b"Tokens against speed" not in b"".join(held)
