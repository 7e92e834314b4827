"""What is raised, of which kind and with which text, is the same with both header sets."""

import os
import subprocess
import sys

import pytest
from ffi_calls import OK, Outcome, raised
from header_sets import HERE, SOURCES, Loader

pytest_plugins = ("header_fixtures",)
pytestmark = pytest.mark.toolchain

MESSAGES = {
    "nothing": "",
    "text": "a and b",
    "text_with_nul": "a\0bc",
    "text_after_null": "before",
    "letters": "abc",
    "letter_texts": "abcd",
    "ints": "-7 7 -2147483648 4294967295",
    "longs": "-9223372036854775808 18446744073709551615 -9223372036854775808 18446744073709551615",
    "shorts": "-3 65535",
    "truths": "10",
    "floats": "1 0.1 1e-07 1.23457e+08 1e+300",
    "odd_floats": "inf -inf",
    "pointers": "0x1234 0 0x10",
    "enums": "7 a 2",
    "converted": "12",
    "dtype_fields": "4 1",
    "dtype_code_is_a_letter": "[\x04]",
}


@pytest.mark.parametrize("name", MESSAGES)
def test_a_message_reads_as_a_stream_would_write_it(load: Loader, name: str) -> None:
    assert load("messages").call(name) == raised("ValueError", MESSAGES[name])


def test_only_the_slim_headers_cut_a_message(load: Loader) -> None:
    found = load("messages").call("long_text")
    whole = "x" * 3000 + "y" * 3000
    assert found == raised("ValueError", whole[:4000] if load.headers == "slim" else whole)


def compared(name: str, x: int, y: int, *, kind: str) -> Outcome:
    return raised(kind, f"Check failed: x {name} y ({x} vs. {y}) : told")


COMPARISONS = (("lt", "<"), ("gt", ">"), ("le", "<="), ("ge", ">="), ("eq", "=="), ("ne", "!="))
HOLDS = {
    (1, 2): ("lt", "le", "ne"),
    (2, 2): ("le", "ge", "eq"),
    (3, 2): ("gt", "ge", "ne"),
}


@pytest.mark.parametrize("form", ["check", "icheck", "dcheck"])
@pytest.mark.parametrize(("name", "sign"), COMPARISONS)
def test_a_comparison_tells_its_operands_where_it_fails(
    load: Loader, form: str, name: str, sign: str
) -> None:
    kind = "ValueError" if form == "check" else "InternalError"
    for (x, y), held in HOLDS.items():
        wanted = OK if name in held else compared(sign, x, y, kind=kind)
        assert load("checks").call(f"{form}_{name}", x, y) == wanted


CHECKS: tuple[tuple[str, int, Outcome], ...] = (
    ("check", 3, OK),
    ("check", 5, raised("RuntimeError", "Check failed: (x > 0 && x < LIMIT) is false: x is 5")),
    ("check_with_comma", 1, OK),
    ("check_with_comma", 0, raised("TypeError", "Check failed: ((std::is_same_v<int64_t, int>) || x > 0) is false: ")),
    ("icheck", 1, OK),
    ("icheck", 0, raised("InternalError", "Check failed: (x) is false: ")),
    ("dcheck", 5, OK),
    ("dcheck", 4, raised("InternalError", "Check failed: (x > 4) is false: ")),
    ("macro_in_comparison", 4, OK),
    ("macro_in_comparison", 1, raised("InternalError", "Check failed: x == 4 (1 vs. 4) : !")),
    ("mixed_types", 2, OK),
    ("mixed_types", -1, OK),  # -1 is compared as unsigned, as the macro's types say
    ("mixed_types", 1, raised("InternalError", "Check failed: static_cast<int>(x) >= 2u (1 vs. 2) : ")),
    ("enum_and_number", 2, OK),
    ("enum_and_number", 1, raised("InternalError", "Check failed: static_cast<DLDeviceType>(x) == kDLCUDA (1 vs. 2) : ")),
    ("letters_compared", 97, raised("InternalError", "Check failed: static_cast<uint8_t>(x) == static_cast<uint8_t>('b') (a vs. b) : ")),
    ("operands_are_evaluated_once", 7, raised("ValueError", "Check failed: counter == x + 2 (8 vs. 9) : evaluated once")),
    # an else after a check without braces is the else of the if inside the macro
    ("else_belongs_to_the_check", 0, raised("InternalError", "Check failed: (x > 0) is false: small")),
    ("else_belongs_to_the_check", 5, raised("ValueError", "not the check's")),
    ("else_belongs_to_the_check", 10, OK),
    ("notnull", 9, raised("ValueError", "not null: 9")),
    ("notnull", 0, raised("InternalError", "Check not null: x != 0 ? &x : nullptr ")),
    ("notnull_of_kind", 1, OK),
    ("notnull_of_kind", 0, raised("IndexError", "Check not null: pointer ")),
    ("caught_and_told", 0, raised("ValueError", "outer of inner")),
    ("caught_as_standard", 0, raised("ValueError", "outer of inner")),
    ("thrown_again", 0, raised("IndexError", "first")),
    ("standard", 0, raised("InternalError", "standard")),
    ("out_of_range", 0, raised("InternalError", "range")),
    ("own", 0, raised("InternalError", "own")),
    ("any_kind", 0, raised("OutOfMemoryError", "told")),
    ("safe_call", 0, raised("InternalError", "Check failed: (it != type_key2index_.end()) is false: Cannot find type `no.such.type`")),
    ("safe_call", 1, raised("ValueError", "Check failed: index == 0 (70 vs. 0) : ")),
)  # fmt: skip


@pytest.mark.parametrize(("name", "x", "wanted"), CHECKS)
def test_a_check_raises_kind_and_text(load: Loader, name: str, x: int, wanted: Outcome) -> None:
    assert load("checks").call(name, x) == wanted


def test_debug_checks_are_gone_in_a_release(load: Loader) -> None:
    library = load("release_checks")
    assert library.call("gone", 0) == OK  # nothing was added to x
    wanted = raised("ValueError", "Check failed: *pointer == 0 (5 vs. 0) : kept")
    assert library.call("gone", 5) == wanted


def test_an_exception_that_is_no_std_exception_ends_the_process(load: Loader) -> None:
    built = load.builder.library(load.headers, SOURCES / "checks.cpp")
    program = (
        "import sys; from pathlib import Path; from ffi_calls import Library, Runtime; "
        "print(Library.load(Runtime(Path(sys.argv[1])), Path(sys.argv[2])).call('something_else', 0))"
    )
    ffi = load.builder.libraries / "libtvm_ffi.so"
    done = subprocess.run(
        (sys.executable, "-c", program, str(ffi), str(built)),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=HERE,
        env={**os.environ, "PYTHONPATH": str(HERE)},
    )
    assert (done.returncode, done.stdout) == (-6, "")  # SIGABRT
    assert "instance of 'int'" in done.stderr
