"""The figures of a publication stand beside ours: exactly as published, and never among them."""

from io import StringIO
from pathlib import Path
from typing import Any

import judged_rows as rows
import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction
from judged_rows import AT, GEMM

from evaluation.core.verdict import Target
from evaluation.models import PaperCell
from leaderboard.models import Board, Standing
from leaderboard.projection import rebuild, refresh_papers
from leaderboard.ranking import Provenance
from leaderboard.selectors import BoardQuery, BoardRow, board_page
from leaderboard.standing import BoardKind

pytestmark = pytest.mark.django_db

FOLDER = Path(__file__).parents[2].parent / "shared/data/ptxbench-published"
DEVICES = {"hopper": "h100", "blackwell": "b200"}
PROBLEMS = (
    "gemm_n7168_k5120",
    "mha_with_lse_d128",
    "mha_with_lse_d128_causal",
    "mha_bwd_d128",
    "mha_bwd_d128_causal",
)
# Correct / with the target's instructions / turns, and the best ratio to three decimals, for each of PROBLEMS.
TABLE = """
hopper    | Claude Opus 4.8 | 91/91/96 0.976 | 91/87/96 0.839 | 79/72/96 0.806 | 86/76/96 0.489 | 57/43/96 0.499
hopper    | Gemini 3.1 Pro  | 57/57/96 0.962 | 44/44/96 0.730 | 53/53/96 0.768 | 37/37/96 0.515 | 25/24/96 0.639
hopper    | GLM-5.2         | 60/59/96 0.692 | 15/8/96 0.607  | 17/10/96 0.533 | 16/5/96 0.437  | 15/0/96 0.101
hopper    | Qwen3.6-27B     | 0/0/160 none   | 0/0/160 none   | 0/0/160 none   | 0/0/160 none   | 0/0/160 none
blackwell | Claude Opus 4.8 | 85/77/96 1.012 | 83/37/96 0.300 | 80/31/96 0.269 | 88/10/96 0.155 | 66/0/96 0.116
blackwell | Gemini 3.1 Pro  | 44/44/96 0.892 | 15/15/96 0.280 | 12/10/96 0.248 | 2/2/96 0.133   | 1/0/96 0.015
blackwell | GLM-5.2         | 33/27/96 0.632 | 25/1/96 0.035  | 24/1/96 0.098  | 29/0/96 0.040  | 22/0/96 0.034
blackwell | Qwen3.6-27B     | 1/0/96 0.006   | 0/0/96 none    | 0/0/96 none    | 0/0/96 none    | 0/0/96 none
"""


def paper_cell(metric: str, numerator: int | None = None, **columns: Any) -> PaperCell:
    whole = {
        "publication": "paper",
        "target": "hopper",
        "device": "H100",
        "problem": GEMM,
        "experiment": "first",
        "main": True,
        "metric": metric,
        "turn_limit": 8,
        "numerator": numerator,
        "denominator": None if numerator is None else 96,
    }
    return PaperCell.objects.create(**whole | columns)


def page(kind: BoardKind, target: str, problem: str, limit: int = 8) -> list[BoardRow]:
    query = BoardQuery(
        kind=kind,
        target=Target(target),
        device=DEVICES[target] if kind is BoardKind.SPEED else "",
        problem=problem,
        turn_limit=limit,
        provenance=Provenance.PAPER,
    )
    return list(board_page(query).rows)


def test_the_values_of_one_publication_model_and_device_make_a_row_a_board() -> None:
    model = rows.model(slug="m1")
    paper_cell("correct_at", 48, model=model)
    paper_cell("solved_by", 12, denominator=12, model=model)
    paper_cell("target_correct_at", 24, evidence="ptx_text", model=model)
    paper_cell("best_speedup", None, value=0.75, model=model)
    refresh_papers()
    (correct,) = page(BoardKind.CORRECTNESS, "hopper", GEMM)
    assert (correct.subject, correct.value, correct.hits, correct.counted) == (
        "paper:m1:H100",
        0.5,
        48,
        96,
    )
    assert [(one.name, one.unit, one.value) for one in correct.rates] == [
        ("correct", "turn", 0.5),
        ("solved", "trajectory", 1.0),
    ]
    (instruction,) = page(BoardKind.INSTRUCTION, "hopper", GEMM)
    assert [(one.name, one.value, one.evidence) for one in instruction.rates] == [
        ("family_correct", 0.25, "ptx_text")
    ]
    (speed,) = page(BoardKind.SPEED, "hopper", GEMM)
    assert (speed.value, speed.reported_device, speed.fast(0.5)) == (0.75, "H100", None)


