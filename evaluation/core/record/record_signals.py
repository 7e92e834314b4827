"""What a person may want to know about a recording; none of it decides a verdict."""

from collections.abc import Iterable

from evaluation.core.plan.plan import LaunchStep, Plan, Stepping
from evaluation.core.plan.plan_limits import SETUP_SIGNAL_BYTES
from evaluation.core.plan.plan_measures import allocated_bytes, written_bytes
from evaluation.core.quoting import quoted
from evaluation.core.record.recording import Entry, HostRemark, Recording
from evaluation.core.signal import Signal
from evaluation.core.verdict import Severity, Stage

_EVIDENCE = 20  # lines of one signal

# Kinds of remarks by which host code can tell that it is being recorded (rule L12).
_PROBES = frozenset({"getenv", "dladdr", "dl_iterate_phdr"})


def signal(
    kind: str, sentence: str, evidence: Iterable[str] = (), *, severity: Severity = Severity.NOTE
) -> Signal:
    """Make a signal of the record stage with at most 20 lines of evidence, each once."""
    lines = tuple(dict.fromkeys(evidence))[:_EVIDENCE]
    return Signal(kind, 1, severity, Stage.RECORD, sentence, lines)


def tampered(rule: str) -> Signal:
    return signal(
        "recording_tampered",
        "The recording holds what our recorder cannot have written.",
        (rule,),
        severity=Severity.HOLD,
    )


def host_signals(recording: Recording) -> tuple[Signal, ...]:
    """Report what the host code asked its environment, and what the recorder left out."""
    remarks = [event for event in recording.events if isinstance(event, HostRemark)]
    missing = [
        quoted(event.name)
        for event in recording.events
        if isinstance(event, Entry) and not event.found
    ]
    found = []
    probes = [_line(one) for one in remarks if one.kind in _PROBES]
    if probes:
        sentence = "The host code looks at its environment; it is judged by the recorded plan."
        found.append(signal("environment_probe", sentence, probes))
    others = [_line(one) for one in remarks if one.kind not in _PROBES]
    if others:
        found.append(
            signal(
                "recorder_remark",
                "The recorder noted calls of the host code that no plan holds.",
                others,
            )
        )
    if missing:
        sentence = "The host code asked for driver functions that a recording does not have."
        found.append(signal("entry_not_found", sentence, missing))
    return tuple(found)


def plan_signals(plan: Plan, dropped: tuple[str, ...]) -> tuple[Signal, ...]:
    """Report what a plan holds that its kernel's page should point out."""
    found = []
    if dropped:
        sentence = "Launch attributes that change no result are left out of the plan."
        found.append(signal("launch_attribute_dropped", sentence, dropped))
    launches = [step for step in plan.steps if isinstance(step, LaunchStep)]
    stepping = [_stepping(launch, rule) for launch in launches for rule in launch.stepping]
    if stepping:
        sentence = "A kernel argument counts the calls; the plan steps it by a rule."
        found.append(signal("stepping_argument", sentence, stepping))
    noisy = [
        f"{quoted(launch.function)}: bytes {one.start} to {one.end - 1} of its parameters"
        for launch in launches
        for one in launch.undetermined
    ]
    if noisy:
        sentence = "Bytes of a kernel argument vary from run to run and are zero in the plan."
        found.append(signal("undetermined_bytes", sentence, noisy))
    sizes = (allocated_bytes(plan.setup), written_bytes(plan.setup))
    if max(sizes) > SETUP_SIGNAL_BYTES:
        sentence = "Set-up allocates or fills more than 1 GiB, which no ranked time contains."
        lines = (f"{sizes[0]} bytes allocated", f"{sizes[1]} bytes written")
        found.append(signal("large_setup", sentence, lines))
    return tuple(found)


def _stepping(launch: LaunchStep, rule: Stepping) -> str:
    place = f"byte {rule.at} of its parameters, {rule.width} bytes"
    return f"{quoted(launch.function)}: {place}, {rule.pace}"


def _line(remark: HostRemark) -> str:
    return f"{remark.kind} {quoted(remark.detail)}"
