"""Compiler output made fit to show (docs/rules.md, R11)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.core.compile.diagnostics import clean


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (b"kernel.cu(3): error: bad\n", "kernel.cu(3): error: bad\n"),
        (b"\x1b[01;31merror:\x1b[m bad", "error: bad"),
        (b"\x1b]0;new title\x07text", "text"),
        (b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        (b"\x1bPq payload\x1b\\text", "text"),
        (b"\x1bcreset", "reset"),
        (b"\x1b", ""),
        (b"safe\rreplaced", "safe\nreplaced"),
        (b"one\r\ntwo", "one\ntwo"),
        (b"bell\x07 back\x08 null\x00", "bell back null"),
        ("reversed \u202e txet".encode(), "reversed  txet"),
        ("line\u2028separator\x85next".encode(), "line\nseparator\nnext"),
        (b"tab\tstays", "tab\tstays"),
        (b"bad utf-8 \xff\xfe", "bad utf-8 \ufffd\ufffd"),
        ("größer ≥ 3".encode(), "größer ≥ 3"),
    ],
)
def test_only_plain_text_is_left(said: bytes, shown: str) -> None:
    assert clean(said) == shown


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (b"/w/kernel.cu:3:1: error", "kernel.cu:3:1: error"),
        (
            b"In file included from /toolchain/include/mma.h:1,",
            "In file included from include/mma.h:1,",
        ),
        (b"/slim/tvm/ffi/tvm_ffi.h(9)", "tvm/ffi/tvm_ffi.h(9)"),
        (b"/capi/dlpack/dlpack.h", "dlpack/dlpack.h"),
        (b"ptxas /tmp/kernel.ptx, line 3", "ptxas kernel.ptx, line 3"),
        (b"/home/w/x and a/w/b stay", "/home/w/x and a/w/b stay"),
    ],
)
def test_paths_of_the_jail_are_taken_away(said: bytes, shown: str) -> None:
    assert clean(said) == shown


def test_long_output_keeps_its_head_and_its_tail() -> None:
    shown = clean(b"first\n" + b"x" * 10_000 + b"\nlast", limit_bytes=1128)

    assert shown == "first\n" + "x" * 494 + "\n[ 9011 bytes left out ]\n" + "x" * 495 + "\nlast"
    assert len(shown.encode()) <= 1128


def test_output_that_was_dropped_while_draining_is_counted() -> None:
    shown = clean(b"head", dropped=1_000_004, tail=b"tail")

    assert shown == "head\n[ 1000000 bytes left out ]\ntail"


def test_a_character_that_the_cut_would_split_is_left_out() -> None:
    shown = clean("ä".encode() * 1000, limit_bytes=128 + 6)

    assert shown == "ä\n[ 1996 bytes left out ]\nä"


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=3000), st.binary(max_size=500), st.integers(0, 10**12))
def test_whatever_a_tool_says_is_bounded_and_printable(
    head: bytes, tail: bytes, dropped: int
) -> None:
    shown = clean(head, dropped=dropped + len(tail), tail=tail, limit_bytes=1000)

    assert len(shown.encode()) <= 1000
    assert not any(ord(one) < 32 and one not in "\n\t" for one in shown)
    assert "\x1b" not in shown
