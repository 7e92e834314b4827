"""What a new site shows: one verified entry, and a publication's figures apart from it. All numbers are typed by hand."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from evaluation_rows import FakeArtifacts

from evaluation.core.records import Outcome
from evaluation.core.verdict import Language, Target
from evaluation.models import Artifact, Attempt, Entry, Hold, PaperCell, Run, StageReport, Turn
from evaluation.selectors import ANYONE, entry_page, kernel_page
from evaluation.services import (
    NewEntry,
    NewTrajectory,
    NewTurn,
    add_entry,
    add_trajectory,
    request_runs,
)
from leaderboard.models import Standing
from leaderboard.ranking import Provenance
from leaderboard.selectors import BoardQuery, BoardRow, board_page
from leaderboard.standing import BoardKind
from portal.quickstart import sample_data
from portal.quickstart.sample_entry import load_samples
from portal.quickstart.sample_files import Sample, SampleSet, sample_folder, samples

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)
WORD = "sample data, each kernel measured on one NVIDIA H200 on 2026-11-30"
TABLES = (Artifact, Attempt, Entry, Hold, PaperCell, Run, StageReport, Standing, Turn)


def rows(kind: BoardKind, problem: str = "gemm_n7168_k5120", **asked: Any) -> tuple[BoardRow, ...]:
    device = "h200" if kind is BoardKind.SPEED else ""
    asked = {"kind": kind, "target": Target.HOPPER, "device": device, "problem": problem} | asked
    return board_page(BoardQuery(**asked)).rows


def counts() -> dict[str, int]:
    return {one.__name__: one.objects.count() for one in TABLES}


def test_the_speed_board_of_gemm_shows_the_best_of_three_kernels() -> None:
    sample_data.load()
    (row,) = rows(BoardKind.SPEED)
    assert (row.model_name, row.harness, row.track) == ("PTXBoard samples", WORD, "human")
    assert (row.value, row.low, row.high) == (0.9913, 0.9853, 0.9972)
    assert (row.rank_low, row.rank_high, row.unranked_why) == (1, 1, "")
    assert row.ratios == (0.9913, 0.4704, 0.009063)
    assert (row.hits, row.declared) == (3, 8)
    assert row.best is not None
    assert row.best.turn == 2


def test_each_attention_problem_has_the_best_ratio_of_its_kernels() -> None:
    sample_data.load()
    ratios = {
        "mha_with_lse_d128": (1.064,),
        "mha_with_lse_d128_causal": (1.0583,),
        "mha_bwd_d128": (0.9345, 0.057183),
        "mha_bwd_d128_causal": (0.9689, 0.067436),
    }
    for problem, all_of_them in ratios.items():
        (row,) = rows(BoardKind.SPEED, problem)
        assert (row.value, row.ratios) == (all_of_them[0], all_of_them), problem
        assert (row.hits, row.declared) == (len(all_of_them), 8), problem


def test_a_run_has_the_time_at_which_its_kernel_was_measured() -> None:
    sample_data.load()
    ended = {
        turn.event: run.finished_at
        for turn in Turn.objects.filter(kernel__isnull=False)
        for run in Run.objects.filter(kernel=turn.kernel)
    }
    assert len(ended) == 9
    late = datetime(2026, 11, 30, 22, 8, tzinfo=UTC)
    assert {name for name, at in ended.items() if at is not None and at >= late} == {
        "mha_bwd_wgmma",
        "mha_bwd_wgmma_causal",
    }


def test_correct_and_instruction_are_counted_apart() -> None:
    sample_data.load()
    (correct,) = rows(BoardKind.CORRECTNESS)
    assert (correct.hits, correct.counted, correct.open) == (3, 8, 0)
    assert correct.unranked_why == "few_trajectories"
    (instruction,) = rows(BoardKind.INSTRUCTION)  # the first two are on other instructions
    assert {one.name: one.hits for one in instruction.rates} == {
        "family_correct": 1,
        "family_solved": 1,
        "path_correct": 1,
        "path_solved": 1,
    }
    (first,) = rows(BoardKind.CORRECTNESS, turn_limit=1)
    assert (first.hits, first.counted) == (1, 1)


def test_the_published_figures_stand_apart_from_what_we_measured() -> None:
    sample_data.load()
    paper = rows(BoardKind.CORRECTNESS, provenance=Provenance.PAPER)
    assert [(one.model_name, one.hits, one.counted) for one in paper] == [
        ("Claude Opus 4.8", 91, 96),
        ("GLM-5.2", 60, 96),
        ("Gemini 3.1 Pro", 57, 96),
        ("Qwen3.6-27B", 0, 160),
    ]
    assert {one.publication for one in paper} == {"ptxbench-2608.17379"}
    verified = rows(BoardKind.CORRECTNESS)
    assert [one.model_name for one in verified] == ["PTXBoard samples"]
    fast = rows(BoardKind.SPEED, device="h100", provenance=Provenance.PAPER)
    assert [one.value for one in fast] == [0.976, 0.962, 0.692, None]
    (target,) = rows(BoardKind.INSTRUCTION, "mha_bwd_d128_causal", provenance=Provenance.PAPER)[:1]
    assert [(one.hits, one.counted, one.evidence) for one in target.rates] == [(43, 96, "ptx_text")]


def test_the_entry_shows_every_kernel_with_its_reports_and_nothing_is_held() -> None:
    sample_data.load()
    entry = Entry.objects.get()
    page = entry_page(ANYONE, entry.uid)
    assert [len(one.turns) for one in page.trajectories] == [3, 2, 2, 1, 1]
    shown = next(one for one in page.trajectories[0].turns if one.number == 2)
    (kernel,) = kernel_page(ANYONE, shown.kernel)
    (run,) = kernel.runs
    assert run.findings is not None
    assert (run.findings.instruction.coverage, run.lane, run.device) == (0.9988, "recorded", "h200")
    assert [str(one.report.stage) for one in run.reports] == [
        *("policy", "build", "record", "scan", "check", "probe", "time")
    ]
    assert run.finished_at is not None
    assert run.finished_at.date().isoformat() == "2026-11-30"
    assert not Hold.objects.exists()


def test_a_second_start_changes_nothing_and_asks_little() -> None:
    sample_data.load()
    before = counts()
    with CaptureQueriesContext(connection) as asked:
        sample_data.load()
    assert counts() == before
    assert len(asked) < 40


def damaged(found: SampleSet) -> SampleSet:
    """The last sample without its last report: its GPU half does not come to an end."""
    *others, last = found.samples
    short = replace(last, measure=Outcome(last.measure.reports[:-1]))
    return replace(found, samples=(*others, short))


def test_of_samples_that_do_not_fit_nothing_is_stored() -> None:
    with pytest.raises(AssertionError, match="the measure half of mha_bwd_wgmma_causal came to"):
        load_samples(FakeArtifacts(), damaged(samples(sample_folder())), at=NOW)
    assert counts() == dict.fromkeys(counts(), 0)


def test_samples_of_another_release_take_the_place_of_the_older_ones() -> None:
    found = samples(sample_folder())
    older = replace(found, digest="0" * 64)
    (first,) = load_samples(FakeArtifacts(), older, at=NOW)
    assert load_samples(FakeArtifacts(), found, at=NOW) == (first, Entry.objects.latest("pk").pk)
    withdrawn = Entry.objects.get(pk=first)
    assert withdrawn.withdrawn_reason == "Replaced by the sample data of another release."
    assert Run.objects.count() == 18  # measured anew: none rests on an older one
    sample_data.load()
    (row,) = rows(BoardKind.SPEED)
    assert row.entry_uid == str(Entry.objects.latest("pk").uid)


def upload(sample: Sample) -> Entry:
    """Somebody hands in the same kernel, hidden."""
    new = NewEntry(
        owner="somebody",
        digest="1" * 64,
        language=Language.CUDA,
        proposed_model="me",
        single_kernel=True,
    )
    entry = add_entry(new, at=NOW).entry
    turn = NewTurn(number=0, kernel=sample.source)
    trajectory = NewTrajectory(
        problem=sample.problem, problem_version=1, target=Target.HOPPER, turns=(turn,)
    )
    add_trajectory(FakeArtifacts(), entry, trajectory, at=NOW)
    return entry


def test_who_uploads_a_sample_kernel_has_its_verdict_at_once() -> None:
    sample_data.load()
    wgmma = samples(sample_folder()).samples[2]
    asked = request_runs(upload(wgmma), judge="1", at=NOW)
    assert (asked.new, asked.reused) == ((), 1)
