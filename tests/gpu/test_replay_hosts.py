"""Every way in which host code may launch, replayed on a real device by the jailed launcher, on memory of this process.

What the outputs must hold is worked out from the kernels' sources (``host_formulas.py``). Over the stand-in for the
driver, ``tests/native/test_replay_golden.py`` compares what arrives; only a device says whether that works: cooperative
launches, clusters, tensor maps in parameters, constant and global memory, payloads, copies, symbols, stepping numbers.
"""

import ctypes
import os
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import pytest
from cuda.bindings import driver as cuda

from evaluation.adapters.gpu import driver, memory
from evaluation.adapters.gpu.driver_calls import ask
from evaluation.adapters.gpu.launcher_client import Deadlines, LauncherClient
from evaluation.core.launching.port import BufferSet, Called, SetUp, SharedBuffer
from evaluation.core.measure.prepared import Prepared
from evaluation.core.plan.plan import PlanArgument
from evaluation.core.plan.plan_json import plan_to_json
from evaluation.core.verdict import Target

from .launching import Start
from .pack import golden_folders
from .packed import HOSTS, Pack

pytestmark = pytest.mark.gpu

CASES = sorted(folder.name for folder in golden_folders(Target.HOPPER, kinds=(HOSTS,)))
CALLS = ((0, False), (1, True), (0, True), (1, False))  # set, end aligned
UNTOUCHED = 0x5A
DEADLINES = Deadlines(set_up=60, call=60)
# Nobody has worked out what their outputs must hold; that every call of theirs ends well is all that is asked.
WITHOUT_A_FORMULA = {
    "attribute_each_call",
    "attribute_fallback",
    "constexpr_tables",
    "device_assert",
    "device_attributes",
    "device_guard",
    "device_printf",
    "device_printf_in_function",
    "device_properties",
    "driver_launch",
    "driver_launch_ex",
    "driver_memory",
    "entry_points_optional",
    "error_macros",
    "exceptions_caught",
    "extern_c_kernels",
    "ffi_checks",
    "ffi_dltensor",
    "ffi_real_headers",
    "function_attributes",
    "functor_kernels",
    "internal_linkage",
    "kernel_table",
    "launch_chevron_dims",
    "launch_default_stream",
    "launch_fallback",
    "launch_from_lambda",
    "launch_void_pointers",
    "map_struct",
    "occupancy_clusters",
    "occupancy_persistent",
    "occupancy_potential",
    "param_large",
    "param_many",
    "param_odd_types",
    "param_scalar_types",
    "param_struct_grid_constant",
    "param_struct_packed",
    "param_struct_padding",
    "param_struct_pointers",
    "param_struct_stack",
    "pointer_attributes",
    "stack_limit",
    "standard_library",
    "stream_capturing",
    "streams_each_call",
    "streams_own",
    "synchronise_at_end",
    "template_instances",
    "versions",
    "workspace_ffi_each_call",
    "workspace_static_local",
    "workspace_static_raii",
}

Arguments = tuple[PlanArgument, ...]


@cache
def formulas() -> Any:
    """PyTorch is not on every machine that collects these tests."""
    from . import host_formulas  # noqa: PLC0415

    return host_formulas


def inputs_of(arguments: Arguments, number: int) -> Any:
    """Inputs of a set, which differ from those of the other."""
    made = formulas()
    return made.Given(
        {
            place: made.random_input(one.size, 1000 * number + place)
            for place, one in enumerate(arguments)
            if not one.is_output
        }
    )


