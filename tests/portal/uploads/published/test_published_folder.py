import gzip
from datetime import date
from pathlib import Path

import published_sample
import pytest
from published_sample import GEMM, NO_CHOICES, PROBLEMS

from evaluation.core.entry_words import PaperMetric
from evaluation.core.verdict import Target
from portal.uploads.importers.published.published_folder import read_publication
from portal.uploads.importers.published.published_records import (
    Difference,
    Evidence,
    Milestone,
    PaperModel,
    PaperRun,
    PaperValue,
    Publication,
    RunKey,
)

FIRST = RunKey("Alpha 1", Target.HOPPER, "gemm_n7168_k5120", GEMM, "alpha-gemm")
TURNS = "reasoning_tokens_vs_performance.csv"
INSTRUCTION = "arch_instruction_correctness_by_release_date.csv"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    published_sample.write(tmp_path)
    return tmp_path


def _read(folder: Path) -> Publication:
    return read_publication(folder, problems=PROBLEMS, main_runs=NO_CHOICES)


def _first(publication: Publication) -> PaperRun:
    return next(run for run in publication.runs if run.key == FIRST)


def test_a_run_has_every_metric_at_every_published_turn_limit(folder: Path) -> None:
    none, sass, text = Evidence.NONE, Evidence.DYNAMIC_SASS, Evidence.PTX_TEXT
    assert _first(_read(folder)).values == (
        PaperValue(PaperMetric.SOLVED_BY, 1, 1, 2, None, none),
        PaperValue(PaperMetric.TARGET_SOLVED_BY, 1, 0, 2, None, sass),
        PaperValue(PaperMetric.BEST_SPEEDUP, 1, None, None, 0.25, none),
        PaperValue(PaperMetric.CORRECT_AT, 1, 1, 2, None, none),
        PaperValue(PaperMetric.TARGET_CORRECT_AT, 1, 0, 2, None, text),
        PaperValue(PaperMetric.SOLVED_BY, 2, 2, 2, None, none),
        PaperValue(PaperMetric.TARGET_SOLVED_BY, 2, 1, 2, None, sass),
        PaperValue(PaperMetric.BEST_SPEEDUP, 2, None, None, 0.5, none),
        # Three turns were taken: the second trajectory ended after one.
        PaperValue(PaperMetric.CORRECT_AT, 2, 2, 3, None, none),
        PaperValue(PaperMetric.TARGET_CORRECT_AT, 2, 1, 3, None, text),
    )


def test_a_run_is_named_by_the_last_part_of_its_path_and_its_device_by_its_target(
    folder: Path,
) -> None:
    run = _first(_read(folder))
    assert (run.key.experiment, run.device, run.problem) == (
        "alpha-gemm",
        "H100",
        "gemm_n7168_k5120",
    )
    assert (run.trajectories, run.turns, run.main) == (2, 3, True)


def test_a_workload_that_is_none_of_ours_has_no_problem(folder: Path) -> None:
    other = next(run for run in _read(folder).runs if run.key != FIRST)
    assert (other.problem, other.device, other.key.experiment) == ("", "B200", "alpha-gqa")


def test_our_definition_with_another_workload_is_none_of_our_problems(folder: Path) -> None:
    other = {("gemm_n7168_k5120", "94920358-01a8-4c5b-9209-000000000000"): "gemm_n7168_k5120"}
    publication = read_publication(folder, problems=other, main_runs=NO_CHOICES)
    assert _first(publication).problem == ""


def test_a_best_speedup_of_0_means_that_there_was_none(folder: Path) -> None:
    other = next(run for run in _read(folder).runs if run.key != FIRST)
    best = [value.value for value in other.values if value.metric is PaperMetric.BEST_SPEEDUP]
    assert best == [None]


def test_days_are_read_in_both_forms_and_an_impossible_one_is_a_named_problem(
    folder: Path,
) -> None:
    publication = _read(folder)
    assert publication.models == (PaperModel("Alpha 1", (), date(2026, 1, 31)),)
    assert publication.milestones == (
        Milestone("PTX for hopper", date(2022, 10, 5)),
        Milestone("fa3 for hopper", date(2024, 7, 11)),
        Milestone("fa4 for blackwell", None),
    )
    said = "fa_release_dates.csv, line 3: 2025-0631 is in no calendar; kept as unknown"
    assert publication.problems == (said,)


def test_a_packed_file_reads_like_the_plain_one(folder: Path) -> None:
    plain = _read(folder)
    with gzip.open(folder / f"{TURNS}.gz", "wb") as packed:
        packed.write((folder / TURNS).read_bytes())
    (folder / TURNS).unlink()
    assert _read(folder) == plain


def test_a_published_value_that_its_turns_do_not_give_is_a_difference(folder: Path) -> None:
    published_sample.change(
        folder, INSTRUCTION, "H,2,2,1,0.5,2,0,dynamic_sass", "H,2,2,0,0.0,2,0,dynamic_sass"
    )
    publication = _read(folder)
    assert publication.differences == (
        Difference(FIRST, PaperMetric.TARGET_SOLVED_BY, 2, published=0, counted=1),
    )
    imported = [one for one in _first(publication).values if one.turn_limit == 2]
    assert imported[1] == PaperValue(
        PaperMetric.TARGET_SOLVED_BY, 2, 0, 2, None, Evidence.DYNAMIC_SASS
    )


def test_equal_files_have_no_difference(folder: Path) -> None:
    assert _read(folder).differences == ()


@pytest.mark.parametrize(
    ("name", "old", "new", "expected"),
    [
        pytest.param(
            "correctness_rate_by_release_date.csv", "1,2,1,0.500000", "1,2,2,1.000000",
            Difference(FIRST, PaperMetric.SOLVED_BY, 1, published=2, counted=1), id="solved",
        ),
        pytest.param(
            "best_speedup_by_release_date.csv", "1,2,0.25", "1,2,0.26",
            Difference(FIRST, PaperMetric.BEST_SPEEDUP, 1, published=0.26, counted=0.25), id="best",
        ),
        pytest.param(
            "best_speedup_by_release_date.csv", "1,2,0.25", "1,2,0",
            Difference(FIRST, PaperMetric.BEST_SPEEDUP, 1, published=None, counted=0.25), id="no-best",
        ),
        pytest.param(
            INSTRUCTION, "H,1,2,0,0.0,1,0", "H,1,2,0,0.0,2,0",
            Difference(FIRST, PaperMetric.CORRECT_AT, 1, published=2, counted=1), id="correct-turns",
        ),
    ],
)  # fmt: skip
def test_every_published_metric_is_compared(
    folder: Path, name: str, old: str, new: str, expected: Difference
) -> None:
    published_sample.change(folder, name, old, new)
    assert _read(folder).differences == (expected,)


def test_turns_of_which_nobody_could_tell_what_they_executed_are_a_named_problem(
    folder: Path,
) -> None:
    published_sample.change(folder, INSTRUCTION, "H,1,2,0,0.0,1,0", "H,1,2,0,0.0,1,1")
    assert _read(folder).problems[1:] == (
        (
            "alpha-gemm at turn limit 1: correct turns whose executed instructions the publication could not tell: 1; "
            "they count as not using the target's"
        ),
    )
