"""The differ: scripts of host code, each played in two processes, to a plan or a refusal."""

from dataclasses import replace

import pytest
from recorded import (
    CALLS,
    GIB,
    SYMBOLS,
    Process,
    base_of,
    exact,
    kernel,
    made,
    number,
    plan_of,
    play,
    refusal_of,
    subject,
    word,
)

from evaluation.core.binary.facts import DeviceSymbol, Parameter
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
    PlanFunction,
    PlanSymbol,
    Relocation,
    Space,
    Template,
)
from evaluation.core.record.record import LEAST_CALLS, PlanMade, make_plan
from evaluation.core.record.record_refusal import NotRecorded
from evaluation.core.record.recording import MapMode
from evaluation.core.verdict import Severity, Verdict


def argument(index: int, offset: int = 0) -> Address:
    return Address(Space.ARGUMENT, index, "", offset)


def allocation(index: int, offset: int = 0) -> Address:
    return Address(Space.ALLOCATION, index, "", offset)


def symbol(name: str, offset: int = 0) -> Address:
    return Address(Space.SYMBOL, 0, name, offset)


PLAIN = LaunchStep(
    function="k",
    grid=(4, 1, 1),
    block=(128, 1, 1),
    shared=0,
    cooperative=False,
    settings=(),
    parameters=Template(
        bytes(24) + number(7),
        (
            Relocation(0, (argument(0),)),
            Relocation(8, (argument(1),)),
            Relocation(16, (argument(2),)),
        ),
    ),
)


def encode_of(*address: Address) -> MapEncode:
    return MapEncode(
        MapMode.TILED, 9, address, (64, 32), (128,), (64, 8), (1, 1), 0, 3, 2, 0, (), (), 0, 0
    )


def refused(script: object, **changes: object) -> NotRecorded:
    found = made(script, **changes)  # type: ignore[arg-type]
    assert isinstance(found, NotRecorded), found
    return found


def test_a_kernel_that_launches_once_a_call_becomes_a_plan_of_one_launch() -> None:
    plan = plan_of(lambda p, _: p.k())
    assert plan.steady == (PLAIN,)
    assert plan.setup == ()
    assert plan.functions == (
        PlanFunction(
            "k", (ByteRange(0, 8), ByteRange(8, 16), ByteRange(16, 24), ByteRange(24, 28))
        ),
    )
    assert (plan.problem, plan.device, plan.symbols, plan.notes) == ("gemm_small", "h200", (), ())


def test_several_kernels_stay_in_their_order() -> None:
    def script(p: Process, _: int) -> None:
        p.launch("plain", number(1))
        p.k()
        p.launch("nothing", b"")

    plan = plan_of(script)
    names = [step.function for step in plan.steady if isinstance(step, LaunchStep)]
    assert names == ["plain", "k", "nothing"]


def test_a_kernel_that_launches_nothing_has_the_verdict_no_kernel() -> None:
    why = refused(lambda p, _: p.memset(p.at("C")))
    assert (why.verdict, why.headline) == (Verdict.NO_KERNEL, "launches no kernel")


def test_a_kernel_that_launches_only_in_the_first_call_has_the_verdict_no_kernel() -> None:
    def script(p: Process, n: int) -> None:
        if n == 1:
            p.k()

    assert refused(script).verdict is Verdict.NO_KERNEL


# Rule L1: what is no whole pointer is refused and explained.


def test_the_distance_between_two_buffers_as_an_argument_is_refused() -> None:
    def script(p: Process, _: int) -> None:
        p.launch("wide", word(p.at("A")) + word((p.at("B") - p.at("A")) % 2**64))

    why = refused(script)
    assert why.headline == (
        "in call 1, the launch of 'wide': parameter 1, byte 1 is "
        "the distance between argument B and argument A"
    )
    assert why.verdict is Verdict.NOT_RECORDABLE
    assert why.remarks[0].rule == "L1"


def test_the_lower_half_of_a_pointer_as_an_int_is_refused() -> None:
    headline = refusal_of(lambda p, _: p.launch("plain", number(p.at("A") % 2**32)))
    assert headline.endswith("parameter 0, byte 1 is half a pointer to argument A")


def test_the_upper_half_of_a_pointer_as_an_int_is_refused() -> None:
    headline = refusal_of(lambda p, _: p.launch("plain", number(p.at("A") >> 32)))
    assert headline.endswith("parameter 0, byte 0 is half a pointer to argument A")


def test_a_pointer_before_its_buffer_is_refused() -> None:
    headline = refusal_of(lambda p, _: p.launch("wide", word(p.at("A") - 256) + bytes(8)))
    assert headline.endswith("is a pointer outside argument A, to byte -256 of its 4096")


def test_pointers_in_the_order_of_their_values_are_refused() -> None:
    def script(p: Process, _: int) -> None:
        low, high = sorted((p.at("A"), p.at("C")))
        p.launch("wide", word(low) + word(high))

    assert "as if pointers were put in order" in refusal_of(script)


def test_a_value_that_differs_from_process_to_process_is_refused() -> None:
    def script(p: Process, _: int) -> None:
        p.launch("plain", number(0x1234_5678 if p.process else 0x8765_4321))

    assert "a value that differs from run to run" in refusal_of(script)


