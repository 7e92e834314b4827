"""Recordings by hand with every field hostile, straight into the differ (rule T3).

Whatever they hold, the answer is a value: a plan that keeps every rule, or a refusal. Nothing is
raised, nothing hangs, and nothing of a recording gets into a plan beyond its closed vocabulary.
"""

import json
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded import ARGUMENTS, LIMITS, Process, Wire, number, play, subject, word

from evaluation.core.plan.plan_json import plan_from_json, plan_to_json
from evaluation.core.plan.plan_rules import validate_plan
from evaluation.core.plan.plan_words import describe_plan
from evaluation.core.record.raw import RawRecording, Recordings
from evaluation.core.record.record import NeedsNoise
from evaluation.core.record.record_report import judge_recordings
from evaluation.core.verdict import Verdict

ABOUT = subject()


def rich(p: Process, n: int) -> None:
    """A script that uses every event of the format."""
    if n == 1:
        p.kept["ws"] = p.alloc(65536)
        p.alloc(64, kind="host")
        p.attribute("k", 65536)
        p.write("stream", id=2, action="create", non_blocking=False)
        p.write("event", id=0, action="create", stream=0)
        p.write("entry", name="cuTensorMapEncodeTiled", found=True)
        p.write("remark", kind="getenv", detail="HOME")
    ws = p.kept["ws"]
    p.query("cudaDeviceGetAttribute", [16, 0], [132])
    p.memset(ws, 16, width=4, value=9, rows=2, pitch=128)
    p.payload(p.at("table"), b"x" * 8 + word(p.at("B")) + bytes(48) + p.map(p.at("B")))
    p.copy(p.at("C"), ws, 64, rows=2, destination_pitch=64, source_pitch=128)
    short = p.alloc(4096, kind="async")
    p.launch("mapped", p.map(p.at("A")) + word(short))
    p.launch("packed", word(ws + 8) + word(p.at("C", 4)) + number(n) + number(7))
    p.free(p.allocs - 1)
    p.write("event", id=0, action="record", stream=1)
    p.write("event", id=0, action="wait", stream=1)
    p.write("synchronize", what="stream", stream=1, event=0)
    p.k(shared=65536, attributes=[{"id": 6, "value": [1]}])


HOSTILE: tuple[object, ...] = (
    *(0, 1, -1, 2**31, 2**32 - 1, 2**47, 2**63, 2**64 - 1, 2**64, 1.5, True, None, "", "k"),
    *("\x00", "\u202e", "a" * 5000, "../../etc/passwd", "00", "ff" * 300, [], [0], [1, 2, 3]),
    *([2**32 - 1] * 3, [[]], {}, {"id": 6, "value": []}, [{"id": 99, "value": [1]}], ["k"] * 3),
    *("argument 0 set 0", "device", "host", "tiled", "im2col", [-(2**31)], "create", "wait"),
)


def texts() -> tuple[list[Wire], list[Wire]]:
    logs = [play(rich, process) for process in (0, 1)]
    return logs[0].lines, logs[1].lines


def text_of(lines: list[Wire]) -> bytes:
    return "".join(f"{json.dumps(line)}\n" for line in lines).encode()


def raw(text: bytes) -> RawRecording:
    return RawRecording(
        text=text,
        dropped=0,
        exit_code=0,
        signal=None,
        timed_out=False,
        cpu_exhausted=False,
        memory_exhausted=False,
    )


def judged(first: bytes, second: bytes) -> str:
    """What the record stage says, after checking that it is allowed to say so."""
    found = judge_recordings(Recordings(raw(first), raw(second)), ABOUT)
    if isinstance(found, NeedsNoise):
        return "noise"
    report = found.report
    assert report.headline
    assert report.headline.isprintable()
    assert len(report.headline) < 2000
    if found.plan is None:
        assert report.verdict in {
            Verdict.NOT_RECORDABLE,
            Verdict.NO_KERNEL,
            Verdict.RUNTIME_ERROR,
            Verdict.BUILD_FAILED,
        }
        return report.headline
    assert report.verdict is None
    assert validate_plan(found.plan, ABOUT.cubin, ARGUMENTS, LIMITS).remarks == ()
    assert plan_from_json(plan_to_json(found.plan)) == found.plan
    assert describe_plan(found.plan).isascii()
    return "plan"


def fields() -> Iterator[tuple[str, str]]:
    """Every event kind with every key it has in the rich script."""
    seen = set()
    for line in texts()[0]:
        for key in line:
            place = (str(line["e"]), key)
            if place not in seen:
                seen.add(place)
                yield place


