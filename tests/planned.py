"""A valid plan with every kind of step, for tests that break it in one place."""

from dataclasses import replace

from recorded import ARGUMENTS, LIMITS, SYMBOLS, kernel, number

from evaluation.core.binary.facts import CubinFacts
from evaluation.core.plan.plan import (
    Address,
    AllocStep,
    Assumption,
    AttributeStep,
    ByteRange,
    CopyStep,
    FreeStep,
    LaunchAttribute,
    LaunchSetting,
    LaunchStep,
    MapEncode,
    MapStep,
    MapUse,
    MemsetStep,
    PayloadStep,
    Plan,
    PlanFunction,
    PlanSymbol,
    Relocation,
    Space,
    Step,
    Stepping,
    Template,
)
from evaluation.core.plan.plan_rules import Review, validate_plan
from evaluation.core.record.recording import MapMode
from evaluation.core.verdict import Target

A, C = (Address(Space.ARGUMENT, index, "", 0) for index in (0, 2))
WS, OTHER, SCRATCH = (Address(Space.ALLOCATION, index, "", 0) for index in (0, 1, 2))
TABLE = Address(Space.SYMBOL, 0, "table", 0)

KERNELS = (
    kernel("mapped", 128, 8),
    kernel("s", 8, 4, 12),
    kernel("unused", 4),
)
CUBIN = CubinFacts(90, KERNELS, SYMBOLS, (), 5120)


def at(address: Address, offset: int) -> Address:
    return replace(address, offset=offset)


def encode(*address: Address) -> MapEncode:
    return MapEncode(
        MapMode.TILED, 9, address, (64, 32), (128,), (64, 8), (1, 1), 0, 3, 2, 0, (), (), 0, 0
    )


MAP = MapStep(0, encode(A))
MAPPED = LaunchStep(
    function="mapped",
    grid=(8, 2, 1),
    block=(128, 1, 1),
    shared=65536,
    cooperative=False,
    settings=(LaunchSetting(LaunchAttribute.CLUSTER, (2, 1, 1)),),
    parameters=Template(bytes(136), (Relocation(128, (C,)),), (MapUse(0, 0),)),
)
STRUCT = LaunchStep(
    function="s",
    grid=(1, 1, 1),
    block=(1024, 1, 1),
    shared=0,
    cooperative=True,
    settings=(
        LaunchSetting(LaunchAttribute.CLUSTER_POLICY, (1,)),
        LaunchSetting(LaunchAttribute.PROGRAMMATIC_SERIALIZATION, (1,)),
    ),
    parameters=Template(
        bytes(8) + number(5) + number(9) + bytes(4) + number(3),
        (Relocation(0, (WS, at(OTHER, 64))),),
    ),
    undetermined=(ByteRange(16, 20),),
    stepping=(Stepping(8, 4, 1),),
)
SETUP: tuple[Step, ...] = (
    AllocStep(0, 4096),
    AllocStep(1, 8192),
    AttributeStep("mapped", 8, 65536),
    MemsetStep((WS,), 0x01020304, 4, 16, 4, 128),
    PayloadStep((TABLE,), Template(b"12345678"), 4, 2, 64),
    MapStep(0, encode(OTHER)),
)
STEADY: tuple[Step, ...] = (
    AllocStep(2, 1024),
    MAP,
    CopyStep((SCRATCH,), (A,), 512, 2, 512, 1024),
    MAPPED,
    STRUCT,
    FreeStep(2),
)
PLAN = Plan(
    problem="gemm_small",
    problem_version=1,
    target=Target.HOPPER,
    device="h200",
    toolchain="cuda-13.0.88",
    cubin_sha256="cd" * 32,
    arguments=ARGUMENTS,
    functions=(
        PlanFunction("mapped", (ByteRange(0, 128), ByteRange(128, 136))),
        PlanFunction("s", (ByteRange(0, 8), ByteRange(8, 12), ByteRange(12, 24))),
    ),
    symbols=(PlanSymbol("table", "constant", 1024),),
    assumptions=(Assumption("cudaDeviceGetAttribute", (16, 0), (132,)),),
    setup=SETUP,
    steady=STEADY,
    notes=("launch_attribute_dropped",),
)


def swapped(old: Step, *new: Step) -> Plan:
    """The sample plan with one step of it taken out and others put there."""

    def swap(steps: tuple[Step, ...]) -> tuple[Step, ...]:
        index = steps.index(old) if old in steps else len(steps)
        return steps[:index] + (new if old in steps else ()) + steps[index + 1 :]

    return replace(PLAN, setup=swap(PLAN.setup), steady=swap(PLAN.steady))


def review(plan: Plan, cubin: CubinFacts = CUBIN) -> Review:
    return validate_plan(plan, cubin, ARGUMENTS, LIMITS)


def rules_broken(plan: Plan, cubin: CubinFacts = CUBIN) -> list[str]:
    return [remark.message for remark in review(plan, cubin).remarks]
