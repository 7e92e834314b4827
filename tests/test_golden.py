"""Every golden case through the real tools: policy, build, record and scan, as far as it must come."""

import pytest
from golden_case import Case, Seen, cases, differences, judge, plan_in_words

from evaluation.core.pipeline import Tools
from evaluation.core.verdict import Severity, Stage

# The slowest case burns a whole build's processor time on purpose; other workers of the machine stretch that.
pytestmark = [pytest.mark.toolchain, pytest.mark.timeout(900)]

PREPARED = [Stage.POLICY, Stage.BUILD, Stage.RECORD, Stage.SCAN]


def _name(case: Case) -> str:
    return case.name


@pytest.mark.parametrize("case", [*cases("kernels"), *cases("hosts")], ids=_name)
def test_an_honest_kernel_becomes_the_plan_and_the_opcodes_that_its_case_states(
    case: Case, tools: Tools
) -> None:
    seen = judge(case, tools)
    _passes(seen)
    assert _holds(seen) == []
    if "signals" in case.expect:
        assert sorted(seen.signals) == case.expect["signals"]
    assert seen.fact(Stage.SCAN, "family_static") == case.expect["family_after_scan"]
    if "device_externs" in case.expect:
        assert seen.fact(Stage.BUILD, "device_externs") == case.expect["device_externs"]
        assert seen.artifact("unmodified_cubin") != seen.artifact("cubin")
    assert differences(case.table("plan"), plan_in_words(seen.plan, seen.cubin), "plan") == []
    _check_opcodes(case, seen)


@pytest.mark.parametrize("case", [*cases("refusals"), *cases("cheats")], ids=_name)
def test_what_must_be_refused_or_flagged_is_refused_or_flagged_by_name(
    case: Case, tools: Tools
) -> None:
    seen = judge(case, tools)
    assert set(_words(case, "signals")) <= seen.signals
    if "verdict_after" in case.expect:
        _passes(seen)
        assert seen.fact(Stage.SCAN, "family_static") == case.expect["family_after_scan"]
        return
    last = seen.last
    assert (last.stage, last.verdict) == (case.expect["stage"], case.expect["verdict"]), last
    assert last.remarks[0].rule == case.expect["rule"], last
    for word in _words(case, "headline_contains"):
        assert word in last.headline


def _passes(seen: Seen) -> None:
    verdicts = [(report.headline, report.verdict) for report in seen.reports]
    assert [report.stage for report in seen.reports] == PREPARED, verdicts
    assert seen.last.verdict is None, verdicts


def _holds(seen: Seen) -> list[str]:
    signals = [signal for report in seen.reports for signal in report.signals]
    return [signal.kind for signal in signals if signal.severity is Severity.HOLD]


def _words(case: Case, key: str) -> list[str]:
    found = case.expect.get(key, [])
    assert isinstance(found, list)
    return found


def _check_opcodes(case: Case, seen: Seen) -> None:
    stated = case.table("opcodes")
    if not stated:
        return
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
