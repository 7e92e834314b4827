"""The real publication: the paper's table, typed in by hand from its text, and the files against each other."""

from pathlib import Path

import pytest

from evaluation.adapters.catalogue import packaged
from evaluation.core.entry_words import PaperMetric
from evaluation.core.verdict import Target
from portal.uploads.importers.published.main_runs import packaged_main_runs
from portal.uploads.importers.published.published_folder import read_publication
from portal.uploads.importers.published.published_records import PaperRun, Publication

REPOSITORY = Path(__file__).parents[4]
FOLDER = REPOSITORY.parent / "shared" / "data" / "ptxbench-published"

pytestmark = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="the published files are not in ../shared/data/ptxbench-published"
)

PROBLEMS = (
    "gemm_n7168_k5120",
    "mha_with_lse_d128",
    "mha_with_lse_d128_causal",
    "mha_bwd_d128",
    "mha_bwd_d128_causal",
)
# correct / target / turns and the best speed-up, in the order of PROBLEMS, after eight turns.
H100, B200 = Target.HOPPER, Target.BLACKWELL
PAPER = {
    (H100, "Claude Opus 4.8"): "91/91/96 0.976 | 91/87/96 0.839 | 79/72/96 0.806 | 86/76/96 0.489 | 57/43/96 0.499",
    (H100, "Gemini 3.1 Pro"): "57/57/96 0.962 | 44/44/96 0.730 | 53/53/96 0.768 | 37/37/96 0.515 | 25/24/96 0.639",
    (H100, "GLM-5.2"): "60/59/96 0.692 | 15/8/96 0.607 | 17/10/96 0.533 | 16/5/96 0.437 | 15/0/96 0.101",
    (H100, "Qwen3.6-27B"): "0/0/160 none | 0/0/160 none | 0/0/160 none | 0/0/160 none | 0/0/160 none",
    (B200, "Claude Opus 4.8"): "85/77/96 1.012 | 83/37/96 0.300 | 80/31/96 0.269 | 88/10/96 0.155 | 66/0/96 0.116",
    (B200, "Gemini 3.1 Pro"): "44/44/96 0.892 | 15/15/96 0.280 | 12/10/96 0.248 | 2/2/96 0.133 | 1/0/96 0.015",
    (B200, "GLM-5.2"): "33/27/96 0.632 | 25/1/96 0.035 | 24/1/96 0.098 | 29/0/96 0.040 | 22/0/96 0.034",
    (B200, "Qwen3.6-27B"): "1/0/96 0.006 | 0/0/96 none | 0/0/96 none | 0/0/96 none | 0/0/96 none",
}  # fmt: skip


@pytest.fixture(scope="module")
def publication() -> Publication:
    problems = {(one.name, one.workload): one.name for one in packaged().problems()}
    return read_publication(FOLDER, problems=problems, main_runs=packaged_main_runs())


def _after_eight(run: PaperRun) -> str:
    at = {value.metric: value for value in run.values if value.turn_limit == 8}
    correct, target = at[PaperMetric.CORRECT_AT], at[PaperMetric.TARGET_CORRECT_AT]
    best = at[PaperMetric.BEST_SPEEDUP].value
    assert correct.denominator == target.denominator
    speed = "none" if best is None else f"{best:.3f}"
    return f"{correct.numerator}/{target.numerator}/{correct.denominator} {speed}"


@pytest.mark.parametrize(("target", "model"), list(PAPER), ids=str)
def test_the_papers_table_comes_out_exactly(
    publication: Publication, target: Target, model: str
) -> None:
    main = {
        run.problem: _after_eight(run)
        for run in publication.runs
        if run.main and run.key.target is target and run.model == model
    }
    assert " | ".join(main[problem] for problem in PROBLEMS) == PAPER[target, model]


def test_one_cell_has_both_forms_of_the_target_rate(publication: Publication) -> None:
    run = next(one for one in publication.runs if one.key.experiment == "opus48-b200-gemm")
    at = {value.metric: value for value in run.values if value.turn_limit == 8}
    by_trajectory, by_turn = at[PaperMetric.TARGET_SOLVED_BY], at[PaperMetric.TARGET_CORRECT_AT]
    assert (by_trajectory.numerator, by_trajectory.denominator) == (12, 12)
    assert (by_turn.numerator, by_turn.denominator) == (77, 96)


def test_every_run_is_read_and_most_are_main_runs_of_our_problems(publication: Publication) -> None:
    runs = publication.runs
    assert len(runs) == 105
    assert sum(run.trajectories for run in runs) == 1712
    assert sum(run.turns for run in runs) == 13674
    # 8 of variants, 3 more of Gemini, 4 of Qwen3.6-27B and 4 of its s1 are not the main ones.
    assert sum(run.main for run in runs) == 105 - 8 - 3 - 4 - 4
    assert [run.key.definition for run in runs if not run.problem] == [
        "gqa_paged_decode_h24_kv8_d128_ps1",
        "gqa_paged_prefill_causal_h24_kv8_d128_ps1",
        "gqa_ragged_prefill_causal_h32_kv4_d128",
    ]


def test_every_published_row_is_compared(publication: Publication) -> None:
    for metric in PaperMetric:
        limits = [
            value.turn_limit
            for run in publication.runs
            for value in run.values
            if value.metric is metric
        ]
        assert sorted(limits) == [1] * 105 + [4] * 105 + [8] * 105


def test_the_turns_give_every_published_value_but_four_of_the_instruction_file(
    publication: Publication,
) -> None:
    notes = "qwen36-27b-note-feedback2-3prompt-mha-bwd-d128"
    target = PaperMetric.TARGET_SOLVED_BY
    assert [
        (one.key.experiment, one.metric, one.turn_limit, one.published, one.counted)
        for one in publication.differences
    ] == [
        (notes, target, 8, 5, 6),
        (f"{notes}-causal", target, 4, 7, 8),
        (f"{notes}-causal", target, 8, 9, 10),
        ("2026-0624-0939-mha-bwd-d128-causal", target, 8, 4, 5),
    ]


def test_models_are_those_that_wrote_kernels_and_variants_are_none(
    publication: Publication,
) -> None:
    assert [model.name for model in publication.models] == [
        "Claude Opus 4.8",
        "GLM-5.2",
        "Gemini 3.1 Pro",
        "Qwen3.6-27B",
        *(f"Qwen3.6-27B-s{number}" for number in range(7)),
    ]


def test_nothing_of_an_authors_machine_is_kept(publication: Publication) -> None:
    assert "/home/" not in repr(publication)


def test_what_could_not_be_understood_is_named(publication: Publication) -> None:
    impossible, *untold = publication.problems
    said = "fa_release_dates.csv, line 5: 2025-0631 is in no calendar; kept as unknown"
    assert impossible == said
    assert [sentence.partition(":")[0] for sentence in untold] == [
        "gemini-31-pro-gemm at turn limit 4",
        "gemini-31-pro-gemm at turn limit 8",
        "2026-0624-0939-gemm at turn limit 4",
        "2026-0624-0939-gemm at turn limit 8",
        "2026-0624-0939-mha-bwd-d128-causal at turn limit 8",
    ]
