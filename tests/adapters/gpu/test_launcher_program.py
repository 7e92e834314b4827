"""The launcher itself, as a process over a stand-in for the driver: a plan is replayed byte by byte, and failures told.

Kernels do not run there: what the driver would have been told is in its log.
"""

import hashlib
import os
import struct
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from cubin_files import Cubin, Kernel, Variable, parameter
from fake_cuda import FakeCuda, build
from planned import MAPPED, PLAN, STRUCT, swapped

from evaluation.adapters.gpu.launcher_client import Deadlines, LauncherClient
from evaluation.adapters.gpu.launcher_runtime import LauncherRuntime, find_runtime
from evaluation.adapters.gpu.launchers import Confinement, ProcessLaunchers, Unjailed
from evaluation.adapters.sandbox import Bubblewrap
from evaluation.adapters.toolchain import Toolchain
from evaluation.adapters.trusted_cubin import TrustedCubins
from evaluation.adapters.workspace import Workspace
from evaluation.core.errors import ToolFailure
from evaluation.core.launching.answers import OurFault
from evaluation.core.launching.frames import Ask, Say
from evaluation.core.launching.port import (
    BufferSet,
    Called,
    Counting,
    CountingStep,
    Died,
    Gpu,
    SetUp,
    SharedBuffer,
    Unavailable,
    Waiting,
)
from evaluation.core.launching.replay import held_calls
from evaluation.core.measure.seen import Fault, FaultKind
from evaluation.core.plan.plan import AllocStep, Assumption, LaunchStep, MemsetStep, Plan
from evaluation.core.plan.plan_json import plan_to_json
from evaluation.core.verdict import Target

pytestmark = pytest.mark.toolchain

GPU = Gpu(0, "GPU-00000000-0000-0000-0000-000000000000")
GRANULE = 2 << 20
PATIENT = Deadlines(set_up=60, call=60, start=60, ours=60)  # a busy machine may need some of it
CUBIN = bytes(
    Cubin(
        kernels=(
            Kernel("mapped", parameter(1, 128, 8) + parameter(0, 0, 128), 136),
            Kernel("s", parameter(2, 12, 12) + parameter(1, 8, 4) + parameter(0, 0, 8), 24),
        ),
        variables=(Variable("table", ".nv.constant3", 0, 1024),),
        sizes={".nv.constant3": 1024},
    )
    .build()
    .content
)

Line = dict[str, Any]


@dataclass
class Bench:
    """One launcher over one copy of the stand-in."""

    fake: FakeCuda
    launcher: LauncherClient
    sets: tuple[BufferSet, ...]

    def set_up(self, plan: Plan = PLAN, cubin: bytes = CUBIN) -> SetUp | Fault | Died:
        hashed = replace(plan, cubin_sha256=hashlib.sha256(CUBIN).hexdigest())
        return self.launcher.set_up(plan_to_json(hashed), cubin, self.sets)

    def row(self, numbers: tuple[int, ...], sets: tuple[int, ...]) -> object:
        assert self.launcher.prepare(numbers, sets) == Waiting()
        return self.launcher.go()

    def call(self, number: int, *, end_aligned: bool = False, cold: bool = False) -> object:
        return self.launcher.call(
            number, set=number % len(self.sets), end_aligned=end_aligned, counted=False, cold=cold
        )

    def launches(self, name: str) -> list[Line]:
        return [line for line in self.fake.lines("launch") if line["function"] == name]

    def memset(self) -> Line:
        """The one of the plan's set-up; the judge's own kernels have others."""
        (line,) = [one for one in self.fake.lines("memset") if one["value"] == 0x01020304]
        return line

    def parameters(self, name: str) -> list[bytes]:
        return [bytes.fromhex(line["parameters"]) for line in self.launches(name)]


@pytest.fixture(scope="session")
def library(toolchain: Toolchain) -> Path:
    return build(toolchain.root / "nvidia/cu13/include")


@pytest.fixture(scope="session")
def own_kernels(workspace: Workspace, jail: Bubblewrap, toolchain: Toolchain) -> bytes:
    return TrustedCubins(jail, toolchain, workspace.native).built(Target.HOPPER)