class Memory:
    """Two sets of buffers on the device, in the order of a plan's arguments, and what was put into the inputs."""

    def __init__(self, arguments: Arguments, device: int) -> None:
        self._arguments = arguments
        self._buffers: list[tuple[memory.Buffer, ...]] = []
        self._filled: dict[tuple[int, int], int] = {}  # set, place: the address
        self.given = tuple(inputs_of(arguments, number) for number in range(2))
        sets = []
        for _ in range(2):
            made = tuple(memory.create(one.size, device=device) for one in arguments)
            self._buffers.append(made)
            sets.append(
                tuple(
                    SharedBuffer(memory.export(buffer), one.size, one.is_output)
                    for buffer, one in zip(made, arguments, strict=True)
                )
            )
        self.sets: tuple[BufferSet, ...] = tuple(sets)

    def fill(self, number: int, *, end_aligned: bool) -> None:
        """Inputs where the call will look for them, and a pattern in all of the outputs."""
        for place, one in enumerate(self._arguments):
            buffer = self._buffers[number][place]
            if one.is_output:
                ask(cuda.cuMemsetD8Async, buffer.base, UNTOUCHED, buffer.mapped, 0)
                continue
            address = buffer.address(end_aligned=end_aligned)
            if self._filled.get((number, place)) != address:
                pattern = self.given[number].patterns[place]
                driver.copy_to_device(
                    address, ctypes.string_at(pattern.data_ptr(), pattern.nbytes), 0
                )
                self._filled[number, place] = address
        driver.synchronise()

    def content(self, number: int, place: int, *, end_aligned: bool) -> bytes:
        address = self._buffers[number][place].address(end_aligned=end_aligned)
        return driver.copy_from_device(address, self._arguments[place].size, 0)

    def release(self) -> None:
        for one_set in self.sets:
            for shared in one_set:
                os.close(shared.fd)
        for made in self._buffers:
            for buffer in made:
                memory.release(buffer)


@pytest.fixture(scope="module")
def memory_for(context: driver.Context) -> Iterator[Callable[[Prepared], Memory]]:
    """Memory for the arguments of a kernel; kernels of one problem get the same."""
    made: dict[Arguments, Memory] = {}

    def give(prepared: Prepared) -> Memory:
        context.make_current()
        arguments = prepared.plan.arguments
        if arguments not in made:
            made[arguments] = Memory(arguments, context.device)
        return made[arguments]

    yield give
    context.make_current()
    for one in made.values():
        one.release()


def launched(start: Start, prepared: Prepared, there: Memory) -> LauncherClient:
    launcher = start(DEADLINES)
    done = launcher.set_up(plan_to_json(prepared.plan), prepared.cubin, there.sets)
    assert isinstance(done, SetUp), done
    return launcher


def prepared_host(pack: Pack, case: str) -> Prepared:
    if case not in pack.hosts.cases:
        pytest.fail(f"the pack has no {case}: run python -m tests.gpu.pack again")
    return pack.hosts.prepared(case)


@pytest.mark.parametrize("case", CASES)
def test_a_replayed_plan_does_on_a_device_what_its_source_says(
    memory_for: Callable[[Prepared], Memory], start: Start, pack: Pack, case: str
) -> None:
    """Without a formula, that every call ends, and without a fault, is all that is asked."""
    prepared = prepared_host(pack, case)
    there = memory_for(prepared)
    formula = formulas().FORMULAS.get(case)
    wanted = [list(formula(given)) if formula else [] for given in there.given]
    launcher = launched(start, prepared, there)
    for call, (number, end_aligned) in enumerate(CALLS):
        there.fill(number, end_aligned=end_aligned)
        done = launcher.call(call, set=number, end_aligned=end_aligned, counted=False, cold=False)
        assert isinstance(done, Called), done
        found = partial(there.content, number, end_aligned=end_aligned)
        assert formulas().differences(wanted[number], found) == [], f"call {call}"
    launcher.end()


def test_a_result_of_other_inputs_is_found_out(
    memory_for: Callable[[Prepared], Memory], start: Start, pack: Pack
) -> None:
    """The comparison itself, on a device: what set 0 gives is not what the inputs of set 1 ask for."""
    case = "map_constant_memory"
    prepared = prepared_host(pack, case)
    there = memory_for(prepared)
    launcher = launched(start, prepared, there)
    there.fill(0, end_aligned=False)
    called = launcher.call(0, set=0, end_aligned=False, counted=False, cold=False)
    assert isinstance(called, Called), called
    launcher.end()
    for given, right in zip(there.given, (True, False), strict=True):
        found = formulas().differences(
            list(formulas().FORMULAS[case](given)), partial(there.content, 0, end_aligned=False)
        )
        assert (found == []) is right


def test_every_host_has_a_formula_or_is_said_to_have_none() -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed here")
    assert set(formulas().FORMULAS) | WITHOUT_A_FORMULA == set(CASES)
    assert not set(formulas().FORMULAS) & WITHOUT_A_FORMULA
