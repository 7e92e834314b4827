"""The reader of raw recordings: docs/recording.md, taken as hostile input."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded import NONCES, Process, play

from evaluation.core.errors import InvalidInput
from evaluation.core.record.recording import (
    Alloc,
    AllocKind,
    Attribute,
    Buffer,
    Copy,
    Crash,
    Encode,
    Entry,
    EventAction,
    EventUse,
    Free,
    HostRemark,
    Launch,
    LaunchOption,
    Limit,
    Limited,
    MapMode,
    Memset,
    Module,
    Payload,
    Query,
    Refused,
    StreamUse,
    SymbolRange,
    Synchronize,
    Waited,
)
from evaluation.core.record.recording_reader import (
    LIMIT_BYTES,
    LIMIT_LINE_BYTES,
    LIMIT_LINES,
    LIMIT_MARKS,
    read_recording,
)

BEGIN = '{"e":"begin","version":1,"calls":1,"nonce":"00112233445566778899aabbccddeeff"}'
CALL = '{"e":"call","n":1,"set":0}'
RETURN = '{"e":"return","n":1,"status":0,"message":""}'
END = '{"e":"end","calls":1}'

EVENTS = {
    "module": '{"e":"module","functions":["k"],"symbols":[{"name":"t","base":512,"size":8}]}',
    "alloc": '{"e":"alloc","id":0,"base":1099511628032,"size":64,"kind":"async","stream":2}',
    "free": '{"e":"free","id":0,"stream":2}',
    "attribute": '{"e":"attribute","function":"k","attribute":8,"value":-1}',
    "limit": '{"e":"limit","what":"stack","bytes":4096}',
    "heap": '{"e":"limit","what":"heap","bytes":18446744073709551615}',
    "memset": '{"e":"memset","destination":512,"value":7,"width":4,"columns":3,"rows":2,"pitch":16,"stream":1}',
    "payload": '{"e":"payload","destination":512,"hex":"0aff","columns":1,"rows":2,"pitch":4,"stream":1}',
    "copy": '{"e":"copy","destination":512,"source":768,"columns":3,"rows":2,"destination_pitch":4,"source_pitch":5,"stream":1}',
    "map": '{"e":"map","id":0,"mode":"tiled","data_type":9,"rank":2,"address":512,"dims":[64,32],"strides":[128],'
    '"box":[64,8],"element_strides":[1,1],"interleave":0,"swizzle":3,"l2":2,"fill":0}',
    "im2col": '{"e":"map","id":1,"mode":"im2col","data_type":9,"rank":3,"address":512,"dims":[64,32,2],"strides":[128,4096],'
    '"box":[],"element_strides":[1,1,1],"interleave":0,"swizzle":3,"l2":2,"fill":0,"lower":[-1],"upper":[1],"channels":64,"pixels":32}',
    "launch": '{"e":"launch","function":"k","grid":[1,2,3],"block":[4,5,6],"shared":7,"stream":1,"cooperative":true,'
    '"attributes":[{"id":4,"value":[2,1,1]}],"parameters":"00ff"}',
    "query": '{"e":"query","call":"cudaDeviceGetAttribute","arguments":[16,-1,"k"],"answer":[132,""]}',
    "synchronize": '{"e":"synchronize","what":"stream","stream":1,"event":5}',
    "event": '{"e":"event","id":0,"action":"record","stream":1}',
    "stream": '{"e":"stream","id":2,"action":"create","non_blocking":true}',
    "entry": '{"e":"entry","name":"cuTensorMapEncodeTiled","found":true}',
    "remark": '{"e":"remark","kind":"getenv","detail":"HOME"}',
}


def document(*lines: str) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def with_events(*lines: str) -> bytes:
    return document(BEGIN, CALL, *lines, RETURN, END)


def rule_of(content: bytes) -> str:
    with pytest.raises(InvalidInput) as caught:
        read_recording(content)
    assert caught.value.where == "recording"
    return caught.value.rule


def test_every_event_is_read_with_its_numbers() -> None:
    read = read_recording(with_events(*EVENTS.values())).calls[1].events
    assert read == (
        Module(("k",), (SymbolRange("t", 512, 8),)),
        Alloc(0, 1099511628032, 64, AllocKind.ASYNC, 2),
        Free(0, 2),
        Attribute("k", 8, -1),
        Limit(Limited.STACK, 4096),
        Limit(Limited.HEAP, 2**64 - 1),
        Memset(512, 7, 4, 3, 2, 16, 1),
        Payload(512, b"\x0a\xff", 1, 2, 4, 1),
        Copy(512, 768, 3, 2, 4, 5, 1),
        Encode(
            0, MapMode.TILED, 9, 512, (64, 32), (128,), (64, 8), (1, 1), 0, 3, 2, 0, (), (), 0, 0
        ),
        Encode(
            *(1, MapMode.IM2COL, 9, 512, (64, 32, 2), (128, 4096), (), (1, 1, 1), 0, 3, 2, 0),
            *((-1,), (1,), 64, 32),
        ),
        Launch(
            function="k",
            grid=(1, 2, 3),
            block=(4, 5, 6),
            shared=7,
            stream=1,
            cooperative=True,
            attributes=(LaunchOption(4, (2, 1, 1)),),
            parameters=b"\x00\xff",
        ),
        Query("cudaDeviceGetAttribute", (16, -1, "k"), (132, "")),
        Synchronize(Waited.STREAM, 1, 5),
        EventUse(0, EventAction.RECORD, 1),
        StreamUse(2, created=True, non_blocking=True),
        Entry("cuTensorMapEncodeTiled", found=True),
        HostRemark("getenv", "HOME"),
    )


def test_a_whole_recording_has_its_calls_in_order_and_loading_as_call_0() -> None:
    log = play(lambda p, _: p.k(), 0, calls=3)
    recording = log.recording
    assert recording.nonce.hex() == NONCES[0]
    assert recording.announced == 3
    assert recording.ended
    assert recording.stopped is None
    assert [(call.number, call.buffer_set) for call in recording.calls] == [
        (0, 0),
        (1, 0),
        (2, 1),
        (3, 0),
    ]
    assert recording.buffers[0] == Buffer(0, 0, log.bases["A0"], 4096)
    assert len(recording.buffers) == 6
    assert [type(event) for event in recording.events] == [Module, Launch, Launch, Launch]


def test_loading_may_be_written_as_call_0_of_its_own() -> None:
    remark = EVENTS["remark"]
    lines = (
        BEGIN,
        '{"e":"call","n":0,"set":0}',
        remark,
        '{"e":"return","n":0,"status":3,"message":"no"}',
    )
    recording = read_recording(document(*lines, CALL, RETURN, END))
    assert recording.calls[0].events == (HostRemark("getenv", "HOME"),)
    assert (recording.calls[0].status, recording.calls[0].message) == (3, "no")
    assert len(recording.calls) == 2


def test_what_happens_between_calls_belongs_to_the_call_before() -> None:
    lines = (BEGIN.replace('"calls":1', '"calls":2'), CALL, RETURN, EVENTS["remark"])
    second = (CALL.replace('1,"set":0', '2,"set":1'), RETURN.replace('"n":1', '"n":2'))
    recording = read_recording(document(*lines, *second, END.replace("1", "2")))
    assert recording.calls[1].events == (HostRemark("getenv", "HOME"),)
    assert recording.calls[2].events == ()


def test_what_an_unloading_library_does_after_the_last_call_belongs_to_no_call() -> None:
    recording = read_recording(document(BEGIN, CALL, RETURN, EVENTS["remark"], END))
    assert recording.events == ()
    assert recording.ended


def test_a_line_that_was_cut_off_with_its_process_is_dropped() -> None:
    recording = read_recording(document(BEGIN, CALL) + b'{"e":"remark","ki')
    assert not recording.ended
    assert recording.calls[1].status is None
    assert recording.events == ()


def test_reading_stops_at_a_refusal() -> None:
    refused = '{"e":"refused","call":"cudaMemcpy","why":"device to host"}'
    recording = read_recording(document(BEGIN, CALL, refused, "what comes then says nothing"))
    assert recording.stopped == Refused("cudaMemcpy", "device to host")
    assert not recording.ended


def test_reading_stops_at_a_crash() -> None:
    crash = '{"e":"crash","signal":11,"address":8,"where":"argument 0 set 1"}'
    recording = read_recording(document(BEGIN, CALL, crash))
    assert recording.stopped == Crash(11, 8, "argument 0 set 1")


@pytest.mark.parametrize("last", ['{"e":"crash","signal":11,"address":8,"where":""}'])
def test_a_line_that_a_crash_broke_off_is_passed_over(last: str) -> None:
    torn = '{"e":"payload","destination":512,"hex":"00'
    assert read_recording(document(BEGIN, CALL, torn, last)).stopped == Crash(11, 8, "")


def test_a_torn_line_before_anything_but_the_last_word_is_refused() -> None:
    assert "brackets do not match" in rule_of(document(BEGIN, CALL, '{"e":"remark"', RETURN))


@pytest.mark.parametrize("name", EVENTS)
def test_a_key_too_many_is_refused(name: str) -> None:
    needed = {"free": ("alloc",), "im2col": ("map",)}.get(name, ())
    lines = [EVENTS[one] for one in needed]
    broken = EVENTS[name][:-1] + ',"more":1}'
    assert "unknown key 'more'" in rule_of(with_events(*lines, broken))


@pytest.mark.parametrize("name", EVENTS)
def test_each_missing_key_is_named(name: str) -> None:
    needed = [EVENTS[one] for one in {"free": ("alloc",), "im2col": ("map",)}.get(name, ())]
    whole = json.loads(EVENTS[name])
    for key in whole.keys() - {"e"}:
        broken = {one: value for one, value in whole.items() if one != key}
        with pytest.raises(InvalidInput):
            read_recording(with_events(*needed, json.dumps(broken)))


WRONG_VALUES: list[tuple[str, str, object]] = [
    ("module", "functions", "k"),
    ("module", "functions", [""]),
    ("module", "functions", ["k" * 4097]),
    ("module", "functions", ["\x1b[31m"]),
    ("module", "functions", ["\ud800"]),
    ("module", "functions", ["k"] * 4097),
    ("module", "symbols", [7]),
    ("module", "symbols", [{"name": "t", "base": 513, "size": 8}]),
    ("module", "symbols", [{"name": "t", "base": 512, "size": 8, "more": 1}]),
    ("alloc", "id", 1),
    ("alloc", "id", True),
    ("alloc", "id", -1),
    ("alloc", "base", 0),
    ("alloc", "base", 257),
    ("alloc", "base", 2**47),
    ("alloc", "size", 2**47),
    ("alloc", "kind", "managed"),
    ("alloc", "stream", 4097),
    ("alloc", "stream", None),
    ("free", "id", 1),
    ("attribute", "function", 7),
    ("attribute", "attribute", 256),
    ("attribute", "value", 2**31),
    ("attribute", "value", -(2**31) - 1),
    ("limit", "what", "printf"),
    ("limit", "bytes", 65537),
    ("heap", "bytes", 2**64),
    ("memset", "destination", -1),
    ("memset", "destination", 2**64),
    ("memset", "value", 2**32),
    ("memset", "width", 0),
    ("memset", "width", 5),
    ("memset", "rows", 2**32),
    ("memset", "pitch", "16"),
    ("payload", "hex", "0AFF"),
    ("payload", "hex", "0af"),
    ("payload", "hex", "0a f"),
    ("payload", "hex", "0aff\n"),
    ("payload", "hex", "0a"),
    ("payload", "hex", 10),
    ("payload", "columns", 2),
    ("copy", "source", {}),
    ("map", "mode", "wide"),
    ("map", "rank", 0),
    ("map", "rank", 6),
    ("map", "rank", 3),
    ("map", "id", 1),
    ("map", "dims", [64]),
    ("map", "dims", [64, -1]),
    ("map", "strides", [128, 128]),
    ("map", "box", []),
    ("im2col", "box", [1]),
    ("im2col", "lower", []),
    ("im2col", "lower", [-(2**31) - 1]),
    ("launch", "function", "a\nb"),
    ("launch", "grid", [1, 2]),
    ("launch", "grid", [1, 2, 2**32]),
    ("launch", "block", [1, 2, "3"]),
    ("launch", "cooperative", 1),
    ("launch", "attributes", [{"id": 4, "value": [1, 2, 3, 4, 5]}]),
    ("launch", "attributes", [{"id": 4}]),
    ("launch", "attributes", [[]]),
    ("launch", "attributes", {}),
    ("launch", "parameters", "zz"),
    ("launch", "parameters", "00" * 32769),
    ("query", "call", "cuda()"),
    ("query", "call", "c" * 81),
    ("query", "arguments", [-(2**63) - 1]),
    ("query", "arguments", [2**64]),
    ("query", "arguments", [[]]),
    ("query", "arguments", ["\u202e"]),
    ("query", "answer", [0] * 17),
    ("synchronize", "what", "kernel"),
    ("synchronize", "event", 2**32),
    ("event", "action", "time"),
    ("event", "action", ["record"]),
    ("stream", "action", "capture"),
    ("stream", "id", 4097),
    ("stream", "non_blocking", 1),
    ("entry", "found", "yes"),
    ("entry", "name", "n" * 401),
    ("remark", "kind", "get env"),
    ("remark", "detail", "\udcff"),
    ("remark", "detail", "d" * 401),
]


@pytest.mark.parametrize(("name", "key", "value"), WRONG_VALUES)
def test_a_value_out_of_its_range_is_refused_with_its_key(
    name: str, key: str, value: object
) -> None:
    needed = [EVENTS[one] for one in {"free": ("alloc",), "im2col": ("map",)}.get(name, ())]
    whole = json.loads(EVENTS[name]) | {key: value}
    with pytest.raises(InvalidInput):
        read_recording(with_events(*needed, json.dumps(whole)))


def test_a_refusal_names_line_key_and_rule() -> None:
    whole = EVENTS["launch"].replace('"shared":7', '"shared":-7')
    with pytest.raises(InvalidInput) as caught:
        read_recording(with_events(whole))
    assert str(caught.value) == (
        "recording: line 3.shared: must be an integer from 0 to 4294967295"
    )


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ('{"e":"free","e":"free"}', "has a key twice"),
        ('{"e":"synchronize","what":"device","stream":1.0}', "has '1.0' where only integers"),
        ('{"e":"synchronize","what":"device","stream":1e2}', "has '1e2' where only integers"),
        ('{"e":"synchronize","what":"device","stream":NaN}', "has 'NaN' where only integers"),
        ('{"e":"synchronize","what":"device","stream":-Infinity}', "has '-Infinity' where only"),
        (
            '{"e":"synchronize","what":"device","stream":123456789012345678901}',
            "has an integer of more than 64 bits",
        ),
        ('{"e":"x","a":[[[[1]]]]}', "is nested deeper than 4, or"),
        ("[1]", "must be an object"),
        ("", "is not JSON in UTF-8"),
        ("\ufeff{}", "is not JSON in UTF-8"),
        ('{"e":7}', "must name an event"),
        ("{}", "must name an event"),
        ('{"e":"wander"}', "unknown event"),
        ('{"e":"begin","version":1,"calls":1,"nonce":"00"}', "begin must stand first, and once"),
        ('{"e":"buffer","argument":0,"set":0,"base":512,"size":8}', "before the first call"),
        ('{"e":"call","n":2,"set":1}', "calls must count up"),
        ('{"e":"return","n":2,"status":0,"message":""}', "must return from the call that is open"),
        ('{"e":"end","calls":1}', "the end must follow the last call announced"),
    ],
)
def test_a_line_that_the_shim_cannot_write_is_refused(line: str, rule: str) -> None:
    assert rule in rule_of(with_events(line))


def test_bytes_that_are_no_utf_8_are_refused() -> None:
    assert rule_of(with_events()[:-1] + b"\n\xff\n") == "is not JSON in UTF-8"


@pytest.mark.parametrize(
    ("lines", "rule"),
    [
        ((), "has no begin"),
        ((CALL,), "begin must stand first, and once"),
        ((BEGIN.replace('"version":1', '"version":2'),), "must be an integer from 1 to 1"),
        ((BEGIN.replace('"calls":1', '"calls":0'),), "must be an integer from 1 to 1000"),
        ((BEGIN.replace("ff", ""),), "must have 16 bytes"),
        ((BEGIN, CALL, CALL), "calls must count up"),
        ((BEGIN, CALL, RETURN, CALL), "calls must count up"),
        ((BEGIN, '{"e":"call","n":1,"set":1}'), "must be an integer from 0 to 0"),
        ((BEGIN, RETURN), "must return from the call that is open"),
        ((BEGIN, CALL, RETURN, RETURN), "must return from the call that is open"),
        ((BEGIN, END), "the end must follow the last call announced"),
        ((BEGIN, CALL, RETURN, '{"e":"end","calls":2}'), "must be an integer from 1 to 1"),
        ((BEGIN, CALL, RETURN, END, EVENTS["remark"]), "stands after the end"),
        (
            (BEGIN, CALL, RETURN, '{"e":"call","n":2,"set":1}'),
            "calls must count up, one at a time, as far as announced",
        ),
        (
            (BEGIN, *['{"e":"buffer","argument":0,"set":0,"base":512,"size":8}'] * 2),
            "has this buffer twice",
        ),
    ],
)
def test_lines_out_of_their_order_are_refused(lines: tuple[str, ...], rule: str) -> None:
    assert rule in rule_of(document(*lines))


def test_allocations_and_maps_count_up_and_are_freed_once() -> None:
    alloc = EVENTS["alloc"]
    assert "count up" in rule_of(with_events(alloc, alloc))
    free = EVENTS["free"]
    assert "alive" in rule_of(with_events(alloc, free, free))
    assert "alive" in rule_of(with_events(free))
    assert "count up" in rule_of(with_events(EVENTS["map"], EVENTS["map"]))


def test_host_memory_may_lie_anywhere() -> None:
    host = '{"e":"alloc","id":0,"base":93824992231441,"size":3,"kind":"host","stream":0}'
    assert read_recording(with_events(host)).events == (
        Alloc(0, 93824992231441, 3, AllocKind.HOST, 0),
    )


def test_the_size_of_a_recording_is_bounded() -> None:
    assert rule_of(bytes(LIMIT_BYTES + 1)) == f"has more than {LIMIT_BYTES} bytes"
    assert rule_of(b"\n" * (LIMIT_LINES + 1)) == f"has more than {LIMIT_LINES} lines"
    line = b" " * (LIMIT_LINE_BYTES + 1) + b"\n"
    assert rule_of(line) == f"has a line of more than {LIMIT_LINE_BYTES} bytes"


def test_the_number_of_entries_of_all_lines_together_is_bounded() -> None:
    many = '{"e":"module","functions":[' + ",".join(['"k"'] * 4000) + '],"symbols":[]}'
    lines = [many] * (LIMIT_MARKS // 4000)
    assert rule_of(document(BEGIN, CALL, *lines)).startswith("has more than")


@pytest.mark.parametrize(
    "attack",
    [
        b'"' + b'\\"' * 2_000_000,
        b'"\\' * 2_000_000,
        b"[" * 2_000_000,
        b'{"a":' * 500_000,
        b'""' * 3_000_000,
    ],
    ids=["escaped quotes", "open strings", "brackets", "objects", "empty strings"],
)
def test_a_bomb_of_quotes_or_brackets_is_refused_without_parsing(attack: bytes) -> None:
    rule_of(document(BEGIN) + attack + b"\n")


def test_a_payload_of_sixteen_mebibytes_is_read() -> None:
    size = 16 * 1024 * 1024
    log = Process(0)
    log.begin(1)
    log.call(1)
    log.payload(log.at("C"), bytes(size))
    event = read_recording(log.text).calls[1].events[0]
    assert isinstance(event, Payload)
    assert event.content == bytes(size)


@settings(max_examples=150)
@given(st.data())
def test_a_line_with_any_bytes_changed_is_read_or_refused_and_nothing_else(
    data: st.DataObject,
) -> None:
    content = bytearray(with_events(*EVENTS.values()))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] = data.draw(st.sampled_from(b'"{}[]:,\\0129\n\xff -e.'))
    try:
        read_recording(bytes(content))
    except InvalidInput as broken:
        assert broken.where == "recording"
