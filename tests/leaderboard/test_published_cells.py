"""The published turns, counted by our rules, give the published figures: the paper's per turn, the viewer's per trajectory."""

import csv
import gzip
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import pytest

from evaluation.core.verdict import FamilyExecuted
from leaderboard.cells import Cell, count
from leaderboard.turns import Layout, TurnFacts

FOLDER = Path(__file__).parents[2].parent / "shared/data/ptxbench-published"
TURNS = 8
PER_PROMPT = 4  # trajectories, in the order of their numbers

PROBLEMS = (
    "gemm_n7168_k5120",
    "mha_with_lse_d128",
    "mha_with_lse_d128_causal",
    "mha_bwd_d128",
    "mha_bwd_d128_causal",
)
# Correct / with the target family / turns, and the best ratio to three decimals, for each of PROBLEMS.
PAPER = {
    (
        "hopper",
        "Claude Opus 4.8",
    ): "91/91/96 0.976  91/87/96 0.839  79/72/96 0.806  86/76/96 0.489  57/43/96 0.499",
    (
        "hopper",
        "Gemini 3.1 Pro",
    ): "57/57/96 0.962  44/44/96 0.730  53/53/96 0.768  37/37/96 0.515  25/24/96 0.639",
    (
        "hopper",
        "GLM-5.2",
    ): "60/59/96 0.692  15/8/96 0.607  17/10/96 0.533  16/5/96 0.437  15/0/96 0.101",
    (
        "hopper",
        "Qwen3.6-27B",
    ): "0/0/160 none  0/0/160 none  0/0/160 none  0/0/160 none  0/0/160 none",
    (
        "blackwell",
        "Claude Opus 4.8",
    ): "85/77/96 1.012  83/37/96 0.300  80/31/96 0.269  88/10/96 0.155  66/0/96 0.116",
    (
        "blackwell",
        "Gemini 3.1 Pro",
    ): "44/44/96 0.892  15/15/96 0.280  12/10/96 0.248  2/2/96 0.133  1/0/96 0.015",
    (
        "blackwell",
        "GLM-5.2",
    ): "33/27/96 0.632  25/1/96 0.035  24/1/96 0.098  29/0/96 0.040  22/0/96 0.034",
    (
        "blackwell",
        "Qwen3.6-27B",
    ): "1/0/96 0.006  0/0/96 none  0/0/96 none  0/0/96 none  0/0/96 none",
}

Row = dict[str, str]
Runs = dict[tuple[str, ...], list[Row]]


def rows(name: str) -> Iterator[Row]:
    def opened() -> TextIO:
        path = FOLDER / name
        return gzip.open(path, "rt") if name.endswith(".gz") else path.open()

    with opened() as lines:
        yield from csv.DictReader(lines)


def run_of(row: Row) -> tuple[str, ...]:
    return row["model"], row["arch"], row["definition"], row["workload"], row["exp_dir"]


@pytest.fixture(scope="module")
def runs() -> Runs:
    if not FOLDER.is_dir():
        pytest.skip("the published files are not in ../shared/data/ptxbench-published")
    found: Runs = defaultdict(list)
    for row in rows("reasoning_tokens_vs_performance.csv.gz"):
        found[run_of(row)].append(row)
    return dict(found)


def fact(row: Row) -> TurnFacts:
    number = int(row["trajectory_id"].removeprefix("exp_"))
    correct = row["correctness"] == "Correct"
    return TurnFacts(
        prompt=f"{number // PER_PROMPT:03}",
        trajectory=number % PER_PROMPT,
        turn=int(row["turn"]),
        correct=correct,
        family=FamilyExecuted.YES if row["correct_with_arch"] == "1" else FamilyExecuted.ABSENT,
        ratio=float(row["speedup"]) if correct else None,
    )


def cell(run: list[Row], turn_limit: int) -> Cell:
    trajectories = len({row["trajectory_id"] for row in run})
    layout = Layout(trajectories // PER_PROMPT, PER_PROMPT, TURNS)
    return count([fact(row) for row in run], layout, turn_limit)


@pytest.mark.parametrize(
    ("target", "model"), [pytest.param(*key, id="-".join(key)) for key in PAPER]
)
def test_the_per_turn_table_of_the_paper_comes_out(runs: Runs, target: str, model: str) -> None:
    words = PAPER[target, model].split()
    for problem, counts, ratio in zip(PROBLEMS, words[::2], words[1::2], strict=True):
        several = [turns for run, turns in runs.items() if run[:3] == (model, target, problem)]
        # A model may have several runs of a problem; the one of the table is among them.
        assert (counts, ratio) in [in_words(cell(turns, TURNS)) for turns in several], problem


def in_words(found: Cell) -> tuple[str, str]:
    counts = f"{found.correct.hits}/{found.family_correct.hits}/{found.correct.counted}"
    return counts, "none" if found.best is None else f"{found.best.ratio:.3f}"


def test_every_row_of_the_solved_by_file_comes_out(runs: Runs) -> None:
    published = list(rows("correctness_rate_by_release_date.csv"))
    assert len(published) == 315
    for row in published:
        solved = cell(runs[run_of(row)], int(row["turn_limit"])).solved
        assert (solved.counted, solved.hits) == (int(row["n_trajectories"]), int(row["correct"])), (
            row
        )
        assert f"{solved.share:.6f}" == row["correctness_rate"], row


def test_every_row_of_the_best_ratio_file_comes_out(runs: Runs) -> None:
    published = list(rows("best_speedup_by_release_date.csv"))
    assert len(published) == 315
    for row in published:
        best = cell(runs[run_of(row)], int(row["turn_limit"])).best
        ours = 0.0 if best is None else best.ratio
        assert f"{ours:.9g}" == f"{float(row['best_speedup']):.9g}", row
