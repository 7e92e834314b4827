"""The launcher on a real device, in its jail: a packed kernel is replayed on memory that this process owns.

Set PTXBOARD_UNCONFINED to 1 on a host that cannot jail; the tests of the jail then skip with that reason.
"""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from evaluation.adapters.catalogue import packaged
from evaluation.adapters.gpu import driver, memory
from evaluation.adapters.gpu.launcher_client import LauncherClient
from evaluation.core.catalogue.device_attributes import NAMES
from evaluation.core.errors import ToolFailure
from evaluation.core.launching.port import (
    BufferSet,
    Called,
    Died,
    SetUp,
    SharedBuffer,
    Waiting,
)
from evaluation.core.measure.philox import random_bytes
from evaluation.core.measure.seen import Fault, FaultKind
from evaluation.core.plan.plan import Assumption
from evaluation.core.plan.plan_json import plan_to_json
from evaluation.core.record.assumption_table import answers, settled

from .launching import DEADLINES, Start
from .packed import Pack

pytestmark = pytest.mark.gpu

CASE = "gemm_wgmma_tma"
SETS = 2
TWO_TO_THE_MINUS_7 = b"\x00\x3c"  # of bf16: products of small numbers stay finite


@dataclass(frozen=True, slots=True)
class Shared:
    """Buffers of two sets, in the order of the plan's arguments, and their descriptors."""

    buffers: tuple[tuple[memory.Buffer, ...], ...]
    sets: tuple[BufferSet, ...]

    def content(self, number: int, place: int, *, end_aligned: bool, size: int = 4096) -> bytes:
        at = self.buffers[number][place].address(end_aligned=end_aligned)
        return driver.copy_from_device(at, size, 0)


@pytest.fixture
def shared(context: driver.Context, pack: Pack) -> Iterator[Shared]:
    context.make_current()
    buffers, sets = [], []
    for _ in range(SETS):
        made = [
            (memory.create(one.size, device=context.device), one)
            for one in pack.prepared(CASE).plan.arguments
        ]
        for buffer, one in made:
            chunk = TWO_TO_THE_MINUS_7 * (1 << 20) if not one.is_output else random_bytes(3, 4096)
            for at in range(0, buffer.mapped if not one.is_output else 4096, len(chunk)):
                driver.copy_to_device(buffer.base + at, chunk[: buffer.mapped - at], 0)
        buffers.append(tuple(buffer for buffer, _ in made))
        sets.append(
            tuple(
                SharedBuffer(memory.export(buffer), one.size, one.is_output) for buffer, one in made
            )
        )
    driver.synchronise()
    yield Shared(tuple(buffers), tuple(sets))
    for one_set in sets:
        for shared_buffer in one_set:
            os.close(shared_buffer.fd)
    context.make_current()
    for made_set in buffers:
        for buffer in made_set:
            memory.release(buffer)


def set_up(launcher: LauncherClient, pack: Pack, shared: Shared) -> SetUp:
    prepared = pack.prepared(CASE)
    done = launcher.set_up(plan_to_json(prepared.plan), prepared.cubin, shared.sets)
    assert isinstance(done, SetUp), done
    return done


def test_it_starts_sets_up_and_calls(
    start: Start, pack: Pack, shared: Shared, capsys: pytest.CaptureFixture[str]
) -> None:
    began = time.perf_counter()
    launcher = start()
    ready = time.perf_counter()
    set_up(launcher, pack, shared)
    loaded = time.perf_counter()
    spans, outside = [], []
    for number in range(20):
        before = time.perf_counter()
        done = launcher.call(
            number, set=number % SETS, end_aligned=bool(number % 2), counted=False, cold=True
        )
        outside.append(time.perf_counter() - before)
        assert isinstance(done, Called), done
        spans.append(done.event_ns)
    launcher.end()
    with capsys.disabled():
        print(  # noqa: T201 - figures for a person
            f"\nlauncher: ready {ready - began:.3f} s, set up {loaded - ready:.3f} s, calls "
            f"{min(spans[2:]) / 1e6:.3f} to {max(spans[2:]) / 1e6:.3f} ms by events, "
            f"{1e3 * min(outside):.2f} to {1e3 * max(outside[2:]):.2f} ms outside"
        )
    assert all(100_000 < one < 20_000_000 for one in spans[2:])


@pytest.mark.parametrize("end_aligned", [False, True])
def test_the_kernel_s_output_stands_in_the_shared_buffer(
    start: Start, pack: Pack, shared: Shared, end_aligned: bool
) -> None:
    """Every input is 2^-7, so every element of C is 5120 x 2^-14 = 0.3125, which bf16 has exactly: 0x3EA0."""
    launcher = start()
    set_up(launcher, pack, shared)
    launcher.call(0, set=1, end_aligned=end_aligned, counted=False, cold=False)
    launcher.end()
    places = [
        place for place, one in enumerate(pack.prepared(CASE).plan.arguments) if one.is_output
    ]
    assert shared.content(1, places[0], end_aligned=end_aligned) == b"\xa0\x3e" * 2048
    assert shared.content(0, places[0], end_aligned=False) == random_bytes(3, 4096)


def row(launcher: LauncherClient, count: int) -> Called | Fault | Died:
    waiting = launcher.prepare(tuple(range(count)), tuple(one % SETS for one in range(count)))
    assert waiting == Waiting()
    return launcher.go()