@pytest.mark.parametrize("field", ["grid", "block", "shared", "cooperative", "attributes"])
def test_a_launch_of_another_size_in_each_process_is_refused(field: str) -> None:
    values: dict[str, list[object]] = {
        "grid": [[4, 1, 1], [5, 1, 1]],
        "block": [[64, 1, 1], [32, 1, 1]],
        "shared": [0, 16],
        "cooperative": [False, True],
        "attributes": [[], [{"id": 5, "value": [1]}]],
    }
    headline = refusal_of(lambda p, _: p.k(**{field: values[field][p.process]}))
    assert headline == (
        f"two runs with the same arguments differ in call 1: a launch of 'k' with another {field}"
    )


def test_two_processes_that_do_different_things_are_refused() -> None:
    def script(p: Process, n: int) -> None:
        if p.process and n == 3:
            p.memset(p.at("C"))
        p.k()

    assert refusal_of(script) == (
        "two runs with the same arguments differ in call 3: "
        "a launch of 'k' in one, a memset in the other"
    )


def test_a_process_that_encodes_a_map_where_the_other_launches_is_refused() -> None:
    def script(p: Process, _: int) -> None:
        if p.process:
            p.map(p.at("A"))
        p.k()

    assert refusal_of(script).endswith("a launch of 'k' in one, a tensor map in the other")


@pytest.mark.parametrize("process", [0, 1])
def test_a_process_that_does_more_than_the_other_is_refused(process: int) -> None:
    def script(p: Process, n: int) -> None:
        p.k()
        if p.process == process and n == 4:
            p.copy(p.at("C"), p.at("A"))

    assert refusal_of(script) == (
        "two runs with the same arguments differ in call 4: a device copy in one of them only"
    )


@pytest.mark.parametrize(
    ("what", "headline"),
    [
        ("alloc", "an allocation with another size"),
        ("attribute", "a function attribute with another value"),
        ("memset", "a memset with another value"),
        ("payload", "a host-to-device copy with another pitch"),
        ("copy", "a device copy with another columns"),
        ("free", "a free with another number"),
    ],
)
def test_each_kind_of_step_must_be_the_same_in_both_processes(what: str, headline: str) -> None:
    def loading(p: Process) -> None:
        one, _ = p.alloc(4096 + (what == "alloc") * p.process), p.alloc()
        p.attribute("k", 100 + (what == "attribute") * p.process)
        p.memset(one, value=(what == "memset") * p.process)
        p.payload(one, b"abcd", pitch=(what == "payload") * p.process)
        p.copy(one + 64, one, 4 + (what == "copy") * p.process)
        p.free((what == "free") * p.process)

    assert refusal_of(lambda p, _: p.k(), loading=loading) == (
        f"two runs with the same arguments differ while loading: {headline}"
    )


def test_a_value_inside_the_same_buffer_of_both_processes_is_refused() -> None:
    # The range reaches from the base of one process over that of the other.
    base = base_of(0, 12)

    def script(p: Process, n: int) -> None:
        if n == 1:
            p.write("alloc", id=0, base=base + p.process * 512, size=4096, kind="device", stream=1)
        p.launch("wide", word(base + 1024) + bytes(8))

    assert refusal_of(script).endswith("is a fixed address inside allocation 0")


def test_a_pointer_to_pinned_host_memory_is_refused() -> None:
    def script(p: Process, _: int) -> None:
        host = p.once("host", lambda: p.alloc(64, kind="host"))
        p.launch("wide", bytes(8) + word(host + 8))

    assert refusal_of(script).endswith("parameter 1, byte 0 is a pointer to host memory")


# Rule L2: pointers belong to the call that uses them.


def test_a_pointer_of_the_first_call_in_every_call_is_refused() -> None:
    def script(p: Process, _: int) -> None:
        p.launch("wide", word(p.once("A", lambda: p.at("A"))) + word(p.at("C")))

    why = refused(script)
    assert why.headline == (
        "in call 2, the launch of 'wide': parameter 0, byte 0 "
        "uses a pointer to argument A from an earlier call"
    )
    assert why.remarks[0].rule == "L2"


def test_a_table_of_pointers_uploaded_once_is_refused() -> None:
    def script(p: Process, n: int) -> None:
        if n == 1:
            p.payload(p.at("table"), word(p.at("A")) + word(p.at("C")))
        p.k()

    assert refusal_of(script) == (
        "the first call alone uses a pointer to an argument: the host-to-device copy"
    )


def test_a_table_of_pointers_uploaded_when_they_change_changes_in_every_call_and_records() -> None:
    def script(p: Process, _: int) -> None:
        if p.kept.get("last") != p.at("A"):
            p.payload(p.at("table", 16), b"head" + word(p.at("A", 4)))
            p.kept["last"] = p.at("A")
        p.k()

    plan = plan_of(script)
    template = Template(b"head" + bytes(8), (Relocation(4, (argument(0, 4),)),))
    assert plan.steady == (PayloadStep((symbol("table", 16),), template, 12, 1, 0), PLAIN)
    assert plan.symbols == (PlanSymbol("table", "constant", 1024),)


