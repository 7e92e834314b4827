"""The frames between judge and launcher: what is written is read, and nothing else is (rule T2)."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.launching.frames import (
    ANSWER_BYTES,
    REQUEST_BYTES,
    VALUES,
    Answer,
    Ask,
    BadFrame,
    Request,
    Say,
    read_answer,
    read_calls,
    read_names,
    read_request,
    write_answer,
    write_calls,
    write_names,
    write_request,
)


def test_a_request_has_64_bytes_and_says_what_it_was_given() -> None:
    content = write_request(Request(Ask.CALL, 7, (300, 2, 1, 0, 1)))
    assert content == (
        b"PXQ\1"
        + bytes((6, 0, 0, 0))
        + bytes((7, 0, 0, 0, 0, 0, 0, 0))
        + bytes((44, 1, 0, 0, 0, 0, 0, 0))
        + bytes((2, 0, 0, 0, 0, 0, 0, 0))
        + bytes((1, 0, 0, 0, 0, 0, 0, 0))
        + bytes(8)
        + bytes((1, 0, 0, 0, 0, 0, 0, 0))
        + bytes(8)
    )
    assert len(content) == REQUEST_BYTES == 64
    assert read_request(content) == Request(Ask.CALL, 7, (300, 2, 1, 0, 1))


def test_an_answer_has_528_bytes_whatever_it_says() -> None:
    for answer in (Answer(Say.READY, 0, (1,)), Answer(Say.COUNTERS, 9, (5,) * VALUES)):
        content = write_answer(answer)
        assert len(content) == ANSWER_BYTES == 528
        read = read_answer(content)
        assert (read.say, read.sequence) == (answer.say, answer.sequence)
        assert read.numbers == (answer.numbers + (0,) * VALUES)[:VALUES]


GOOD = write_answer(Answer(Say.CALLED, 3, (12345,)))


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "has 0 bytes"),
        (GOOD[:-1], "has 527 bytes"),
        (GOOD + b"\0", "has 529 bytes"),
        (b"PXA\2" + GOOD[4:], "does not begin"),
        (b"PXQ\1" + GOOD[4:], "does not begin"),
        (GOOD[:6] + b"\1" + GOOD[7:], "does not begin"),
        (GOOD[:4] + b"\0" + GOOD[5:], "is of kind 0"),
        (GOOD[:4] + b"\x09" + GOOD[5:], "is of kind 9"),
    ],
)
def test_other_bytes_are_no_answer(content: bytes, what: str) -> None:
    with pytest.raises(BadFrame, match=what):
        read_answer(content)


@given(st.binary(max_size=1200))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    try:
        read_answer(content)
    except BadFrame as bad:
        assert bad.what


@given(st.binary(min_size=ANSWER_BYTES - 4, max_size=ANSWER_BYTES - 4))
def test_any_frame_is_read_or_refused(rest: bytes) -> None:
    try:
        answer = read_answer(b"PXA\1" + rest)
    except BadFrame as bad:
        assert bad.what
    else:
        assert len(answer.numbers) == VALUES


ASKED = write_request(Request(Ask.SET_UP, 1))


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (ASKED[:-1], "has 63 bytes"),
        (GOOD, "has 528 bytes"),
        (b"PXQ\1" + struct.pack("<H", 12) + ASKED[6:], "asks for 12"),
        (ASKED[:16] + b"\1" + ASKED[17:], "has numbers that nobody reads"),
    ],
)
def test_other_bytes_are_no_request(content: bytes, what: str) -> None:
    with pytest.raises(BadFrame, match=what):
        read_request(content)


def test_a_row_of_calls_is_packed_call_by_call() -> None:
    content = write_calls((4, 5, 258), (1, 0, 2))
    assert content == bytes(
        (4, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0, 2, 0, 0, 0)
    )
    assert read_calls(content) == ((4, 1), (5, 0), (258, 2))


def test_a_row_needs_a_set_for_each_call() -> None:
    with pytest.raises(ValueError, match="shorter"):
        write_calls((1, 2), (0,))


@pytest.mark.parametrize("content", [b"", bytes(7), bytes(9)])
def test_half_a_call_is_no_row(content: bytes) -> None:
    with pytest.raises(BadFrame, match=f"lists calls in {len(content)} bytes"):
        read_calls(content)


def test_names_of_metrics_are_lines() -> None:
    names = ("gpu__time_duration.sum", "sm__inst_executed.sum")
    content = write_names(names)
    assert content == b"gpu__time_duration.sum\nsm__inst_executed.sum\n"
    assert read_names(content) == names
    assert read_names(write_names(())) == ()


@pytest.mark.parametrize("names", [("a\nb",), ("",), ("m",) * 65])
def test_names_that_do_not_fit_are_refused(names: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="64 plain ones do"):
        write_names(names)
