"""Rule T4: one case a line of what a plan may hold. The sample plan breaks none of them."""

from dataclasses import replace

import pytest
from planned import (
    CUBIN,
    KERNELS,
    MAP,
    MAPPED,
    PLAN,
    SCRATCH,
    SETUP,
    STEADY,
    STRUCT,
    TABLE,
    WS,
    A,
    C,
    at,
    encode,
    review,
    rules_broken,
    swapped,
)
from recorded import ARGUMENTS, GIB, LIMITS, kernel

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
    MapEncode,
    MapUse,
    MemsetStep,
    PayloadStep,
    PlanFunction,
    PlanSymbol,
    Relocation,
    Space,
    Step,
    Stepping,
    Template,
)
from evaluation.core.plan.plan_rules import LIMIT_REMARKS, validate_plan
from evaluation.core.record.recording import MapMode
from evaluation.core.verdict import Severity

MEMSET = MemsetStep((SCRATCH,), 7, 4, 16, 4, 128)
COPY = CopyStep((SCRATCH,), (A,), 512, 2, 512, 1024)
PAYLOAD = PayloadStep((SCRATCH,), Template(bytes(8)), 4, 2, 64)
BARE = replace(STRUCT, settings=(), cooperative=False)


def with_step(step: Step) -> list[str]:
    """Remarks on one more step behind the allocation of a call."""
    return rules_broken(replace(PLAN, steady=(STEADY[0], step, *STEADY[1:])))


def with_launch(**changes: object) -> list[str]:
    """Remarks on the sample's first launch with other fields."""
    return rules_broken(swapped(MAPPED, replace(MAPPED, **changes)))  # type: ignore[arg-type]


def with_struct(**changes: object) -> list[str]:
    return rules_broken(swapped(STRUCT, replace(STRUCT, **changes)))  # type: ignore[arg-type]


def with_encode(**changes: object) -> list[str]:
    changed = replace(encode(A), **changes)  # type: ignore[arg-type]
    return rules_broken(swapped(MAP, replace(MAP, encode=changed)))


def settings(*pairs: tuple[LaunchAttribute, tuple[int, ...]]) -> tuple[LaunchSetting, ...]:
    return tuple(LaunchSetting(*pair) for pair in pairs)


def test_the_sample_plan_breaks_no_rule_and_raises_no_signal() -> None:
    found = review(PLAN)
    assert found.remarks == ()
    assert found.signals == ()


# Counts and sizes.


def test_a_call_has_at_most_64_steps_and_32_launches() -> None:
    assert with_step(MEMSET) == []
    steady = (*STEADY, *[BARE] * 30)
    assert rules_broken(replace(PLAN, steady=steady)) == []
    steady = (*STEADY, *[BARE] * 31)
    assert rules_broken(replace(PLAN, steady=steady)) == ["has 33 launches a call; 32 at most"]
    steady = (STEADY[0], *[MEMSET] * 58, *STEADY[1:])
    assert rules_broken(replace(PLAN, steady=steady)) == []
    steady = (STEADY[0], *[MEMSET] * 59, *STEADY[1:])
    assert rules_broken(replace(PLAN, steady=steady)) == ["has 65 steps a call; 64 at most"]


def test_set_up_has_at_most_256_steps() -> None:
    more = MemsetStep((WS,), 0, 1, 1, 1, 0)
    assert rules_broken(replace(PLAN, setup=(*SETUP, *[more] * 250))) == []
    broken = rules_broken(replace(PLAN, setup=(*SETUP, *[more] * 251)))
    assert broken == ["has 257 set-up steps; 256 at most"]


def test_payloads_have_at_most_16_mebibytes_together() -> None:
    size = 16 * 1024**2 - 8
    alloc = AllocStep(2, 32 * 1024**2)
    payload = PayloadStep((SCRATCH,), Template(bytes(size)), size, 1, 0)
    steady = (alloc, payload, MAP, MAPPED, FreeStep(2))
    assert rules_broken(replace(PLAN, steady=steady, functions=PLAN.functions[:1])) == []
    more = PayloadStep((SCRATCH,), Template(b"x"), 1, 1, 0)
    longer = (alloc, payload, more, MAP, MAPPED, FreeStep(2))
    assert rules_broken(replace(PLAN, steady=longer, functions=PLAN.functions[:1])) == [
        "has 16777217 bytes of payload; 16777216 at most"
    ]


def test_a_plan_has_at_most_65536_pointers() -> None:
    many = tuple(Relocation(8 * index, (WS,)) for index in range(65536))
    payload = PayloadStep((SCRATCH,), Template(bytes(8 * 65536), many), 8 * 65536, 1, 0)
    steady = (AllocStep(2, 2**20), payload, *STEADY[1:])
    assert rules_broken(replace(PLAN, steady=steady)) == [
        "has 65539 pointers and tensor maps; 65536 at most"
    ]


def test_a_plan_has_at_most_1024_assumptions() -> None:
    many = tuple(Assumption("q", (index,), (0,)) for index in range(1025))
    assert rules_broken(replace(PLAN, assumptions=many)) == ["has 1025 assumptions; 1024 at most"]


