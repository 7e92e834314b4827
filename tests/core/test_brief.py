"""The brief that the recorder hands to its driver, word by word."""

from dataclasses import replace

import pytest

from evaluation.core.binary.facts import CubinFacts, DeviceSymbol, KernelFunction, Parameter
from evaluation.core.catalogue.device import Attribute, ClusterGroup, Device, DeviceFact, FactName
from evaluation.core.catalogue.dtype import DType
from evaluation.core.catalogue.problem import Argument
from evaluation.core.errors import ToolFailure
from evaluation.core.record.brief import write_brief
from evaluation.core.verdict import Target

NEEDED = (1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 39, 81, 82, 97, 106, 111)
DEVICE = Device(
    product="tiny",
    title="A device for tests",
    target=Target.HOPPER,
    attributes=(
        *(Attribute(number, "any", number * 10, "test") for number in NEEDED),
        Attribute(131, "any", -1, "test"),
    ),
    facts=(
        DeviceFact(FactName.DEVICE_NAME, "NV T", "test"),
        DeviceFact(FactName.TOTAL_MEMORY_BYTES, 1 << 36, "test"),
        DeviceFact(FactName.PORTABLE_CLUSTER_BLOCKS, 8, "test"),
        DeviceFact(FactName.LARGEST_CLUSTER_BLOCKS, 16, "test"),
    ),
    active_clusters=(),
    cluster_groups=(ClusterGroup(18, 6, "test"), ClusterGroup(16, 1, "test")),
)
KERNEL = KernelFunction(
    name="k",
    parameters=(Parameter(0, 0, 8), Parameter(1, 8, 4)),
    parameter_base=0x210,
    parameter_bytes=12,
    registers=32,
    static_shared_bytes=1024,
    local_bytes=16,
    max_threads=256,
    cluster=None,
    code_bytes=128,
)
CUBIN = CubinFacts(
    sm=90,
    functions=(KERNEL,),
    symbols=(DeviceSymbol("g", "global", 64), DeviceSymbol("c", "constant", 16)),
    externs=(),
    global_bytes=64,
)


def argument(
    name: str, dtype: DType, *, shape: tuple[int, ...] | None = None, value: float | None = None
) -> Argument:
    return Argument(name=name, is_output=False, dtype=dtype, shape=shape, size_bytes=0, value=value)


ARGUMENTS = (
    argument("a", DType.BFLOAT16, shape=(3, 4)),
    argument("scale", DType.FLOAT32, value=0.125),
    argument("count", DType.INT32, value=-7),
    argument("causal", DType.BOOL, value=1),
)


def brief(
    *,
    arguments: tuple[Argument, ...] = ARGUMENTS,
    cubin: CubinFacts = CUBIN,
    device: Device = DEVICE,
    seed: int = 5,
    process: int = 1,
    calls: int = 9,
    fill: int = 90,
) -> list[str]:
    content = write_brief(
        arguments=arguments,
        cubin=cubin,
        device=device,
        seed=seed,
        process=process,
        calls=calls,
        fill=fill,
    )
    assert content.endswith(b"\n")
    return content.decode("ascii").splitlines()


def test_a_brief_states_process_device_kernels_and_arguments_in_this_order() -> None:
    lines = brief()
    attributes = [line for line in lines if line.startswith("attribute ")]
    assert attributes == [f"attribute {number} {number * 10}" for number in NEEDED] + [
        "attribute 131 -1"
    ]
    assert [line for line in lines if not line.startswith("attribute ")] == [
        "brief 1",
        "seed 5",
        "process 1",
        "calls 9",
        "fill 90",
        "sm 90",
        "lists 1 2 4 2",
        "device 4e562054 68719476736 8 16",
        "group 18 6",
        "group 16 1",
        # parameter bytes, registers, static shared, local, threads, barriers, cluster, block, two places
        "kernel 6b 12 32 1024 16 256 0 0 0 0 0 0 0 2 0 8 8 4",
        "symbol 67 64 0",
        "symbol 63 16 1",
        "tensor 4 16 2 3 4",
        "real 000000000000c03f",
        "integer -7",
        "integer 1",
        "end",
    ]


def test_what_a_kernel_fixes_is_stated() -> None:
    kernel = replace(
        KERNEL, parameters=(), cluster=(2, 1, 1), required_block=(128, 2, 1), barriers=3
    )
    lines = brief(cubin=replace(CUBIN, functions=(kernel,)))
    assert "kernel 6b 12 32 1024 16 256 3 2 1 1 128 2 1 0" in lines


def test_names_travel_as_bytes_whatever_they_hold() -> None:
    strange = b"\xff \n\xc3\xa9".decode("utf-8", "surrogateescape")
    lines = brief(cubin=replace(CUBIN, symbols=(DeviceSymbol(strange, "global", 1),)))
    assert "symbol ff200ac3a9 1 0" in lines


def test_an_empty_name_is_a_dash() -> None:
    assert "symbol - 1 0" in brief(cubin=replace(CUBIN, symbols=(DeviceSymbol("", "global", 1),)))


def test_a_table_that_says_little_leaves_names_and_sizes_open() -> None:
    clusters = DEVICE.facts[2:]  # no table lacks these
    assert "device - 0 8 16" in brief(device=replace(DEVICE, facts=clusters, cluster_groups=()))


def test_a_table_without_a_number_that_launches_need_is_our_failure() -> None:
    poor = replace(DEVICE, attributes=DEVICE.attributes[1:])
    with pytest.raises(ToolFailure, match="no attribute 1"):
        brief(device=poor)


@pytest.mark.parametrize(
    ("seed", "process", "calls", "fill"),
    [(-1, 0, 9, 1), (1 << 64, 0, 9, 1), (0, 2, 9, 1), (0, 0, 0, 1), (0, 0, 9, 0), (0, 0, 9, 256)],
)
def test_numbers_that_no_recording_has_are_a_mistake_of_ours(
    seed: int, process: int, calls: int, fill: int
) -> None:
    with pytest.raises(ValueError, match="no recording"):
        brief(seed=seed, process=process, calls=calls, fill=fill)


def test_a_scalar_without_a_value_is_a_mistake_of_ours() -> None:
    with pytest.raises(ValueError, match="count"):
        brief(arguments=(argument("count", DType.INT64),))
