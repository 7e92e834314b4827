"""Every golden case for the GPU half through the real referee and launchers, and what must come of it.

Expected values stand in the ``[expect.gpu]`` of each case.toml (golden/README.md has the keys), and in HONEST below
for kernels that have none.
"""

import time
import tomllib
from typing import TYPE_CHECKING

import pytest

from evaluation.core.verdict import Stage

from .expected import Wanted, differences
from .packed import GOLDEN

if TYPE_CHECKING:
    from .measuring import Bench

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(180)]

ACCEPTED = {"verdict": "accepted", "stages": ["time"], "holds": []}
HONEST: dict[str, Wanted] = {
    "gemm_wgmma_tma": {
        **ACCEPTED,
        "family": "yes",
        "executed": [0.999, 1.001],
        "coverage": [0.96, 1.0],
    },
    "gemm_mma_sync": {**ACCEPTED, "family": "absent"},
    "gemm_naive": {**ACCEPTED, "family": "absent"},
    # Exactly two products a pair of query and key; the exponentials' FMA are what coverage lacks of one.
    "mha_fwd_wgmma": {
        **ACCEPTED,
        "family": "yes",
        "executed": [0.999, 1.001],
        "coverage": [0.9, 1.0],
    },
    # Whole tiles on the diagonal: 33 tiles for 32.5 of keys, so 1.03 at most 1.04.
    "mha_fwd_wgmma_causal": {
        **ACCEPTED,
        "family": "yes",
        "executed": [1.0, 1.04],
        "coverage": [0.9, 1.0],
    },
    "mha_bwd_plain": {**ACCEPTED, "family": "absent"},
    "mha_bwd_plain_causal": {**ACCEPTED, "family": "absent"},
    # Exactly five products a pair; what the causal one executes more is again the masked part of the diagonal's tiles.
    "mha_bwd_wgmma": {
        **ACCEPTED,
        "family": "yes",
        "executed": [0.999, 1.001],
        "coverage": [0.9, 1.0],
    },
    "mha_bwd_wgmma_causal": {
        **ACCEPTED,
        "family": "yes",
        "executed": [1.0, 1.04],
        "coverage": [0.9, 1.0],
    },
}


def stated() -> dict[str, Wanted]:
    found = {
        path.parent.name: tomllib.loads(path.read_text(encoding="utf-8"))["expect"]["gpu"]
        for path in (GOLDEN / "measured").glob("*/case.toml")
    }
    return {**found, **HONEST}


@pytest.mark.parametrize("case", sorted(stated()))
def test_a_case_ends_as_it_must(case: str, bench: "Bench") -> None:
    wanted = stated()[case]
    began = time.monotonic()
    reports = bench.run(case)
    seconds = time.monotonic() - began
    bench.keep(case, reports)
    stages = ", ".join(f"{one.stage} {one.seconds:.2f} s" for one in reports)
    print(f"\n{case}: {reports[-1].headline} ({seconds:.2f} s: {stages})")  # noqa: T201 - shown with -s or on failure
    assert differences(wanted, reports) == []
    assert seconds < float(str(wanted.get("seconds", 60)))


def test_the_kernels_that_a_gpu_must_judge_are_all_in_the_pack(bench: "Bench") -> None:
    assert set(stated()) <= set(bench.pack.cases)


def test_an_honest_kernel_has_a_speed_with_an_interval(bench: "Bench") -> None:
    facts = {fact.name: fact.value for fact in bench.run("gemm_wgmma_tma")[-1].facts}
    ratio, low, high = (float(facts[name]) for name in ("ratio", "ratio_low", "ratio_high"))
    assert low <= ratio <= high
    assert (
        0.7 < ratio < 1.3
    )  # 0.9931 to 0.9950 in twelve verdicts on an H200; other Hopper devices differ
    assert facts["launchers"] == 3


def test_stages_come_in_their_order(bench: "Bench") -> None:
    seen: list[Stage] = []
    reports = bench.run("honest_wgmma", seen.append)
    assert [one.stage for one in reports] == [Stage.CHECK, Stage.PROBE, Stage.TIME]
    assert seen[0] is Stage.CHECK