def test_a_call_launches_a_kernel() -> None:
    plan = replace(PLAN, steady=(STEADY[0], COPY, FreeStep(2)), functions=PLAN.functions[:1])
    assert rules_broken(plan) == ["launches no kernel in a call"]


def test_device_memory_is_counted_over_allocations_globals_and_local_memory() -> None:
    setup = (AllocStep(0, 24 * GIB - 8192 - 1024 - 5120), *SETUP[1:])
    assert rules_broken(replace(PLAN, setup=setup)) == []
    setup = (AllocStep(0, 24 * GIB - 8192 - 1024 - 5119), *SETUP[1:])
    assert rules_broken(replace(PLAN, setup=setup)) == [
        "needs 25769803777 bytes of device memory; 25769803776 at most"
    ]
    hungry = replace(CUBIN, functions=(replace(KERNELS[0], local_bytes=100_000), *KERNELS[1:]))
    assert rules_broken(PLAN, hungry) == [
        "needs 27033618432 bytes of device memory; 25769803776 at most"  # 132 x 2048 threads
    ]


def test_local_memory_above_8_gib_is_held() -> None:
    below = replace(CUBIN, functions=(replace(KERNELS[0], local_bytes=31_775), *KERNELS[1:]))
    assert review(PLAN, below).signals == ()
    above = replace(CUBIN, functions=(replace(KERNELS[0], local_bytes=31_776), *KERNELS[1:]))
    signals = review(PLAN, above).signals
    assert [(one.kind, one.severity) for one in signals] == [("large_local_memory", Severity.HOLD)]


def test_a_stack_limit_is_above_that_of_the_device_in_units_of_16_bytes() -> None:
    for size in (0, 1040, 4096, 65536):
        assert rules_broken(replace(PLAN, stack_bytes=size)) == []
    for size, rule in (
        (16, "; a plan states it above the device's own 1024 alone"),
        (1024, "; a plan states it above the device's own 1024 alone"),
        (4095, ", which is no multiple of 16"),
        (65552, "; 65536 at most"),
    ):
        assert rules_broken(replace(PLAN, stack_bytes=size)) == [
            f"sets the stack limit to {size} bytes{rule}"
        ]


def test_a_stack_limit_that_takes_more_than_8_gib_of_an_h200_is_held() -> None:
    assert review(replace(PLAN, stack_bytes=31_760)).signals == ()
    signals = review(replace(PLAN, stack_bytes=32_768)).signals
    assert [(one.kind, one.severity) for one in signals] == [("large_local_memory", Severity.HOLD)]


def test_a_stack_limit_counts_in_the_device_memory_of_a_plan() -> None:
    setup = (AllocStep(0, 8 * GIB), *SETUP[1:])
    plan = replace(PLAN, setup=setup, stack_bytes=65536)  # 16.5 GiB
    assert rules_broken(plan) == ["needs 26306689024 bytes of device memory; 25769803776 at most"]


def test_a_heap_limit_is_above_that_of_the_device_in_units_of_64_kib() -> None:
    for size in (0, 2**23 + 2**16, 2**30):
        assert rules_broken(replace(PLAN, heap_bytes=size)) == []
    for size, rule in (
        (2**16, "; a plan states it above the device's own 8388608 alone"),
        (2**23, "; a plan states it above the device's own 8388608 alone"),
        (2**24 + 1, ", which is no multiple of 65536"),
        (24 * GIB + 2**16, "; 25769803776 at most"),
    ):
        assert f"sets the heap limit to {size} bytes{rule}" in (
            rules_broken(replace(PLAN, heap_bytes=size))
        )
    assert rules_broken(replace(PLAN, heap_bytes=24 * GIB)) == [
        "needs 25769822208 bytes of device memory; 25769803776 at most"
    ]


def test_at_most_twenty_remarks_are_given() -> None:
    bad = FreeStep(99)
    assert len(rules_broken(replace(PLAN, steady=(*STEADY, *[bad] * 40)))) == LIMIT_REMARKS


# Who is named.


def test_the_arguments_are_those_of_the_problem() -> None:
    other = (replace(ARGUMENTS[0], size=1), *ARGUMENTS[1:])
    assert rules_broken(replace(PLAN, arguments=other)) == [
        "states other arguments than the problem"
    ]


@pytest.mark.parametrize(
    "functions",
    [
        (),
        PLAN.functions[::-1],
        (*PLAN.functions, PlanFunction("unused", (ByteRange(0, 4),))),
        (PLAN.functions[0], PlanFunction("s", (ByteRange(0, 8), ByteRange(8, 24)))),
    ],
)
def test_the_kernels_are_those_that_steps_name_as_the_cubin_has_them(
    functions: tuple[PlanFunction, ...],
) -> None:
    assert rules_broken(replace(PLAN, functions=functions)) == [
        "states other kernels or parameters than it uses of the cubin"
    ]