def test_only_main_values_of_known_problems_stand_on_boards() -> None:
    model = rows.model()
    paper_cell("correct_at", 48, main=False, model=model)
    paper_cell("correct_at", 48, problem="theirs", model=model)
    refresh_papers()
    assert not Board.objects.exists()


def test_a_value_that_is_taken_back_leaves_its_board() -> None:
    cell = paper_cell("correct_at", 48, model=rows.model())
    refresh_papers()
    cell.delete()
    assert refresh_papers().removed == 1
    assert not Board.objects.exists()


def test_published_values_are_ordered_by_value_and_have_no_rank() -> None:
    for slug, hits in (("low", 10), ("high", 90)):
        paper_cell("correct_at", hits, model=rows.model(slug=slug))
    refresh_papers()
    found = page(BoardKind.CORRECTNESS, "hopper", GEMM)
    assert [(one.model_slug, one.rank_low, one.unranked_why) for one in found] == [
        ("high", None, "not_verified"),
        ("low", None, "not_verified"),
    ]


def test_published_values_stand_on_no_board_with_ours() -> None:
    rows.judged(["p---"] * 5)
    paper_cell("correct_at", 96, model=rows.model())
    rebuild(at=AT)
    for board in Board.objects.all():
        kinds = set(board.standings.values_list("provenance", flat=True))
        assert len(kinds) == 1, board.slug
    assert rows.standing("correctness", 4, provenance="verified").rank_low == 1


def test_the_database_refuses_a_rank_for_what_we_did_not_verify() -> None:
    paper_cell("correct_at", 96, model=rows.model())
    refresh_papers()
    with pytest.raises(IntegrityError), transaction.atomic():
        Standing.objects.update(rank_low=1, rank_high=1, unranked_why="", low=0.5, high=1.0)


def test_the_published_table_comes_out_on_the_boards() -> None:
    if not FOLDER.is_dir():
        pytest.skip("the published files are not in ../shared/data/ptxbench-published")
    call_command("import_published", str(FOLDER), stdout=StringIO())
    for line in TABLE.strip().splitlines():
        target, model, *cells = (word.strip() for word in line.split("|"))
        for problem, cell in zip(PROBLEMS, cells, strict=True):
            assert in_words(target, model, problem) == cell, (target, model, problem)


def in_words(target: str, model: str, problem: str) -> str:
    def of(kind: BoardKind) -> BoardRow:
        (row,) = (one for one in page(kind, target, problem) if one.model_name == model)
        return row

    correct, instruction, speed = (of(kind) for kind in BoardKind)
    turns = next(rate for rate in instruction.rates if rate.name == "family_correct")
    assert (turns.evidence, turns.counted) == ("ptx_text", correct.counted)
    best = "none" if speed.value is None else f"{speed.value:.3f}"
    return f"{correct.hits}/{turns.hits}/{correct.counted} {best}"


def test_every_main_published_value_stands_on_exactly_one_row_of_its_board() -> None:
    if not FOLDER.is_dir():
        pytest.skip("the published files are not in ../shared/data/ptxbench-published")
    call_command("import_published", str(FOLDER), stdout=StringIO())
    main = PaperCell.objects.filter(main=True)
    assert main.count() > 1000
    found = {
        (one.model_slug, target, one.reported_device, problem, limit, rate.name, rate.evidence): (
            rate.hits,
            rate.counted,
        )
        for target in DEVICES
        for problem in set(main.values_list("problem", flat=True))
        for limit in (1, 4, 8)
        for kind in (BoardKind.CORRECTNESS, BoardKind.INSTRUCTION)
        for one in page_or_none(kind, target, problem, limit)
        for rate in one.rates
    }
    names = {
        "correct_at": "correct",
        "solved_by": "solved",
        "target_correct_at": "family_correct",
        "target_solved_by": "family_solved",
    }
    published = {
        (
            cell.model.slug,
            cell.target,
            cell.device,
            cell.problem,
            cell.turn_limit,
            names[cell.metric],
            cell.evidence,
        ): (cell.numerator, cell.denominator)
        for cell in main.exclude(metric="best_speedup").select_related("model")
    }
    assert found == published


def page_or_none(kind: BoardKind, target: str, problem: str, limit: int) -> list[BoardRow]:
    there = Board.objects.filter(kind=kind, target=target, problem=problem, judge="")
    return page(kind, target, problem, limit) if there.exists() else []
