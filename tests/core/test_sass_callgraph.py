import pytest
from sass_samples import code, disassembly, program

from evaluation.core.scan.callgraph import Closure, closure_of


def test_a_launched_function_is_in_its_own_closure() -> None:
    read = program(code("a", "FADD R1,R1,R1", "EXIT"), code("b", "EXIT"))
    assert closure_of(read, ("a",)) == Closure(("a",), leaves=False)


def test_calls_by_name_are_followed_to_the_end() -> None:
    read = program(
        code("a", "CALL.REL.NOINC b", "EXIT"),
        code("b", "CALL.REL.NOINC c", "RET.REL.NODEC R2,b"),
        code("c", "CALL.REL.NOINC a", "RET.REL.NODEC R2,c"),
        code("d", "EXIT"),
    )
    assert closure_of(read, ("a",)).functions == ("a", "b", "c")


def test_a_device_function_inside_the_kernels_section_leads_nowhere_else() -> None:
    # $calls$twice is a part of the section of calls.
    read = disassembly("hopper_reads")
    assert closure_of(read, ("calls",)) == Closure(("calls",), leaves=False)


TABLE = "LDC.64 R6,c[0x2][R2]"


@pytest.mark.parametrize(
    "lines",
    [
        (TABLE, "CALL.REL.NOINC R6,a"),
        (TABLE, "MOV R20,0x90", "@P0 CALL.REL.NOINC R6,a"),
        ("ULDC.64 UR6,c[0x2][UR4]", "CALL.REL.NOINC UR6,a"),
        ("LDCU.64 UR6,c[0x2][UR4]", "CALL.REL.NOINC UR6,a"),
        (TABLE, *["NOP"] * 255, "CALL.REL.NOINC R6,a"),
    ],
)
def test_a_function_pointer_from_the_compilers_table_stays_inside(lines: tuple[str, ...]) -> None:
    read = program(code("a", *lines, "EXIT"), code("b", "EXIT"))
    assert closure_of(read, ("a",)) == Closure(("a",), leaves=False)


@pytest.mark.parametrize(
    "lines",
    [
        ("LDC.64 R6,c[0x0][0x218]", "CALL.REL.NOINC R6,a"),  # a number that the host chose
        ("LDG.E.64 R6,desc[UR4][R2.64]", "CALL.REL.NOINC R6,a"),
        ("LDC.64 R6,c[0x4][R2]", "CALL.REL.NOINC R6,a"),
        ("LDC R6,c[0x2][R2]", "CALL.REL.NOINC R6,a"),
        (TABLE, "IADD3 R6,R6,0x10,RZ", "CALL.REL.NOINC R6,a"),
        (TABLE, "CALL.REL.NOINC R7,a"),
        ("CALL.REL.NOINC R6,a",),
        (TABLE, *["NOP"] * 256, "CALL.REL.NOINC R6,a"),
        (TABLE, "CALL.ABS.NOINC R6"),
        ("LDC.64 R2,c[0x0][0x218]", "CALL.ABS.NOINC R2"),
        ("CALL.ABS.NOINC somewhere",),
        ("CALL.NEW R6",),
        (TABLE, "CALL.NEW R6"),
        ("JMP R4",),
        ("JMXU UR4",),
    ],
)
def test_a_jump_to_an_address_of_no_table_leaves(lines: tuple[str, ...]) -> None:
    assert closure_of(program(code("a", *lines)), ("a",)) == Closure(("a",), leaves=True)


def test_printf_and_malloc_are_called_by_an_address_of_their_table() -> None:
    # LDC.64 R2,c[0x4][R0], then CALL.ABS.NOINC R2.
    assert closure_of(disassembly("hopper_reads"), ("prints",)) == Closure(
        ("prints",), leaves=False
    )
    assert closure_of(disassembly("blackwell_reads"), ("prints",)) == Closure(
        ("prints",), leaves=False
    )


def test_a_leaving_function_that_is_not_launched_does_not_matter() -> None:
    read = program(code("a", "EXIT"), code("b", "CALL.ABS.NOINC R2"))
    assert not closure_of(read, ("a",)).leaves


def test_a_function_named_like_a_register_makes_the_closure_larger_never_smaller() -> None:
    read = program(code("a", TABLE, "CALL.REL.NOINC R6,a"), code("R6", "EXIT"))
    assert closure_of(read, ("a",)).functions == ("a", "R6")


def test_operands_of_ordinary_instructions_name_no_function() -> None:
    read = program(code("a", "MOV R6,b", "EXIT"), code("b", "EXIT"))
    assert closure_of(read, ("a",)).functions == ("a",)


def test_a_name_that_the_code_lacks_is_left_out() -> None:
    assert closure_of(program(code("a", "EXIT")), ("a", "nobody")).functions == ("a",)