@pytest.fixture
def buffers() -> Iterator[tuple[BufferSet, ...]]:
    """Two sets of memory files, as the stand-in shares memory."""
    made: list[int] = []

    def buffer(size: int, *, writable: bool) -> SharedBuffer:
        made.append(os.memfd_create("buffer"))
        os.truncate(made[-1], GRANULE)
        return SharedBuffer(made[-1], size, writable)

    yield tuple(
        tuple(buffer(one.size, writable=one.is_output) for one in PLAN.arguments) for _ in range(2)
    )
    for descriptor in made:
        os.close(descriptor)


Start = Callable[..., Bench]


@pytest.fixture
def start(
    library: Path, own_kernels: bytes, tmp_path: Path, buffers: tuple[BufferSet, ...]
) -> Iterator[Start]:
    made: list[LauncherClient] = []

    def begin(*script: str, deadlines: Deadlines = PATIENT) -> Bench:
        fake = FakeCuda.place(library, tmp_path / f"fake{len(made)}", *script)
        packages = find_runtime(driver_folders=[fake.folder]).packages
        python = Path(sys.executable)
        runtime = LauncherRuntime(python, (), packages, fake.folder)
        launchers = ProcessLaunchers(Unjailed(runtime), own_kernels, deadlines, Confinement.NONE)
        made.append(launchers.start(GPU))
        return Bench(fake, made[-1], buffers)

    yield begin
    for one in made:
        one.kill()


def pointer(content: bytes, at: int) -> int:
    return int(struct.unpack_from("<Q", content, at)[0])


def test_parameters_hold_pointers_maps_and_counters_of_each_call(start: Start) -> None:
    bench = start("kernel_ns 7000", "copy_ns 0")
    assert bench.set_up() == SetUp(gpu_ns=0, bytes=4096 + 8192)
    assert [bench.call(number) for number in range(4)] == [Called(14000)] * 4
    ws = bench.memset()["to"]
    other, *of_a = [line["address"] for line in bench.fake.lines("map")]
    blocks = bench.parameters("s")
    assert [pointer(one, 0) for one in blocks] == [ws, other + 64, ws, other + 64]
    assert [struct.unpack_from("<4I", one, 8) for one in blocks] == [
        (5 + call, 9, 0, 3) for call in range(4)
    ]
    mapped = bench.parameters("mapped")
    assert [one[:7] for one in mapped] == [b"FAKEMAP"] * 4
    # One map for each set: the third and fourth call find theirs again.
    assert [pointer(one, 16) for one in mapped] == [of_a[0], of_a[1], of_a[0], of_a[1]]
    assert len(of_a) == 2


def test_buffers_start_or_end_where_nothing_is_mapped(start: Start) -> None:
    bench = start()
    bench.set_up()
    bench.call(0)
    bench.call(1, end_aligned=True)
    places = [(pointer(one, 16), pointer(one, 128)) for one in bench.parameters("mapped")]
    assert [a % GRANULE for a, _ in places] == [0, GRANULE - 4096]
    assert [c % GRANULE for _, c in places] == [0, GRANULE - 4096]


def test_launches_have_their_shape_and_attributes(start: Start) -> None:
    bench = start()
    bench.set_up()
    bench.call(0)
    (mapped,), (struct_,) = bench.launches("mapped"), bench.launches("s")
    assert (mapped["grid"], mapped["block"], mapped["shared"]) == ([8, 2, 1], [128, 1, 1], 65536)
    assert mapped["attributes"] == {"4": [2, 1, 1]}
    assert (struct_["grid"], struct_["block"], struct_["shared"]) == ([1, 1, 1], [1024, 1, 1], 0)
    assert struct_["attributes"] == {"2": [1], "5": [1], "6": [1]}
    assert mapped["stream"] == struct_["stream"] != 0


def test_the_first_launch_of_a_call_overlaps_with_nothing(start: Start) -> None:
    bench = start()
    bench.set_up(swapped(MAPPED))  # the plan without its first launch
    bench.call(0)
    bench.row((1, 2), (0, 0))
    assert [line["attributes"] for line in bench.launches("s")] == [{"2": [1], "5": [1]}] * 3