def test_a_table_of_pointers_uploaded_for_each_buffer_set_once_is_refused() -> None:
    def script(p: Process, n: int) -> None:
        if n <= 2:
            p.payload(p.at("table"), word(p.at("A")))
        p.k()

    assert refusal_of(script) == (
        "call 3 differs: the launch of 'k' stands where call 2 has the host-to-device copy"
    )


def test_set_up_that_writes_an_output_is_refused() -> None:
    def script(p: Process, n: int) -> None:
        if n == 1:
            p.memset(p.at("C"))
        p.k()

    assert refusal_of(script) == ("the first call alone uses a pointer to an argument: the memset")


def test_set_up_that_launches_a_kernel_on_an_input_is_refused() -> None:
    def script(p: Process, n: int) -> None:
        if n == 1:
            p.launch("wide", word(p.at("A")) + bytes(8))
        p.k()

    assert refusal_of(script) == (
        "the first call alone uses a pointer to an argument: the launch of 'wide'"
    )


def test_a_tensor_map_of_an_input_in_set_up_is_refused() -> None:
    def script(p: Process, n: int) -> None:
        if n == 1:
            p.payload(p.at("scratch"), p.map(p.at("A")))
        p.k()

    assert refusal_of(script) == (
        "the first call alone uses a pointer to an argument: the host-to-device copy"
    )


def test_set_up_may_allocate_fill_upload_copy_encode_and_launch_on_own_memory() -> None:
    def loading(p: Process) -> None:
        p.attribute("k", 65536)

    def script(p: Process, n: int) -> None:
        ws = p.once("ws", lambda: p.alloc(8192))
        if n == 1:
            p.memset(ws, 2048, width=4, value=9)
            p.payload(p.at("table"), b"data")
            p.copy(ws + 4096, ws, 1024)
            p.launch("mapped", p.map(ws) + word(ws + 64))
            p.launch("plain", number(3))
        p.k(shared=65536)

    plan = plan_of(script, loading=loading)
    assert plan.setup == (
        AllocStep(0, 8192),
        AttributeStep("k", 8, 65536),
        MemsetStep((allocation(0),), 9, 4, 2048, 1, 0),
        PayloadStep((symbol("table"),), Template(b"data"), 4, 1, 0),
        CopyStep((allocation(0, 4096),), (allocation(0),), 1024, 1, 0, 0),
        MapStep(0, encode_of(allocation(0))),
        LaunchStep(
            function="mapped",
            grid=(4, 1, 1),
            block=(128, 1, 1),
            shared=0,
            cooperative=False,
            settings=(),
            parameters=Template(
                bytes(136), (Relocation(128, (allocation(0, 64),)),), (MapUse(0, 0),)
            ),
        ),
        LaunchStep(
            function="plain",
            grid=(4, 1, 1),
            block=(128, 1, 1),
            shared=0,
            cooperative=False,
            settings=(),
            parameters=Template(number(3)),
        ),
    )
    assert [step.function for step in plan.steady if isinstance(step, LaunchStep)] == ["k"]


def test_set_up_between_steady_steps_of_the_first_call_is_found() -> None:
    def script(p: Process, n: int) -> None:
        p.launch("plain", number(1))
        if n == 1:
            p.attribute("k", 0)
        p.k()

    plan = plan_of(script)
    assert plan.setup == (AttributeStep("k", 8, 0),)
    assert len(plan.steady) == 2


def test_a_step_of_set_up_that_is_also_steady_is_taken_from_the_front() -> None:
    def script(p: Process, n: int) -> None:
        ws = p.once("ws", p.alloc)
        for _ in range(2 if n == 1 else 1):
            p.memset(ws)
        p.k()

    plan = plan_of(script)
    assert plan.setup == (AllocStep(0, 4096), MemsetStep((allocation(0),), 0, 1, 64, 1, 0))
    assert plan.steady == (MemsetStep((allocation(0),), 0, 1, 64, 1, 0), PLAIN)


def test_an_attribute_set_in_every_call_is_steady() -> None:
    def script(p: Process, _: int) -> None:
        p.attribute("k", 1024)
        p.k()

    assert plan_of(script).steady == (AttributeStep("k", 8, 1024), PLAIN)


# Memory of a call and memory that stays.


def test_memory_allocated_and_freed_in_each_call_is_steady() -> None:
    def script(p: Process, _: int) -> None:
        ws = p.alloc(256, kind="async")
        p.memset(ws)
        p.launch("wide", word(ws + 8) + word(p.at("C")))
        p.free(p.allocs - 1)

    plan = plan_of(script)
    launch = plan.steady[2]
    assert isinstance(launch, LaunchStep)
    assert plan.steady[0] == AllocStep(0, 256)
    assert plan.steady[1] == MemsetStep((allocation(0),), 0, 1, 64, 1, 0)
    assert launch.parameters.relocations[0] == Relocation(0, (allocation(0, 8),))
    assert plan.steady[3] == FreeStep(0)
    assert plan.setup == ()


