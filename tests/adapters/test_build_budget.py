"""The script of a part shares one budget of processor time among its steps."""

import dataclasses

import pytest

from evaluation.adapters.sandbox import Bubblewrap
from evaluation.core.compile.build_steps import STEP_REPORT_DESCRIPTOR, Part, Step
from evaluation.core.ports import JailCommand, JailFile, JailResult, Limits, Output

pytestmark = pytest.mark.toolchain

LIMITS = Limits(
    wall_seconds=300,
    cpu_seconds=3,
    memory_bytes=1 << 30,
    file_bytes=1 << 20,
    scratch_bytes=1 << 20,
    processes=16,
    open_files=64,
    stdout_bytes=1000,
    stderr_bytes=1000,
)
WORKS = "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done"
SPINS = "while :; do :; done"


def run(jail: Bubblewrap, *scripts: str, budget_seconds: int) -> tuple[JailResult, list[list[str]]]:
    steps = tuple(Step(f"step{n}", ("/usr/bin/bash", "-c", text)) for n, text in enumerate(scripts))
    result = jail.run(
        JailCommand(
            ("/usr/bin/bash", "/w/steps", str(budget_seconds)),
            dataclasses.replace(LIMITS, cpu_seconds=budget_seconds),
            files=(JailFile("/w/steps", Part("part", steps, ()).script().encode()),),
            outputs=(Output("steps", STEP_REPORT_DESCRIPTOR, 1000),),
            environment=(("LC_ALL", "C"),),
        )
    )
    rows = result.outputs["steps"].content.decode().splitlines()
    return result, [row.split()[:2] for row in rows]


def test_steps_within_the_budget_all_run(jail: Bubblewrap) -> None:
    result, rows = run(jail, WORKS, WORKS, "exit 0", budget_seconds=60)

    assert result.clean
    assert rows == [["start", "0"], ["step0", "0"], ["step1", "0"], ["step2", "0"]]


def test_a_step_has_only_what_the_ones_before_it_have_left(jail: Bubblewrap) -> None:
    # The first step bounds itself to 4 s and ends well, so that 2 s or a little more are left for the second.
    four_seconds = f"( ulimit -t 4; {SPINS} ); exit 0"

    result, rows = run(jail, four_seconds, SPINS, budget_seconds=6)

    assert rows == [["start", "0"], ["step0", "0"], ["step1", "152"]]
    assert result.cpu_exhausted
    assert not result.timed_out
    assert (
        4.8 <= result.cpu_seconds < 10.0
    )  # the kernel's limit and its report differ by some per cent
