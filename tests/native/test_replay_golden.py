"""Every plan that the recorder writes for a golden case, replayed by the launcher program over the stand-in for the driver.

What must arrive at the driver is worked out here from the plan and from where memory lies, apart from the launcher's
own code (docs/plan.md): each launch with all its bytes, each memset, copy and payload, in order, call after call.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from fake_cuda import FakeCuda, Line, build
from golden_case import Case, cases, judge

from evaluation.adapters.gpu.launcher_client import Deadlines, LauncherClient
from evaluation.adapters.gpu.launcher_runtime import LauncherRuntime, find_runtime
from evaluation.adapters.gpu.launchers import Confinement, ProcessLaunchers, Unjailed
from evaluation.adapters.sandbox import Bubblewrap
from evaluation.adapters.toolchain import Toolchain
from evaluation.adapters.trusted_cubin import TrustedCubins
from evaluation.adapters.workspace import Workspace
from evaluation.core.launching.port import BufferSet, Called, Gpu, SetUp, SharedBuffer
from evaluation.core.pipeline import Tools
from evaluation.core.plan.plan import (
    Address,
    AllocStep,
    CopyStep,
    LaunchAttribute,
    LaunchStep,
    MapStep,
    MemsetStep,
    PayloadStep,
    Place,
    Plan,
    Space,
    Step,
    Template,
)
from evaluation.core.verdict import Target

pytestmark = [pytest.mark.toolchain, pytest.mark.timeout(600)]

GRANULE = 2 << 20
DEADLINES = Deadlines(set_up=60, call=60, start=60, ours=60)
# CUlaunchAttributeID, CUDA driver API 13.0
ATTRIBUTES = {
    LaunchAttribute.CLUSTER: "4",
    LaunchAttribute.CLUSTER_POLICY: "5",
    LaunchAttribute.PROGRAMMATIC_SERIALIZATION: "6",
    LaunchAttribute.PREFERRED_CLUSTER: "11",
}
COOPERATIVE = "2"
# What the stand-in says to questions about kernels, so that it answers as the plan's table did.
ANSWERS = {
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor": "blocks_per_sm",
    "cudaOccupancyAvailableDynamicSMemPerBlock": "shared_room",
    "cudaOccupancyMaxActiveClusters": "active_clusters",
    "cudaOccupancyMaxPotentialClusterSize": "largest_cluster",
}
CALLS = ((0, False), (1, True), (0, True), (1, False), (0, False))  # set, end aligned


def round_up(size: int, step: int) -> int:
    return -(-size // step) * step


@pytest.fixture(scope="session")
def library(toolchain: Toolchain) -> Path:
    return build(toolchain.root / "nvidia/cu13/include")


@pytest.fixture(scope="session")
def own_kernels(workspace: Workspace, jail: Bubblewrap, toolchain: Toolchain) -> bytes:
    return TrustedCubins(jail, toolchain, workspace.native).built(Target.HOPPER)


@dataclass(frozen=True)
class Memory:
    """Where everything lies: arguments by set and index, allocations by number, symbols by name."""

    arguments: dict[tuple[int, int], tuple[int, int]]  # base, size
    allocations: dict[int, tuple[int, int]]
    symbols: dict[str, int]

    def of(self, one: Address, number: int, *, end_aligned: bool) -> set[int]:
        """What a pointer to ``one`` may be. An allocation may lie at either end of what is mapped for it."""
        if one.space is Space.SYMBOL:
            return {self.symbols[one.name] + one.offset}
        if one.space is Space.ARGUMENT:
            base, size = self.arguments[number, one.number]
            return {at(base, size, end_aligned=end_aligned) + one.offset}
        base, size = self.allocations[one.number]
        return {at(base, size, end_aligned=end) + one.offset for end in (False, True)}


def at(base: int, size: int, *, end_aligned: bool) -> int:
    """The same end, and 256 bytes of alignment (rule C3)."""
    return base + round_up(size, GRANULE) - round_up(size, 256) if end_aligned else base


@contextmanager
def shared(plan: Plan) -> Iterator[tuple[tuple[BufferSet, ...], dict[int, tuple[int, int]]]]:
    """Two sets of buffers, and which (set, argument) the file with an inode is."""
    descriptors: list[int] = []
    inodes = {}
    sets = []
    for number in range(2):
        buffers = []
        for argument in plan.arguments:
            descriptors.append(os.memfd_create("buffer"))
            os.truncate(descriptors[-1], round_up(argument.size, GRANULE))
            inodes[os.fstat(descriptors[-1]).st_ino] = (number, argument.index)
            buffers.append(SharedBuffer(descriptors[-1], argument.size, argument.is_output))
        sets.append(tuple(buffers))
    try:
        yield tuple(sets), inodes
    finally:
        for one in descriptors:
            os.close(one)


def memory_of(plan: Plan, lines: list[Line], inodes: dict[int, tuple[int, int]]) -> Memory:
    sizes = {argument.index: argument.size for argument in plan.arguments}
    mapped = [line for line in lines if line["what"] == "mapped"]
    arguments = {
        inodes[line["inode"]]: (line["address"], sizes[inodes[line["inode"]][1]])
        for line in mapped
        if line["inode"] in inodes
    }
    loaded = max(place for place, line in enumerate(lines) if line["what"] == "load")
    own = [line["address"] for line in lines[loaded:] if line["what"] == "mapped"]
    steps = [step for step in plan.steps if isinstance(step, AllocStep)]
    assert len(own) == len(steps)
    allocations = {
        step.allocation: (base, step.size) for step, base in zip(steps, own, strict=True)
    }
    symbols = {line["name"]: line["address"] for line in lines if line["what"] == "symbol"}
    return Memory(arguments, allocations, symbols)


@dataclass(frozen=True)
class Call:
    """One run of a list of steps: which, from 0, on which set; the first launch may not overlap with what was before."""

    memory: Memory
    number: int
    on_set: int
    end_aligned: bool
    steps: tuple[Step, ...]

    def places(self, place: Place) -> set[int]:
        one = place[self.number % len(place)]
        return self.memory.of(one, self.on_set, end_aligned=self.end_aligned)

    def differs(self, wanted: Template, found: bytes) -> list[str]:
        """Holes must hold what they stand for; every other byte is the plan's."""
        rest, differences = bytearray(found), []
        for hole in wanted.relocations:
            pointer = int.from_bytes(found[hole.at : hole.at + 8], "little")
            if pointer not in self.places(hole.to):
                differences.append(f"pointer at {hole.at} is {pointer:#x}")
            rest[hole.at : hole.at + 8] = bytes(8)
        encodes = {step.map: step.encode for step in self.steps if isinstance(step, MapStep)}
        for use in wanted.maps:
            content = found[use.at : use.at + 128]
            address = int.from_bytes(content[16:24], "little")
            if content[:7] != b"FAKEMAP" or address not in self.places(encodes[use.map].address):
                differences.append(f"map at {use.at} lies over {address:#x}")
            rest[use.at : use.at + 128] = bytes(128)
        if bytes(rest) != wanted.content:
            differences.append(f"bytes {bytes(rest).hex()} are not {wanted.content.hex()}")
        return differences

    def stepped(self, step: LaunchStep) -> Template:
        content = bytearray(step.parameters.content)
        for one in step.stepping:
            value = int.from_bytes(content[one.at : one.at + one.width], "little")
            value = (value + self.number * one.step) % (1 << 8 * one.width)
            content[one.at : one.at + one.width] = value.to_bytes(one.width, "little")
        return Template(bytes(content), step.parameters.relocations, step.parameters.maps)

    def check(self, lines: Iterator[Line]) -> list[str]:
        found, launched = [], False
        for place, step in enumerate(self.steps):
            match step:
                case LaunchStep():
                    differences = self.launch(step, next(lines), first=not launched)
                    launched = True
                case MemsetStep():
                    differences = self.memset(step, next(lines))
                case CopyStep() | PayloadStep():
                    differences = self.copy(step, lines)
                case _:
                    continue
            found += [f"call {self.number}, step {place}: {one}" for one in differences]
        return found

    def launch(self, step: LaunchStep, line: Line, *, first: bool) -> list[str]:
        attributes = {ATTRIBUTES[one.attribute]: list(one.value) for one in step.settings}
        if first or attributes.get("6") == [0]:
            attributes.pop("6", None)  # rule S8
        if step.cooperative:
            attributes[COOPERATIVE] = [1]
        wanted = (
            *(step.function, list(step.grid), list(step.block)),
            *(step.shared, attributes),
        )
        names = ("function", "grid", "block", "shared", "attributes")
        seen = tuple(line.get(name) for name in names)
        if seen != wanted:
            return [f"{seen} is not {wanted}"]
        return self.differs(self.stepped(step), bytes.fromhex(line["parameters"]))

    def memset(self, step: MemsetStep, line: Line) -> list[str]:
        wanted = (step.value, step.width, step.columns, step.rows)
        seen = tuple(line.get(name) for name in ("value", "width", "columns", "rows"))
        right = seen == wanted and line["to"] in self.places(step.destination)
        return [] if right else [f"{line} is not {step}"]

    def copy(self, step: CopyStep | PayloadStep, lines: Iterator[Line]) -> list[str]:
        """A copy of several rows is a line each."""
        rows = [next(lines) for _ in range(step.rows)]
        differences = []
        for row, line in enumerate(rows):
            pitch = step.destination_pitch if isinstance(step, CopyStep) else step.pitch
            starts = {base + row * pitch for base in self.places(step.destination)}
            if line["what"] != "copy" or line["to"] not in starts or line["bytes"] != step.columns:
                differences.append(f"{line} is not row {row} of {step}")
        if isinstance(step, PayloadStep):
            if step.rows * step.columns <= 4096:  # what the log shows
                content = b"".join(bytes.fromhex(line["content"]) for line in rows)
                differences += self.differs(step.payload, content)
        elif rows[0]["from"] not in self.places(step.source):
            differences.append(f"copies from {rows[0]['from']:#x}")
        return differences


