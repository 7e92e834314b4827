"""The plan in words, as a person reads it on a kernel's page."""

from dataclasses import replace

import pytest
from planned import MAP, MAPPED, PLAN, STRUCT, TABLE, WS, A, encode, swapped
from recorded import number

from evaluation.core.plan.plan import (
    AllocStep,
    AttributeStep,
    ByteRange,
    LaunchStep,
    MapUse,
    MemsetStep,
    PayloadStep,
    PlanArgument,
    PlanFunction,
    Relocation,
    Stepping,
    Template,
)
from evaluation.core.plan.plan_words import describe_plan
from evaluation.core.record.recording import MapMode

WORDS = """\
Launch plan of 'gemm_small' version 1
for hopper, device 'h200', toolchain 'cuda-13.0.88'
cubin cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd

Arguments
  0 A: input, 4096 bytes
  1 B: input, 8192 bytes
  2 C: output, 4096 bytes
  symbol 'table': constant memory, 1024 bytes

Set-up, once
  1. allocate 4096 bytes as allocation 0
  2. allocate 8192 bytes as allocation 1
  3. set MaxDynamicSharedMemorySize of 'mapped' to 65536
  4. set 16 elements of 4 bytes in each of 4 rows to 0x1020304 at allocation 0 + 0
  5. copy 4 bytes in each of 2 rows from the plan to symbol 'table' + 0
  6. encode tensor map 0: allocation 1 + 0, tiled bfloat16, dims 64 x 32, strides 128 bytes, box 64 x 8, swizzle 128 B, no interleave

Every call
  1. allocate 1024 bytes as allocation 2
  2. encode tensor map 0: A + 0, tiled bfloat16, dims 64 x 32, strides 128 bytes, box 64 x 8, swizzle 128 B, no interleave
  3. copy 512 bytes in each of 2 rows from A + 0 to allocation 2 + 0
  4. launch 'mapped': grid 8 x 2 x 1, block 128 x 1 x 1, 65536 bytes shared
       cluster 2 x 1 x 1
       parameter 0: tensor map 0
       parameter 1: pointer to C + 0
  5. launch cooperatively 's': grid 1 x 1 x 1, block 1024 x 1 x 1, 0 bytes shared
       cluster policy 1
       programmatic serialization 1
       parameter 0: pointer to allocation 0 + 0, then allocation 1 + 64, in turn
       parameter 1: int32 5, then +1 a call
       parameter 2: 12 bytes 090000000000000003000000
       bytes 16 to 19 vary from run to run and are zero
  6. free allocation 2

The host code asked, and the plan holds where the device answers the same
  cudaDeviceGetAttribute(16, 0) = 132
Notes: 'launch_attribute_dropped'
"""


def lines_of(*steps: object) -> list[str]:
    """What the steps of a call read like."""
    text = describe_plan(replace(PLAN, setup=(), steady=steps, notes=()))  # type: ignore[arg-type]
    lines = text.split("\n")
    return lines[lines.index("Every call") + 1 : lines.index("", lines.index("Every call"))]


def test_the_sample_plan_reads_like_this() -> None:
    assert describe_plan(PLAN) == WORDS


def test_a_plan_without_set_up_questions_and_notes_says_so() -> None:
    text = describe_plan(replace(PLAN, setup=(), assumptions=(), notes=()))
    assert "\nSet-up, once: nothing\n" in text
    assert text.endswith("\nThe host code asked nothing about the device.\n")


def test_limits_that_a_plan_sets_stand_before_the_steps() -> None:
    text = describe_plan(replace(PLAN, stack_bytes=4096, heap_bytes=2**24))
    assert (
        "  limit of the stack of a thread: 4096 bytes\n  limit of the heap: 16777216 bytes\n\nSet-up"
        in text
    )


@pytest.mark.parametrize(
    ("size", "content", "words"),
    [
        (1, b"\xff", "int8 -1"),
        (2, b"\x00\x01", "int16 256"),
        (4, number(8192), "int32 8192"),
        (8, number(2**63, 8), "int64 -9223372036854775808"),
        (3, b"abc", "3 bytes 616263"),
        (40, bytes(range(40)), f"40 bytes {bytes(range(32)).hex()} and 8 more"),
    ],
)
def test_a_parameter_without_pointers_is_a_number_or_bytes(
    size: int, content: bytes, words: str
) -> None:
    launch = replace(
        STRUCT,
        cooperative=False,
        settings=(),
        parameters=Template(content),
        undetermined=(),
        stepping=(),
    )
    plan = replace(PLAN, functions=(PlanFunction("s", (ByteRange(0, size),)),), steady=(launch,))
    assert f"       parameter 0: {words}\n" in describe_plan(plan)


def test_a_struct_shows_what_it_holds_and_the_rest_as_bytes() -> None:
    launch = LaunchStep(
        function="big",
        grid=(1, 1, 1),
        block=(1, 1, 1),
        shared=0,
        cooperative=False,
        settings=(),
        parameters=Template(
            bytes(136) + number(7) + bytes(4) + number(1),
            (Relocation(128, (A,)),),
            (MapUse(0, 0),),
        ),
        stepping=(Stepping(136, 8, 2),),
    )
    plan = replace(
        PLAN, functions=(PlanFunction("big", (ByteRange(0, 148),)),), steady=(MAP, launch)
    )
    rest = bytes(32).hex()
    assert (
        "       parameter 0: at byte 128 pointer to A + 0; at byte 0 tensor map 0; "
        f"at byte 136 int64 7, then +2 a call; 148 bytes {rest} and 116 more\n"
    ) in describe_plan(plan)


