"""When one half of a run is whole: its reports are there, and agree with what was said at its end."""

from collections.abc import Mapping

from evaluation.core.errors import InvalidInput
from evaluation.core.records import ArtifactRef, Outcome, StageReport
from evaluation.core.run_words import Half
from evaluation.core.verdict import Stage, Verdict

_WHERE = "half"
_FIRST = {Half.PREPARE: Stage.POLICY, Half.MEASURE: Stage.CHECK}
_LAST = {Half.PREPARE: Stage.SCAN, Half.MEASURE: Stage.TIME}
_ORDER = tuple(Stage)


def check_place(half: Half, place: int, stage: Stage) -> None:
    """Raise InvalidInput for a stage that cannot be reported at this place, counted from 0, of this half."""
    possible = _places(half, stage)
    if place not in possible:
        raise InvalidInput(where=_WHERE, key=f"reports[{place}]", rule=f"cannot be of {stage}")


def whole_half(
    half: Half,
    reports: Mapping[int, StageReport],
    verdict: Verdict | None,
    artifacts: tuple[ArtifactRef, ...],
) -> Outcome | None:
    """The outcome of a half that ended with ``verdict`` and ``artifacts``, or None while reports are still missing.

    Raise InvalidInput where what came contradicts itself: no report that is still to come can mend that.
    """
    if verdict is None and half is Half.MEASURE:
        raise InvalidInput(where=_WHERE, key="verdict", rule="is missing after the last half")
    if verdict is Verdict.ACCEPTED and half is Half.PREPARE:
        rule = "cannot be accepted before the kernel ran"
        raise InvalidInput(where=_WHERE, key="verdict", rule=rule)
    there = _without_a_gap(reports)
    if not there or not _ends(there[-1], half):
        if any(one.ends_run for one in there):
            raise InvalidInput(where=_WHERE, key="reports", rule="go on behind a verdict")
        return None
    if any(one.ends_run for one in there[:-1]) or len(reports) > len(there):
        raise InvalidInput(where=_WHERE, key="reports", rule="go on behind the last one")
    outcome = Outcome(there)
    if outcome.verdict is not verdict:
        rule = f"is {verdict or 'none'}, and the last report says {outcome.verdict or 'none'}"
        raise InvalidInput(where=_WHERE, key="verdict", rule=rule)
    if verdict is Verdict.ACCEPTED and there[-1].stage is not Stage.TIME:
        rule = f"cannot be accepted by {there[-1].stage}"
        raise InvalidInput(where=_WHERE, key="verdict", rule=rule)
    if outcome.artifacts != artifacts:
        raise InvalidInput(where=_WHERE, key="artifacts", rule="are not those of its reports")
    return outcome


def _places(half: Half, stage: Stage) -> tuple[int, ...]:
    if stage.needs_gpu is not (half is Half.MEASURE):
        return ()
    if stage is Stage.TIME:
        return (1, 2)  # a kernel of which a later call was wrong has no probe
    return (_ORDER.index(stage) - _ORDER.index(_FIRST[half]),)


def _without_a_gap(reports: Mapping[int, StageReport]) -> tuple[StageReport, ...]:
    there: list[StageReport] = []
    while len(there) in reports:
        there.append(reports[len(there)])
    return tuple(there)


def _ends(report: StageReport, half: Half) -> bool:
    return report.ends_run or report.stage is _LAST[half]
