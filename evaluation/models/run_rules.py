"""What a row of a run must be: its words, and which columns go together."""

from django.db import models
from django.db.models import F, Q

from evaluation.core.run_words import ENDED_RUNS, PENDING_RUNS
from evaluation.core.verdict import (
    Correct,
    FamilyExecuted,
    Integrity,
    Lane,
    Language,
    MatrixPath,
    RunState,
    Target,
    Verdict,
)
from evaluation.models.constraints import exactly_when, nulls, together, within, words

_PARTS = ("plan", "cubin", "facts")
_SPEED = ("ratio", "ratio_low", "ratio_high", "candidate_ns", "vendor_ns")
_ENDED = [str(state) for state in ENDED_RUNS]
_PENDING = [str(state) for state in PENDING_RUNS]
_SCANNED = [FamilyExecuted.ABSENT.value, FamilyExecuted.UNKNOWN.value]

RUN_RULES = (
    words("run_state_is_a_word", "state", RunState),
    words("run_target_is_a_word", "target", Target),
    words("run_language_is_a_word", "language", Language),
    words("run_verdict_is_a_word", "verdict", Verdict, or_empty=True),
    words("run_correct_is_a_word", "correct", Correct),
    words("run_family_is_a_word", "family", FamilyExecuted),
    words("run_matrix_path_is_a_word", "matrix_path", MatrixPath),
    words("run_integrity_is_a_word", "integrity", Integrity),
    words("run_lane_is_a_word", "lane", Lane),
    models.CheckConstraint(
        name="run_names_a_problem", condition=~Q(problem="") & Q(problem_version__gte=1)
    ),
    models.CheckConstraint(
        name="run_has_a_verdict_exactly_when_finished",
        condition=exactly_when(Q(verdict=""), ~Q(state=RunState.FINISHED.value)),
    ),
    models.CheckConstraint(
        name="run_has_an_end_exactly_when_ended",
        condition=exactly_when(Q(state__in=_ENDED), Q(finished_at__isnull=False)),
    ),
    models.CheckConstraint(
        name="run_is_correct_exactly_when_accepted",
        condition=Q(verdict="", correct=Correct.UNKNOWN.value)
        | Q(verdict=Verdict.ACCEPTED.value, correct=Correct.YES.value)
        | Q(~Q(verdict__in=["", Verdict.ACCEPTED.value]), correct=Correct.NO.value),
    ),
    models.CheckConstraint(
        name="run_has_a_whole_speed_or_none",
        condition=nulls(_SPEED, null=True)
        | Q(
            nulls(_SPEED, null=False),
            verdict=Verdict.ACCEPTED.value,
            speed_reason="",
            ratio__gt=0,
            ratio_low__gt=0,
            ratio_low__lte=F("ratio"),
            ratio_high__gte=F("ratio"),
            candidate_ns__gt=0,
            vendor_ns__gt=0,
        ),
    ),
    models.CheckConstraint(
        name="run_says_why_it_has_no_speed",
        condition=~Q(state=RunState.FINISHED.value) | Q(ratio__isnull=False) | ~Q(speed_reason=""),
    ),
    within("run_speed_is_finite", "ratio", "ratio_low", "ratio_high", high=1e6),
    within("run_coverage_is_a_share", "coverage", high=1),
    within("run_numbers_are_finite", "executed_share", "gpu_seconds"),
    models.CheckConstraint(
        name="run_beyond_waiting_has_its_device",
        condition=Q(
            state__in=[
                RunState.WAITING.value,
                RunState.ABANDONED.value,
                RunState.CANCELLED.value,
            ]
        )
        | ~Q(device=""),
    ),
    models.CheckConstraint(
        name="run_is_on_the_device_that_was_wanted",
        condition=Q(device_wanted="") | Q(device="") | Q(device=F("device_wanted")),
    ),
    together("run_has_all_parts_or_none", *_PARTS),
    models.CheckConstraint(
        name="run_is_ready_with_parts_only",
        condition=~Q(state__in=[RunState.READY.value, RunState.MEASURING.value])
        | Q(plan__isnull=False),
    ),
    models.CheckConstraint(
        name="run_scan_cannot_see_an_execution", condition=Q(scan_family__in=_SCANNED)
    ),
    models.UniqueConstraint(
        name="run_is_pending_once_an_owner",
        fields=(
            "kernel",
            "problem",
            "problem_version",
            "target",
            "device_wanted",
            "judge",
            "owner",
        ),
        condition=Q(state__in=_PENDING),
    ),
)
