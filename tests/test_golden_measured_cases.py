"""The cases for the GPU half reach it: each passes policy, build, record and scan as its case.toml says.

What a GPU makes of them, ``gpu/test_golden_measured.py`` shows.
"""

from pathlib import Path

import pytest
from golden_case import Case, Table, cases, judge

from evaluation.core.check.reasons import reasons
from evaluation.core.pipeline import Tools
from evaluation.core.verdict import FamilyExecuted, Stage, Verdict

MEASURED = cases("measured")
KEYS = {
    "verdict",
    "stages",
    "family",
    "coverage",
    "executed",
    "signals",
    "holds",
    "remarks",
    "seconds",
}


def _name(case: Case) -> str:
    return case.name


@pytest.mark.toolchain
@pytest.mark.timeout(900)
@pytest.mark.parametrize("case", MEASURED, ids=_name)
def test_a_case_for_the_gpu_half_reaches_it(case: Case, tools: Tools) -> None:
    seen = judge(case, tools)
    assert seen.last.stage is Stage.SCAN, seen.last.headline
    assert seen.last.verdict is None, seen.last.headline
    assert seen.fact(Stage.SCAN, "family_static") == case.expect["family_after_scan"]
    # Reasons that a plan gives for a failing report are known without a GPU.
    wanted = case.table("gpu").get("remarks", [])
    assert isinstance(wanted, list)
    assert set(wanted) <= {one.rule for one in reasons(seen.plan)}


@pytest.mark.parametrize("case", MEASURED, ids=_name)
def test_a_case_says_what_a_gpu_must_make_of_it(case: Case) -> None:
    wanted = case.table("gpu")
    assert wanted.keys() <= KEYS
    found = verdicts(wanted)
    stages = wanted["stages"]
    assert isinstance(stages, list)
    assert {Stage(one) for one in stages} <= {Stage.CHECK, Stage.TIME}
    # Only a kernel that comes to the end has an instruction finding, and it ends in the last stage.
    assert ("family" in wanted) == (Verdict.ACCEPTED in found)
    assert not ("remarks" in wanted and Verdict.ACCEPTED in found)
    if Verdict.ACCEPTED in found:
        assert "time" in stages
        assert len(found) > 1 or stages == ["time"]
        FamilyExecuted(str(wanted["family"]))


def verdicts(wanted: Table) -> list[Verdict]:
    """One, or those between which chance decides."""
    stated = wanted["verdict"]
    return [Verdict(str(one)) for one in (stated if isinstance(stated, list) else [stated])]


def test_there_are_more_than_twenty_cheats_and_faults_and_an_honest_control() -> None:
    refused = [one for one in MEASURED if Verdict.ACCEPTED not in verdicts(one.table("gpu"))]
    assert len(refused) > 20
    assert "measured/honest_wgmma" in map(_name, MEASURED)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("mha_fwd_wgmma", "mha_fwd_wgmma_causal"),
        ("mha_bwd_wgmma", "mha_bwd_wgmma_causal"),
        ("mha_bwd_plain", "mha_bwd_plain_causal"),
    ],
)
def test_kernels_with_and_without_a_mask_differ_in_the_line_that_says_so(
    one: str, other: str
) -> None:
    """So that what is mended in one is mended in both."""
    kernels = Path(__file__).parent / "golden/kernels"
    pair = [(kernels / name / "kernel.cu").read_text().splitlines() for name in (one, other)]
    assert len(pair[0]) == len(pair[1])
    differing = [lines for lines in zip(*pair, strict=True) if lines[0] != lines[1]]
    assert len(differing) == 1, differing
    assert "false" in differing[0][0]
    assert differing[0][0].replace("false", "true") == differing[0][1]
