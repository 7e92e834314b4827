"""The record stage: raw recordings to a report, with a plan where there is one."""

from dataclasses import dataclass

from evaluation.core.errors import InvalidInput
from evaluation.core.plan.plan import AllocStep, LaunchStep, Plan
from evaluation.core.plan.plan_measures import (
    allocated_bytes,
    device_bytes,
    payload_bytes,
    written_bytes,
)
from evaluation.core.quoting import counted
from evaluation.core.record.raw import RawRecording, Recordings
from evaluation.core.record.record import NeedsNoise, PlanMade, make_plan, not_ours
from evaluation.core.record.record_endings import judge_ending, judge_limits
from evaluation.core.record.record_refusal import NotRecorded
from evaluation.core.record.record_signals import host_signals
from evaluation.core.record.record_subject import Subject
from evaluation.core.record.recording import Recording
from evaluation.core.record.recording_reader import read_recording
from evaluation.core.records import Fact, StageReport
from evaluation.core.verdict import Stage


@dataclass(frozen=True, slots=True)
class Recorded:
    """``plan`` is None exactly when the report has a verdict."""

    report: StageReport
    plan: Plan | None


def judge_recordings(recordings: Recordings, subject: Subject) -> Recorded | NeedsNoise:
    """Judge what the recorder brought; ask once for noise recordings where rule L3 needs them."""
    raws = (recordings.first, recordings.second, *recordings.noise)
    names = {one.index: one.name for one in subject.arguments}
    read: list[Recording] = []
    for raw in raws:
        found = _read(raw, names)
        if isinstance(found, NotRecorded):
            return Recorded(_refusal(found), None)
        read.append(found)
    first, second, *noise = read
    made = make_plan(first, second, tuple(noise), subject)
    match made:
        case PlanMade():
            return Recorded(_report(made, subject), made.plan)
        case NotRecorded():
            return Recorded(_refusal(made), None)
        case _:
            return made


def _read(raw: RawRecording, names: dict[int, str]) -> Recording | NotRecorded:
    limit = judge_limits(raw)
    if limit is not None:
        return limit
    try:
        recording = read_recording(raw.text)
    except InvalidInput as broken:
        return not_ours(broken)
    ending = judge_ending(raw, recording, names)
    if ending is None:
        return recording
    return NotRecorded(ending.verdict, ending.headline, ending.remarks, host_signals(recording))


def _refusal(why: NotRecorded) -> StageReport:
    return StageReport(
        stage=Stage.RECORD,
        headline=why.headline,
        verdict=why.verdict,
        remarks=why.remarks,
        signals=why.signals,
    )


def _report(made: PlanMade, subject: Subject) -> StageReport:
    plan = made.plan
    launches = sum(isinstance(step, LaunchStep) for step in plan.steady)
    setup_launches = sum(isinstance(step, LaunchStep) for step in plan.setup)
    allocations = sum(isinstance(step, AllocStep) for step in plan.steady)
    needed = device_bytes(plan, subject.cubin, subject.limits)
    facts = (
        Fact("launches_per_call", launches),
        Fact("steps_per_call", len(plan.steady)),
        Fact("allocations_per_call", allocations),
        Fact("setup_steps", len(plan.setup)),
        Fact("setup_launches", setup_launches),
        Fact("setup_allocated", allocated_bytes(plan.setup), "bytes"),
        Fact("setup_written", written_bytes(plan.setup), "bytes"),
        Fact("payload", payload_bytes(plan.steps), "bytes"),
        Fact("device_memory", needed, "bytes"),
        Fact("assumptions", len(plan.assumptions)),
    )
    return StageReport(
        stage=Stage.RECORD,
        headline=f"recorded: {counted(launches, 'launch', many='launches')} a call, "
        f"{counted(len(plan.setup), 'set-up step')}",
        signals=made.signals,
        facts=facts,
    )
