"""Every question that the shim answers, with the answers of an H200 written by hand or measured (fixtures/h200)."""

from dataclasses import replace

import pytest
from golden_case import Case, cases, judge
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded import H200, kernel

from evaluation.adapters.catalogue import packaged
from evaluation.core.binary.facts import CubinFacts, DeviceSymbol
from evaluation.core.catalogue.device import Device
from evaluation.core.pipeline import Tools
from evaluation.core.plan.plan import Assumption, AttributeStep, FreeStep, Step
from evaluation.core.record.assumption_table import answers, first_forged
from evaluation.core.record.recording import Attribute, Free, Query

Answer = tuple[int | str, ...]

BLOCKS = "cudaOccupancyMaxActiveBlocksPerMultiprocessor"
ROOM = "cudaOccupancyAvailableDynamicSMemPerBlock"
CLUSTERS = "cudaOccupancyMaxActiveClusters"
LARGEST = "cudaOccupancyMaxPotentialClusterSize"

KERNELS = (
    kernel("k"),  # 32 registers
    kernel("fixed", cluster=(2, 1, 1), registers=10),
    kernel("wide_fixed", cluster=(16, 1, 1)),
    kernel("bounded", max_threads=256, static_shared_bytes=1024, local_bytes=40),
    kernel("only", max_threads=128, required_block=(64, 2, 1)),
    kernel("hungry", registers=168),
    kernel("huge", registers=0, static_shared_bytes=60000),
    kernel("carved", registers=10, barriers=1),
)
CUBIN = CubinFacts(
    sm=90,
    functions=KERNELS,
    symbols=(
        DeviceSymbol("table", "constant", 1024),
        DeviceSymbol("scale", "constant", 16),
        DeviceSymbol("scratch", "global", 4096),
    ),
    externs=(),
    global_bytes=4096,
)


def asked(call: str, *arguments: int | str) -> Assumption:
    return Assumption(call, arguments, ())


def after(name: str, *pairs: tuple[int, int]) -> tuple[Step, ...]:
    """Attribute steps of one kernel, by number and value."""
    return tuple(AttributeStep(name, number, value) for number, value in pairs)


def told(call: str, *arguments: int | str, steps: tuple[Step, ...] = ()) -> Answer | None:
    return answers(asked(call, *arguments), H200, CUBIN, steps)


@pytest.mark.parametrize(
    ("call", "arguments", "answer"),
    [
        ("cudaGetDeviceCount", (), (1,)),
        ("cuDeviceGetCount", (), (1,)),
        ("cudaDriverGetVersion", (), (13000,)),
        ("cuDriverGetVersion", (), (13000,)),
        ("cudaDeviceGetStreamPriorityRange", (), (0, -5)),
        ("cudaDeviceGetLimit", (2,), (8388608,)),
        ("cuCtxGetLimit", (2,), (8388608,)),
        ("cudaDeviceGetLimit", (0,), (1024,)),
        ("cudaDeviceGetLimit", (7,), (232448,)),
        ("cuCtxGetLimit", (8,), (0,)),
        ("cudaDeviceGetAttribute", (16, 0), (132,)),
        ("cudaDeviceGetAttribute", (18, 0), (0,)),
        ("cuDeviceGetAttribute", (97, 0), (232448,)),
        ("cuDeviceGetName", (0,), ("NVIDIA H200",)),
        ("cuDeviceTotalMem", (0,), (150109880320,)),
    ],
)
def test_the_device_answers_about_itself(
    call: str, arguments: tuple[int, ...], answer: Answer
) -> None:
    assert told(call, *arguments) == answer