def is_the_plan_s(line: Line, plan: Plan, memory: Memory) -> bool:
    """Whether a line of work comes from the plan: the judge's own kernels and their memory are others."""
    if line["what"] == "launch":
        return any(line["function"] == one.name for one in plan.functions)
    ranges = [(base, base + round_up(size, GRANULE)) for base, size in memory.arguments.values()]
    ranges += [(base, base + round_up(size, GRANULE)) for base, size in memory.allocations.values()]
    ranges += [
        (memory.symbols[one.name], memory.symbols[one.name] + one.size) for one in plan.symbols
    ]
    return any(low <= line["to"] < high for low, high in ranges)


@contextmanager
def launcher(fake: FakeCuda, own_kernels: bytes) -> Iterator[LauncherClient]:
    packages = find_runtime(driver_folders=[fake.folder]).packages
    runtime = LauncherRuntime(Path(sys.executable), (), packages, fake.folder)
    made = ProcessLaunchers(Unjailed(runtime), own_kernels, DEADLINES, Confinement.NONE).start(
        Gpu(0, "GPU-00000000-0000-0000-0000-000000000000")
    )
    try:
        yield made
    finally:
        made.kill()


def script_for(plan: Plan) -> list[str]:
    return [
        f"{ANSWERS[one.call]} {one.answer[0]}" for one in plan.assumptions if one.call in ANSWERS
    ]


