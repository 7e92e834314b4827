"""Illegal states cannot be stored: each case names the constraint that refuses its row."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import evaluation_rows as rows
import pytest
from django.apps import apps
from django.db import IntegrityError, connection, models, transaction

pytestmark = pytest.mark.django_db

LATER = rows.AT.replace(year=2027)


@dataclass(frozen=True)
class Refused:
    """``make`` stores a row with these columns, the last ones as ``then`` says where a first row is needed."""

    sentence: str
    constraint: str
    make: Callable[..., object]
    columns: dict[str, Any]


def refused(sentence: str, constraint: str, make: Callable[..., object], **columns: Any) -> Refused:
    return Refused(sentence, constraint, make, columns)


CHECKED = [
    refused("a hash has 64 characters", "artifact_has_a_whole_hash", rows.artifact, sha256="ab"),
    refused("no size is negative", "artifact_size_is_no_less_than_0", rows.artifact, size=-1),
    refused(
        "a kernel is in a language we judge",
        "kernel_language_is_a_word",
        rows.kernel,
        language="hip",
    ),
    refused("a kernel has a whole hash", "kernel_has_a_whole_hash", rows.kernel, sha256="ab"),
    refused(
        "a kernel's size is not negative", "kernel_size_is_no_less_than_0", rows.kernel, size=-1
    ),
    refused("a track is one of three", "model_track_is_a_word", rows.model, track="robot"),
    refused("an entry's language is a word", "entry_language_is_a_word", rows.entry, language="c"),
    refused("an authorship is a word", "entry_authorship_is_a_word", rows.entry, authorship="x"),
    refused("a visibility is a word", "entry_visibility_is_a_word", rows.entry, visibility="seen"),
    refused("an entry has a whole digest", "entry_has_a_whole_digest", rows.entry, digest="ab"),
    refused(
        "an entry says who wrote it", "entry_has_or_proposes_a_model", rows.entry, proposed_model=""
    ),
    refused("an entry declares a prompt", "entry_layout_counts_from_1", rows.entry, prompts=0),
    refused(
        "an entry declares a trajectory", "entry_layout_counts_from_1", rows.entry, trajectories=0
    ),
    refused("an entry declares a turn", "entry_layout_counts_from_1", rows.entry, turns=0),
    refused(
        "a single kernel is one turn",
        "entry_single_kernel_has_one_turn",
        rows.entry,
        single_kernel=True,
    ),
    refused(
        "an embargo has a date",
        "entry_has_a_date_exactly_when_embargoed",
        rows.entry,
        visibility="embargoed",
    ),
    refused(
        "what is public has no embargo date",
        "entry_has_a_date_exactly_when_embargoed",
        rows.entry,
        visibility="public",
        embargo_until=LATER,
    ),
    refused(
        "a withdrawal says why",
        "entry_has_a_reason_exactly_when_withdrawn",
        rows.entry,
        withdrawn_at=rows.AT,
    ),
    refused(
        "only what is withdrawn has a reason for it",
        "entry_has_a_reason_exactly_when_withdrawn",
        rows.entry,
        withdrawn_reason="wrong file",
    ),
    refused(
        "a trajectory's target is a word",
        "trajectory_target_is_a_word",
        rows.trajectory,
        target="volta",
    ),
    refused("an ending is a word", "trajectory_ending_is_a_word", rows.trajectory, ending="bored"),
    refused(
        "a trajectory names a problem", "trajectory_names_a_problem", rows.trajectory, problem=""
    ),
    refused(
        "problem versions start at 1",
        "trajectory_names_a_problem",
        rows.trajectory,
        problem_version=0,
    ),
    refused(
        "a turn has a kernel or says why not",
        "turn_has_a_kernel_or_says_what_is_missing",
        rows.turn,
        kernel=None,
    ),
    refused(
        "what is missing is a word",
        "turn_missing_is_a_word",
        rows.turn,
        missing="lost",
        missing_said="It is.",
    ),
    refused(
        "a turn says in a sentence what is missing",
        "turn_has_a_sentence_exactly_when_missing",
        rows.turn,
        missing="no_code",
    ),
    refused(
        "nothing is said where nothing is missing",
        "turn_has_a_sentence_exactly_when_missing",
        rows.turn,
        missing_said="?",
    ),
    refused("tokens are not negative", "turn_tokens_are_counts", rows.turn, reasoning_tokens=-1),
    refused(
        "tokens are a possible number", "turn_tokens_are_counts", rows.turn, prompt_tokens=10**13
    ),
    refused("a cost is not negative", "turn_cost_is_a_number", rows.turn, cost_usd=-0.01),
    refused("a cost is finite", "turn_cost_is_a_number", rows.turn, cost_usd=float("inf")),
    refused(
        "a reported speedup is finite",
        "reported_numbers_are_finite",
        rows.reported,
        speedup=float("inf"),
    ),
    refused(
        "a reported time is not negative",
        "reported_numbers_are_finite",
        rows.reported,
        latency_us=-1.0,
    ),
    refused(
        "a paper's target is a word", "paper_target_is_a_word", rows.paper_cell, target="volta"
    ),
    refused(
        "a paper's metric is a word", "paper_metric_is_a_word", rows.paper_cell, metric="beauty"
    ),
    refused(
        "a paper's value is finite", "paper_value_is_finite", rows.paper_cell, value=float("inf")
    ),
    refused(
        "a turn limit counts from 1",
        "paper_turn_limit_counts_from_1",
        rows.paper_cell,
        turn_limit=0,
    ),
    refused(
        "a rate has its numerator", "paper_rate_has_both_counts", rows.paper_cell, numerator=None
    ),
    refused(
        "a rate has its denominator",
        "paper_rate_has_both_counts",
        rows.paper_cell,
        denominator=None,
    ),
    refused(
        "no more than all are solved", "paper_rate_has_both_counts", rows.paper_cell, numerator=13
    ),
    refused(
        "a rate is of something",
        "paper_rate_has_both_counts",
        rows.paper_cell,
        numerator=0,
        denominator=0,
    ),
    refused(
        "a speedup is no rate", "paper_rate_has_both_counts", rows.paper_cell, metric="best_speedup"
    ),
    refused("a run's target is a word", "run_target_is_a_word", rows.run, target="volta"),
    refused("a run's language is a word", "run_language_is_a_word", rows.run, language="hip"),
    refused(
        "a run's state is a word", "run_state_is_a_word", rows.run, state="asleep", device="h200"
    ),
    refused("a verdict is a word", "run_verdict_is_a_word", rows.finished_run, verdict="ugly"),
    refused("correct is yes, no or unknown", "run_correct_is_a_word", rows.run, correct="nearly"),
    refused("a family finding is a word", "run_family_is_a_word", rows.run, family="often"),
    refused(
        "a matrix path finding is a word",
        "run_matrix_path_is_a_word",
        rows.run,
        matrix_path="often",
    ),
    refused("an integrity is a word", "run_integrity_is_a_word", rows.run, integrity="odd"),
    refused("a lane is a word", "run_lane_is_a_word", rows.run, lane="fast"),
    refused("a run names a problem", "run_names_a_problem", rows.run, problem=""),
    refused(
        "a run's problem version starts at 1", "run_names_a_problem", rows.run, problem_version=0
    ),
    refused(
        "a run that waits has no verdict",
        "run_has_a_verdict_exactly_when_finished",
        rows.run,
        verdict="timeout",
        correct="no",
    ),
    refused(
        "a finished run has a verdict",
        "run_has_a_verdict_exactly_when_finished",
        rows.finished_run,
        verdict="",
        correct="unknown",
    ),
    refused(
        "an abandoned run has no verdict",
        "run_has_a_verdict_exactly_when_finished",
        rows.finished_run,
        state="abandoned",
    ),
    refused(
        "a finished run has its end",
        "run_has_an_end_exactly_when_ended",
        rows.finished_run,
        finished_at=None,
    ),
    refused(
        "a cancelled run has its end",
        "run_has_an_end_exactly_when_ended",
        rows.run,
        state="cancelled",
    ),
    refused(
        "a run that waits has no end",
        "run_has_an_end_exactly_when_ended",
        rows.run,
        finished_at=rows.AT,
    ),
    refused(
        "an accepted kernel is correct",
        "run_is_correct_exactly_when_accepted",
        rows.accepted_run,
        correct="no",
    ),
    refused(
        "a wrong kernel is not correct",
        "run_is_correct_exactly_when_accepted",
        rows.finished_run,
        correct="yes",
    ),
    refused(
        "before a verdict nothing is correct",
        "run_is_correct_exactly_when_accepted",
        rows.run,
        correct="yes",
    ),
    refused(
        "a ratio has an interval",
        "run_has_a_whole_speed_or_none",
        rows.accepted_run,
        ratio_low=None,
    ),
    refused(
        "a ratio has its times", "run_has_a_whole_speed_or_none", rows.accepted_run, vendor_ns=None
    ),
    refused(
        "a ratio is positive",
        "run_has_a_whole_speed_or_none",
        rows.accepted_run,
        ratio=0.0,
        ratio_low=0.0,
    ),
    refused(
        "an interval holds its ratio from below",
        "run_has_a_whole_speed_or_none",
        rows.accepted_run,
        ratio_low=1.55,
    ),
    refused(
        "an interval holds its ratio from above",
        "run_has_a_whole_speed_or_none",
        rows.accepted_run,
        ratio_high=1.45,
    ),
    refused(
        "there is a speed or a reason, not both",
        "run_has_a_whole_speed_or_none",
        rows.accepted_run,
        speed_reason="none",
    ),
    refused(
        "only a correct kernel has a speed",
        "run_has_a_whole_speed_or_none",
        rows.accepted_run,
        verdict="wrong_result",
        correct="no",
    ),
    refused(
        "a finished run without a speed says why",
        "run_says_why_it_has_no_speed",
        rows.finished_run,
        speed_reason="",
    ),
    refused(
        "a ratio is a possible number",
        "run_speed_is_finite",
        rows.accepted_run,
        ratio_high=float("inf"),
    ),
    refused("a coverage is at most 1", "run_coverage_is_a_share", rows.accepted_run, coverage=1.01),
    refused("GPU time is not negative", "run_numbers_are_finite", rows.run, gpu_seconds=-1.0),
    refused(
        "an executed share is finite",
        "run_numbers_are_finite",
        rows.run,
        executed_share=float("inf"),
    ),
    refused(
        "a run that is prepared has its device",
        "run_beyond_waiting_has_its_device",
        rows.run,
        state="preparing",
    ),
    refused(
        "a run goes to the device that was wanted",
        "run_is_on_the_device_that_was_wanted",
        rows.run,
        device_wanted="h100-sxm",
        device="h200",
    ),
    refused(
        "a run is ready with its parts",
        "run_is_ready_with_parts_only",
        rows.run,
        state="ready",
        device="h200",
    ),
    refused("no part is missing", "run_has_all_parts_or_none", rows.ready_run, cubin=None),
    refused(
        "a scan sees no execution", "run_scan_cannot_see_an_execution", rows.run, scan_family="yes"
    ),
    refused("a half is one of two", "attempt_half_is_a_word", rows.attempt, half="third"),
    refused(
        "an attempt's state is a word",
        "attempt_state_is_a_word",
        rows.attempt,
        state="odd",
        ended_at=rows.AT,
    ),
    refused(
        "a key is kept as its digest",
        "attempt_has_a_whole_key_digest",
        rows.attempt,
        key_digest="key",
    ),
    refused("attempts count from 1", "attempt_number_is_1_to_1000", rows.attempt, number=0),
    refused(
        "there are at most 1000 attempts", "attempt_number_is_1_to_1000", rows.attempt, number=1001
    ),
    refused(
        "a live attempt has no end",
        "attempt_has_an_end_exactly_when_not_live",
        rows.attempt,
        ended_at=rows.AT,
    ),
    refused(
        "a lapsed attempt has its end",
        "attempt_has_an_end_exactly_when_not_live",
        rows.attempt,
        state="lapsed",
    ),
    refused(
        "a started attempt has a worker",
        "attempt_started_has_worker_and_lease",
        rows.attempt,
        state="started",
        started_at=rows.AT,
        lease_until=rows.AT,
    ),
    refused(
        "a started attempt has a lease",
        "attempt_started_has_worker_and_lease",
        rows.attempt,
        state="started",
        worker="w1",
        started_at=rows.AT,
    ),
    refused(
        "a sent attempt has no worker", "attempt_sent_has_not_started", rows.attempt, worker="w1"
    ),
    refused(
        "a sent attempt has no lease",
        "attempt_sent_has_not_started",
        rows.attempt,
        lease_until=rows.AT,
    ),
    refused(
        "an attempt whose kernel is noted has started",
        "attempt_noted_has_started",
        rows.attempt,
        noted_at=rows.AT,
    ),
    refused("a report is of a stage", "report_stage_is_a_word", rows.stage_report, stage="lunch"),
    refused(
        "a report's verdict is a word",
        "report_verdict_is_a_word",
        rows.stage_report,
        verdict="ugly",
    ),
    refused("a signal is of a stage", "signal_stage_is_a_word", rows.signal, stage="lunch"),
    refused("a severity is a word", "signal_severity_is_a_word", rows.signal, severity="dire"),
    refused("a hold's target is a word", "hold_target_is_a_word", rows.hold, target="volta"),
    refused("a hold's source is a word", "hold_source_is_a_word", rows.hold, source="rumour"),
    refused(
        "a hold's state is a word",
        "hold_state_is_a_word",
        rows.hold,
        state="odd",
        decided_at=rows.AT,
        decided_by="staff",
    ),
    refused("a hold says why", "hold_says_why", rows.hold, why=""),
    refused(
        "an open hold is not decided",
        "hold_is_open_exactly_when_undecided",
        rows.hold,
        decided_at=rows.AT,
        decided_by="staff",
    ),
    refused(
        "a strike is decided", "hold_is_open_exactly_when_undecided", rows.hold, state="struck"
    ),
    refused(
        "a decision has a name",
        "hold_decision_has_a_name",
        rows.hold,
        state="cleared",
        decided_at=rows.AT,
    ),
    refused(
        "a device has a whole digest", "device_has_a_whole_digest", rows.device, uuid_digest="GPU-1"
    ),
    refused(
        "a ratio is not below zero",
        "canary_reading_ratio_is_not_negative",
        rows.canary_reading,
        ratio=-0.5,
    ),
    refused(
        "a paused queue says why",
        "queue_says_why_it_is_paused",
        rows.queue_switch,
        paused_at=rows.AT,
    ),
]


@pytest.mark.parametrize("case", CHECKED, ids=lambda case: case.sentence)
def test_the_database_refuses_a_row_that_cannot_be(case: Refused) -> None:
    with pytest.raises(IntegrityError, match=f"\\b{case.constraint}\\b"), transaction.atomic():
        case.make(**case.columns)


def twice_a_kernel() -> None:
    first = rows.kernel()
    rows.kernel(artifact=first.artifact)


def twice_an_entry() -> None:
    first = rows.entry()
    rows.entry(digest=first.digest)


def twice_a_place_in_an_entry() -> None:
    first = rows.trajectory()
    rows.trajectory(entry=first.entry)


def twice_a_turn() -> None:
    first = rows.turn()
    rows.turn(trajectory=first.trajectory)


def twice_a_paper_value() -> None:
    first = rows.paper_cell()
    rows.paper_cell(model=first.model)


def two_main_experiments() -> None:
    first = rows.paper_cell(main=True)
    rows.paper_cell(model=first.model, experiment="second", main=True)


def two_pending_runs() -> None:
    first = rows.run()
    rows.run(kernel=first.kernel, state="measuring", device="h200", **_parts())


def _parts() -> dict[str, Any]:
    return {"plan": rows.artifact(), "cubin": rows.artifact(), "facts": rows.artifact()}


def twice_an_attempt() -> None:
    first = rows.done_attempt()
    rows.done_attempt(run=first.run)


def two_live_attempts() -> None:
    first = rows.attempt()
    rows.attempt(run=first.run, half="measure")


def twice_a_report() -> None:
    first = rows.stage_report()
    rows.stage_report(attempt=first.attempt)


def twice_a_signal() -> None:
    first = rows.signal()
    rows.signal(report=first.report)


def a_hold_beside_a_strike() -> None:
    first = rows.hold(state="struck", decided_at=rows.AT, decided_by="staff")
    rows.hold(kernel=first.kernel)


UNIQUE = {
    "kernel_is_kept_once_a_language": twice_a_kernel,
    "entry_is_handed_in_once_by_an_owner": twice_an_entry,
    "trajectory_has_one_place_in_its_entry": twice_a_place_in_an_entry,
    "turn_has_one_place_in_its_trajectory": twice_a_turn,
    "paper_value_is_kept_once": twice_a_paper_value,
    "paper_has_one_main_value": two_main_experiments,
    "run_is_pending_once_an_owner": two_pending_runs,
    "attempt_number_is_given_once_a_half": twice_an_attempt,
    "attempt_is_the_only_live_one_of_its_run": two_live_attempts,
    "report_has_one_place_in_its_attempt": twice_a_report,
    "signal_has_one_place_in_its_report": twice_a_signal,
    "hold_acts_once": a_hold_beside_a_strike,
}


@pytest.mark.parametrize("constraint", UNIQUE)
def test_the_database_refuses_a_second_row_of_what_is_there_once(constraint: str) -> None:
    # SQLite names the columns, PostgreSQL the constraint.
    said = constraint if connection.vendor == "postgresql" else "UNIQUE"
    with pytest.raises(IntegrityError, match=said), transaction.atomic():
        UNIQUE[constraint]()


def test_every_constraint_has_a_row_that_it_refuses() -> None:
    tables: list[type[models.Model]] = list(apps.get_app_config("evaluation").get_models())
    there = {one.name for table in tables for one in table._meta.constraints}
    shown = {case.constraint for case in CHECKED} | set(UNIQUE) | {"model_alias_is_not_empty"}
    assert there == shown


def test_an_alias_is_not_empty() -> None:
    one = rows.model()
    with pytest.raises(IntegrityError, match="model_alias_is_not_empty"), transaction.atomic():
        one.aliases.create(alias="")


@pytest.mark.parametrize(
    "make",
    [
        lambda: rows.run(kernel=rows.finished_run().kernel),
        lambda: rows.run(kernel=rows.run().kernel, owner=rows.BOB),
        lambda: rows.run(kernel=rows.run().kernel, device_wanted="h200"),
        lambda: rows.run(kernel=rows.run().kernel, judge="2"),
        lambda: rows.attempt(run=rows.done_attempt().run, number=2),
        lambda: rows.hold(
            kernel=rows.hold(state="cleared", decided_at=rows.AT, decided_by="staff").kernel
        ),
        lambda: rows.entry(digest=rows.entry().digest, owner=rows.BOB),
        lambda: rows.turn(
            missing="scrubbed", missing_said="A key was in it.", kernel=rows.kernel()
        ),
        lambda: rows.turn(missing="source_missing", missing_said="No file has this hash."),
        lambda: rows.paper_cell(metric="best_speedup", numerator=None, denominator=None, value=0.9),
        lambda: rows.entry(visibility="embargoed", embargo_until=LATER),
        lambda: rows.run(state="abandoned", finished_at=rows.AT),
        lambda: rows.accepted_run(
            ratio=None,
            ratio_low=None,
            ratio_high=None,
            candidate_ns=None,
            vendor_ns=None,
            speed_reason="the clocks were not steady",
        ),
    ],
    ids=[
        "a pending run after a finished one",
        "pending runs of two owners",
        "pending runs for two devices",
        "pending runs of two judge series",
        "a live attempt after a done one",
        "a hold after a cleared one",
        "one digest of two owners",
        "a scrubbed kernel",
        "a turn without a source",
        "a speedup of a paper",
        "an embargo with its date",
        "an abandoned run",
        "a correct kernel without a speed",
    ],
)
def test_what_may_be_can_be_stored(make: Callable[[], models.Model]) -> None:
    assert make().pk is not None