def test_set_up_fills_pays_in_and_encodes(start: Start) -> None:
    bench = start("symbols 1")
    bench.set_up()
    bench.call(0)
    memset = bench.memset()
    shape = (memset["pitch"], memset["value"], memset["width"], memset["columns"], memset["rows"])
    assert shape == (128, 0x01020304, 4, 16, 4)
    (line,) = bench.launches("mapped")
    table = bytes.fromhex(line["symbols"]["table"])
    assert table[:4] == b"1234"
    assert table[64:68] == b"5678"
    assert not any(table[4:64])
    assert not any(table[68:])


def test_memory_of_a_call_holds_new_random_bits_each_time_and_set_up_s_keeps_its_own(
    start: Start,
) -> None:
    bench = start()
    bench.set_up()
    for number in range(3):
        bench.call(number)
    fills = [
        (pointer(one, 0), pointer(one, 8), pointer(one, 16))
        for one in bench.parameters("trusted_bits")
    ]
    (kept_ws, kept_other, *fresh) = fills
    assert kept_ws[1] == kept_other[1] == GRANULE
    assert len(fresh) == 3
    assert len({address for address, _, _ in fresh}) == 1
    assert {size for _, size, _ in fresh} == {GRANULE}
    assert len({key for _, _, key in fills}) == 5


def kinds(lines: list[Line]) -> list[str]:
    return [str(line.get("function", line["what"])) for line in lines]


def test_a_cold_call_is_loaded_and_flushed_before_and_only_held_when_the_driver_has_given_all(
    start: Start,
) -> None:
    bench = start()
    bench.set_up()
    bench.call(0, cold=True)
    seen = len(bench.fake.lines())
    bench.call(1, cold=True)
    first, second = kinds(bench.fake.lines()[:seen]), kinds(bench.fake.lines()[seen:])
    assert "wait_value" not in first
    timed = ["event", "copy", "copy", "mapped", "s", "event", "synchronise"]
    after = ["reset_persisting_l2", "limit"]
    assert second == [
        *("map", "trusted_bits", "trusted_matrix", "trusted_flush_write", "trusted_read"),
        "wait_value",
        *timed,
        *after,
    ]
    (wait,) = bench.fake.lines("wait_value")
    assert wait["already"] is False
    limits = [(one["number"], one["value"]) for one in bench.fake.lines("limit")]
    assert limits[-1] == (6, 0)


def test_a_row_of_calls_is_one_span_over_its_sets(start: Start) -> None:
    bench = start("kernel_ns 1000", "copy_ns 0")
    bench.set_up()
    bench.call(0)
    assert bench.row((1, 2, 3), (0, 1, 0)) == Called(6000)
    counters = [struct.unpack_from("<I", one, 8)[0] for one in bench.parameters("s")]
    assert counters == [5, 6, 7, 8]
    assert len(bench.fake.lines("event")) == 2 * 3


def test_a_long_row_does_not_wait_for_a_stream_that_waits_for_it(start: Start) -> None:
    bench = start("kernel_ns 1000", "copy_ns 0")
    bench.set_up()
    bench.call(0)
    row = tuple(range(1, 401))
    assert bench.row(row, (0,) * 400) == Called(800_000)


def test_a_row_is_enqueued_to_its_end_before_it_may_go(start: Start) -> None:
    bench = start("kernel_ns 1000", "copy_ns 0")
    bench.set_up()
    bench.call(0)
    seen = len(bench.fake.lines())
    bench.launcher.prepare((1, 2), (0, 1))
    ready = kinds(bench.fake.lines()[seen:])
    assert ready[ready.index("wait_value") :] == [
        *("wait_value", "event", "copy", "copy", "mapped", "s", "copy", "copy", "mapped", "s"),
        "event",
    ]
    seen = len(bench.fake.lines())
    assert bench.launcher.go() == Called(4000)
    assert kinds(bench.fake.lines()[seen:]) == ["synchronise", "reset_persisting_l2", "limit"]
    assert [one["already"] for one in bench.fake.lines("wait_value")] == [False]