@pytest.mark.parametrize(
    "symbols",
    [
        (),
        (*PLAN.symbols, PlanSymbol("scratch", "global", 4096)),
        (PlanSymbol("table", "global", 1024),),
        (PlanSymbol("table", "constant", 1025),),
    ],
)
def test_the_symbols_are_those_that_steps_name_as_the_cubin_has_them(
    symbols: tuple[PlanSymbol, ...],
) -> None:
    assert rules_broken(replace(PLAN, symbols=symbols)) == [
        "states other symbols than it uses of the cubin"
    ]


def test_a_kernel_that_is_not_in_the_cubin_is_refused_by_name() -> None:
    hidden = replace(MAPPED, function="hidden_kernel")
    assert rules_broken(swapped(MAPPED, hidden)) == [
        "call step 4 launches 'hidden_kernel', which is not in the cubin"
    ]
    assert with_step(AttributeStep("hidden_kernel", 8, 1)) == [
        "call step 2 names 'hidden_kernel', which is not in the cubin"
    ]


def test_a_symbol_that_is_not_in_the_cubin_is_refused_by_name() -> None:
    place = (Address(Space.SYMBOL, 0, "gone", 0),)
    assert with_step(replace(MEMSET, destination=place)) == [
        "call step 2 uses symbol 'gone' + 0, which is not there"
    ]


# Memory.


@pytest.mark.parametrize(
    ("address", "words"),
    [
        (Address(Space.ARGUMENT, 9, "", 0), "uses argument 9 + 0, which is not there"),
        (Address(Space.ALLOCATION, 9, "", 0), "uses allocation 9 + 0, which is not there"),
        (at(A, 4097), "uses argument A + 4097, outside its 4096 bytes"),
        (at(WS, 4097), "uses allocation 0 + 4097, outside its 4096 bytes"),
        (at(TABLE, 1025), "uses symbol 'table' + 1025, outside its 1024 bytes"),
    ],
)
def test_a_pointer_names_a_buffer_and_an_offset_of_at_most_its_size(
    address: Address, words: str
) -> None:
    template = Template(bytes(136), (Relocation(128, (address,)),), (MapUse(0, 0),))
    broken = with_launch(parameters=template)
    assert broken == [f"call step 4 {words}"]


@pytest.mark.parametrize("address", [at(A, 4096), at(WS, 4096)])
def test_one_past_the_end_is_inside(address: Address) -> None:
    template = Template(bytes(136), (Relocation(128, (address,)),), (MapUse(0, 0),))
    assert with_launch(parameters=template) == []


def test_set_up_uses_no_argument() -> None:
    setup = (*SETUP, replace(MEMSET, destination=(C,)))
    assert rules_broken(replace(PLAN, setup=setup)) == [
        "set-up step 7 uses argument C + 0 in set-up"
    ]


def test_freed_memory_is_not_there_any_more() -> None:
    steady = (*STEADY, MEMSET)
    assert rules_broken(replace(PLAN, steady=steady)) == [
        "call step 7 uses allocation 2 + 0, which is not there"
    ]


@pytest.mark.parametrize("number_", [0, 3])
def test_allocations_count_up(number_: int) -> None:
    steady = (AllocStep(2, 1024), AllocStep(number_, 64), *STEADY[1:], FreeStep(number_))
    broken = rules_broken(replace(PLAN, steady=steady))
    assert broken == ([] if number_ == 3 else ["call step 2 makes allocation 0; 3 is next"])


def test_one_allocation_has_at_most_24_gib() -> None:
    assert rules_broken(replace(PLAN, steady=(*STEADY, AllocStep(3, 2**63), FreeStep(3)))) == [
        "call step 7 allocates 9223372036854775808 bytes; 25769803776 are allowed in all",
        "needs 9223372036854793216 bytes of device memory; 25769803776 at most",
    ]


@pytest.mark.parametrize("number_", [0, 9])
def test_a_call_frees_only_what_it_allocated(number_: int) -> None:
    assert with_step(FreeStep(number_))[0] == (
        f"call step 2 frees allocation {number_}, which these steps have not allocated"
    )


def test_a_call_frees_all_that_it_allocated() -> None:
    assert rules_broken(replace(PLAN, steady=STEADY[:-1])) == [
        "a call allocates allocation 2 and never frees it"
    ]


def test_a_cycle_goes_through_two_to_four_own_addresses() -> None:
    def broken(*place: Address) -> list[str]:
        template = replace(STRUCT.parameters, relocations=(Relocation(0, place),))
        return with_struct(parameters=template)

    assert broken(WS, WS, WS, WS) == []
    assert broken(WS, WS, WS, WS, WS) == ["call step 5 has a cycle of 5 addresses"]
    assert broken() == ["call step 5 has a cycle of 0 addresses"]
    assert broken(WS, C) == ["call step 5 has a cycle through an argument"]


