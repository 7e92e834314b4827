"""The lone replay as a process over the stand-in for the driver: exact memory, filled inputs, and how it ends."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from fake_cuda import FakeCuda, build
from lone_plan import CUBIN
from planned import PLAN

from evaluation.adapters.gpu.launcher_archive import launcher_archive
from evaluation.adapters.gpu.launcher_runtime import find_runtime
from evaluation.adapters.sandbox import Bubblewrap
from evaluation.adapters.toolchain import Toolchain
from evaluation.adapters.trusted_cubin import TrustedCubins
from evaluation.adapters.workspace import Workspace
from evaluation.core.measure.examination_run import OUR_FAULT
from evaluation.core.plan.plan import Plan
from evaluation.core.plan.plan_json import plan_to_json
from evaluation.core.verdict import Target

pytestmark = pytest.mark.toolchain

GRANULE = 2 << 20
Line = dict[str, Any]


@dataclass
class Lone:
    """One run: its exit code and what the driver was told."""

    code: int
    words: str
    fake: FakeCuda

    def launches(self, name: str) -> list[Line]:
        return [line for line in self.fake.lines("launch") if line["function"] == name]

    def numbers(self, name: str, at: int) -> list[int]:
        """Eight bytes of each launch's parameters."""
        return [
            int.from_bytes(bytes.fromhex(line["parameters"])[at : at + 8], "little")
            for line in self.launches(name)
        ]


Run = Callable[..., Lone]


@pytest.fixture
def run(toolchain: Toolchain, workspace: Workspace, jail: Bubblewrap, tmp_path: Path) -> Run:
    library = build(toolchain.root / "nvidia/cu13/include")
    own = TrustedCubins(jail, toolchain, workspace.native).built(Target.HOPPER)

    def begin(
        *script: str,
        plan: Plan = PLAN,
        cubin: bytes = CUBIN,
        calls: int = 2,
        contents: str = "random",
        comparing: tuple[str, ...] = (),
    ) -> Lone:
        fake = FakeCuda.place(library, tmp_path / "fake", *script)
        hashed = replace(plan, cubin_sha256=hashlib.sha256(CUBIN).hexdigest())
        files = {
            "alone.zip": launcher_archive(entry="evaluation.launcher.alone"),
            "plan": plan_to_json(hashed),
            "cubin": cubin,
            "own": own,
        }
        for name, content in files.items():
            (tmp_path / name).write_bytes(content)
        site = find_runtime(driver_folders=[fake.folder]).site
        paths = [str(tmp_path / name) for name in ("plan", "cubin", "own")]
        ended = subprocess.run(
            [
                sys.executable,
                "-I",
                "-B",
                tmp_path / "alone.zip",
                site,
                *paths,
                str(calls),
                contents,
                *comparing,
            ],
            env={**os.environ, "LD_LIBRARY_PATH": str(fake.folder)},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return Lone(ended.returncode, ended.stderr, fake)

    return begin


def test_the_calls_of_the_steady_steps_are_made_and_the_process_ends_well(run: Run) -> None:
    lone = run(calls=3)
    assert (lone.code, lone.words) == (0, "")
    assert len(lone.launches("mapped")) == len(lone.launches("s")) == 3
    # The counter of the plan steps with the calls, and the other workspace is taken every second time.
    ws, other, again = lone.numbers("s", 0)
    assert ws == again != other
    assert lone.numbers("s", 8) == [5 + call + (9 << 32) for call in range(3)]


def test_nothing_is_shared_guarded_or_held_back(run: Run) -> None:
    lone = run()
    told = {line["what"] for line in lone.fake.lines()}
    assert "wait_value" not in told
    sizes = lone.numbers("trusted_bits", 8)
    # The output, the plan's two workspaces, and what each of two calls makes: to the byte, not to a granule.
    assert sizes == [4096, 4096, 8192, 1024, 1024]


def test_inputs_hold_the_judges_own_normal_values_and_every_run_the_same(run: Run) -> None:
    lone = run()
    inputs = [one for one in PLAN.arguments if not one.is_output]
    assert lone.numbers("trusted_normals_bf16", 8) == [one.size // 2 for one in inputs]


def test_for_initcheck_nobody_writes_before_the_kernel_does(run: Run) -> None:
    lone = run(contents="untouched", calls=1)
    assert lone.code == 0
    assert lone.launches("trusted_bits") == []
    assert len(lone.launches("trusted_normals_bf16")) == 2
    assert len(lone.launches("s")) == 1


@pytest.mark.parametrize(
    ("script", "launches", "fills"),
    [
        ("fault launch 7 700", 1, 4),  # the first of the kernel's own: six fill memory before
        ("fail cuLaunchKernelEx 7 1", 0, 4),
        ("fail encode 1 1", 0, 3),
    ],
)
def test_whatever_the_kernel_does_the_process_ends_with_nought(
    run: Run, script: str, launches: int, fills: int
) -> None:
    lone = run(script)
    assert (lone.code, lone.words) == (0, "")
    assert len(lone.launches("mapped")) == launches
    assert len(lone.launches("trusted_bits")) == fills  # and no second call


@pytest.mark.parametrize(
    ("script", "change"),
    [
        ("fail cuInit 1 100", {}),
        ("attribute 88 1", {}),  # pageable memory: rule T1
        ("attribute 100 1", {}),
        ("fail load 1 209", {}),  # the judge's own image
        ("", {"cubin": CUBIN + b"\0"}),
    ],
)
def test_a_run_that_does_not_come_to_the_kernel_says_so(
    run: Run, script: str, change: dict[str, bytes]
) -> None:
    lone = run(*filter(None, [script]), **change)
    assert lone.code == OUR_FAULT
    assert lone.words.count("\n") == 1
    assert lone.launches("s") == []


# The plan's one output is of 4096 bytes.
LIKENESS = "0.01;0.01;bfloat16:32x64"


def test_later_calls_are_compared_with_the_first_and_inputs_are_of_one_run_alone(
    run: Run, tmp_path: Path
) -> None:
    """The stand-in runs no comparison, and one that looked at nothing is a failure of ours."""
    told = tmp_path / "told"
    for _ in range(2):
        lone = run(calls=3, comparing=(LIKENESS, str(told)))
        assert lone.code == OUR_FAULT
        assert "0 of 2048 elements" in lone.words
    assert not told.exists()
    # The stand-in's notes are of both runs, each with two calls.
    assert len(lone.launches("s")) == 2 * 2
    assert len(lone.launches("trusted_compare_bf16")) == 2
    # Fresh bits in the first run's output before each call, besides those at the start.
    filled = lone.numbers("trusted_bits", 0)
    assert filled.count(filled[0]) == 1 + 2
    first, again, other, once_more = lone.numbers("trusted_normals_bf16", 16)
    assert first == again != other == once_more


def test_one_call_has_none_to_be_compared_with_and_says_so(run: Run, tmp_path: Path) -> None:
    told = tmp_path / "told"
    lone = run(calls=1, comparing=(LIKENESS, str(told)))
    assert (lone.code, lone.words) == (0, "")
    assert told.read_text() == "[]"


@pytest.mark.parametrize("script", ["fault launch 8 700", "fail cuLaunchKernelEx 8 1"])
def test_a_run_whose_calls_do_not_end_tells_nothing(run: Run, tmp_path: Path, script: str) -> None:
    told = tmp_path / "told"
    lone = run(script, calls=1, comparing=(LIKENESS, str(told)))
    assert lone.code == 0
    assert not told.exists()