REPLAYED = [
    case
    for kind in ("hosts", "kernels")
    for case in cases(kind)
    if case.stated["target"] == "hopper"
]


@pytest.mark.parametrize("case", REPLAYED, ids=lambda case: case.name)
def test_what_arrives_at_the_driver_is_the_plan(
    case: Case, tools: Tools, library: Path, own_kernels: bytes, tmp_path: Path
) -> None:
    prepared = judge(case, tools)
    plan = prepared.plan
    fake = FakeCuda.place(library, tmp_path / "fake", *script_for(plan))
    with shared(plan) as (sets, inodes), launcher(fake, own_kernels) as client:
        answer = client.set_up(prepared.artifact("plan"), prepared.artifact("cubin"), sets)
        assert isinstance(answer, SetUp), answer
        for number, (on_set, end_aligned) in enumerate(CALLS):
            called = client.call(
                number, set=on_set, end_aligned=end_aligned, counted=False, cold=False
            )
            assert isinstance(called, Called), called
    lines = fake.lines()
    memory = memory_of(plan, lines, inodes)
    work = (one for one in lines if one["what"] in {"launch", "memset", "copy"})
    mine = iter([one for one in work if is_the_plan_s(one, plan, memory)])
    differences = Call(memory, 0, 0, end_aligned=True, steps=plan.setup).check(mine)
    for number, (on_set, end_aligned) in enumerate(CALLS):
        call = Call(memory, number, on_set, end_aligned=end_aligned, steps=plan.steady)
        differences += call.check(mine)
    assert differences == []
    assert list(mine) == []