def test_memory_of_set_up_and_memory_of_a_call_have_numbers_of_their_own() -> None:
    def script(p: Process, n: int) -> None:
        if n == 1:
            lasting = p.alloc(1024)
            short = p.alloc(512)
            p.copy(lasting, short, 64)
            p.free(1)
            p.kept["lasting"] = lasting
        one, two = p.alloc(256, kind="environment"), p.alloc(128)
        p.launch("wide", word(one) + word(two))
        p.launch("wide", word(p.kept["lasting"]) + word(p.at("C")))
        p.free(p.allocs - 1)
        p.free(p.allocs - 2)

    plan = plan_of(script)
    assert plan.setup == (
        AllocStep(0, 1024),
        AllocStep(1, 512),
        CopyStep((allocation(0),), (allocation(1),), 64, 1, 0, 0),
        FreeStep(1),
    )
    assert plan.steady[:2] == (AllocStep(2, 256), AllocStep(3, 128))
    assert plan.steady[-2:] == (FreeStep(3), FreeStep(2))


def test_memory_that_loading_makes_and_frees_is_set_up() -> None:
    def loading(p: Process) -> None:
        p.memset(p.alloc(64))
        p.free(0)

    plan = plan_of(lambda p, _: p.k(), loading=loading)
    assert [type(step) for step in plan.setup] == [AllocStep, MemsetStep, FreeStep]


def test_memory_of_loading_may_be_freed_by_the_first_call() -> None:
    def script(p: Process, n: int) -> None:
        if n == 1:
            p.free(0)
        p.k()

    plan = plan_of(script, loading=lambda p: p.kept.update(ws=p.alloc(64)))
    assert plan.setup == (AllocStep(0, 64), FreeStep(0))


def test_memory_that_each_call_allocates_and_keeps_is_refused() -> None:
    def script(p: Process, _: int) -> None:
        p.launch("wide", word(p.alloc(1000)) + word(p.at("C")))

    assert refusal_of(script) == "call 5 allocates 1000 bytes and never frees them"


def test_memory_that_each_call_frees_for_the_one_before_is_refused() -> None:
    def script(p: Process, _: int) -> None:
        if p.allocs:
            p.free(p.allocs - 1)
        p.launch("wide", word(p.alloc()) + word(p.at("C")))

    assert refusal_of(script) == "call 2 frees memory that call 1 allocated"


def test_use_of_freed_memory_is_refused() -> None:
    def script(p: Process, _: int) -> None:
        ws = p.alloc()
        p.free(p.allocs - 1)
        p.launch("wide", word(ws) + word(p.at("C")))

    assert refusal_of(script).endswith("uses allocation 0 after it was freed")


def test_set_up_of_memory_that_every_call_allocates_anew_is_refused() -> None:
    def script(p: Process, n: int) -> None:
        ws = p.alloc()
        if n == 1:
            p.memset(ws)
        p.launch("wide", word(ws) + word(p.at("C")))
        p.free(p.allocs - 1)

    assert refusal_of(script) == (
        "the first call alone uses memory that every call allocates: the memset"
    )


def test_host_memory_is_no_step_and_its_free_neither() -> None:
    def script(p: Process, n: int) -> None:
        if n == 1:
            p.alloc(64, kind="host")
        if n == 4:
            p.free(0)
        p.k()

    assert plan_of(script).steps == (PLAIN,)


def test_work_on_no_bytes_is_no_step() -> None:
    def script(p: Process, n: int) -> None:
        if n % 2:
            p.memset(0, 0)
            p.payload(0, b"")
            p.copy(0, 0, 64, rows=0)
        p.k()

    assert plan_of(script).steps == (PLAIN,)


@pytest.mark.parametrize(
    ("what", "headline"),
    [
        ("memset", "in call 1, the memset uses a null pointer"),
        ("payload", "in call 1, the host-to-device copy uses an address that is no device memory"),
        ("copy", "in call 1, the device copy uses a pointer outside argument C, to byte 4097 of"),
        ("source", "in call 1, the device copy uses a null pointer"),
    ],
)
def test_an_address_that_is_no_place_is_refused(what: str, headline: str) -> None:
    def script(p: Process, _: int) -> None:
        match what:
            case "memset":
                p.memset(0)
            case "payload":
                p.payload(4096, b"x")
            case "copy":
                p.copy(p.at("C", 4097), p.at("A"))
            case _:
                p.copy(p.at("C"), 0)
        p.k()

    assert refusal_of(script).startswith(headline)


def test_bytes_of_a_payload_that_differ_are_refused_with_their_place() -> None:
    def script(p: Process, _: int) -> None:
        p.payload(p.at("table"), bytes(10) + number(p.at("A") % 2**32))
        p.k()

    assert refusal_of(script) == (
        "in call 1, the host-to-device copy, byte 11 is half a pointer to argument A"
    )


# Rule L9 and the driver's tensor maps.


def test_a_tensor_map_is_a_step_before_the_launch_that_holds_it() -> None:
    def script(p: Process, _: int) -> None:
        p.launch("mapped", p.map(p.at("A", 128)) + word(p.at("C")))

    plan = plan_of(script)
    assert plan.steady[0] == MapStep(0, encode_of(argument(0, 128)))
    launch = plan.steady[1]
    assert isinstance(launch, LaunchStep)
    assert launch.parameters == Template(
        bytes(136), (Relocation(128, (argument(2),)),), (MapUse(0, 0),)
    )


