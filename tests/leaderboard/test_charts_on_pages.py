"""Charts on the pages of a small site: what they show to whom, what they cost, and what the policy allows for them."""

import json
import re
from functools import partial
from typing import Any

import judged_rows as rows
import pytest
from django.test import Client
from django.urls import URLPattern, get_resolver
from judged_rows import AT, GEMM, LATER
from pytest_django import DjangoAssertNumQueries
from seeded_site import Seeded
from site_fixtures import artifacts, seeded, signed_in

from evaluation.models import Kernel, Run
from leaderboard.projection import rebuild
from leaderboard.ranking import Provenance
from leaderboard.selectors.chart_gaps import GapPart, GapPoint, GapQuery, gap_part
from leaderboard.selectors.chart_records import problem_records
from leaderboard.views.drawn import EMPTY_STYLE

__all__ = ["artifacts", "seeded"]  # fixtures
pytestmark = pytest.mark.django_db

FIVE = ["pf--", "p---", "----", "-p--", "f---"]


def part(**columns: Any) -> GapPart:
    whole: dict[str, Any] = {
        "provenance": Provenance.VERIFIED,
        "turn_limit": 4,
        "problems": (GEMM,),
    }
    return gap_part(GapQuery(**whole | columns))


def gaps(**columns: Any) -> tuple[GapPoint, ...]:
    return part(**columns).points


def figures(page: str) -> dict[str, Any]:
    """The figures of a page by the names of their charts."""
    found = re.findall(
        r'<script id="chart-([a-z-]+)-figure" type="application/json">(.*?)</script>', page
    )
    return {name: json.loads(text) for name, text in found}


def test_a_gap_point_has_both_shares_of_all_declared_turns() -> None:
    entry = rows.judged(FIVE)
    lost = Kernel.objects.filter(turns__trajectory__entry=entry, runs__correct="yes")[:2]
    Run.objects.filter(kernel__in=list(lost)).update(family="absent", matrix_path="no")
    rebuild(at=AT)
    (found,) = gaps()
    assert (found.correct.hits, found.correct.counted) == (5, 20)
    assert (found.family.hits, found.family.counted) == (3, 20)
    assert (found.row.entry_uid, found.board.problem) == (str(entry.uid), GEMM)