def test_what_a_flag_does_not_hold_is_enqueued_once_the_row_may_go(start: Start) -> None:
    bench = start("kernel_ns 1000", "copy_ns 0")
    bench.set_up()
    bench.call(0)
    before = len(bench.fake.lines("launch", "copy"))
    # A call is a payload of two rows, each a line here, and two launches: 512 operations are 170 calls and two of three.
    assert held_calls(PLAN.steady) == 170
    bench.launcher.prepare(tuple(range(1, 201)), (0,) * 200)
    fill = 1
    assert len(bench.fake.lines("launch", "copy")) - before == fill + 170 * 4 + 3
    assert bench.launcher.go() == Called(400_000)
    assert len(bench.fake.lines("launch", "copy")) - before == fill + 200 * 4


def test_nothing_but_the_word_to_go_is_served_while_a_row_waits(start: Start) -> None:
    bench = start()
    bench.set_up()
    bench.call(0)
    bench.launcher.prepare((1,), (0,))
    with pytest.raises(ToolFailure, match="at the wrong time"):
        bench.call(2)


@pytest.mark.parametrize("made", [0, 1])
def test_a_word_to_go_without_a_row_is_refused(start: Start, made: int) -> None:
    bench = start()
    bench.set_up()
    for number in range(made):
        bench.call(number)
    link = bench.launcher.link
    link.send(Ask.GO, seconds=60)
    answer = link.receive(seconds=60)
    assert (answer.say, answer.numbers[0]) == (Say.OURS, OurFault.ORDER)


def test_a_row_before_any_call_is_refused(start: Start) -> None:
    bench = start()
    bench.set_up()
    with pytest.raises(ToolFailure, match="at the wrong time"):
        bench.launcher.prepare((0, 1), (0, 1))


def test_a_launcher_whose_row_waits_can_be_ended(start: Start) -> None:
    bench = start()
    bench.set_up()
    bench.call(0)
    bench.launcher.prepare((1, 2), (0, 1))
    bench.launcher.leave()
    assert bench.launcher.link.process.ended(seconds=60)
    bench.launcher.end()


def test_a_failure_while_a_row_gets_ready_names_its_step(start: Start) -> None:
    # Two fills in set-up, a fill and two kernels of call 0, the row's fill: then call 1 with steps 3 and 4.
    bench = start("fail launch 8 701")
    bench.set_up()
    bench.call(0)
    fault = bench.launcher.prepare((1, 2), (0, 1))
    assert isinstance(fault, Fault)
    assert (fault.call, fault.step, fault.code) == (1, 4, 701)


def test_a_failure_that_shows_when_the_row_has_gone_is_its_own(start: Start) -> None:
    bench = start("fault launch 8 700")
    bench.set_up()
    bench.call(0)
    assert bench.launcher.prepare((1, 2), (0, 1)) == Waiting()
    fault = bench.launcher.go()
    assert isinstance(fault, Fault)
    assert (fault.call, fault.step, fault.code) == (1, -1, 700)


def test_limits_are_set_before_the_image_is_loaded(start: Start) -> None:
    bench = start()
    bench.set_up(replace(PLAN, stack_bytes=4096, heap_bytes=1 << 24))
    lines = bench.fake.lines("limit", "load")
    told = [(one["what"], one.get("number"), one.get("value")) for one in lines]
    at = told.index(("limit", 0, 4096))
    assert told[at + 1][:2] == ("limit", 2)
    assert told[at + 2][0] == "load"


# Launches in order: two fills in set-up, one before each call, then the plan's two.
FAILURES = {
    "refused at once": ("fail launch 5 1", 4, 1),  # CUDA_ERROR_INVALID_VALUE
    "out of resources": ("fail launch 4 701", 3, 701),
    "found at the end": ("fault launch 4 700", -1, 700),
}


@pytest.mark.parametrize("case", FAILURES)
def test_a_failure_names_step_and_result(start: Start, case: str) -> None:
    rule, step, code = FAILURES[case]
    bench = start(rule)
    assert isinstance(bench.set_up(), SetUp)
    fault = bench.call(0)
    assert isinstance(fault, Fault)
    assert (fault.kind, fault.call, fault.step, fault.code) == (
        FaultKind.CUDA_ERROR,
        0,
        step,
        code,
    )
    with pytest.raises(RuntimeError):
        bench.call(1)


