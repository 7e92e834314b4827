"""What one process writes, against docs/recording.md."""

import re

import pytest
from recordings import Record

from evaluation.core.record.recording import Module
from evaluation.core.record.recording_reader import read_recording

pytest_plugins = ("recording_fixtures",)
pytestmark = pytest.mark.toolchain


def test_a_recording_begins_with_its_nonce_and_ends_with_its_calls(act: Record) -> None:
    recorded = act("plain", calls=9)
    first, last = recorded.events[0], recorded.events[-1]
    assert first["e"] == "begin"
    assert (first["version"], first["calls"]) == (1, 9)
    assert re.fullmatch("[0-9a-f]{32}", first["nonce"])
    assert last == {"e": "end", "calls": 9}


def test_every_tensor_has_a_buffer_in_both_sets_and_a_scalar_has_none(act: Record) -> None:
    buffers = act("plain").of("buffer")
    assert [(one["argument"], one["set"], one["size"]) for one in buffers] == [
        (0, 0, 7962624),
        (1, 0, 512),
        (0, 1, 7962624),
        (1, 1, 512),
    ]


def test_calls_alternate_between_the_sets(act: Record) -> None:
    recorded = act("plain", calls=5)
    assert [(one["n"], one["set"]) for one in recorded.of("call")] == [
        (0, 0),
        (1, 0),
        (2, 1),
        (3, 0),
        (4, 1),
        (5, 0),
    ]
    bases = {(one["argument"], one["set"]): one["base"] for one in recorded.of("buffer")}
    for number, of_set in ((1, 0), (2, 1), (3, 0)):
        (launch,) = recorded.in_call(number)
        passed = bytes.fromhex(launch["parameters"])
        assert int.from_bytes(passed[:8], "little") == bases[0, of_set]
        assert int.from_bytes(passed[8:16], "little") == bases[1, of_set]


def test_kernels_and_variables_are_announced_while_loading(act: Record) -> None:
    (module,) = act("plain").in_call(0)
    assert module["e"] == "module"
    assert module["functions"] == ["scale", "table", "stranger"]
    assert [(one["name"], one["size"]) for one in module["symbols"]] == [
        ("weights", 64),
        ("constants", 256),
    ]


def test_the_strict_reader_takes_what_the_shim_writes(act: Record) -> None:
    for name in (
        "every_attribute",
        "allocate",
        "upload",
        "fill",
        "move",
        "encode",
        "encode_im2col",
    ):
        read_recording(act(name).raw.text)
    for name in (
        "streams",
        "questions",
        "entries",
        "dropped_attributes",
        "read_back",
        "touch_tensor",
    ):
        read_recording(act(name).raw.text)
    recording = read_recording(act("plain").raw.text)
    (module,) = [event for event in recording.events if isinstance(event, Module)]
    assert module.functions == ("scale", "table", "stranger")


def test_the_same_seed_gives_the_same_bytes(act: Record) -> None:
    assert act("encode", calls=4).raw.text == act("encode", calls=4).raw.text


def test_random_addresses_of_the_process_change_nothing_that_is_recorded(act: Record) -> None:
    assert act("encode", fixed=False).raw.text == act("encode", fixed=True).raw.text


def test_a_recording_with_too_many_lines_is_refused_by_that_name(act: Record) -> None:
    recorded = act("many_lines")
    assert recorded.refused == (
        "recording",
        "recording too large: at most 20000 lines and 64 MiB",
    )
    assert len(recorded.events) <= 20000


def test_a_payload_of_16_mib_fits_and_of_one_byte_more_does_not(act: Record) -> None:
    (payload,) = act("upload_as_much_as_fits", calls=1).of("payload")
    assert payload["hex"] == "00" * (16 << 20)
    assert act("upload_too_much", calls=1).refused == (
        "cudaMemcpy",
        "16777217 bytes from host to device: a plan holds at most 16 MiB",
    )


def test_payloads_that_are_too_large_together_are_refused(act: Record) -> None:
    # Two of them make 64 MiB of hex and leave no room for the words around it.
    recorded = act("upload_as_much_as_fits", calls=2)
    assert recorded.refused[0] == "recording"
    assert len(recorded.raw.text) <= 64 << 20


def test_what_host_code_prints_is_no_part_of_the_recording(act: Record) -> None:
    recorded = act("print", calls=1)
    assert b"hello" not in recorded.raw.text
    assert recorded.in_call(1) == []