def test_a_struct_of_holes_alone_shows_no_bytes() -> None:
    launch = replace(
        MAPPED, parameters=Template(bytes(136), (Relocation(128, (A,)),), (MapUse(0, 0),))
    )
    plan = replace(
        PLAN, functions=(PlanFunction("mapped", (ByteRange(0, 136),)),), steady=(MAP, launch)
    )
    assert "parameter 0: at byte 128 pointer to A + 0; at byte 0 tensor map 0\n" in (
        describe_plan(plan)
    )


def test_a_counter_of_an_odd_width_is_called_an_integer() -> None:
    launch = replace(STRUCT, stepping=(Stepping(8, 3, 1),))
    assert "at byte 0 integer 5, then +1 a call" in describe_plan(swapped(STRUCT, launch))


def test_a_counter_that_goes_down_is_signed_as_its_type_is() -> None:
    content = bytes(8) + number(2**32 - 5) + bytes(12)
    launch = replace(
        STRUCT,
        parameters=replace(STRUCT.parameters, content=content),
        stepping=(Stepping(8, 4, 2**32 - 3),),
    )
    assert "parameter 1: int32 -5, then -3 a call" in describe_plan(swapped(STRUCT, launch))


def test_a_launch_of_a_kernel_that_the_plan_does_not_state_has_no_parameters() -> None:
    assert lines_of(replace(MAPPED, function="gone", settings=())) == [
        "  1. launch 'gone': grid 8 x 2 x 1, block 128 x 1 x 1, 65536 bytes shared"
    ]


def test_payloads_list_their_pointers_and_maps_up_to_a_bound() -> None:
    few = Template(bytes(144), (Relocation(8, (A,)),), (MapUse(16, 1),))
    assert lines_of(PayloadStep((TABLE,), few, 144, 1, 0)) == [
        "  1. copy 144 bytes from the plan to symbol 'table' + 0",
        "       byte 8: pointer to A + 0",
        "       byte 16: tensor map 1",
    ]
    many = Template(
        bytes(8000),
        tuple(Relocation(8 * index, (A,)) for index in range(100)),
        tuple(MapUse(1024 + 64 * index, 0) for index in range(100)),
    )
    lines = lines_of(PayloadStep((TABLE,), many, 8000, 1, 0))
    assert len(lines) == 1 + 64 + 64 + 1
    assert lines[-1] == "       and 72 more pointers or maps"


def test_maps_read_by_the_names_of_the_driver() -> None:
    im2col = replace(
        encode(A),
        mode=MapMode.IM2COL,
        data_type=6,
        box=(),
        strides=(),
        dims=(64,),
        pixels=8,
        swizzle=6,
        interleave=2,
    )
    unknown = replace(im2col, data_type=99, swizzle=99, interleave=99, address=(WS, TABLE))
    lines = lines_of(replace(MAP, encode=im2col), replace(MAP, encode=unknown))
    assert lines[0] == (
        "  1. encode tensor map 0: A + 0, im2col float16, dims 64, one row, 8 pixels, "
        "swizzle 128 B by 64 B, interleave 32 B"
    )
    assert lines[1] == (
        "  2. encode tensor map 0: allocation 0 + 0, then symbol 'table' + 0, in turn, im2col number 99, "
        "dims 64, one row, 8 pixels, number 99, number 99"
    )


def test_names_of_the_candidate_are_escaped_and_bounded() -> None:
    evil = "\x1b[31m\u202e" + "k" * 5000
    lines = lines_of(AttributeStep(evil, 99, 1), AttributeStep("k", 14, 1))
    assert lines[0].startswith(r"  1. set attribute 99 of '\x1b[31m\u202ekkk")
    assert len(lines[0]) < 200
    assert lines[1] == "  2. set NonPortableClusterSizeAllowed of 'k' to 1"


def test_an_argument_that_is_no_plain_word_is_escaped() -> None:
    plan = replace(PLAN, arguments=(PlanArgument(0, "A\n1", is_output=False, size=1),))
    text = describe_plan(plan)
    assert "  0 'A\\n1': input, 1 bytes\n" in text
    assert "from 'A\\n1' + 0 to" in text
    assert "pointer to argument 2 + 0" in text


def test_texts_among_answers_are_quoted() -> None:
    asked = replace(
        PLAN.assumptions[0], call="cudaGetDeviceName", arguments=("x",), answer=("NVIDIA H200", 3)
    )
    assert "  cudaGetDeviceName('x') = 'NVIDIA H200', 3\n" in (
        describe_plan(replace(PLAN, assumptions=(asked,)))
    )


def test_a_description_has_a_bounded_number_of_lines() -> None:
    steps = tuple(AllocStep(index, 1) for index in range(5000))
    lines = describe_plan(replace(PLAN, setup=steps)).split("\n")
    assert len(lines) == 2002
    assert lines[2000].endswith(" more lines")


def test_a_single_row_is_not_called_rows() -> None:
    assert lines_of(MemsetStep((WS,), 255, 1, 64, 1, 0)) == [
        "  1. set 64 elements of 1 bytes to 0xff at allocation 0 + 0"
    ]