def test_a_set_up_that_fails_is_no_call(start: Start) -> None:
    bench = start(
        "fail memset 2 1"  # the first one is the judge's own
    )
    fault = bench.set_up()
    assert isinstance(fault, Fault)
    assert (fault.call, fault.step, fault.code) == (-1, 3, 1)


def test_memory_that_is_not_there_is_the_candidate_s(start: Start) -> None:
    bench = start()
    steps: tuple[AllocStep | MemsetStep | LaunchStep, ...] = (AllocStep(0, 1 << 60),)
    fault = bench.set_up(replace(PLAN, setup=steps, steady=(), assumptions=()))
    assert isinstance(fault, Fault)
    assert (fault.step, fault.name) == (0, "CUDA_ERROR_OUT_OF_MEMORY")


def test_a_call_that_hangs_is_killed_at_its_deadline(start: Start) -> None:
    # Waits in order: for the judge's own kernels, after set-up, after each call.
    bench = start("hang synchronise 4 0")
    bench.set_up()
    bench.call(0)
    bench.launcher.deadlines = replace(PATIENT, call=0.5)
    fault = bench.call(1)
    assert isinstance(fault, Fault)
    assert (fault.kind, fault.call) == (FaultKind.TIMED_OUT, 1)
    assert 0.5 <= fault.seconds < 60


@pytest.mark.parametrize(("rule", "signal", "code"), [("crash", 6, None), ("die", None, 3)])
def test_a_death_in_the_driver_is_told_as_such(
    start: Start, rule: str, signal: int | None, code: int | None
) -> None:
    bench = start(f"{rule} launch 4 3")
    bench.set_up()
    died = bench.call(0)
    assert isinstance(died, Died)
    assert (died.call, died.signal, died.exit_code) == (0, signal, code)


@pytest.mark.parametrize(
    "attribute", [88, 100], ids=["pageable memory access", "through the host's page tables"]
)
def test_a_gpu_that_reads_host_memory_serves_nobody(start: Start, attribute: int) -> None:
    """Each alone is enough (rule T1)."""
    with pytest.raises(ToolFailure, match="pageable host memory"):
        start(f"attribute {attribute} 1")


def test_a_device_that_answers_otherwise_is_named_with_the_question(start: Start) -> None:
    bench = start("attribute 16 114")
    with pytest.raises(ToolFailure) as raised:
        bench.set_up()
    assert "'cudaDeviceGetAttribute'(16, 0) is not (132,)" in raised.value.what
    assert not bench.launches("mapped")


def test_an_image_that_the_plan_does_not_name_is_not_loaded(start: Start) -> None:
    bench = start()
    with pytest.raises(ToolFailure, match="not the one that the plan names"):
        bench.set_up(cubin=CUBIN + b"\0")
    assert len(bench.fake.lines("load")) == 1  # the judge's own


def test_buffers_of_another_size_are_our_mistake(start: Start) -> None:
    bench = start()
    bench.sets = tuple(tuple(replace(one, size=64) for one in each) for each in bench.sets)
    with pytest.raises(ToolFailure, match="not those of the plan's arguments"):
        bench.set_up()


def test_without_a_library_there_are_no_counters_and_calls_go_on(start: Start) -> None:
    bench = start()
    bench.set_up()
    refusal = Counting(0, Unavailable.NO_LIBRARY, step=CountingStep.OPEN)
    assert bench.launcher.count(("a",)) == refusal
    counted = bench.launcher.call(0, set=0, end_aligned=False, counted=True, cold=True)
    assert isinstance(counted, Called)
    assert bench.launcher.read_counters() == refusal


def test_an_ended_launcher_is_gone(start: Start) -> None:
    bench = start()
    bench.set_up()
    bench.launcher.end()
    with pytest.raises(RuntimeError, match="has ended"):
        bench.call(0)