def test_every_attribute_that_the_table_states_is_answered_to_both_interfaces() -> None:
    assert len(H200.attributes) > 100
    for one in H200.attributes:
        for call in ("cudaDeviceGetAttribute", "cuDeviceGetAttribute"):
            assert told(call, one.number, 0) == (one.value,)


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("k", (1024, 32, 49152)),
        ("bounded", (256, 32, 48128)),
        # 168 * 32 = 5376 a warp; 3 warps in each quarter of 16384: 12 warps
        ("hungry", (384, 168, 49152)),
        ("huge", (1024, 0, 0)),
    ],
)
def test_function_attributes_come_from_the_cubin(name: str, answer: Answer) -> None:
    assert told("cudaFuncGetAttributes", name) == answer


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("k", [1024, 0, 1040, 0, 32, 90, 90, 0, 49152, -1, 0, 0, 0, 0, 0, 0]),
        ("bounded", [256, 1024, 1040, 40, 32, 90, 90, 0, 48128, -1, 0, 0, 0, 0, 0, 0]),
        ("fixed", [1024, 0, 1040, 0, 10, 90, 90, 0, 49152, -1, 1, 2, 1, 1, 0, 0]),
    ],
)
def test_single_function_attributes_come_from_the_cubin(name: str, values: list[int]) -> None:
    found = [told("cuFuncGetAttribute", name, number) for number in range(16)]
    assert found == [(value,) for value in values]
    assert told("cuFuncGetAttribute", name, 16) is None
    assert told("cuFuncGetAttribute", name, -1) is None


def test_function_attributes_follow_what_was_set_before() -> None:
    steps = after("k", (8, 65536), (9, 50), (11, 2), (12, 1), (13, 1), (14, 2), (15, 1))
    found = [told("cuFuncGetAttribute", "k", number, steps=steps) for number in range(8, 16)]
    assert found == [(65536,), (50,), (0,), (2,), (1,), (1,), (1,), (1,)]
    assert told("cudaFuncGetAttributes", "k", steps=steps) == (1024, 32, 65536)
    assert told("cudaFuncGetAttributes", "carved", steps=steps) == (1024, 10, 49152)


@pytest.mark.parametrize(
    ("name", "number", "value"),
    [
        ("bounded", 8, 231425),  # 232448 less 1024 static bytes, and one more
        ("k", 8, -1),
        ("k", 9, -2),
        ("k", 9, 101),
        ("k", 10, 1),
        ("k", 11, -1),
        ("fixed", 11, 4),
        ("k", 15, 3),
        ("k", 99, 1),
        ("nobody", 8, 1024),
    ],
)
def test_what_the_runtime_refuses_to_set_changes_no_answer(
    name: str, number: int, value: int
) -> None:
    steps = after(name, (number, value))
    before = [told("cuFuncGetAttribute", name, each) for each in range(16)]
    assert [told("cuFuncGetAttribute", name, each, steps=steps) for each in range(16)] == before


@pytest.mark.parametrize(
    ("threads", "shared", "blocks"),
    [
        (1, 0, 32),
        (128, 0, 16),
        (128, 8192, 16),
        (128, 20000, 11),  # 21024 up to 21120; 233472 / 21120
        (128, 49152, 4),  # 233472 / 50176
        (128, 49153, 0),
        (1024, 0, 2),
        (1025, 0, 0),
        (2**31 - 1, 0, 0),
        (128, 2**63 - 1, 0),
        (128, -1, 0),  # 2^64 - 1 bytes
    ],
)
def test_blocks_of_an_sm_are_counted_by_the_measured_rule(
    threads: int, shared: int, blocks: int
) -> None:
    assert told(BLOCKS, "k", threads, shared) == (blocks,)


def test_sizes_that_wrap_around_are_counted_as_the_recorder_counts_them() -> None:
    assert told(BLOCKS, "bounded", 128, -1) == (16,)  # 1024 static bytes, less 1
    assert told(BLOCKS, "bounded", 128, -1025) == (0,)


def test_a_raised_limit_lets_more_shared_memory_in() -> None:
    steps = after("k", (8, 232448))
    assert told(BLOCKS, "k", 128, 102400) == (0,)
    assert told(BLOCKS, "k", 128, 102400, steps=steps) == (2,)  # 233472 / 103424
    assert told(BLOCKS, "k", 128, 232448, steps=steps) == (1,)
    assert told(BLOCKS, "k", 128, 232449, steps=steps) == (0,)