def test_set_up_has_no_cycle() -> None:
    setup = (*SETUP, MemsetStep((WS, WS), 0, 1, 1, 1, 0))
    assert rules_broken(replace(PLAN, setup=setup)) == ["set-up step 7 has a cycle of 2 addresses"]


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (replace(MEMSET, destination=(A,)), ["writes argument A + 0, an input"]),
        (replace(PAYLOAD, destination=(A,)), ["writes argument A + 0, an input"]),
        (replace(COPY, destination=(A,)), ["writes argument A + 0, an input"]),
        (replace(MEMSET, destination=(C,)), []),
        (replace(MEMSET, destination=(TABLE,)), []),
        (replace(MEMSET, destination=(at(SCRATCH, 576),)), []),
        (
            replace(MEMSET, destination=(at(SCRATCH, 580),)),
            ["touches 448 bytes from allocation 2 + 580, which has 1024"],
        ),
        (
            replace(PAYLOAD, destination=(at(C, 4092),)),
            ["touches 68 bytes from argument C + 4092, which has 4096"],
        ),
        (
            replace(COPY, source=(at(A, 3000),)),
            ["touches 1536 bytes from argument A + 3000, which has 4096"],
        ),
        (
            replace(COPY, columns=2**63, rows=2**31),
            [
                "has rows of 9223372036854775808 bytes only 512 bytes apart",
                "touches 9223373136366403072 bytes from allocation 2 + 0, which has 1024",
                "has rows of 9223372036854775808 bytes only 1024 bytes apart",
                "touches 9223374235878030336 bytes from argument A + 0, which has 4096",
            ],
        ),
        (replace(MEMSET, pitch=63), ["has rows of 64 bytes only 63 bytes apart"]),
        (replace(MEMSET, rows=1, pitch=0), []),
        (replace(MEMSET, rows=0), ["touches no byte"]),
        (replace(MEMSET, columns=0), ["touches no byte"]),
        (replace(MEMSET, width=3), ["sets elements of 3 bytes; 1, 2 or 4 are allowed"]),
        (replace(MEMSET, width=1, value=256), ["sets value 256 in 1 bytes"]),
        (
            replace(MEMSET, destination=(at(SCRATCH, 2),)),
            ["sets allocation 2 + 2, not aligned to 4 bytes"],
        ),
        (replace(PAYLOAD, rows=3), ["has a payload of another size than its rows"]),
    ],
)
def test_what_is_written_lies_inside_own_memory_symbols_and_outputs(
    step: Step, words: list[str]
) -> None:
    assert with_step(step) == [f"call step 2 {one}" for one in words]


# Bytes with holes.


@pytest.mark.parametrize(
    ("template", "words"),
    [
        (
            Template(bytes(136), (Relocation(129, (C,)),), (MapUse(0, 0),)),
            "has a hole at byte 129 that has no room",
        ),
        (
            Template(bytes(136), (Relocation(124, (C,)),), (MapUse(0, 0),)),
            "has a hole at byte 124 that has no room",
        ),
        (
            Template(bytes(136), (), (MapUse(64, 0),)),
            "has a hole at byte 64 that has no room",
        ),
        (
            Template(bytes(136), (), (MapUse(8, 0),)),
            "holds a tensor map at byte 8, not aligned to 64 bytes",
        ),
        (
            Template(bytes(136), (), (MapUse(0, 1),)),
            "holds tensor map 1, which is not encoded yet",
        ),
        (
            Template(bytes(128) + b"\x01" + bytes(7), (Relocation(128, (C,)),), (MapUse(0, 0),)),
            "has bytes in the hole at byte 128",
        ),
        (
            Template(b"\x01" + bytes(135), (), (MapUse(0, 0),)),
            "has bytes in the hole at byte 0",
        ),
    ],
)
def test_pointers_and_maps_stand_inside_the_bytes_apart_and_on_zeros(
    template: Template, words: str
) -> None:
    assert with_launch(parameters=template) == [f"call step 4 {words}"]


def test_pointers_stand_in_their_order() -> None:
    both = (Relocation(8, (WS,)), Relocation(0, (WS,)))
    step = replace(PAYLOAD, payload=Template(bytes(16), both), columns=16, rows=1)
    assert with_step(step) == ["call step 2 lists places in its bytes out of order"]


def test_a_map_of_set_up_is_none_of_a_call() -> None:
    broken = rules_broken(swapped(MAP))
    assert broken == ["call step 3 holds tensor map 0, which is not encoded yet"]


@pytest.mark.parametrize(
    ("ranges", "words"),
    [
        ((ByteRange(16, 16),), ["has a hole at byte 16 that has no room"]),
        (
            (ByteRange(16, 25),),
            ["has a hole at byte 16 that has no room", "has bytes in the hole at byte 16"],
        ),
        ((ByteRange(12, 20),), ["has bytes in the hole at byte 12"]),
        (
            (ByteRange(4, 9),),
            [
                "has a hole at byte 4 that has no room",
                "has a hole at byte 8 that has no room",
                "has bytes in the hole at byte 4",
            ],
        ),
        ((ByteRange(18, 20), ByteRange(16, 18)), ["lists places in its bytes out of order"]),
    ],
)
def test_undetermined_bytes_stand_inside_apart_and_on_zeros(
    ranges: tuple[ByteRange, ...], words: list[str]
) -> None:
    assert with_struct(undetermined=ranges) == [f"call step 5 {one}" for one in words]