@pytest.mark.parametrize("models", [1, 4])
def test_gap_points_are_read_in_four_queries_however_many_there_are(
    models: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(models):
        rows.judged(FIVE)
    rebuild(at=AT)
    with django_assert_num_queries(4):
        assert len(gaps()) == models


def test_gap_points_are_of_listed_public_models_and_of_the_newest_judge() -> None:
    rows.judged(FIVE, judge="9")
    newest = rows.judged(FIVE, judge="10")
    rows.judged(FIVE, judge="10", visibility="private")
    rows.judged(FIVE, judge="10", proposed_model="Mine")
    rebuild(at=AT)
    assert [one.row.entry_uid for one in gaps()] == [str(newest.uid)]
    assert gaps(turn_limit=8) == ()
    assert gaps(problems=("mha_bwd_d128",)) == ()
    assert gaps(provenance=Provenance.PAPER) == ()
    assert gaps(target="blackwell") == ()
    assert len(gaps(target="hopper")) == 1


def test_a_model_has_one_dot_a_problem_and_device_and_says_of_how_many_entries() -> None:
    model = rows.model()
    rows.judged(["p---"] * 5, model=model)
    best = rows.judged(["pp--"] * 5, model=model)
    elsewhere = rows.judged(["----"] * 5, model=model, device="h100-sxm")
    rebuild(at=AT)
    found = {one.row.devices: (one.row.entry_uid, one.others) for one in gaps()}
    assert found == {
        ("h200",): (str(best.uid), 1),
        ("h100-sxm",): (str(elsewhere.uid), 0),
    }


@pytest.fixture
def ten_models(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of models with an entry at two problems, where six dots are enough for a picture."""
    monkeypatch.setattr("leaderboard.selectors.chart_gaps.DOTS_AIMED", 6)
    names = [f"Model {one}" for one in "jihgfedcba"]
    for name in names:
        entry = rows.judged(["p---"] * 5, model=rows.model(name=name))
        rows.add_turns(entry, ["----"] * 5, "mha_bwd_d128")
    rebuild(at=AT)
    return names


def test_every_part_draws_its_models_at_every_problem_and_all_parts_draw_all(
    ten_models: list[str],
) -> None:
    both = (GEMM, "mha_bwd_d128")
    parts = [part(problems=both, part=number) for number in (1, 2, 3, 4)]
    assert [(one.drawn, one.models, one.parts) for one in parts] == [
        *((3, 10, 4), (3, 10, 4), (2, 10, 4)),
        (2, 10, 4),
    ]
    names = [
        {problem: [one.row.model_name for one in some.points if one.board.problem == problem]}
        for some in parts
        for problem in both
    ]
    assert names[0] == {GEMM: ["Model a", "Model e", "Model i"]}
    assert names[1] == {"mha_bwd_d128": ["Model a", "Model e", "Model i"]}
    every = [name for some in names for name in some.get(GEMM, [])]
    assert sorted(every) == sorted(ten_models)


def test_one_problem_and_target_has_fewer_parts_and_beyond_the_last_there_is_nothing(
    ten_models: list[str],
) -> None:
    assert part().parts == 2
    beyond = part(part=3)
    assert (beyond.points, beyond.drawn, beyond.models) == ((), 0, len(ten_models))


def test_the_page_says_which_part_it_is_and_leads_to_the_others(
    client: Client, ten_models: list[str]
) -> None:
    page = client.get("/gap/?T=4&part=2").content.decode()
    assert "10 models stand here" in page
    assert "this is part 2 of 4, with 3 models, one in 4 by name" in page
    assert 'href="?T=4">The part before' in page
    assert 'href="?T=4&amp;part=3">The next part' in page
    (series, other) = figures(page)["gap"]["data"]
    assert len(series["x"]) + len(other["x"]) == 6
    table = page[page.index("<tbody>") : page.index("</tbody>")]
    assert table.count("<tr>") == 6
    beyond = client.get("/gap/?T=4&part=9").content.decode()
    assert "There is no part 9" in beyond
    assert 'href="?T=4&amp;part=4">The last part' in beyond
    alone = client.get(f"/gap/?problem={GEMM}&target=hopper&T=4").content.decode()
    assert "One problem and one target draw more" not in alone


def test_a_held_turn_is_in_no_numerator_of_a_gap_point() -> None:
    rows.judged(["h---", *["p---"] * 4])
    rebuild(at=AT)
    (found,) = gaps()
    assert (found.correct.hits, found.family.hits, found.correct.counted) == (4, 4, 20)


def test_publications_have_a_dot_a_device_and_say_how_they_know(seeded: Seeded) -> None:
    found = gaps(provenance=Provenance.PAPER, turn_limit=8)
    assert [
        (one.row.model_name, one.correct.hits, one.family.evidence, one.row.reported_device)
        for one in found
    ] == [("Paper Model A", 91, "ptx_text", "h100"), ("Paper Model B", 0, "ptx_text", "h100")]


def test_records_come_oldest_first_in_one_query(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    rows.judged(["p"], single_kernel=True, ratio=0.5)
    rows.judged(["p"], single_kernel=True, ratio=0.75, created_at=LATER)
    rows.judged(["h"], single_kernel=True, ratio=0.875)
    rebuild(at=LATER)
    with django_assert_num_queries(1):
        found = problem_records(GEMM)
    assert [(one.ratio, one.before) for one in found] == [(0.5, None), (0.75, 0.5)]
    assert problem_records("mha_bwd_d128") == ()


def test_the_pages_that_relax_the_policy_are_those_with_charts() -> None:
    relaxed = set()
    for pattern in patterns():
        view = pattern.callback.func if isinstance(pattern.callback, partial) else pattern.callback
        if getattr(view, "draws_charts", False):
            relaxed.add(pattern.name)
    assert relaxed == {"entry", "gap", "kernel", "model", "problem", "run", "speed_board"}


def patterns() -> list[URLPattern]:
    found, waiting = [], list(get_resolver().url_patterns)
    while waiting:
        one = waiting.pop()
        if isinstance(one, URLPattern):
            found.append(one)
        else:
            waiting.extend(one.url_patterns)
    return found


def test_pages_with_charts_allow_one_empty_style_and_nothing_else(client: Client) -> None:
    plain = client.get("/problems/")["Content-Security-Policy"]
    relaxed = client.get(f"/problems/{GEMM}/")["Content-Security-Policy"]
    assert relaxed.replace(f" {EMPTY_STYLE}", "") == plain
    assert f"style-src 'self' {EMPTY_STYLE}" in relaxed
    assert "unsafe" not in relaxed


def test_an_answer_that_nothing_changed_has_the_policy_of_its_page(client: Client) -> None:
    page = client.get(f"/problems/{GEMM}/")
    unchanged = client.get(f"/problems/{GEMM}/", headers={"If-None-Match": page["ETag"]})
    assert unchanged.status_code == 304
    assert unchanged["Content-Security-Policy"] == page["Content-Security-Policy"]


@pytest.fixture
def addresses(seeded: Seeded) -> dict[str, str]:
    assert seeded.whole.model is not None
    return {
        "gap": "/gap/",
        "model": f"/models/{seeded.whole.model.slug}/",
        "entry": f"/entries/{seeded.whole.uid}/",
        "problem": f"/problems/{GEMM}/",
        "board": f"/boards/speed/h200/?problem={GEMM}",
        "kernel": f"/kernels/{seeded.evidence.kernel.sha256}/",
        "run": f"/runs/{seeded.evidence.uid}/",
    }


def test_every_figure_stands_beside_its_words_and_its_table(
    client: Client, addresses: dict[str, str]
) -> None:
    found = {name: client.get(address).content.decode() for name, address in addresses.items()}
    names = {name: sorted(figures(page)) for name, page in found.items()}
    turns = ["over-turns-correctness", "over-turns-instruction"]
    assert names == {
        "gap": ["gap"],
        "model": turns,
        "entry": turns,
        "problem": ["records"],
        "board": ["fast"],
        "kernel": ["clocks-cuda", "opcodes-cuda", "times-cuda-kernel", "times-cuda-vendor"],
        "run": ["clocks-run", "opcodes-run", "times-run-kernel", "times-run-vendor"],
    }
    for name, page in found.items():
        assert page.count('role="img" aria-label="') == len(names[name])
        for chart in names[name]:
            assert f'aria-describedby="chart-{chart}-said"' in page
        assert page.count("The numbers of this chart as a table") == len(names[name])
        assert "ptxboard-charts.js" in page


def test_the_board_s_curves_have_the_p_of_the_address(
    client: Client, addresses: dict[str, str]
) -> None:
    page = client.get(f"{addresses['board']}&p=0.3").content.decode()
    (line,) = figures(page)["fast"]["layout"]["shapes"]
    assert (line["x0"], line["x1"]) == (0.3, 0.3)


def test_pages_without_a_number_to_draw_load_no_script(client: Client) -> None:
    for address in ("/gap/", f"/problems/{GEMM}/", f"/boards/speed/h200/?problem={GEMM}"):
        page = client.get(address).content.decode()
        assert "plot" not in page
        assert "ptxboard-charts.js" not in page
    assert "No value stands here" in client.get("/gap/").content.decode()


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("version=1", "is of one board"),
        ("judge=1", "is of one board"),
        ("p=1", "has no Fast_p"),
        ("T=none", "takes a whole number"),
        ("colour=red", "There is no filter"),
        ("target=voodoo", "is no target"),
        ("part=0", "takes a number from 1"),
    ],
)
def test_the_gap_chart_takes_only_filters_that_mean_something(
    client: Client, query: str, says: str
) -> None:
    answer = client.get(f"/gap/?{query}")
    assert (answer.status_code, says in answer.content.decode()) == (400, True)


def test_the_address_of_a_gap_chart_is_written_one_way(client: Client) -> None:
    answer = client.get("/gap/?part=1&provenance=verified&T=4&target=hopper&suite=paper&track=")
    assert (answer.status_code, answer["Location"]) == (302, "/gap/?target=hopper&T=4")


def test_nobody_s_chart_has_what_is_held_or_private_or_under_embargo(
    client: Client, seeded: Seeded, addresses: dict[str, str]
) -> None:
    hidden = {
        seeded.held.sha256,
        *(str(one.uid) for one in (seeded.private, seeded.embargoed, seeded.withdrawn)),
        *("Onyx", "Agate", "Topaz"),
    }
    for visitor in (client, signed_in(owns_all=True)):
        for address in addresses.values():
            drawn = json.dumps(figures(visitor.get(address).content.decode()))
            assert not [one for one in hidden if one in drawn], address


def test_a_hostile_name_reaches_a_figure_as_text_alone(client: Client, seeded: Seeded) -> None:
    page = client.get(f"/entries/{seeded.proposed.uid}/").content.decode()
    assert "<script>alert" not in page
    assert "\u202e" not in page