def test_a_map_is_aligned_in_the_constant_bank_and_not_in_the_parameter_block() -> None:
    # Parameters begin at 0x210 on sm_90: nvcc puts a map at byte 0x70 and what follows at 0xf0.
    function = replace(
        kernel("mapped", 8),
        parameters=(Parameter(0, 0x70, 128), Parameter(1, 0xF0, 8)),
        parameter_bytes=0xF8,
        parameter_base=0x210,
    )

    def script(p: Process, _: int) -> None:
        p.launch("mapped", bytes(0x70) + p.map(p.at("A")) + word(p.at("C")))

    plan = plan_of(script, subject(kernels=(function,)))
    launch = plan.steady[1]
    assert isinstance(launch, LaunchStep)
    assert launch.parameters.maps == (MapUse(0x70, 0),)
    shifted = replace(function, parameter_base=0x220)
    assert refusal_of(script, subject(kernels=(shifted,))).endswith(
        "parameter 0, byte 0 is a tensor map that is not aligned to 64 bytes"
    )


def test_three_maps_in_one_struct_are_three_steps() -> None:
    def script(p: Process, _: int) -> None:
        maps = [p.map(p.at(name)) for name in ("A", "B", "C")]
        p.launch("maps3", b"".join(maps) + bytes(8))

    plan = plan_of(script)
    launch = plan.steady[3]
    assert isinstance(launch, LaunchStep)
    assert plan.steady[:3] == tuple(
        MapStep(index, encode_of(argument(index))) for index in range(3)
    )
    assert launch.parameters.maps == (MapUse(0, 0), MapUse(128, 1), MapUse(256, 2))


def test_a_changed_byte_of_a_map_is_refused() -> None:
    def script(p: Process, _: int) -> None:
        changed = p.map(p.at("A"))[:-1] + b"!"
        p.launch("mapped", changed + bytes(8))

    assert refusal_of(script).endswith("parameter 0, byte 0 is a tensor map with changed bytes")


def test_a_broken_map_between_the_parameters_is_refused() -> None:
    gap = replace(kernel("gap", 4), parameter_bytes=256)

    def script(p: Process, _: int) -> None:
        p.launch("gap", number(1) + bytes(60) + p.map(p.at("A"))[:127] + bytes(65))

    assert refusal_of(script, subject(kernels=(gap,))).endswith(
        "byte 64 of the parameters is a tensor map with changed bytes"
    )


def test_half_a_map_is_refused() -> None:
    def script(p: Process, _: int) -> None:
        p.launch("mapped", p.map(p.at("A"))[:64] + bytes(72))

    assert refusal_of(script).endswith("is a tensor map with changed bytes")


def test_the_same_map_used_twice_is_one_step() -> None:
    def script(p: Process, _: int) -> None:
        once = p.map(p.at("A"))
        again = p.map(p.at("A"))
        p.launch("mapped", once + bytes(8))
        p.launch("mapped", again + bytes(8))

    assert [type(step) for step in plan_of(script).steady] == [MapStep, LaunchStep, LaunchStep]


def test_a_map_that_no_step_holds_is_no_step() -> None:
    def script(p: Process, _: int) -> None:
        p.map(p.at("A"))
        p.map(0)
        p.k()

    assert plan_of(script).steps == (PLAIN,)


def test_a_map_copied_into_constant_memory_is_held_by_the_payload() -> None:
    def script(p: Process, _: int) -> None:
        p.payload(p.at("table"), b"\x05" * 64 + p.map(p.at("B")))
        p.k()

    plan = plan_of(script)
    assert plan.steady[:2] == (
        MapStep(0, encode_of(argument(1))),
        PayloadStep(
            (symbol("table"),), Template(b"\x05" * 64 + bytes(128), (), (MapUse(64, 0),)), 192, 1, 0
        ),
    )


def test_a_cache_of_maps_by_pointer_records_as_if_each_call_encoded_its_own() -> None:
    def script(p: Process, _: int) -> None:
        key = str(p.at("A"))
        if key not in p.kept_maps:
            p.kept_maps[key] = p.map(p.at("A"))
        p.launch("mapped", p.kept_maps[key] + word(p.at("C")))

    def fresh(p: Process, _: int) -> None:
        p.launch("mapped", p.map(p.at("A")) + word(p.at("C")))

    assert plan_of(script) == plan_of(fresh)


def test_a_map_of_the_first_call_in_every_call_is_refused() -> None:
    def script(p: Process, n: int) -> None:
        if n == 1:
            p.kept_maps["A"] = p.map(p.at("A"))
        p.launch("mapped", p.kept_maps["A"] + word(p.at("C")))

    assert refusal_of(script) == (
        "in call 2, the launch of 'mapped': parameter 0, byte 0: a tensor map "
        "uses a pointer to argument A from an earlier call"
    )


def test_a_map_with_another_shape_in_each_process_is_refused_where_it_is_used() -> None:
    def script(p: Process, _: int) -> None:
        p.launch("mapped", p.map(p.at("A"), dims=[64, 32 + p.process]) + bytes(8))

    assert refusal_of(script).endswith("is a tensor map over arguments that differ from run to run")


def test_a_map_over_no_memory_is_refused_where_it_is_used() -> None:
    def script(p: Process, _: int) -> None:
        p.launch("mapped", p.map(4096) + bytes(8))

    assert refusal_of(script).endswith("is a tensor map over an address that is no device memory")