def test_a_launch_has_at_most_256_undetermined_ranges_and_counters() -> None:
    wide = kernel("wide", 1024)
    cubin = replace(CUBIN, functions=(*KERNELS, wide))
    ranges = tuple(ByteRange(2 * index, 2 * index + 1) for index in range(257))
    launch = replace(
        BARE, function="wide", parameters=Template(bytes(1024)), undetermined=ranges, stepping=()
    )
    functions = (*PLAN.functions, PlanFunction("wide", (ByteRange(0, 1024),)))
    plan = replace(swapped(STRUCT, STRUCT, launch), functions=functions)
    assert rules_broken(plan, cubin) == [
        "call step 6 has more than 256 undetermined ranges or counters"
    ]


# Counters.


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (Stepping(20, 4, 2**32 - 1), []),
        (Stepping(10, 4, 1), ["steps 4 bytes at byte 10, which is no integer"]),
        (Stepping(8, 2, 1), ["steps 2 bytes at byte 8, which is no integer"]),
        (Stepping(8, 8, 1), ["steps 8 bytes at byte 8, which is no integer"]),
        (
            Stepping(24, 4, 1),
            [
                "has a hole at byte 24 that has no room",
                "steps 4 bytes at byte 24, which is no integer",
            ],
        ),
        (Stepping(8, 4, 0), ["steps the argument at byte 8 by 0"]),
        (Stepping(8, 4, 2**32), ["steps the argument at byte 8 by 4294967296"]),
        (Stepping(16, 4, 1), ["has a hole at byte 16 that has no room"]),
        (Stepping(0, 8, 1), ["has a hole at byte 0 that has no room"]),
    ],
)
def test_a_counter_is_an_aligned_integer_inside_one_parameter(
    rule: Stepping, words: list[str]
) -> None:
    assert with_struct(stepping=(rule,)) == [f"call step 5 {one}" for one in words]


def test_counters_stand_in_their_order() -> None:
    broken = with_struct(stepping=(Stepping(20, 4, 1), Stepping(8, 4, 1)))
    assert broken == ["call step 5 lists places in its bytes out of order"]


def test_nothing_steps_in_set_up() -> None:
    launch = replace(BARE, parameters=Template(bytes(24)), undetermined=())
    assert rules_broken(replace(PLAN, setup=(*SETUP, launch))) == [
        "set-up step 7 steps an argument in set-up"
    ]


# Launches.


def test_argument_sizes_are_those_of_the_cubin() -> None:
    for size in (135, 137):
        template = Template(bytes(size), (), (MapUse(0, 0),))
        assert with_launch(parameters=template) == [
            f"call step 4 passes {size} bytes of parameters; the cubin says 136"
        ]


def test_bytes_between_parameters_are_zero() -> None:
    gap = replace(KERNELS[0], parameters=KERNELS[0].parameters[:1])
    cubin = replace(CUBIN, functions=(gap, *KERNELS[1:]))
    functions = (PlanFunction("mapped", (ByteRange(0, 128),)), PLAN.functions[1])
    template = Template(bytes(135) + b"\x01", (), (MapUse(0, 0),))
    plan = swapped(MAPPED, replace(MAPPED, parameters=template))
    assert rules_broken(replace(plan, functions=functions), cubin) == [
        "call step 4 has bytes between its parameters"
    ]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"grid": (0, 1, 1)}, ["has grid 0 x 1 x 1; the device takes 1 to 2147483647 x 65535 x 65535"]),
        ({"grid": (2147483646, 65535, 65535)}, []),
        ({"grid": (2, 65536, 1)}, ["has grid 2 x 65536 x 1; the device takes 1 to 2147483647 x 65535 x 65535"]),
        ({"block": (1, 1, 65)}, ["has block 1 x 1 x 65; the device takes 1 to 1024 x 1024 x 64"]),
        ({"block": (0, 1, 1)}, ["has block 0 x 1 x 1; the device takes 1 to 1024 x 1024 x 64"]),
        ({"block": (32, 32, 1)}, []),
        ({"block": (32, 33, 1)}, ["has 1056 threads a block; 1024 are allowed"]),
        ({"shared": 65537}, ["uses 65537 bytes of dynamic shared memory; 65536 are allowed"]),
        ({"cooperative": True, "grid": (2112, 1, 1)}, []),
        ({"cooperative": True, "grid": (2114, 1, 1)}, ["is cooperative with more than 2112 blocks"]),
        ({"grid": (7, 2, 1)}, ["has grid 7 x 2 x 1, no multiple of cluster 2 x 1 x 1"]),
    ],
)  # fmt: skip
def test_grid_block_and_shared_memory_are_within_the_device_table(
    changes: dict[str, object], words: list[str]
) -> None:
    assert with_launch(**changes) == [f"call step 4 {one}" for one in words]


