"""printf and assert in PTX: exactly the compiler's own declarations get a body, whatever else an author writes around."""

import pytest

from evaluation.core.compile.device_calls import (
    LIMIT_BYTES,
    STUB_TEXT,
    Irreplaceable,
    Replaced,
    replace_device_calls,
)

PRINTF = b"""\
.extern .func  (.param .b32 func_retval0) vprintf
(
\t.param .b64 vprintf_param_0,
\t.param .b64 vprintf_param_1
)
;
"""
ASSERT = b"""\
.extern .func __assertfail
(
\t.param .b64 __assertfail_param_0,
\t.param .b64 __assertfail_param_1,
\t.param .b32 __assertfail_param_2,
\t.param .b64 __assertfail_param_3,
\t.param .b64 __assertfail_param_4
)
;
"""
PRINTF_STUB = (
    b".func (.param .b32 printed) vprintf(.param .b64 format, .param .b64 values)"
    b" { st.param.b32 [printed], 0; ret; }\n"
)
ASSERT_STUB = (
    b".func __assertfail(.param .b64 message, .param .b64 file, .param .b32 line, .param .b64 function,"
    b" .param .b64 size) { trap; exit; }\n"
)
HEAD = b".version 9.0\n.target sm_90a\n.address_size 64\n"
KERNEL = b".visible .entry k() { call.uni (r), vprintf, (a, b); call.uni __assertfail, (a, b, c, d, e); ret; }\n"
MALLOC = b".extern .func (.param .b64 r) malloc (.param .b64 n);\n"


def replaced(ptx: bytes) -> Replaced:
    answer = replace_device_calls(ptx)
    assert isinstance(answer, Replaced), answer
    return answer


def refused(ptx: bytes) -> str:
    answer = replace_device_calls(ptx)
    assert isinstance(answer, Irreplaceable), answer
    return answer.why


def test_printf_does_nothing_and_assert_traps_and_all_else_stays_byte_by_byte() -> None:
    answer = replaced(HEAD + PRINTF + MALLOC + ASSERT + KERNEL)

    assert answer.ptx == HEAD + PRINTF_STUB + MALLOC + ASSERT_STUB + KERNEL
    assert answer.names == ("vprintf", "__assertfail")


def test_either_of_the_two_may_come_alone_and_in_any_order() -> None:
    assert replaced(PRINTF + KERNEL).names == ("vprintf",)
    assert replaced(KERNEL + ASSERT).ptx == KERNEL + ASSERT_STUB
    assert replaced(ASSERT + PRINTF).ptx == ASSERT_STUB + PRINTF_STUB


@pytest.mark.parametrize(
    "ptx",
    [
        HEAD + MALLOC,
        b"// a call of vprintf\n" + MALLOC,
        b".extern .func vprintf_of_mine (.param .b64 n);\n",
        b".extern .func my.vprintf;\n",
        b'.pragma ".extern .func vprintf;";\n',
        b"/* .extern .func vprintf; **/\n// .extern .func vprintf;\n",
        b"/* vprintf .extern .func vprintf;",
        b".func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b) { ret; }\n" + KERNEL,
        b".visible .func vprintf ();\n",
        b".func (.param .b32 vprintf) f ();",
        b".func (.param .b32 vprintf",
        b".function vprintf;",
    ],
)
def test_what_is_not_the_drivers_function_is_left_alone(ptx: bytes) -> None:
    assert replace_device_calls(ptx) is None


@pytest.mark.parametrize(
    "spelled",
    [
        PRINTF.rstrip().replace(b"\n", b" ").replace(b"\t", b"") + b"\n",
        PRINTF.replace(b"  ", b" /* .func { */ // vprintf\n"),
        PRINTF.replace(b".extern .func", b".extern/**/.func"),
        PRINTF.replace(b"vprintf_param_0", b"$a_1"),
        b'.pragma "{"; ' + PRINTF,
        b"// { \n/* { */" + PRINTF,
    ],
)
def test_comments_spaces_strings_and_names_of_parameters_do_not_hide_a_declaration(
    spelled: bytes,
) -> None:
    answer = replaced(spelled + KERNEL)

    assert answer.names == ("vprintf",)
    assert answer.ptx.endswith(PRINTF_STUB + KERNEL)


@pytest.mark.parametrize(
    "ptx",
    [
        PRINTF.replace(b".b32", b".b64"),
        PRINTF.replace(b".param .b64 vprintf_param_0,", b""),
        PRINTF.replace(b"vprintf_param_0", b"5"),
        PRINTF.replace(b";", b".noreturn;"),
        PRINTF.replace(b";", b"{ ret; }"),
        b".extern .func vprintf;",
        b".extern .func vprintf",
        b"{" + PRINTF + b"}",
        ASSERT.replace(b".b32", b".b64"),
        b".extern .func __assertfail (" + b".param .b64 x," * 100 + b".param .b64 y);",
    ],
)
def test_another_declaration_than_the_compilers_is_refused_by_name(ptx: bytes) -> None:
    name = "__assertfail" if b"__assertfail" in ptx else "vprintf"

    assert refused(ptx) == f"PTX declares {name} otherwise than the compiler does"


@pytest.mark.parametrize(
    "second",
    [
        PRINTF,
        b".func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b) { ret; }\n",
        b".visible .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n",
        b".visible .entry f() { .extern .func vprintf; }",
        b".extern .func .extern .func vprintf;",
    ],
)
def test_a_second_declaration_beside_the_compilers_is_refused(second: bytes) -> None:
    assert refused(PRINTF + second) == "PTX declares vprintf 2 times"
    assert refused(second + PRINTF) == "PTX declares vprintf 2 times"


@pytest.mark.parametrize("text", [b'"a\\"b"', b'"no end\n', b'"'])
def test_a_string_that_can_be_read_in_two_ways_is_refused_beside_printf(text: bytes) -> None:
    assert refused(text + PRINTF) == (
        "a string in PTX has a backslash or no end, which cannot be read beside printf or assert"
    )


def test_a_huge_file_is_refused_before_it_is_read() -> None:
    padding = b" " * (LIMIT_BYTES - len(PRINTF))

    assert replaced(PRINTF + padding).names == ("vprintf",)
    assert refused(PRINTF + padding + b" ") == (
        "16777217 bytes of PTX call printf or assert; at most 16777216 are rewritten"
    )


def test_the_key_of_a_kept_build_knows_both_bodies() -> None:
    assert STUB_TEXT + b"\n" == PRINTF_STUB + ASSERT_STUB