def test_a_row_of_calls_waits_for_the_word_to_go(start: Start, pack: Pack, shared: Shared) -> None:
    """What it writes is not there before, and inputs and outputs may still change."""
    launcher = start()
    set_up(launcher, pack, shared)
    launcher.call(0, set=0, end_aligned=False, counted=False, cold=True)
    place = next(at for at, one in enumerate(pack.prepared(CASE).plan.arguments) if one.is_output)
    before = shared.content(1, place, end_aligned=False)
    assert launcher.prepare((1, 2), (1, 1)) == Waiting()
    time.sleep(0.2)
    assert shared.content(1, place, end_aligned=False) == before
    assert isinstance(launcher.go(), Called)
    launcher.end()
    assert shared.content(1, place, end_aligned=False) != before


def test_the_host_s_time_is_not_in_a_row(start: Start, pack: Pack, shared: Shared) -> None:
    """By the clock outside, 400 calls take little more than by events, whatever it took to enqueue them."""
    launcher = start()
    set_up(launcher, pack, shared)
    launcher.call(0, set=0, end_aligned=False, counted=False, cold=True)
    row(launcher, 400)
    assert launcher.prepare(tuple(range(400)), (0,) * 400) == Waiting()
    began = time.monotonic_ns()
    called = launcher.go()
    outside = time.monotonic_ns() - began
    launcher.end()
    assert isinstance(called, Called)
    assert called.event_ns < outside < called.event_ns + 1_000_000


def test_a_row_of_calls_takes_as_long_as_its_calls(
    start: Start, pack: Pack, shared: Shared
) -> None:
    launcher = start()
    set_up(launcher, pack, shared)
    launcher.call(0, set=0, end_aligned=False, counted=False, cold=True)
    short, long = (row(launcher, count) for count in (20, 40))
    launcher.end()
    assert isinstance(short, Called)
    assert isinstance(long, Called)
    assert 1.8 < long.event_ns / short.event_ns < 2.2


def test_a_device_that_answers_otherwise_is_our_fault(
    start: Start, pack: Pack, shared: Shared
) -> None:
    launcher = start()
    prepared = pack.prepared(CASE)
    asked = Assumption("cudaDeviceGetAttribute", (16, 0), (7,))
    plan = replace(prepared.plan, assumptions=(asked,))
    with pytest.raises(ToolFailure, match=r"is not \(7,\)"):
        launcher.set_up(plan_to_json(plan), prepared.cubin, shared.sets)


def table_answers(pack: Pack) -> tuple[Assumption, ...]:
    """All that host code can ask about this device and the packed kernel and be sure of (rule L6)."""
    prepared = pack.prepared(CASE)
    device = packaged().device(prepared.plan.device)
    name = prepared.plan.functions[0].name
    asked: list[tuple[str, tuple[int | str, ...]]] = [
        *(("cudaDeviceGetAttribute", (number, 0)) for number in NAMES),
        *(("cuCtxGetLimit", (number,)) for number in range(9)),
        ("cudaDeviceGetStreamPriorityRange", ()),
        ("cuDriverGetVersion", ()),
        ("cuDeviceGetName", (0,)),
        ("cuDeviceTotalMem", (0,)),
        ("cudaFuncGetAttributes", (name,)),
        *(("cuFuncGetAttribute", (name, number)) for number in range(16)),
        *(
            ("cudaOccupancyMaxActiveBlocksPerMultiprocessor", (name, threads, shared))
            for threads in (32, 128, 384)
            for shared in (0, 1024, 200_000)
        ),
        *(
            ("cudaOccupancyAvailableDynamicSMemPerBlock", (name, 1, threads))
            for threads in (32, 384)
        ),
        *(("cudaOccupancyMaxActiveClusters", (name, 384, 1024, blocks)) for blocks in (1, 2, 4, 8)),
        ("cudaOccupancyMaxPotentialClusterSize", (name, 384, 1024, 0)),
    ]
    steps = prepared.plan.steps
    told = [
        Assumption(call, arguments, answer)
        for call, arguments in asked
        if (answer := answers(Assumption(call, arguments, ()), device, prepared.facts, steps))
    ]
    return settled(told, device, prepared.facts, steps)


def test_the_device_answers_as_its_table_says(start: Start, pack: Pack, shared: Shared) -> None:
    told = table_answers(pack)
    assert len(told) > 100
    prepared = pack.prepared(CASE)
    plan = replace(prepared.plan, assumptions=told)
    done = start().set_up(plan_to_json(plan), prepared.cubin, shared.sets)
    assert isinstance(done, SetUp), done


def test_a_deadline_ends_a_launcher_and_the_gpu_goes_on(
    start: Start, pack: Pack, shared: Shared
) -> None:
    slow = start(replace(DEADLINES, call=0.000_1))
    set_up(slow, pack, shared)
    fault = slow.call(0, set=0, end_aligned=False, counted=False, cold=True)
    assert isinstance(fault, Fault)
    assert fault.kind is FaultKind.TIMED_OUT
    other = start()
    set_up(other, pack, shared)
    done = other.call(0, set=0, end_aligned=False, counted=False, cold=True)
    assert isinstance(done, Called)
    other.end()