def test_a_kernel_with_launch_bounds_has_no_larger_block() -> None:
    cubin = replace(CUBIN, functions=(replace(KERNELS[0], max_threads=127), *KERNELS[1:]))
    assert rules_broken(PLAN, cubin) == ["call step 4 has 128 threads a block; 127 are allowed"]


def test_a_kernel_that_fixes_its_block_has_no_other() -> None:
    fixed = replace(KERNELS[0], required_block=(64, 1, 1))
    assert rules_broken(PLAN, replace(CUBIN, functions=(fixed, *KERNELS[1:]))) == [
        "call step 4 has block 128 x 1 x 1; the kernel fixes another size"
    ]


def test_static_shared_memory_leaves_less_for_dynamic() -> None:
    fixed = replace(KERNELS[1], static_shared_bytes=49152)
    cubin = replace(CUBIN, functions=(KERNELS[0], fixed, KERNELS[2]))
    plan = swapped(STRUCT, replace(STRUCT, shared=1))
    assert rules_broken(plan, cubin) == [
        "call step 5 uses 1 bytes of dynamic shared memory; 0 are allowed"
    ]


def test_dynamic_shared_memory_above_48_kib_needs_its_attribute_first() -> None:
    setup = tuple(step for step in SETUP if not isinstance(step, AttributeStep))
    assert rules_broken(replace(PLAN, setup=setup)) == [
        "call step 4 uses 65536 bytes of dynamic shared memory; 49152 are allowed"
    ]


def test_a_launch_may_not_rest_on_an_attribute_that_its_own_call_takes_back() -> None:
    taken_back = replace(PLAN, steady=(*STEADY, AttributeStep("mapped", 8, 0)))
    assert rules_broken(taken_back) == [
        "step 4 of the second call uses 65536 bytes of dynamic shared memory; 0 are allowed"
    ]


def test_what_the_first_call_breaks_is_not_said_again_of_the_second() -> None:
    taken_back = replace(
        PLAN,
        setup=tuple(step for step in SETUP if not isinstance(step, AttributeStep)),
        steady=(*STEADY, AttributeStep("mapped", 8, 0)),
    )
    assert rules_broken(taken_back) == [
        "call step 4 uses 65536 bytes of dynamic shared memory; 49152 are allowed"
    ]


def test_an_attribute_that_every_call_sets_before_its_launch_holds_in_every_call() -> None:
    raised, lowered = (AttributeStep("mapped", 8, size) for size in (65536, 0))
    assert rules_broken(replace(PLAN, steady=(raised, *STEADY, lowered))) == []


@pytest.mark.parametrize(
    ("attribute", "value", "allowed"),
    [
        (8, 65536, True),
        (8, 232448, True),
        (8, 232449, False),
        (9, -1, True),
        (9, 100, True),
        (9, 101, False),
        (10, 1, False),
        (11, 16, True),
        (12, 17, False),
        (13, 0, True),
        (14, 1, True),
        (14, 2, False),
        (15, 2, True),
        (15, 3, False),
        (0, 0, False),
        (99, 1, False),
    ],
)
def test_only_settable_attributes_with_possible_values_are_set(
    attribute: int, value: int, *, allowed: bool
) -> None:
    broken = with_step(AttributeStep("mapped", attribute, value))
    assert broken == (
        [] if allowed else [f"call step 2 sets attribute {attribute} of 'mapped' to {value}"]
    )


CLUSTER, PREFERRED = LaunchAttribute.CLUSTER, LaunchAttribute.PREFERRED_CLUSTER
POLICY, SERIAL = LaunchAttribute.CLUSTER_POLICY, LaunchAttribute.PROGRAMMATIC_SERIALIZATION


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        ([(CLUSTER, (4, 2, 1))], []),
        ([(CLUSTER, (2, 1, 1)), (PREFERRED, (4, 2, 1))], []),
        ([(CLUSTER, (8, 2, 1))], ["has clusters of 16 blocks; 8 are allowed"]),
        ([(CLUSTER, (3, 1, 1))], ["has grid 8 x 2 x 1, no multiple of cluster 3 x 1 x 1"]),
        ([(CLUSTER, (2, 1))], ["has cluster of [2, 1]"]),
        ([(CLUSTER, (2, 0, 1))], ["has cluster of [2, 0, 1]"]),
        ([(CLUSTER, (2, 1, 1)), (CLUSTER, (2, 1, 1))], ["has launch attributes twice or out of order"]),
        ([(POLICY, (1,)), (CLUSTER, (2, 1, 1))], ["has launch attributes twice or out of order"]),
        ([(PREFERRED, (2, 1, 1))], ["prefers a cluster without asking for one"]),
        (
            [(CLUSTER, (4, 1, 1)), (PREFERRED, (2, 1, 1))],
            ["prefers a cluster that is no multiple of the one it asks for"],
        ),
        ([(POLICY, (3,))], ["has a cluster scheduling policy that CUDA 13.0 does not have"]),
        ([(SERIAL, (1,))], ["is the first launch and has programmatic serialization"]),
    ],
)  # fmt: skip
def test_launch_attributes_are_possible_and_in_their_order(
    pairs: list[tuple[LaunchAttribute, tuple[int, ...]]], words: list[str]
) -> None:
    assert with_launch(settings=settings(*pairs)) == [f"call step 4 {one}" for one in words]


