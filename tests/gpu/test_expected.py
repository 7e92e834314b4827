"""The comparison that GPU cases stand on finds every kind of difference; this part needs no GPU."""

import pytest

from evaluation.core.records import Fact, Remark, StageReport
from evaluation.core.signal import Signal
from evaluation.core.verdict import Severity, Stage, Verdict

from .expected import Wanted, differences

REPORTS = (
    StageReport(Stage.CHECK, "three calls are right", remarks=(Remark("C5", "workspace", ""),)),
    StageReport(
        Stage.PROBE,
        "executed 1.000",
        signals=(Signal("partial_coverage", 1, Severity.NOTE, Stage.PROBE, "Half."),),
        facts=(
            Fact("family", "yes"),
            Fact("coverage", "0.480"),
            Fact("executed_share", "0.500"),
        ),
    ),
    StageReport(
        Stage.TIME,
        "correct; 0.5 of the vendor's speed",
        verdict=Verdict.ACCEPTED,
        signals=(Signal("below_floor", 1, Severity.HOLD, Stage.TIME, "Too fast."),),
    ),
)
RIGHT: Wanted = {
    "verdict": "accepted",
    "stages": ["time"],
    "family": "yes",
    "coverage": [0.4, 0.55],
    "executed": [0.5, 0.5],
    "signals": ["partial_coverage"],
    "holds": ["below_floor"],
    "remarks": ["C5"],
}


def test_a_run_that_is_as_stated_has_no_difference() -> None:
    assert differences(RIGHT, REPORTS) == []


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("verdict", "wrong_result", "accepted in time"),
        ("stages", ["check"], "accepted in time"),
        ("family", "absent", "family yes"),
        ("coverage", [0.9, 1.0], "coverage 0.480"),
        ("executed", [0.0, 0.4], "executed_share 0.500"),
        ("signals", ["decoy"], "lack"),
        ("remarks", ["L3"], "lack ['L3']"),
        ("holds", [], "holds ['below_floor']"),
    ],
)
def test_each_statement_can_fail(key: str, value: object, words: str) -> None:
    (found,) = differences({**RIGHT, key: value}, REPORTS)
    assert words in found


def test_a_share_that_nobody_measured_is_no_share() -> None:
    without = (REPORTS[0], REPORTS[2])
    found = differences({**RIGHT, "signals": []}, without)
    assert [one.split()[0] for one in found] == ["family", "coverage", "executed_share"]


EITHER: Wanted = {
    "verdict": ["accepted", "wrong_result"],
    "stages": ["check", "time"],
    "family": "yes",
    "coverage": [0.4, 0.55],
    "signals": ["coarse_precision"],
}
COARSE = Signal("coarse_precision", 1, Severity.HOLD, Stage.CHECK, "Coarse.")


def test_where_chance_decides_each_of_the_verdicts_is_as_stated() -> None:
    wrong = StageReport(Stage.CHECK, "wrong", verdict=Verdict.WRONG_RESULT, signals=(COARSE,))
    right = StageReport(Stage.CHECK, "right", signals=(COARSE,))
    assert differences(EITHER, (wrong,)) == []
    assert differences(EITHER, (right, *REPORTS[1:])) == []


def test_where_chance_decides_a_third_verdict_and_an_accepted_kernel_s_findings_still_differ() -> (
    None
):
    fault = StageReport(Stage.CHECK, "fault", verdict=Verdict.MEMORY_FAULT, signals=(COARSE,))
    assert [one.split()[0] for one in differences(EITHER, (fault,))] == ["memory_fault"]
    unprobed = (StageReport(Stage.CHECK, "right", signals=(COARSE,)), REPORTS[2])
    assert [one.split()[0] for one in differences(EITHER, unprobed)] == ["family", "coverage"]


def test_a_signal_must_be_there_whatever_the_verdict() -> None:
    wrong = StageReport(Stage.CHECK, "wrong", verdict=Verdict.WRONG_RESULT)
    (found,) = differences(EITHER, (wrong,))
    assert "lack ['coarse_precision']" in found
