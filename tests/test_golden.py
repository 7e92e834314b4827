"""Every golden case through the real tools: policy, build, record and scan, as far as it must come."""

import pytest
from golden_case import Case, Seen, cases, judge, plan_in_words

from evaluation.core.pipeline import Tools
from evaluation.core.verdict import Severity, Stage

pytestmark = pytest.mark.toolchain


def _name(case: Case) -> str:
    return case.name


@pytest.mark.parametrize("case", cases("kernels"), ids=_name)
def test_an_honest_kernel_becomes_the_plan_and_the_opcodes_that_its_case_states(
    case: Case, tools: Tools
) -> None:
    seen = judge(case, tools)
    _passes(seen)
    assert seen.fact(Stage.SCAN, "family_static") == case.expect["family_after_scan"]
    _check_plan(case, seen)
    _check_opcodes(case, seen)


def _passes(seen: Seen) -> None:
    verdicts = [(report.headline, report.verdict) for report in seen.reports]
    assert [report.stage for report in seen.reports] == [
        Stage.POLICY,
        Stage.BUILD,
        Stage.RECORD,
        Stage.SCAN,
    ], verdicts
    assert seen.last.verdict is None, verdicts
    holds = [
        signal
        for report in seen.reports
        for signal in report.signals
        if signal.severity is Severity.HOLD
    ]
    assert holds == []


def _check_plan(case: Case, seen: Seen) -> None:
    found = plan_in_words(seen.plan)
    for key, wanted in case.table("plan").items():
        assert found[key] == wanted, key


def _check_opcodes(case: Case, seen: Seen) -> None:
    stated = case.table("opcodes")
    counts = seen.opcodes()
    families = [opcode.split(".")[0] for one in counts.values() for opcode in one.elements()]
    at_least = stated.get("at_least", {})
    assert isinstance(at_least, dict)
    for family, least in at_least.items():
        assert families.count(family) >= least, family
    absent = stated.get("absent", [])
    assert isinstance(absent, list)
    assert set(absent).isdisjoint(families)
    exact = stated.get("exact", {})
    assert isinstance(exact, dict)
    for function, opcodes in exact.items():
        for opcode, wanted in opcodes.items():
            assert counts[function][opcode] == wanted, (function, opcode)