def test_clusters_of_sixteen_need_their_attribute() -> None:
    wide = replace(MAPPED, settings=settings((CLUSTER, (8, 2, 1))))
    allow = AttributeStep("mapped", 14, 1)
    assert rules_broken(swapped(MAPPED, allow, wide)) == []
    other = AttributeStep("s", 14, 1)
    assert rules_broken(swapped(MAPPED, other, wide)) == [
        "call step 5 has clusters of 16 blocks; 8 are allowed"
    ]


def test_a_kernel_that_fixes_its_cluster_has_no_other() -> None:
    fixed = replace(KERNELS[0], cluster=(4, 1, 1))
    cubin = replace(CUBIN, functions=(fixed, *KERNELS[1:]))
    assert rules_broken(PLAN, cubin) == [
        "call step 4 asks for clusters of 2 x 1 x 1; the kernel fixes another size"
    ]
    assert rules_broken(swapped(MAPPED, replace(MAPPED, settings=())), cubin) == []
    uneven = replace(MAPPED, settings=(), grid=(6, 1, 1))
    assert rules_broken(swapped(MAPPED, uneven), cubin) == [
        "call step 4 has grid 6 x 1 x 1, no multiple of cluster 4 x 1 x 1"
    ]
    counted = replace(CUBIN, functions=(replace(fixed, grid_counts_clusters=True), *KERNELS[1:]))
    assert rules_broken(swapped(MAPPED, uneven), counted) == []


def test_required_cluster_attributes_are_the_cluster_where_all_three_are_set() -> None:
    uneven = replace(MAPPED, settings=(), grid=(7, 1, 1))
    sides = [AttributeStep("mapped", number_, 2 - (number_ > 11)) for number_ in (11, 12, 13)]
    assert rules_broken(swapped(MAPPED, *sides, uneven)) == [
        "call step 7 has grid 7 x 1 x 1, no multiple of cluster 2 x 1 x 1"
    ]
    assert rules_broken(swapped(MAPPED, *sides[:2], uneven)) == []


def test_a_cluster_of_nothing_in_the_cubin_divides_no_grid() -> None:
    broken = replace(KERNELS[0], cluster=(0, 1, 1))
    found = rules_broken(
        swapped(MAPPED, replace(MAPPED, settings=())),
        replace(CUBIN, functions=(broken, *KERNELS[1:])),
    )
    assert found == ["call step 4 has grid 8 x 2 x 1, no multiple of cluster 0 x 1 x 1"]


# Tensor maps.


def test_tensor_maps_count_up() -> None:
    assert rules_broken(swapped(MAP, replace(MAP, map=1)))[0] == (
        "call step 2 encodes tensor map 1; 0 is next"
    )


