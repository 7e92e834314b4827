"""Evaluations as FlashInfer-Bench and the harnesses above it write them, and the one result they make of a turn.

Only the fields of the structure count. Logs and printed feedback are written beside what a kernel may print, so no
result is ever searched in them.
"""

from dataclasses import dataclass

from portal.uploads.importers.fields import Fields, Problems
from portal.uploads.importers.hardware import product_of
from portal.uploads.importers.records import LIMIT_WORD_CHARACTERS, ReadReported, Trouble
from portal.uploads.reading.json_stream import Path

PASSED = "PASSED"
STATUSES = frozenset(
    {
        PASSED,
        "INCORRECT_SHAPE",
        "INCORRECT_NUMERICAL",
        "INCORRECT_DTYPE",
        "RUNTIME_ERROR",
        "COMPILE_ERROR",
        "TIMEOUT",
    }
)
_STATUS_WITHOUT_TRACES = {True: PASSED, False: "FAILED", None: "UNKNOWN"}
TRACE_FIELDS: tuple[Path, ...] = (
    ("definition",),
    ("solution",),
    ("workload", "uuid"),
    ("evaluation", "status"),
    ("evaluation", "environment", "hardware"),
    ("evaluation", "timestamp"),
    ("evaluation", "performance"),
)


@dataclass(frozen=True, slots=True)
class Trace:
    """One workload's evaluation. Times in microseconds; ``solution`` is the name under which it was evaluated."""

    definition: str
    solution: str
    workload: str
    status: str
    device: str
    latency_us: float | None
    reference_us: float | None
    speedup: float | None


def trace_of(trace: Fields) -> Trace | None:
    """Read one trace; None, and a named problem, where its status is no word of the format."""
    status = trace.name("evaluation", "status", limit=LIMIT_WORD_CHARACTERS)
    if status not in STATUSES:
        said = "has no status" if not status else "has a status that the format does not know"
        trace.problems.add(Trouble.BROKEN_FIELD, f"an evaluation {said}", trace.where)
        return None
    performance = trace.child("evaluation", "performance")
    passed = status == PASSED
    return Trace(
        definition=trace.name("definition"),
        solution=trace.name("solution"),
        workload=trace.name("workload", "uuid", limit=64),
        status=status,
        device=product_of(trace.name("evaluation", "environment", "hardware", limit=80)),
        latency_us=_microseconds(performance, "latency_ms") if passed else None,
        reference_us=_microseconds(performance, "reference_latency_ms") if passed else None,
        speedup=(performance.amount("speedup_factor") or None) if passed else None,
    )


def reported_of(
    traces: tuple[Trace, ...],
    *,
    whole: bool,
    all_passed: bool | None,
    min_speedup: float | None,
    problems: Problems,
    where: str,
) -> ReadReported | None:
    """Make one result of all traces of a turn; ``whole`` says that none of them was left out as broken.

    Correct is what the source says in ``all_passed``, or all statuses where it says nothing; where the two
    contradict each other it is not known. Latencies are given only where one workload was run.
    """
    if not traces and all_passed is None:
        return None
    by_status = all(one.status == PASSED for one in traces) if traces and whole else None
    correct = by_status if all_passed is None else all_passed
    if None not in (by_status, all_passed) and by_status != all_passed:
        sentence = "all_passed and the statuses of the evaluations contradict each other"
        problems.add(Trouble.CONTRADICTION, sentence, where)
        correct = None
    only = traces[0] if len(traces) == 1 and whole else None
    slowest = min((one.speedup for one in traces if one.speedup), default=None)
    return ReadReported(
        status=next((one.status for one in traces if one.status != PASSED), "")
        or _STATUS_WITHOUT_TRACES[correct],
        correct=correct,
        speedup=(min_speedup or slowest) if correct else None,
        latency_us=only.latency_us if only else None,
        reference_us=only.reference_us if only else None,
        device=one_of({one.device for one in traces}),
        workloads=tuple(one.workload for one in traces),
    )


def one_of(values: set[str]) -> str:
    """Give the one value that is not empty; empty where there is none or several disagree."""
    said = values - {""}
    return said.pop() if len(said) == 1 else ""


def one_problem(definitions: set[str], member: str, problems: Problems) -> str:
    """Give the one definition that evaluations are about; empty, and a named problem, where there are several."""
    if len(definitions - {""}) > 1:
        sentence = (
            "the evaluations are about several problems, so it is not known which one was asked"
        )
        problems.add(Trouble.SEVERAL_PROBLEMS, sentence, member)
    return one_of(definitions)


def _microseconds(performance: Fields, key: str) -> float | None:
    milliseconds = performance.amount(key)
    return milliseconds * 1000 if milliseconds else None
