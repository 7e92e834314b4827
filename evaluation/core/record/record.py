"""From recordings to a launch plan: the differ (docs/plan.md; rules R9, T4 and L1 to L14 of docs/rules.md).

Two recordings with different token bases are read side by side; what moved is a pointer, what
repeats is the plan, and everything else is a refusal that says what and where.
"""

from dataclasses import dataclass, replace

from evaluation.core.errors import InvalidInput
from evaluation.core.plan.plan import Plan
from evaluation.core.plan.plan_json import plan_from_json, plan_to_json
from evaluation.core.plan.plan_limits import SETUP_STEPS, STEADY_STEPS
from evaluation.core.plan.plan_rules import validate_plan
from evaluation.core.quoting import quoted
from evaluation.core.record.acts import Deed, pair_acts
from evaluation.core.record.assumptions import assumptions
from evaluation.core.record.noise import functions_with_padding, noise_masks
from evaluation.core.record.parameter_masks import masks
from evaluation.core.record.record_build import build_plan
from evaluation.core.record.record_limits import device_limits_set, without_limits
from evaluation.core.record.record_refusal import NotRecorded, Refusal, refuse
from evaluation.core.record.record_signals import host_signals, plan_signals, tampered
from evaluation.core.record.record_subject import Subject
from evaluation.core.record.recording import Encode, Module, Recording
from evaluation.core.record.regions import Regions, pair_regions
from evaluation.core.record.steady import split
from evaluation.core.record.stream_order import refuse_concurrent_streams
from evaluation.core.records import Remark
from evaluation.core.signal import Signal
from evaluation.core.verdict import Verdict

NOISE_RECORDINGS = 6
LEAST_CALLS = 8


@dataclass(frozen=True, slots=True)
class PlanMade:
    plan: Plan
    signals: tuple[Signal, ...]


@dataclass(frozen=True, slots=True)
class NeedsNoise:
    """Six more recordings are needed: bases of the first one, random process addresses.

    ``functions`` are the kernels whose padding no mask can tell.
    """

    functions: tuple[str, ...]
    recordings: int = NOISE_RECORDINGS


def make_plan(
    first: Recording, second: Recording, noise: tuple[Recording, ...], subject: Subject
) -> PlanMade | NotRecorded | NeedsNoise:
    """Make the plan of recordings that ran to their end; ``noise`` is empty until asked for.

    Equal recordings give an equal plan: nothing of bases, seeds or their number gets into it.
    Raise ValueError if the recorder was asked for fewer than eight calls, which is our fault.
    """
    if subject.calls < LEAST_CALLS:
        raise ValueError(f"{subject.calls} calls were recorded; a plan needs {LEAST_CALLS}")
    try:
        for recording in (first, second, *noise):
            _check_shape(recording, subject)
        names = {one.index: one.name for one in subject.arguments}
        regions = pair_regions(first, second, names)
        _refuse_long_calls(first)  # before six more recordings are made of what is refused anyway
        if not noise:
            functions = functions_with_padding(first, regions, subject)
            if functions:
                return NeedsNoise(functions)
        return _compare(first, second, noise, regions, subject)
    except Refusal as refusal:
        return replace(refusal.why, signals=refusal.why.signals + host_signals(first))
    except InvalidInput as broken:
        return not_ours(broken)


def not_ours(broken: InvalidInput) -> NotRecorded:
    """Say that the bytes of a recording are none that the shim writes."""
    headline = f"the recording was tampered with: {broken.rule}"
    return NotRecorded(
        Verdict.NOT_RECORDABLE,
        headline,
        remarks=(Remark("T3", headline, "let nothing but the recorder write to its descriptors"),),
        signals=(tampered(str(broken)),),
    )


def _compare(
    first: Recording,
    second: Recording,
    noise: tuple[Recording, ...],
    regions: Regions,
    subject: Subject,
) -> PlanMade | NotRecorded:
    _refuse_wrapped_symbols(first, subject)
    asked = assumptions(first, second, subject)
    limits = device_limits_set(first, second)
    refuse_concurrent_streams(first.events)
    known = noise_masks(first, noise, masks(subject.cubin, subject.reads), subject)
    acts = pair_acts(first, second, regions, subject, known)
    parts = split(acts, subject.cubin)
    plan = build_plan(parts, acts, without_limits(asked, limits), limits, subject)
    signals = host_signals(first) + plan_signals(plan, acts.dropped)
    review = validate_plan(plan, subject.cubin, subject.arguments, subject.limits)
    if review.remarks:
        headline = review.remarks[0].message
        return NotRecorded(Verdict.NOT_RECORDABLE, headline, review.remarks, signals)
    try:
        plan_from_json(plan_to_json(plan))
    except InvalidInput as broken:
        said = filter(None, ("no document can hold the plan", broken.key, broken.rule))
        raise refuse(": ".join(said), rule="T4") from broken
    return PlanMade(plan, signals + review.signals)


def _check_shape(recording: Recording, subject: Subject) -> None:
    """Refuse a recording of other calls or other buffers than the driver was told to use."""
    if not recording.ended or recording.announced != subject.calls:
        raise InvalidInput(where="recording", key="", rule=f"must hold {subject.calls} calls")
    given = sorted((one.argument, one.buffer_set, one.size) for one in recording.buffers)
    wanted = sorted((one.index, each, one.size) for one in subject.arguments for each in (0, 1))
    if given != wanted:
        raise InvalidInput(
            where="recording", key="", rule="must have the buffers of the problem's arguments"
        )


def _refuse_long_calls(recording: Recording) -> None:
    """Refuse what no plan can hold before any work is spent on it."""
    most = SETUP_STEPS + STEADY_STEPS
    for call in recording.calls:
        steps = sum(
            isinstance(event, Deed) and not isinstance(event, Encode) for event in call.events
        )
        if steps > most:
            raise refuse(f"call {call.number} takes {steps} steps; {most} at most", rule="T4")


def _refuse_wrapped_symbols(recording: Recording, subject: Subject) -> None:
    """Compare the sizes that host code registers with those of the cubin (rule R9)."""
    sizes = {one.name: one.size for one in subject.cubin.symbols}
    for event in recording.events:
        if isinstance(event, Module):
            for symbol in event.symbols:
                size = sizes.get(symbol.name, symbol.size)
                if size != symbol.size:
                    raise refuse(
                        f"{quoted(symbol.name)} has {symbol.size} bytes in host code and {size} "
                        f"on the device",
                        rule="R9",
                        instead="keep a variable below 4 GiB, or allocate it",
                        verdict=Verdict.BUILD_FAILED,
                    )