def test_the_steady_steps_of_the_sample_are_what_these_tests_count_on() -> None:
    assert [type(step).__name__ for step in PLAN.steady] == [
        *("AllocStep", "MapStep", "CopyStep", "LaunchStep", "LaunchStep", "FreeStep"),
    ]
    assert PLAN.steady[3:5] == (MAPPED, STRUCT)


ANSWERS: tuple[Assumption, ...] = (
    Assumption("cudaDeviceGetStreamPriorityRange", (), (0, -5)),
    Assumption("cudaGetDeviceCount", (), (1,)),
    Assumption("cuDeviceGetCount", (), (1,)),
    Assumption("cudaDriverGetVersion", (), (13000,)),
    Assumption("cuDriverGetVersion", (), (13000,)),
    Assumption("cudaDeviceGetLimit", (0,), (1024,)),
    Assumption("cuCtxGetLimit", (2,), (8388608,)),
    Assumption("cudaDeviceGetAttribute", (16, 0), (132,)),
    Assumption("cuDeviceGetAttribute", (75, 0), (9,)),
    Assumption("cuDeviceGetName", (0,), ("NVIDIA H200",)),
    Assumption("cuDeviceTotalMem", (0,), (150109880320,)),
    Assumption("cudaFuncGetAttributes", ("s",), (1024, 40, 49152)),
    Assumption("cuFuncGetAttribute", ("s", 4), (40,)),
    # The plan's own attribute steps have been done when these are asked.
    Assumption("cuFuncGetAttribute", ("mapped", 8), (65536,)),
    Assumption("cudaOccupancyMaxActiveBlocksPerMultiprocessor", ("s", 256, 1024), (3,)),
    Assumption("cudaOccupancyAvailableDynamicSMemPerBlock", ("s", 2, 256), (100,)),
    Assumption("cudaOccupancyMaxActiveClusters", ("s", 256, 1024, 2), (5,)),
    Assumption("cudaOccupancyMaxPotentialClusterSize", ("s", 256, 1024, 0), (16,)),
)
DEVICE_SCRIPT = (
    *("function_attribute 0 1024", "function_attribute 4 40", "blocks_per_sm 3"),
    *("shared_room 100", "active_clusters 5", "largest_cluster 16"),
)


def test_every_question_is_put_to_the_driver(start: Start) -> None:
    bench = start(*DEVICE_SCRIPT)
    # The plan's limits come after the question for those of a fresh context.
    plan = replace(PLAN, assumptions=ANSWERS, stack_bytes=4096, heap_bytes=1 << 24)
    assert isinstance(bench.set_up(plan), SetUp)


def wrong(one: Assumption) -> Assumption:
    last = one.answer[-1]
    other: int | str = last + 1 if isinstance(last, int) else "NVIDIA H100"
    return replace(one, answer=(*one.answer[:-1], other))


@pytest.mark.parametrize("place", range(len(ANSWERS)))
def test_every_wrong_answer_is_found(start: Start, place: int) -> None:
    bench = start(*DEVICE_SCRIPT)
    told = (*ANSWERS[:place], wrong(ANSWERS[place]), *ANSWERS[place + 1 :])
    with pytest.raises(ToolFailure, match="answers otherwise than its table") as raised:
        bench.set_up(replace(PLAN, assumptions=told))
    assert f"'{ANSWERS[place].call}'" in raised.value.what


@pytest.mark.parametrize(
    "unknown",
    [
        Assumption("cudaDeviceGetAttribute", (100_000, 0), (1,)),
        Assumption("cudaDeviceGetAttribute", (16, 1), (132,)),
        Assumption("cuFuncGetAttribute", ("nobody", 4), (40,)),
        Assumption("cuFuncGetAttribute", ("s", "s"), (40,)),
        Assumption("cudaFuncGetAttributes", ("s", 1), (40,)),
        Assumption("cuMemAlloc", (1,), (1,)),
    ],
)
def test_what_nobody_can_ask_holds_nowhere(start: Start, unknown: Assumption) -> None:
    bench = start(*DEVICE_SCRIPT)
    with pytest.raises(ToolFailure, match="answers otherwise than its table"):
        bench.set_up(replace(PLAN, assumptions=(unknown,)))
