"""Tensor maps, streams, events, questions and entry points as they are written down."""

import pytest
from recordings import Record

pytest_plugins = ("recording_fixtures",)
pytestmark = pytest.mark.toolchain


def test_a_tiled_map_is_written_with_its_arguments_and_a_replaced_address_makes_another(
    act: Record,
) -> None:
    recorded = act("encode", calls=1)
    a, b = (one["base"] for one in recorded.of("buffer")[:2])
    map_ = {
        "e": "map",
        "id": 0,
        "mode": "tiled",
        "data_type": 9,
        "rank": 2,
        "address": a,
        "dims": [4096, 972],
        "strides": [8192],
        "box": [64, 128],
        "element_strides": [1, 1],
        "interleave": 0,
        "swizzle": 3,
        "l2": 3,
        "fill": 0,
    }
    assert recorded.of("map") == [map_, map_ | {"id": 1, "address": b}]


def test_an_im2col_map_is_written_with_its_window(act: Record) -> None:
    (map_,) = act("encode_im2col", calls=1).of("map")
    assert (map_["mode"], map_["rank"], map_["box"]) == ("im2col", 4, [])
    assert (map_["strides"], map_["element_strides"]) == ([128, 7168, 401408], [1, 2, 1, 1])
    assert (map_["lower"], map_["upper"]) == ([-1, -2], [1, 0])
    assert (map_["channels"], map_["pixels"]) == (64, 96)


def test_bytes_that_are_no_map_cannot_get_another_address(act: Record) -> None:
    assert act("replace_forged").refused[0] == "cuTensorMapReplaceAddress"


def test_entry_points_lead_to_the_shim_and_unknown_ones_are_listed(act: Record) -> None:
    recorded = act("entries", calls=1)
    assert recorded.of("entry") == [
        {"e": "entry", "name": "cuTensorMapEncodeTiled", "found": True},
        {"e": "entry", "name": "cuNoSuchThing", "found": False},
    ]
    assert recorded.told == [1, 1]  # the same function; symbol not found


def test_streams_and_events_are_written_in_their_order(act: Record) -> None:
    events = act("streams", calls=1).in_call(1)
    assert [one for one in events if one["e"] not in {"memset", "remark"}] == [
        {"e": "stream", "id": 2, "action": "create", "non_blocking": True},
        {"e": "event", "id": 0, "action": "create", "stream": 0},
        {"e": "event", "id": 1, "action": "create", "stream": 0},
        {"e": "event", "id": 0, "action": "record", "stream": 1},
        {"e": "event", "id": 0, "action": "wait", "stream": 2},
        {"e": "event", "id": 1, "action": "record", "stream": 2},
        {"e": "synchronize", "what": "stream", "stream": 2, "event": 0},
        {"e": "synchronize", "what": "event", "stream": 0, "event": 1},
        {"e": "synchronize", "what": "device", "stream": 0, "event": 0},
        {"e": "event", "id": 0, "action": "destroy", "stream": 0},
        {"e": "stream", "id": 2, "action": "destroy", "non_blocking": True},
    ]


def test_answers_from_the_table_are_written_as_questions(act: Record) -> None:
    recorded = act("questions", calls=1)
    asked = [(one["call"], one["arguments"], one["answer"]) for one in recorded.of("query")]
    assert asked[:3] == [
        ("cudaDeviceGetAttribute", [16, 0], [132]),
        # 40 registers: 12 blocks of 4 warps; shared memory would allow 114
        ("cudaOccupancyMaxActiveBlocksPerMultiprocessor", ["scale", 128, 1024], [12]),
        ("cudaDriverGetVersion", [], [13000]),
    ]
    assert ("cuDeviceGetName", [0], ["NVIDIA H200"]) in asked
    assert ("cudaDeviceGetAttribute", [97, 0], [232448]) in asked
    assert recorded.told == [132, 0]


def test_another_product_answers_from_its_own_table(act: Record) -> None:
    asked = act("questions", calls=1, product="h100-pcie").of("query")
    assert asked[0]["answer"] == [114]


def test_an_attribute_that_the_table_lacks_is_refused(act: Record) -> None:
    assert act("unknown_attribute").refused == (
        "cudaDeviceGetAttribute",
        "device attribute 33 is not in the table of NVIDIA H200",
    )


def test_a_stack_limit_is_capped_and_said(act: Record) -> None:
    recorded = act("stack", calls=1)
    assert recorded.of("remark") == [
        {"e": "remark", "kind": "limit_capped", "detail": "cudaDeviceSetLimit"}
    ]
    assert recorded.of("limit") == [{"e": "limit", "what": "stack", "bytes": 65536}]
    assert recorded.of("query") == []
    assert recorded.told == [64]


def test_a_pool_keeps_the_threshold_that_was_set(act: Record) -> None:
    assert act("pools", calls=1).told == [16]


def test_the_words_of_a_common_error_are_the_known_ones(act: Record) -> None:
    assert act("error_text", calls=1).told == [0]


def test_a_stream_s_access_policy_is_dropped_by_name(act: Record) -> None:
    recorded = act("stream_attribute", calls=1)
    assert recorded.of("remark") == [
        {"e": "remark", "kind": "access_policy_dropped", "detail": "cudaStreamSetAttribute"}
    ]
    assert recorded.told == [0, 1]
