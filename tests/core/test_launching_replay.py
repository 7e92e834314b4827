"""The bytes of one call, written by hand: pointers, tensor maps, cycles and counters in their places."""

from evaluation.core.launching.replay import (
    filled_in,
    held_calls,
    located,
    map_cycle,
    parameter_block,
    parameters,
)
from evaluation.core.plan.plan import (
    Address,
    AllocStep,
    ByteRange,
    FreeStep,
    LaunchStep,
    MapEncode,
    MapStep,
    MapUse,
    PlanFunction,
    Relocation,
    Space,
    Stepping,
    Template,
)
from evaluation.core.record.recording import MapMode

A = Address(Space.ARGUMENT, 0, "", 16)
WS = Address(Space.ALLOCATION, 3, "", 0)
TABLE = Address(Space.SYMBOL, 0, "table", 8)
BASES = {"argument:0": 0x7000_0000_0000, "allocation:3": 0x1000, "symbol:table": 0x2000}


def locate(address: Address) -> int:
    return BASES[address.base] + address.offset


def launch(template: Template, *stepping: Stepping) -> LaunchStep:
    return LaunchStep("k", (1, 1, 1), (1, 1, 1), 0, False, (), template, (), stepping)  # noqa: FBT003 - not cooperative


def test_a_place_goes_round_with_the_calls() -> None:
    place = (A, WS, TABLE)
    seen = [located(place, call, locate) for call in range(5)]
    assert seen == [0x7000_0000_0010, 0x1000, 0x2008, 0x7000_0000_0010, 0x1000]
    assert located((A,), 17, locate) == 0x7000_0000_0010


def mapped(*place: Address) -> MapStep:
    encode = MapEncode(MapMode.TILED, 9, place, (64,), (), (64,), (1,), 0, 0, 0, 0, (), (), 0, 0)
    return MapStep(0, encode)


def test_maps_are_the_same_again_when_all_their_places_are() -> None:
    assert map_cycle(()) == 1
    assert map_cycle((FreeStep(0),)) == 1
    assert map_cycle((mapped(A), FreeStep(0), mapped(A, WS))) == 2
    assert map_cycle((mapped(A, WS, TABLE), mapped(A, WS, A, WS))) == 12


def test_a_flag_holds_as_many_calls_as_their_operations_allow() -> None:
    one = launch(Template(b""))
    assert held_calls((one,)) == 512
    # Memory is there already, and a map is in the bytes of other steps.
    assert held_calls((AllocStep(0, 16), mapped(A), one, one, one, FreeStep(0))) == 170
    assert held_calls((one,) * 512) == 1
    assert held_calls((one,) * 513) == 0
    assert held_calls(()) == 512


def test_pointers_are_written_little_endian_at_their_bytes() -> None:
    template = Template(b"\xaa" * 3 + bytes(8) + b"\xbb", (Relocation(3, (A,)),))
    filled = filled_in(template, 0, locate, {})
    assert filled == b"\xaa\xaa\xaa" + b"\x10\0\0\0\0\x70\0\0" + b"\xbb"


def test_tensor_maps_are_written_whole() -> None:
    template = Template(
        bytes(64 + 128 + 128), (Relocation(0, (WS,)),), (MapUse(64, 1), MapUse(192, 0))
    )
    filled = filled_in(template, 0, locate, {0: b"\x10" * 128, 1: b"\x11" * 128})
    assert filled == b"\0\x10" + bytes(62) + b"\x11" * 128 + b"\x10" * 128


def test_counters_step_with_the_calls_and_wrap_at_their_width() -> None:
    start = b"\xfe\xff\xff\xff" + b"\x05\0\0\0\0\0\0\0"
    step = launch(Template(start), Stepping(0, 4, 1), Stepping(4, 8, 2**64 - 3))
    assert parameter_block(step, 0, locate, {}) == start
    assert parameter_block(step, 1, locate, {}) == b"\xff\xff\xff\xff" + b"\x02\0\0\0\0\0\0\0"
    assert parameter_block(step, 2, locate, {}) == b"\0\0\0\0" + b"\xff" * 8
    assert parameter_block(step, 3, locate, {}) == b"\x01\0\0\0" + b"\xfc" + b"\xff" * 7


def test_a_block_is_cut_into_parameters() -> None:
    function = PlanFunction("k", (ByteRange(0, 2), ByteRange(4, 8)))
    assert parameters(b"abcdefgh", function) == (b"ab", b"efgh")
    assert parameters(b"", PlanFunction("k", ())) == ()