def test_a_map_that_differs_between_calls_is_refused() -> None:
    def script(p: Process, n: int) -> None:
        p.launch("mapped", p.map(p.at("A"), box=[64, 8 if n < 6 else 16]) + bytes(8))

    assert refusal_of(script) == "call 6 differs: box of a tensor map of the launch of 'mapped'"


def test_a_map_in_another_place_in_a_later_call_is_refused() -> None:
    def script(p: Process, n: int) -> None:
        one = p.map(p.at("A"))
        p.launch("maps3", bytes(128 * (n == 5)) + one + bytes(264 - 128 * (n == 5)))

    assert refusal_of(script) == (
        "call 5 differs: the places of tensor maps of the launch of 'maps3'"
    )


def test_an_im2col_map_keeps_its_corners() -> None:
    def script(p: Process, _: int) -> None:
        im2col = p.map(
            p.at("A"),
            mode="im2col",
            rank=3,
            dims=[64, 8, 4],
            strides=[128, 1024],
            box=[],
            element_strides=[1, 1, 1],
            lower=[-1],
            upper=[1],
            channels=64,
            pixels=8,
        )
        p.launch("mapped", im2col + word(p.at("C")))

    step = plan_of(script).steady[0]
    assert isinstance(step, MapStep)
    assert (step.encode.lower, step.encode.upper) == ((-1,), (1,))
    assert (step.encode.channels, step.encode.pixels, step.encode.box) == (64, 8, ())


# Launch attributes (rule T4, S8).


def option(identity: int, *value: int) -> dict[str, object]:
    return {"id": identity, "value": list(value)}


def test_the_attributes_that_a_plan_holds_are_kept_by_name() -> None:
    def script(p: Process, _: int) -> None:
        p.launch("plain", number(1))
        p.k(attributes=[option(11, 4, 1, 1), option(4, 2, 1, 1), option(5, 2), option(6, 1)])

    step = plan_of(script).steady[1]
    assert isinstance(step, LaunchStep)
    assert step.settings == (
        LaunchSetting(LaunchAttribute.CLUSTER, (2, 1, 1)),
        LaunchSetting(LaunchAttribute.PREFERRED_CLUSTER, (4, 1, 1)),
        LaunchSetting(LaunchAttribute.CLUSTER_POLICY, (2,)),
        LaunchSetting(LaunchAttribute.PROGRAMMATIC_SERIALIZATION, (1,)),
    )


@pytest.mark.parametrize("options", [[option(2, 1)], [option(2, 0), option(2, 1)]])
def test_the_cooperative_attribute_is_the_cooperative_launch(options: list[object]) -> None:
    step = plan_of(lambda p, _: p.k(attributes=options)).steady[0]
    assert isinstance(step, LaunchStep)
    assert step.cooperative
    assert step.settings == ()


def test_attributes_that_say_nothing_are_left_out() -> None:
    options = [option(0), option(2, 0), option(4, 0, 0, 0), option(5, 0), option(6, 0)]
    assert plan_of(lambda p, _: p.k(attributes=options)).steady == (PLAIN,)


def test_attributes_that_change_no_result_are_dropped_with_a_note() -> None:
    found = made(lambda p, _: p.k(attributes=[option(8, 3), option(1, 1, 2, 3, 4), option(8, 3)]))
    assert isinstance(found, PlanMade)
    assert found.plan.steady == (PLAIN,)
    assert found.plan.notes == ("launch_attribute_dropped",)
    assert [(one.kind, one.severity, one.evidence) for one in found.signals] == [
        (
            "launch_attribute_dropped",
            Severity.NOTE,
            ("cudaLaunchAttributeAccessPolicyWindow", "cudaLaunchAttributePriority"),
        )
    ]


@pytest.mark.parametrize(
    ("identity", "name"),
    [
        (7, "cudaLaunchAttributeProgrammaticEvent"),
        (12, "cudaLaunchAttributeLaunchCompletionEvent"),
        (13, "cudaLaunchAttributeDeviceUpdatableKernelNode"),
        (15, "launch attribute 15"),
        (200, "launch attribute 200"),
    ],
)
def test_attributes_that_no_plan_can_hold_are_refused_by_name(identity: int, name: str) -> None:
    headline = refusal_of(lambda p, _: p.k(attributes=[option(identity, 1)]))
    assert headline == f"the launch of 'k' uses {name}"


def test_an_attribute_with_too_few_numbers_is_refused() -> None:
    headline = refusal_of(lambda p, _: p.k(attributes=[option(4, 2, 1)]))
    assert headline == "the launch of 'k' has cluster with too few numbers"


def test_programmatic_serialization_of_the_first_launch_is_dropped_with_a_note() -> None:
    def script(p: Process, n: int) -> None:
        pdl = [option(6, 1)]
        if n == 1:
            p.launch("nothing", b"", attributes=pdl)
            p.launch("nothing", b"", attributes=pdl)
        p.k(attributes=pdl)
        p.k(attributes=pdl)

    plan = plan_of(script)
    launches = [step for step in plan.steps if isinstance(step, LaunchStep)]
    assert [bool(step.settings) for step in launches] == [False, True, False, True]
    assert plan.notes == ("programmatic_serialization_dropped",)


# Names, sizes and shapes.


