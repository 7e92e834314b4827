from sass_samples import code, disassembly, program

from evaluation.core.callgraph import Closure, closure_of


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


def test_a_relative_call_through_a_register_stays_inside() -> None:
    read = program(code("a", "CALL.REL.NOINC R6,a", "EXIT"), code("b", "EXIT"))
    assert closure_of(read, ("a",)) == Closure(("a",), leaves=False)


def test_printf_is_called_by_absolute_address() -> None:
    assert closure_of(disassembly("hopper_reads"), ("prints",)) == Closure(("prints",), leaves=True)


def test_an_absolute_jump_leaves_too() -> None:
    assert closure_of(program(code("a", "JMP R4")), ("a",)).leaves


def test_a_leaving_function_that_is_not_launched_does_not_matter() -> None:
    read = program(code("a", "EXIT"), code("b", "CALL.ABS.NOINC R2"))
    assert not closure_of(read, ("a",)).leaves


def test_a_function_named_like_a_register_makes_the_closure_larger_never_smaller() -> None:
    read = program(code("a", "CALL.REL.NOINC R6,a"), code("R6", "EXIT"))
    assert closure_of(read, ("a",)).functions == ("a", "R6")


def test_operands_of_ordinary_instructions_name_no_function() -> None:
    read = program(code("a", "MOV R6,b", "EXIT"), code("b", "EXIT"))
    assert closure_of(read, ("a",)).functions == ("a",)


def test_a_name_that_the_code_lacks_is_left_out() -> None:
    assert closure_of(program(code("a", "EXIT")), ("a", "nobody")).functions == ("a",)