@pytest.mark.parametrize(
    ("carveout", "shared", "blocks"),  # as measured on an H200
    [(0, 0, 8), (0, 1024, 4), (4, 0, 16), (4, 1024, 8), (4, 7169, 1), (15, 10000, 5)],
)
def test_a_carveout_is_what_the_function_asked_for(carveout: int, shared: int, blocks: int) -> None:
    steps = after("carved", (8, 200000), (9, carveout))
    assert told(BLOCKS, "carved", 128, shared, steps=steps) == (blocks,)


@pytest.mark.parametrize(
    ("name", "limit", "blocks", "threads", "room"),
    [
        ("k", None, 2, 128, 49152),
        ("k", 232448, 2, 128, 116736),
        ("k", 232448, 3, 128, 77824),
        ("k", 232448, 5, 128, 46592),  # 46694.4 down to 364 * 128
        ("bounded", None, 2, 128, 48128),
        ("bounded", 231424, 2, 128, 115712),
    ],
)
def test_shared_memory_is_shared_out_among_blocks(
    name: str, limit: int | None, blocks: int, threads: int, room: int
) -> None:
    steps = () if limit is None else after(name, (8, limit))
    assert told(ROOM, name, blocks, threads, steps=steps) == (room,)


def test_static_shared_memory_may_leave_no_room() -> None:
    odd = replace(KERNELS[0], static_shared_bytes=48000)
    cubin = replace(CUBIN, functions=(odd,))
    # 4 blocks of 48000 + 1024 bytes fit into 233472; each has 58368 of it, and 49152 without opting in.
    assert answers(asked(ROOM, "k", 4, 32), H200, cubin) == (1152,)
    low = after("k", (8, 100))
    assert answers(asked(ROOM, "k", 4, 32), H200, cubin, low) == (100,)


@pytest.mark.parametrize(
    ("name", "threads", "shared", "size", "clusters"),  # as measured on an H200
    [
        ("k", 128, 204800, 1, 132),
        ("k", 128, 204800, 3, 39),
        ("k", 128, 204800, 8, 15),
        ("k", 384, 102400, 2, 132),
        ("k", 384, 102400, 4, 62),
        ("fixed", 128, 0, 2, 528),
    ],
)
def test_active_clusters_are_those_of_the_groups_of_processors(
    name: str, threads: int, shared: int, size: int, clusters: int
) -> None:
    steps = after("k", (8, 232448))
    assert told(CLUSTERS, name, threads, shared, size, steps=steps) == (clusters,)


def test_a_block_that_does_not_fit_makes_no_cluster() -> None:
    assert told(CLUSTERS, "k", 128, 204800, 2) == (0,)


def test_clusters_of_sixteen_need_the_attribute_that_allows_them() -> None:
    allowed = after("k", (8, 232448), (14, 1))
    assert told(CLUSTERS, "k", 128, 204800, 16) is None
    assert told(CLUSTERS, "k", 128, 204800, 16, steps=allowed) == (7,)
    assert told(CLUSTERS, "k", 128, 0, 17, steps=allowed) == (16,)
    assert told(CLUSTERS, "k", 128, 0, 32, steps=allowed) == (0,)  # no group is so large
    assert told(CLUSTERS, "wide_fixed", 128, 0, 16) is None
    wide = after("wide_fixed", (14, 1))
    assert told(CLUSTERS, "wide_fixed", 128, 0, 16, steps=wide) == (58,)  # as measured


def test_a_kernel_with_a_cluster_of_its_own_is_asked_about_no_other() -> None:
    assert told(CLUSTERS, "fixed", 128, 0, 4) is None
    set_two = after("k", (11, 2), (12, 1), (13, 1))
    assert told(CLUSTERS, "k", 128, 0, 2, steps=set_two) == (528,)
    assert told(CLUSTERS, "k", 128, 0, 4, steps=set_two) is None
    half_set = after("k", (11, 2))
    assert told(CLUSTERS, "k", 128, 0, 2, steps=half_set) is None


