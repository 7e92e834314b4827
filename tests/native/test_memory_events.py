"""Allocations, fills and copies as they are written down."""

import pytest
from recordings import Record, Recorded

pytest_plugins = ("recording_fixtures",)
pytestmark = pytest.mark.toolchain


def base(recorded: Recorded, argument: int) -> int:
    value = recorded.of("buffer")[argument]["base"]
    assert isinstance(value, int)
    return value


def test_every_kind_of_allocation_has_its_word_and_its_end(act: Record) -> None:
    events = act("allocate", calls=1).in_call(1)
    for event in events:
        event.pop("base", None)
    assert events == [
        {"e": "alloc", "id": 0, "size": 1000, "kind": "device", "stream": 0},
        {"e": "alloc", "id": 1, "size": 2000, "kind": "async", "stream": 1},
        {"e": "alloc", "id": 2, "size": 3000, "kind": "host", "stream": 0},
        {"e": "free", "id": 0, "stream": 0},
        {"e": "free", "id": 1, "stream": 1},
        {"e": "free", "id": 2, "stream": 0},
    ]


def test_a_device_of_unstated_memory_has_what_a_plan_may_allocate(act: Record) -> None:
    recorded = act("allocate", calls=1, product="b200")
    assert [one["size"] for one in recorded.of("alloc")] == [1000, 2000, 3000]
    assert act("most_memory", calls=1, product="b200").told == [0, 2, 0]


def test_numbers_of_allocations_are_never_used_again(act: Record) -> None:
    assert [one["id"] for one in act("allocate", calls=3).of("alloc")] == [
        0,
        1,
        2,
        3,
        4,
        5,
        6,
        7,
        8,
    ]


def test_a_tensor_of_the_environment_is_an_allocation_and_its_deleter_a_free(act: Record) -> None:
    made, cleared, freed = act("environment", calls=1).in_call(1)
    assert (made["e"], made["size"], made["kind"]) == ("alloc", 1200, "environment")
    assert cleared["destination"] == made["base"]
    assert freed == {"e": "free", "id": 0, "stream": 1}


def test_a_tensor_of_the_environment_on_the_host_is_an_error(act: Record) -> None:
    recorded = act("environment_on_host", calls=1)
    assert recorded.told == [1]
    assert recorded.of("alloc") == []


def test_fills_are_written_in_elements_and_rows(act: Record) -> None:
    recorded = act("fill", calls=1)
    place = base(recorded, 0)
    fill = {"e": "memset", "destination": place}
    assert recorded.in_call(1) == [
        fill | {"value": 255, "width": 1, "columns": 64, "rows": 1, "pitch": 0, "stream": 0},
        fill | {"value": 2, "width": 1, "columns": 10, "rows": 3, "pitch": 32, "stream": 1},
        fill | {"value": 0xABCD, "width": 2, "columns": 5, "rows": 1, "pitch": 0, "stream": 0},
        fill | {"value": 0x01020304, "width": 4, "columns": 2, "rows": 4, "pitch": 64, "stream": 1},
    ]


def test_uploads_hold_the_bytes_row_by_row(act: Record) -> None:
    recorded = act("upload", calls=1)
    place = base(recorded, 0)
    weights = recorded.of("module")[0]["symbols"][0]["base"]
    payload = {"e": "payload"}
    assert recorded.in_call(1) == [
        payload | _payload(place, "01020304", 4, 1, 0, 1),
        payload | _payload(place, "010203090a0b", 3, 2, 100, 0),
        payload | _payload(weights + 16, "0102030405060708", 8, 1, 0, 0),
    ]


def _payload(  # noqa: PLR0917 - the keys in the order of the format
    destination: int, hex_: str, columns: int, rows: int, pitch: int, stream: int
) -> dict[str, object]:
    return {
        "destination": destination,
        "hex": hex_,
        "columns": columns,
        "rows": rows,
        "pitch": pitch,
        "stream": stream,
    }


def test_an_upload_holds_the_bytes_as_they_were_at_the_call(act: Record) -> None:
    (payload,) = act("upload_changes_later", calls=1).of("payload")
    assert payload["hex"] == "05"


def test_copies_inside_the_device_are_written_with_both_places(act: Record) -> None:
    recorded = act("move", calls=1)
    constants = recorded.of("module")[0]["symbols"][1]["base"]
    a, b = base(recorded, 0), base(recorded, 1)
    line, plane = recorded.in_call(1)
    assert line == {
        "e": "copy",
        "destination": constants,
        "source": a,
        "columns": 200,
        "rows": 1,
        "destination_pitch": 0,
        "source_pitch": 0,
        "stream": 1,
    }
    assert (plane["destination"], plane["source"], plane["columns"], plane["rows"]) == (b, a, 16, 2)
    assert (plane["destination_pitch"], plane["source_pitch"]) == (64, 128)


def test_a_copy_on_the_host_is_done_and_not_written(act: Record) -> None:
    recorded = act("on_host", calls=1)
    assert recorded.told == [0, 4]
    assert recorded.of("copy") + recorded.of("payload") == []


@pytest.mark.parametrize(
    ("action", "call"),
    [
        ("read_back", "cudaMemcpyAsync"),
        ("read_back_default", "cudaMemcpy"),
        ("read_symbol", "cudaMemcpyFromSymbol"),
    ],
)
def test_reading_device_data_on_the_host_is_refused_by_name(
    act: Record, action: str, call: str
) -> None:
    assert act(action).refused == (
        call,
        "device to host: a recorded kernel may not read device data on the host",
    )


def test_what_lies_outside_or_was_freed_is_an_invalid_value(act: Record) -> None:
    assert act("beyond", calls=1).told == [1, 1, 1]


def test_more_memory_than_the_device_has_is_out_of_memory(act: Record) -> None:
    assert act("too_large", calls=1).told == [2]


def test_pointers_are_told_apart(act: Record) -> None:
    device, host, invalid = 2, 1, 1
    assert act("pointers", calls=1).told == [0, device, 0, host, invalid, 0, device, 0]


def test_how_large_an_allocation_of_others_is_cannot_be_asked(act: Record) -> None:
    assert act("pointer_range").refused[0] == "cuPointerGetAttribute"