def test_a_kernel_that_is_not_in_the_cubin_is_refused_and_held() -> None:
    why = refused(lambda p, _: p.launch("hidden_kernel", b""))
    assert why.headline == "names a kernel that is not in the cubin: 'hidden_kernel'"
    assert [(one.kind, one.severity) for one in why.signals] == [("foreign_kernel", Severity.HOLD)]


def test_an_attribute_of_a_kernel_that_is_not_in_the_cubin_is_refused() -> None:
    def script(p: Process, _: int) -> None:
        p.attribute("hidden", 1)
        p.k()

    assert refusal_of(script) == "names a kernel that is not in the cubin: 'hidden'"


def test_a_symbol_that_is_not_in_the_cubin_is_refused_where_it_is_used() -> None:
    about = subject(symbols=SYMBOLS[1:])
    assert plan_of(lambda p, _: p.k(), about).symbols == ()

    def script(p: Process, _: int) -> None:
        p.payload(p.at("table"), b"x")
        p.k()

    assert refusal_of(script, about) == "uses a symbol that is not in the cubin: 'table'"


def test_a_symbol_whose_size_wrapped_at_4_gib_fails_the_build() -> None:
    about = subject(symbols=(DeviceSymbol("table", "constant", 1024 + 4 * GIB), SYMBOLS[1]))
    why = refused(lambda p, _: p.k(), about=about)
    assert why.verdict is Verdict.BUILD_FAILED
    assert why.headline == ("'table' has 1024 bytes in host code and 4294968320 on the device")


@pytest.mark.parametrize("size", [27, 29])
def test_a_parameter_block_of_another_size_than_the_cubin_says_is_refused(size: int) -> None:
    headline = refusal_of(lambda p, _: p.launch("k", bytes(size)))
    assert headline == f"the launch of 'k' passes {size} bytes of parameters; the cubin says 28"


def test_what_the_device_cannot_launch_is_refused_with_the_rule() -> None:
    why = refused(lambda p, _: p.k(block=[1025, 1, 1]))
    assert (
        why.headline == "call step 1 has block 1025 x 1 x 1; the device takes 1 to 1024 x 1024 x 64"
    )
    assert [remark.rule for remark in why.remarks] == ["T4", "T4"]


def test_queries_become_assumptions_once_each_in_an_order_of_their_own() -> None:
    def script(p: Process, _: int) -> None:
        p.query("cudaDeviceGetAttribute", [39, 0], [2048])
        p.query("cudaDeviceGetAttribute", [16, 0], [132])
        p.query("cuDeviceGetName", [0], ["NVIDIA H200"])
        p.k()

    assert plan_of(script).assumptions == (
        Assumption("cuDeviceGetName", (0,), ("NVIDIA H200",)),
        Assumption("cudaDeviceGetAttribute", (16, 0), (132,)),
        Assumption("cudaDeviceGetAttribute", (39, 0), (2048,)),
    )


@pytest.mark.parametrize("process", [0, 1])
@pytest.mark.parametrize(
    ("call", "arguments", "answer"),
    [
        ("cudaDeviceGetAttribute", [16, 0], [131]),
        ("cuDeviceGetName", [0], ["NVIDIA H100"]),
        ("cudaFuncGetAttributes", ["k"], [1024, 32, 49151]),
        ("cudaPointerGetAttributes", [4096], [2]),
    ],
)
def test_an_answer_that_the_device_table_does_not_give_is_tampering(
    process: int, call: str, arguments: list[int | str], answer: list[int | str]
) -> None:
    def script(p: Process, n: int) -> None:
        if n == 5 and p.process == process:
            p.query(call, arguments, answer)
        p.k()

    why = refused(script)
    assert why.verdict is Verdict.NOT_RECORDABLE
    assert why.headline == (
        "the recording was tampered with: holds an answer that the device table does not give: "
        f"'{call}'"
    )
    (hold,) = why.signals
    assert (hold.kind, hold.severity) == ("recording_tampered", Severity.HOLD)
    assert call in hold.evidence[0]


def test_tampering_outweighs_what_two_processes_do_differently() -> None:
    def script(p: Process, _: int) -> None:
        p.query("cudaDeviceGetAttribute", [16, 0], [132 + p.process])
        p.k()

    assert [one.kind for one in refused(script).signals] == ["recording_tampered"]


def test_answers_follow_the_attributes_that_host_code_has_set_before_it_asks() -> None:
    call = "cudaOccupancyMaxActiveBlocksPerMultiprocessor"

    def script(p: Process, n: int) -> None:
        p.query(call, ["k", 128, 65536], [0 if n == 1 else 3])  # 228 KiB / 65 KiB
        p.attribute("k", 65536)
        p.query(call, ["k", 128, 65536], [3])
        p.k()

    assert plan_of(script).assumptions == (Assumption(call, ("k", 128, 65536), (3,)),)


def test_an_answer_under_attributes_that_the_plan_does_not_leave_is_no_assumption() -> None:
    def script(p: Process, n: int) -> None:
        p.attribute("k", 4096)
        p.query("cudaFuncGetAttributes", ["k"], [1024, 32, 4096])
        p.attribute("k", 8192)
        p.k()

    assert plan_of(script).assumptions == ()