def test_a_question_without_a_cluster_counts_no_clusters() -> None:
    assert told(CLUSTERS, "k", 256, 0, 0) == (0,)
    assert told(CLUSTERS, "k", 1025, 0, 0) == (0,)
    assert told(CLUSTERS, "fixed", 256, 0, 0) is None  # asked with its own
    bare = replace(H200, cluster_groups=())
    assert answers(asked(CLUSTERS, "k", 256, 0, 0), bare, CUBIN) == (0,)


def test_clusters_of_blocks_that_no_launch_takes_are_counted() -> None:
    assert told(CLUSTERS, "bounded", 512, 0, 2) == (264,)  # __launch_bounds__(256)
    assert told(CLUSTERS, "k", 1025, 0, 2) == (0,)


def test_a_block_that_does_not_fit_has_a_largest_cluster_of_none() -> None:
    assert told(LARGEST, "k", 1025, 0, 0) == (0,)
    assert told(LARGEST, "k", 256, 235520, 0) == (0,)


def test_the_largest_cluster_is_eight_blocks_or_sixteen_where_allowed() -> None:
    assert told(LARGEST, "k", 128, 204800, 0, steps=after("k", (8, 232448))) == (8,)
    assert told(LARGEST, "k", 128, 0, 0, steps=after("k", (14, 1))) == (16,)
    assert told(LARGEST, "fixed", 128, 0, 0) == (8,)


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        ("", ()),
        ("cudaGetDeviceCount", (0,)),
        ("cudaGetDevice", ()),
        ("cudaRuntimeGetVersion", ()),
        ("cudaMemGetInfo", ()),
        ("cuCtxGetStreamPriorityRange", ()),  # the shim writes the runtime's name
        ("cudaPointerGetAttributes", (4096,)),
        ("cudaDeviceGetLimit", (1,)),
        ("cudaDeviceGetAttribute", ()),
        ("cudaDeviceGetAttribute", (16,)),
        ("cudaDeviceGetAttribute", (16, 1)),
        ("cudaDeviceGetAttribute", (16, 0, 0)),
        ("cudaDeviceGetAttribute", (0, 0)),
        ("cudaDeviceGetAttribute", (33, 0)),  # the PCI bus, which no table states
        ("cudaDeviceGetAttribute", ("16", "0")),
        ("cuDeviceGetName", (1,)),
        ("cuDeviceTotalMem", ()),
        ("cudaFuncGetAttributes", ()),
        ("cudaFuncGetAttributes", ("nobody",)),
        ("cudaFuncGetAttributes", ("k", 0)),
        ("cudaFuncGetAttributes", (7,)),
        ("cuFuncGetAttribute", ("k",)),
        ("cuFuncGetAttribute", ("k", "8")),
        ("cuOccupancyMaxActiveBlocksPerMultiprocessor", ("k", 128, 0)),
        (BLOCKS, ("k", 0, 0)),
        (BLOCKS, ("k", -1, 0)),
        (BLOCKS, ("k", 2**31, 0)),
        (BLOCKS, ("k", 128, 2**63)),
        (BLOCKS, ("k", 128)),
        (BLOCKS, ("nobody", 128, 0)),
        (ROOM, ("k", 0, 128)),
        (ROOM, ("k", 2, 0)),
        (ROOM, ("k", 17, 128)),
        (ROOM, ("k", 1, 1025)),
        (ROOM, ("k", 1, 2**31)),
        (CLUSTERS, ("k", 128, 0, 9)),
        (CLUSTERS, ("k", 0, 0, 2)),
        (CLUSTERS, ("k", 2**31, 0, 2)),
        (CLUSTERS, ("k", 128, 2**63, 2)),
        (LARGEST, ("k", 128, 0, 2)),
        (LARGEST, ("k", 0, 0, 0)),
        (LARGEST, ("k", 128, 2**63, 0)),
        (LARGEST, ("wide_fixed", 128, 0, 0)),
    ],
)
def test_what_the_shim_never_answers_has_no_answer(
    call: str, arguments: tuple[int | str, ...]
) -> None:
    assert told(call, *arguments) is None


def test_a_required_block_is_asked_about_as_it_is() -> None:
    assert told(CLUSTERS, "only", 128, 0, 2) == (528,)
    assert told(LARGEST, "only", 128, 0, 0) == (8,)