RANK3 = {
    "dims": (64, 8, 4),
    "strides": (128, 1024),
    "box": (64, 2, 2),
    "element_strides": (1, 1, 1),
}
IM2COL = {
    **RANK3,
    "mode": MapMode.IM2COL,
    "box": (),
    "lower": (-1,),
    "upper": (1,),
    "channels": 64,
    "pixels": 8,
}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (RANK3, []),
        (IM2COL, []),
        ({"dims": (), "strides": (), "box": (), "element_strides": ()}, ["rank is not 1 to 5"]),
        ({"strides": (128, 128)}, ["lists have different ranks"]),
        ({"element_strides": (1,)}, ["lists have different ranks"]),
        ({"dims": (0, 32)}, ["dimensions are not 1 to 2^32"]),
        ({"dims": (2**32 + 1, 32)}, ["dimensions are not 1 to 2^32"]),
        ({"strides": (136,)}, ["strides are not multiples of 16 below 2^40"]),
        ({"strides": (2**40,)}, ["strides are not multiples of 16 below 2^40"]),
        ({"address": (at(A, 8),)}, ["address is not a multiple of 16"]),
        ({"element_strides": (1, 9)}, ["element strides are not 1 to 8"]),
        ({"element_strides": (1, 0)}, ["element strides are not 1 to 8"]),
        ({"data_type": 13}, ["data type is 13, which this device or data type does not have"]),
        ({"interleave": 3, **RANK3}, ["interleave is 3, which this device or data type does not have"]),
        ({"swizzle": 4}, ["swizzle is 4, which this device or data type does not have"]),
        ({"l2": 4}, ["L2 promotion is 4, which this device or data type does not have"]),
        ({"fill": 2}, ["fill is 2, which this device or data type does not have"]),
        ({"fill": 1}, []),
        ({"fill": 1, "data_type": 1}, ["fill is 1, which this device or data type does not have"]),
        ({"interleave": 1}, ["interleave needs a rank of 3 or more"]),
        ({"interleave": 1, **RANK3}, []),
        ({"interleave": 2, **RANK3}, ["interleave of 32 bytes needs a swizzle of 32 bytes"]),
        (
            {"interleave": 2, "swizzle": 1, **RANK3, "strides": (144, 1024)},
            ["strides are not multiples of 32 below 2^40"],
        ),
        ({"box": (64,)}, ["box is not 1 to 256 elements in each dimension"]),
        ({"box": (64, 257)}, ["box is not 1 to 256 elements in each dimension"]),
        ({"box": (64, 0)}, ["box is not 1 to 256 elements in each dimension"]),
        ({"box": (60, 8)}, ["box has rows of 120 bytes, no multiple of 16"]),
        ({"box": (128, 8)}, ["box has rows of 256 bytes, wider than its swizzle of 128"]),
        ({"box": (128, 8), "swizzle": 0}, []),
        ({"box": (32, 8), "swizzle": 1}, ["box has rows of 64 bytes, wider than its swizzle of 32"]),
        ({"channels": 1}, ["mode is tiled, with numbers of im2col"]),
        ({"lower": (1,)}, ["mode is tiled, with numbers of im2col"]),
        ({**IM2COL, "dims": (64, 32), "strides": (128,), "element_strides": (1, 1)}, ["mode im2col needs a rank of 3 or more"]),
        ({**IM2COL, "lower": ()}, ["corners do not fit its rank"]),
        ({**IM2COL, "box": (64,)}, ["corners do not fit its rank"]),
        ({**IM2COL, "upper": (2**15,)}, ["corners are not -32768 to 32767"]),
        ({**IM2COL, "channels": 257}, ["channels or pixels are not 1 to 256 and 1 to 1024", "box has rows of 514 bytes, no multiple of 16", "box has rows of 514 bytes, wider than its swizzle of 128"]),
        ({**IM2COL, "pixels": 0}, ["channels or pixels are not 1 to 256 and 1 to 1024"]),
    ],
)  # fmt: skip
def test_a_tensor_map_is_one_that_the_driver_encodes(
    changes: dict[str, object], words: list[str]
) -> None:
    assert with_encode(**changes) == [
        f"call step 2 encodes a tensor map whose {one}" for one in words
    ]


def test_packed_types_and_atoms_are_there_on_newer_devices() -> None:
    newer = replace(CUBIN, sm=100)
    packed = replace(encode(A), data_type=14, swizzle=4, dims=(128, 4), strides=(64,), box=(128, 1))
    plan = swapped(MAP, replace(MAP, encode=packed))
    assert rules_broken(plan, newer) == []
    unaligned = replace(packed, address=(at(A, 16),))
    assert rules_broken(swapped(MAP, replace(MAP, encode=unaligned)), newer) == [
        "call step 2 encodes a tensor map whose address is not a multiple of 32"
    ]


def beyond(encoded: MapEncode, cubin: CubinFacts = CUBIN) -> list[tuple[str, ...]]:
    found = review(swapped(MAP, replace(MAP, encode=encoded)), cubin)
    assert found.remarks == ()
    assert all(one.severity is Severity.NOTE for one in found.signals)
    return [one.evidence for one in found.signals if one.kind == "map_beyond_buffer"]


def test_a_tensor_map_that_leaves_its_buffer_is_a_note() -> None:
    assert beyond(replace(encode(A), dims=(64, 32))) == []
    assert beyond(replace(encode(A), dims=(64, 33))) == [
        ("tensor map of argument A + 0: 4224 bytes of 4096",)
    ]
    assert beyond(encode(at(A, 16))) == [("tensor map of argument A + 16: 4096 bytes of 4096",)]
    narrow = replace(encode(at(A, 16)), dims=(56, 32))
    assert beyond(narrow) == []  # the last row ends before the stride does


def test_the_reach_of_packed_elements_is_counted_in_groups_of_sixteen() -> None:
    newer = replace(CUBIN, sm=100)
    packed = replace(encode(A), data_type=13, dims=(17, 2), strides=(4080,), box=(16, 1))
    assert beyond(packed, newer) == []
    assert beyond(replace(packed, dims=(33, 2)), newer) == [
        ("tensor map of argument A + 0: 4104 bytes of 4096",)
    ]


def test_limits_come_from_the_arguments() -> None:
    small = replace(LIMITS, threads_per_block=64, shared_bytes_optin=1024)
    found = validate_plan(PLAN, CUBIN, ARGUMENTS, small)
    assert [remark.message for remark in found.remarks] == [
        "set-up step 3 sets attribute 8 of 'mapped' to 65536",
        "call step 4 has 128 threads a block; 64 are allowed",
        "call step 5 has 1024 threads a block; 64 are allowed",
    ]


def test_a_remark_says_what_to_do_where_there_is_something() -> None:
    remarks = review(swapped(MAPPED, replace(MAPPED, shared=70000))).remarks
    assert remarks[0].rule == "T4"
    assert remarks[0].instead == "raise cudaFuncAttributeMaxDynamicSharedMemorySize first"
