"""Pointers by how far they moved, tensor maps by token, and sentences for all the rest."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded import NONCES, Process, base_of, word

from evaluation.core.errors import InvalidInput
from evaluation.core.plan.plan import Space
from evaluation.core.record.map_tokens import HeldMap, find_tokens, token
from evaluation.core.record.regions import Owner, Region, Regions, Spot, explain, pair_regions
from evaluation.core.record.relocation import (
    LIMIT_POINTERS,
    Ground,
    Pointer,
    Relocated,
    Unexplained,
    masked,
    relocate,
)

A = Region(Owner(Space.ARGUMENT, 0, "", 0), 0x1122_3344_5100, 0x4F10_2030_4300, 4096)
B = Region(Owner(Space.ARGUMENT, 1, "", 0), 0x2010_1010_1100, 0x3E21_3243_5500, 8192)
WS = Region(Owner(Space.ALLOCATION, 3, ""), 0x3055_5555_5500, 0x2E99_8877_6600, 64)
TABLE = Region(Owner(Space.SYMBOL, 0, "table"), 0x4001_0101_0100, 0x1FFE_FDFC_FB00, 256)
NAMES = {0: "A", 1: "B"}
REGIONS = Regions((A, B, WS, TABLE), tuple(one.first for one in (A, B, WS, TABLE)), (), NAMES)
NONCE_1, NONCE_2 = (bytes.fromhex(nonce) for nonce in NONCES)
GROUND = Ground(REGIONS, NONCE_1, NONCE_2, known_maps=4)


def pair(region: Region, offset: int) -> tuple[bytes, bytes]:
    return word(region.first + offset), word(region.second + offset)


def why(first: bytes, second: bytes, ground: Ground = GROUND) -> str:
    found = relocate(first, second, ground)
    assert isinstance(found, Unexplained), found
    return found.why


def test_a_word_that_moved_as_a_buffer_did_is_a_pointer_into_it() -> None:
    first, second = pair(B, 640)
    assert relocate(b"\x07" + first, b"\x07" + second, GROUND) == Relocated(
        b"\x07" + bytes(8), (Pointer(1, Spot(B.owner, 640)),), ()
    )


@pytest.mark.parametrize("at", range(9))
def test_a_pointer_is_found_at_every_byte_offset(at: int) -> None:
    first, second = pair(A, 16)
    padding = bytes(range(1, 33))
    found = relocate(padding[:at] + first + padding, padding[:at] + second + padding, GROUND)
    assert found == Relocated(
        padding[:at] + bytes(8) + padding, (Pointer(at, Spot(A.owner, 16)),), ()
    )


def test_packed_pointers_side_by_side_are_told_apart() -> None:
    pairs = [pair(A, 0), pair(B, 8192), pair(WS, 63), pair(TABLE, 1)]
    first, second = (b"".join(one[i] for one in pairs) for i in (0, 1))
    found = relocate(b"\xff" * 3 + first, b"\xff" * 3 + second, GROUND)
    assert isinstance(found, Relocated)
    assert found.pointers == (
        Pointer(3, Spot(A.owner, 0)),
        Pointer(11, Spot(B.owner, 8192)),
        Pointer(19, Spot(WS.owner, 63)),
        Pointer(27, Spot(TABLE.owner, 1)),
    )
    assert found.content == b"\xff" * 3 + bytes(32)


def test_equal_bytes_are_constants_whatever_they_are() -> None:
    content = bytes(range(256))
    assert relocate(content, content, GROUND) == Relocated(content, (), ())


def test_one_past_the_end_is_a_pointer_and_one_more_is_none() -> None:
    found = relocate(*pair(A, 4096), GROUND)
    assert isinstance(found, Relocated)
    assert found.pointers[0].spot.offset == 4096
    assert why(*pair(A, 4097)) == "a pointer outside argument A, to byte 4097 of its 4096"
    assert why(*pair(A, -1)) == "a pointer outside argument A, to byte -1 of its 4096"


def test_the_end_of_one_range_and_the_start_of_the_next_are_told_apart_by_how_they_moved() -> None:
    low = Region(Owner(Space.ALLOCATION, 0, ""), 0x1000_0000_0100, 0x2001_0203_0300, 256)
    high = Region(Owner(Space.ALLOCATION, 1, ""), 0x1000_0000_0200, 0x3003_0405_0600, 256)
    regions = Regions((low, high), (low.first, high.first), (), {})
    assert regions.find(0x1000_0000_0200, 0x2001_0203_0400) == Spot(low.owner, 256)
    assert regions.find(0x1000_0000_0200, 0x3003_0405_0600) == Spot(high.owner, 0)
    assert regions.find(0x1000_0000_0200, 0x3003_0405_0601) is None


def test_the_distance_between_two_buffers_is_refused() -> None:
    first, second = ((B.first - A.first) % 2**64, (B.second - A.second) % 2**64)
    assert why(word(first), word(second)) == "the distance between argument B and argument A"


def test_the_sum_of_two_pointers_is_refused() -> None:
    first, second = A.first + WS.first, A.second + WS.second
    assert why(word(first), word(second)) == "the sum of pointers to argument A and allocation 3"


@pytest.mark.parametrize("shift", [0, 32])
def test_half_a_pointer_is_refused(shift: int) -> None:
    first = (A.first + 16 >> shift & 0xFFFFFFFF).to_bytes(4, "little")
    second = (A.second + 16 >> shift & 0xFFFFFFFF).to_bytes(4, "little")
    assert why(first, second) == "half a pointer to argument A"
    assert why(b"abcd" + first + b"efgh", b"abcd" + second + b"efgh") == (
        "half a pointer to argument A"
    )


def test_pointers_put_in_order_are_refused() -> None:
    assert why(word(A.first), word(B.second)) == (
        "a pointer to argument A in one process and to argument B in another, "
        "as if pointers were put in order"
    )


def test_a_pointer_that_wanders_inside_its_buffer_is_refused() -> None:
    assert why(word(A.first + 512), word(A.second + 768)) == (
        "a pointer to argument A at another offset in each process"
    )


def test_a_page_number_is_refused() -> None:
    assert why(word(TABLE.first >> 5), word(TABLE.second >> 5)) == (
        "a value computed from a pointer to symbol 'table'"
    )


def test_what_no_buffer_explains_is_called_what_differs_from_run_to_run() -> None:
    assert why(word(0x1234_5678_9ABC_DEF0), word(0x0FED_CBA9_8765_4321)) == (
        "a value that differs from run to run, as time, random or uninitialised memory does"
    )
    assert why(b"\x01", b"\x02") == why(b"\x01\x00\x00", b"\x02\x00\x00")


def test_the_place_of_the_first_byte_that_differs_is_given() -> None:
    found = relocate(bytes(40) + b"\x01", bytes(40) + b"\x02", GROUND)
    assert isinstance(found, Unexplained)
    assert found.at == 40


def test_bytes_of_two_lengths_are_refused() -> None:
    assert why(b"1234", b"12345") == "a different number of bytes from run to run"


def test_masked_bytes_do_not_count() -> None:
    first, second = pair(A, 16)
    keep = b"\xff" * 8 + bytes(8)
    found = relocate(first + b"\x01" * 8, second + b"\x02" * 8, GROUND, keep=keep)
    assert found == Relocated(bytes(16), (Pointer(0, Spot(A.owner, 16)),), ())
    assert masked(b"\x12\x34\x56", b"\xff\x00\xff") == b"\x12\x00\x56"


def test_the_number_of_pointers_is_bounded() -> None:
    first, second = (one * (LIMIT_POINTERS + 1) for one in pair(A, 0))
    assert why(first, second) == "more than 65536 pointers"


def test_a_token_is_made_as_the_recording_format_says() -> None:
    # Written down from a C program that follows docs/recording.md.
    assert token(NONCE_1, 5).hex() == (
        "00112233445566778899aabbccddeeff05000000000000004d62a2285fcdd3ed438f2170e083a83b"
        "d4bd187b365e8b1f4611e26794b1f708b0726a18022f97b77a3eb19767fd23765436ab355f488d33"
        "6f1473e9b399affdcd6af50e995d3692992b33dc78fb152661bd0ce5d4abe0d2c257ef439077b145"
        "baf2a41a823dd5a9"
    )


def test_whole_tokens_are_found_and_cleared() -> None:
    first = token(NONCE_1, 0) + b"x" * 64 + token(NONCE_1, 3)
    second = token(NONCE_2, 0) + b"x" * 64 + token(NONCE_2, 3)
    assert relocate(first, second, GROUND) == Relocated(
        bytes(128) + b"x" * 64 + bytes(128), (), (HeldMap(0, 0), HeldMap(192, 3))
    )


@pytest.mark.parametrize(
    ("first", "second", "sentence"),
    [
        (
            b"\x00" * 32 + token(NONCE_1, 0),
            b"\x00" * 32 + token(NONCE_2, 0),
            "a tensor map that is not aligned to 64 bytes",
        ),
        (token(NONCE_1, 4), token(NONCE_2, 4), "a tensor map that was never encoded"),
        (token(NONCE_1, 0)[:127], token(NONCE_2, 0)[:127], "part of a tensor map"),
        (token(NONCE_1, 0)[:16], token(NONCE_2, 0)[:16], "part of a tensor map"),
        (token(NONCE_1, 0)[64:], token(NONCE_2, 0)[64:], "part of a tensor map"),
        (token(NONCE_1, 1)[:15], token(NONCE_2, 1)[:15], "part of a tensor map"),
        (
            token(NONCE_1, 0)[:127] + b"!",
            token(NONCE_2, 0)[:127] + b"!",
            "a tensor map with changed bytes",
        ),
        (
            b"!" + token(NONCE_1, 0)[1:],
            b"!" + token(NONCE_2, 0)[1:],
            "part of a tensor map",
        ),
        (
            token(NONCE_1, 0),
            token(NONCE_2, 1),
            "one tensor map in one process and another in another",
        ),
        (token(NONCE_1, 0), bytes(128), "one tensor map in one process and another in another"),
        (bytes(128), token(NONCE_2, 0)[:127] + b"!", "a tensor map with changed bytes"),
    ],
)
def test_a_token_that_is_not_whole_and_in_its_place_is_refused(
    first: bytes, second: bytes, sentence: str
) -> None:
    assert why(first, second) == sentence


def test_every_changed_byte_of_a_token_is_noticed() -> None:
    whole = token(NONCE_1, 0)
    for at in range(16, 128):
        changed = whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
        assert not isinstance(find_tokens(changed, NONCE_1, known=1), tuple)


@pytest.mark.parametrize("overlap", [1, 2])
def test_a_pointer_that_runs_into_a_token_is_refused(overlap: int) -> None:
    first, second = pair(A, 16)  # its two highest bytes are zero, as a cleared token is
    room = bytes(64 - 8 + overlap)
    found = relocate(
        room + first[: 8 - overlap] + token(NONCE_1, 0),
        room + second[: 8 - overlap] + token(NONCE_2, 0),
        GROUND,
    )
    assert isinstance(found, Unexplained)


def test_a_pointer_just_before_and_just_behind_a_token_is_found() -> None:
    one, other = pair(A, 16), pair(B, 8)
    first = bytes(56) + one[0] + token(NONCE_1, 0) + other[0]
    second = bytes(56) + one[1] + token(NONCE_2, 0) + other[1]
    found = relocate(first, second, GROUND)
    assert isinstance(found, Relocated)
    assert [pointer.at for pointer in found.pointers] == [56, 192]


def test_ranges_are_matched_by_what_they_are_and_by_size() -> None:
    logs = (Process(0), Process(1))
    for log in logs:
        log.begin(1)
        log.alloc(64)
        log.alloc(100 + log.process)  # another size in each process: no common range
        log.alloc(32, kind="host")
    logs[0].alloc(16)  # only here
    regions = pair_regions(logs[0].recording, logs[1].recording, NAMES)
    assert [regions.describe(one.owner) for one in regions.ordered] == [
        *("argument A", "argument A", "argument B", "argument B", "argument 2", "argument 2"),
        *("symbol 'table'", "symbol 'scratch'", "allocation 0"),
    ]
    assert [one.owner.number for one in regions.host] == [2]


@pytest.mark.parametrize("overlaps_in", [0, 1])
def test_ranges_that_overlap_are_refused(overlaps_in: int) -> None:
    logs = (Process(0), Process(1))
    for log in logs:
        log.begin(1)
        log.alloc(4096)
        if log.process == overlaps_in:
            log.ranges -= 1
            log.bases["near"] = base_of(log.process, log.ranges) + 256
        base = log.bases.get("near", base_of(log.process, 20))
        log.write("alloc", id=1, base=base, size=64, kind="device", stream=1)
    with pytest.raises(InvalidInput, match="overlap"):
        pair_regions(logs[0].recording, logs[1].recording, NAMES)


def test_a_symbol_given_twice_is_refused() -> None:
    log = Process(0)
    log.begin(1)
    log.write("module", functions=[], symbols=[{"name": "table", "base": 512, "size": 8}])
    with pytest.raises(InvalidInput, match="twice"):
        pair_regions(log.recording, log.recording, NAMES)


def test_names_of_symbols_are_escaped_in_sentences() -> None:
    assert REGIONS.describe(Owner(Space.SYMBOL, 0, "a\u202eb'c")) == r"symbol 'a\u202eb\'c'"
    assert len(REGIONS.describe(Owner(Space.SYMBOL, 0, "n" * 5000))) < 140


def test_an_explanation_looks_at_a_bounded_number_of_ranges() -> None:
    many = tuple(
        Region(Owner(Space.ALLOCATION, index, ""), (index + 1) << 20, (index + 3) << 21, 64)
        for index in range(3000)
    )
    regions = Regions(many, tuple(one.first for one in many), (), {})
    assert "differs from run to run" in explain(regions, [(2**63, 5)])


@settings(max_examples=200)
@given(
    st.lists(
        st.one_of(
            st.binary(min_size=1, max_size=20),
            st.tuples(st.sampled_from((A, B, WS, TABLE)), st.integers(0, 64)),
        ),
        max_size=12,
    )
)
def test_what_is_made_of_pointers_and_constants_is_taken_apart_again(
    parts: list[bytes | tuple[Region, int]],
) -> None:
    first = second = content = b""
    pointers = []
    for part in parts:
        if isinstance(part, bytes):
            first, second, content = first + part, second + part, content + part
        else:
            region, offset = part
            pointers.append(Pointer(len(first), Spot(region.owner, offset)))
            one, other = pair(region, offset)
            first, second, content = first + one, second + other, content + bytes(8)
    assert relocate(first, second, GROUND) == Relocated(content, tuple(pointers), ())


@settings(max_examples=200)
@given(st.binary(max_size=300), st.binary(max_size=300))
def test_any_two_byte_strings_are_explained_or_not_and_nothing_else(
    first: bytes, second: bytes
) -> None:
    found = relocate(first, second, GROUND)
    if isinstance(found, Relocated):
        assert len(found.content) == len(first) == len(second)
    else:
        assert found.why


def test_bases_that_did_not_move_tell_nothing_and_are_refused() -> None:
    log = Process(0)
    log.begin(1)
    with pytest.raises(InvalidInput, match="bases that did not move"):
        pair_regions(log.recording, log.recording, NAMES)