def test_another_product_answers_from_its_own_table_and_not_at_all_where_that_is_silent() -> None:
    pcie = packaged().device("h100-pcie")

    def told(call: str, *arguments: int | str) -> Answer | None:
        return answers(asked(call, *arguments), pcie, CUBIN)

    assert told("cudaDeviceGetAttribute", 16, 0) == (114,)
    assert told("cuDeviceGetName", 0) == ("NVIDIA H100 PCIe",)
    assert told("cuDeviceTotalMem", 0) is None
    assert told(CLUSTERS, "k", 128, 0, 2) is None
    nameless: Device = replace(pcie, facts=())
    assert answers(asked("cuDeviceGetName", 0), nameless, CUBIN) is None


def test_an_answer_of_another_value_length_or_type_is_not_the_table_s() -> None:
    good = Assumption("cudaDeviceGetAttribute", (16, 0), (132,))
    forged = (
        Assumption("cudaDeviceGetAttribute", (16, 0), (131,)),
        Assumption("cudaDeviceGetAttribute", (16, 0), (132, 132)),
        Assumption("cudaDeviceGetAttribute", (16, 0), ("132",)),
        Assumption("cudaDeviceGetAttribute", (16, 0), ()),
        Assumption("cudaDeviceGetEverything", (), ()),
    )
    assert answers(good, H200, CUBIN) == good.answer
    assert [one for one in forged if answers(one, H200, CUBIN) == one.answer] == []


def test_an_answer_takes_the_attributes_of_a_plan_into_account() -> None:
    raised = Assumption("cudaFuncGetAttributes", ("k",), (1024, 32, 65536))
    steps = (*after("k", (8, 65536)), FreeStep(0))
    assert answers(raised, H200, CUBIN, steps) == (1024, 32, 65536)
    assert answers(raised, H200, CUBIN) == (1024, 32, 49152)


def test_a_recording_is_checked_in_its_own_order() -> None:
    small = Query("cudaFuncGetAttributes", ("k",), (1024, 32, 49152))
    large = Query("cudaFuncGetAttributes", ("k",), (1024, 32, 65536))
    raised = Attribute("k", 8, 65536)
    honest = (small, raised, large, Free(0, 0), large)
    assert first_forged(honest, H200, CUBIN) is None
    assert first_forged((raised, small, large), H200, CUBIN) is small
    assert first_forged((large, raised), H200, CUBIN) is large


VALUES = st.one_of(
    st.sampled_from([one.name for one in KERNELS]),
    st.integers(-(2**63), 2**64 - 1),
    st.integers(-1, 1026),
)
CALLS = st.sampled_from(
    ["cudaFuncGetAttributes", "cuFuncGetAttribute", BLOCKS, ROOM, CLUSTERS, LARGEST]
)
STEPS = st.builds(
    AttributeStep,
    st.sampled_from([one.name for one in KERNELS]),
    st.integers(7, 16),
    st.one_of(st.integers(-2, 101), st.integers(-(2**31), 2**31 - 1)),
)


@settings(max_examples=300, deadline=None)
@given(CALLS, st.lists(VALUES, max_size=5), st.lists(STEPS, max_size=6))
def test_no_question_after_any_attributes_breaks_the_table(
    call: str, arguments: list[int | str], steps: list[Step]
) -> None:
    found = answers(asked(call, *arguments), H200, CUBIN, steps)
    assert found is None or all(isinstance(one, int) and one >= -1 for one in found)


def asking(case: Case) -> bool:
    return bool(case.table("plan").get("queries"))


@pytest.mark.toolchain
@pytest.mark.parametrize(
    "case", [one for one in cases("hosts") if asking(one)], ids=lambda one: one.name
)
def test_no_honest_host_code_is_taken_for_tampering(case: Case, tools: Tools) -> None:
    seen = judge(case, tools)
    plan = seen.plan
    assert plan.assumptions
    for one in plan.assumptions:
        assert answers(one, H200, seen.cubin, plan.steps) == one.answer
    assert "recording_tampered" not in seen.signals