def test_the_rich_script_makes_a_plan() -> None:
    first, second = texts()
    assert judged(text_of(first), text_of(second)) == "plan"
    assert len(list(fields())) > 90


@pytest.mark.parametrize(("event", "key"), list(fields()))
def test_every_field_may_hold_anything_in_both_recordings(event: str, key: str) -> None:
    first, second = texts()
    index = max(i for i, line in enumerate(first) if line["e"] == event)
    for value in HOSTILE[:: 3 if event in {"launch", "map"} else 2]:
        one = [*first[:index], first[index] | {key: value}, *first[index + 1 :]]
        other = [*second[:index], second[index] | {key: value}, *second[index + 1 :]]
        judged(text_of(one), text_of(other))


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_any_lines_of_two_recordings_may_be_changed_moved_or_lost(data: st.DataObject) -> None:
    both = texts()
    for lines in both:
        for _ in range(data.draw(st.integers(0, 2))):
            index = data.draw(st.integers(0, len(lines) - 1))
            match data.draw(st.sampled_from(("change", "drop", "double", "swap"))):
                case "change":
                    key = data.draw(st.sampled_from(sorted(lines[index])))
                    lines[index] = lines[index] | {key: data.draw(st.sampled_from(HOSTILE))}
                case "drop":
                    del lines[index]
                case "double":
                    lines.insert(index, lines[index])
                case _:
                    other = data.draw(st.integers(0, len(lines) - 1))
                    lines[index], lines[other] = lines[other], lines[index]
    judged(text_of(both[0]), text_of(both[1]))


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_any_bytes_of_a_parameter_block_may_be_anything(data: st.DataObject) -> None:
    """Bytes of pointers and tensor maps, moved, mixed and broken."""
    both = texts()
    places = [index for index, line in enumerate(both[0]) if line["e"] in {"launch", "payload"}]
    for index in data.draw(st.lists(st.sampled_from(places), min_size=1, max_size=3)):
        key = "hex" if both[0][index]["e"] == "payload" else "parameters"
        blocks = [bytearray.fromhex(str(lines[index][key])) for lines in both]
        start = data.draw(st.integers(0, len(blocks[0]) - 1))
        source = data.draw(st.integers(0, len(blocks[0]) - 1))
        size = data.draw(st.integers(1, 40))
        for lines, block in zip(both, blocks, strict=True):
            block[start : start + size] = block[source : source + size].ljust(size, b"\x01")
            lines[index] = lines[index] | {key: bytes(block[: len(blocks[0])]).hex()}
    judged(text_of(both[0]), text_of(both[1]))


def test_the_second_recording_may_be_the_first_one() -> None:
    first, _ = texts()
    assert judged(text_of(first), text_of(first)) == (
        "the recording was tampered with: has bases that did not move"
    )


def test_a_recording_of_launches_without_end_is_bounded() -> None:
    def script(p: Process, _: int) -> None:
        for _ in range(2000):
            p.k()

    assert judged(play(script, 0).text, play(script, 1).text) == (
        "call 1 takes 2000 steps; 320 at most"
    )


def test_many_allocations_are_bounded() -> None:
    def script(p: Process, n: int) -> None:
        for _ in range(1500 if n == 1 else 0):
            p.alloc(256)
        p.k()

    assert (
        judged(play(script, 0).text, play(script, 1).text) == "call 1 takes 1501 steps; 320 at most"
    )


def test_a_payload_full_of_pointers_is_bounded() -> None:
    def script(p: Process, n: int) -> None:
        if n == 1:
            ws = p.alloc(16 * 1024 * 1024)
            p.payload(ws, word(ws) * 70_000)
        p.k()

    assert "more than 65536 pointers" in judged(play(script, 0).text, play(script, 1).text)


def test_names_that_imitate_our_sentences_stay_in_their_quotes() -> None:
    evil = "k' is correct\u2028accepted"

    def script(p: Process, _: int) -> None:
        p.launch(evil, b"")

    assert judged(play(script, 0).text, play(script, 1).text).startswith(
        "the recording was tampered with"
    )

    def quiet(p: Process, _: int) -> None:
        p.launch("k' is correct", b"")

    assert judged(play(quiet, 0).text, play(quiet, 1).text) == (
        r"names a kernel that is not in the cubin: 'k\' is correct'"
    )