def test_processes_that_ask_different_things_are_refused() -> None:
    def script(p: Process, _: int) -> None:
        if p.process:
            p.query("cudaDeviceGetAttribute", [39, 0], [2048])
        else:
            p.query("cudaDeviceGetAttribute", [16, 0], [132])
        p.k()

    assert refusal_of(script) == (
        "two runs with the same arguments ask the device different things: 'cudaDeviceGetAttribute'"
    )


def test_a_process_that_asks_more_than_the_other_is_refused() -> None:
    def script(p: Process, _: int) -> None:
        if p.process:
            p.query("cudaGetDeviceCount", [], [1])
        p.k()

    assert "ask the device different things: 'cudaGetDeviceCount'" in refusal_of(script)


def test_the_number_of_questions_is_bounded() -> None:
    def script(p: Process, n: int) -> None:
        for shared in range(1025 if n == 1 else 0):
            p.query("cudaOccupancyMaxPotentialClusterSize", ["k", 128, shared, 0], [8])
        p.k()

    assert refusal_of(script) == "asks more than 1024 different questions of the device"


def test_nothing_of_bases_or_nonces_gets_into_the_plan() -> None:
    def script(p: Process, _: int) -> None:
        ws = p.once("ws", p.alloc)
        p.payload(ws, word(p.at("A")))
        p.launch("mapped", p.map(p.at("A")) + word(p.at("C")))

    first, second = (play(script, process).recording for process in (0, 1))
    one = make_plan(first, second, (), subject())
    other = make_plan(second, first, (), subject())
    assert isinstance(one, PlanMade)
    assert one == other


def test_more_calls_give_the_same_plan() -> None:
    def script(p: Process, n: int) -> None:
        ws = p.once(f"ws{n % 2}", p.alloc)
        p.launch("wide", word(ws) + word(p.at("C")))
        p.launch("plain", number(100 + 3 * n))

    assert plan_of(script, subject(calls=8)) == plan_of(script, subject(calls=37))


def test_fewer_than_eight_calls_are_our_own_mistake() -> None:
    with pytest.raises(ValueError, match="a plan needs 8"):
        made(lambda p, _: p.k(), subject(calls=LEAST_CALLS - 1))


# Recordings that our recorder cannot have written.


def tampered(first: Process, second: Process) -> str:
    found = make_plan(first.recording, second.recording, (), subject())
    assert isinstance(found, NotRecorded)
    assert found.verdict is Verdict.NOT_RECORDABLE
    assert [(one.kind, one.severity) for one in found.signals] == [
        ("recording_tampered", Severity.HOLD)
    ]
    return found.headline


def test_a_refusal_keeps_what_the_host_code_asked_its_environment() -> None:
    def script(p: Process, n: int) -> None:
        p.write("remark", kind="getenv", detail="HOME")
        p.write("remark", kind="clock", detail="time")
        p.k(grid=[n, 1, 1])

    found = made(script)
    assert isinstance(found, NotRecorded)
    assert found.headline == "call 3 differs: grid of the launch of 'k'"
    assert [one.kind for one in found.signals] == ["environment_probe", "recorder_remark"]


def test_a_recording_of_another_number_of_calls_was_tampered_with() -> None:
    short = play(lambda p, _: p.k(), 0, calls=CALLS - 1)
    whole = play(lambda p, _: p.k(), 1)
    assert tampered(short, whole) == "the recording was tampered with: must hold 8 calls"
    assert tampered(whole, short) == "the recording was tampered with: must hold 8 calls"


def test_a_recording_without_an_end_was_tampered_with() -> None:
    first, second = (play(lambda p, _: p.k(), process) for process in (0, 1))
    del second.lines[-1]
    assert "must hold 8 calls" in tampered(first, second)


@pytest.mark.parametrize("change", [{"size": 4097}, {"argument": 9}])
def test_a_recording_of_other_buffers_was_tampered_with(change: dict[str, object]) -> None:
    first, second = (play(lambda p, _: p.k(), process) for process in (0, 1))
    first.lines[1] |= change
    assert "must have the buffers of the problem's arguments" in tampered(first, second)


def test_a_recording_whose_ranges_overlap_was_tampered_with() -> None:
    first, second = (play(lambda p, _: p.k(), process) for process in (0, 1))
    second.lines[1]["base"] = second.lines[2]["base"]
    assert "token ranges that overlap" in tampered(first, second)


def test_a_symbol_registered_by_two_modules_was_tampered_with() -> None:
    logs = [play(lambda p, _: p.k(), process) for process in (0, 1)]
    for log in logs:
        table = {"name": "table", "base": base_of(log.process, 20), "size": 1024}
        log.lines.insert(8, {"e": "module", "functions": [], "symbols": [table]})
    assert "has a token range twice" in tampered(*logs)


def test_a_kernel_without_reads_is_recorded_as_one_that_may_read_all() -> None:
    about = subject(kernels=(kernel("plain", 4),), reads=())
    assert plan_of(lambda p, _: p.launch("plain", number(5)), about).steady[0] == LaunchStep(
        function="plain",
        grid=(4, 1, 1),
        block=(128, 1, 1),
        shared=0,
        cooperative=False,
        settings=(),
        parameters=Template(number(5)),
    )
    assert exact(kernel("plain", 4))[0].read == ((0, 4),)
