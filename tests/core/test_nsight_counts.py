"""Counters by launch as Nsight Compute gives them: read in bounds, and summed to readings only where nothing is open."""

import json

import pytest

from evaluation.adapters.catalogue import packaged
from evaluation.core.catalogue.dtype import DType
from evaluation.core.errors import InvalidInput
from evaluation.core.measure.examination import Hindrance, NotRun
from evaluation.core.measure.examination_run import Likeness, likeness_from, likeness_of
from evaluation.core.measure.nsight_counts import (
    LIMIT_BYTES,
    LIMIT_LAUNCHES,
    read_nsight_counts,
    readings_from,
)
from evaluation.core.measure.seen import Reading

METRICS = ("work.sum", "cycles.max")
ALIKE: dict[str, object] = {
    "elements": 2_000_000,
    "nonfinite": 0,
    "outside": 0,
    "outside_fourfold": 0,
}


def document(launches: list[tuple[str, list[object]]], compared: list[dict[str, object]]) -> bytes:
    said = [{"function": name, "values": values} for name, values in launches]
    return json.dumps({"launches": said, "compared": compared}).encode()


def readings(
    launches: list[tuple[str, list[object]]], compared: list[dict[str, object]], outputs: int = 1
) -> tuple[Reading, ...] | NotRun:
    counts = read_nsight_counts(document(launches, compared), len(METRICS))
    return readings_from(counts, METRICS, ("split", "gemm"), outputs=outputs)


TWO_CALLS: list[tuple[str, list[object]]] = [
    ("split", [1, 10]),
    ("gemm", [100, 20]),
    ("split", [2, 11]),
    ("gemm", [100, 22]),
]


def test_the_launches_of_each_call_are_summed() -> None:
    assert readings(TWO_CALLS, [ALIKE, ALIKE]) == (
        Reading(0, 1, (("work.sum", 101), ("cycles.max", 30))),
        Reading(0, 2, (("work.sum", 102), ("cycles.max", 33))),
    )


@pytest.mark.parametrize(
    "launches",
    [
        [],
        TWO_CALLS[:3],
        [TWO_CALLS[1], TWO_CALLS[0], TWO_CALLS[2], TWO_CALLS[3]],
        [*TWO_CALLS[:3], ("trusted_bits", [1, 1])],
    ],
    ids=["none", "half a call", "another order", "a launch of the judge's own"],
)
def test_launches_that_are_not_those_of_the_plan_are_no_readings(
    launches: list[tuple[str, list[object]]],
) -> None:
    why = "other launches were counted than those of the calls"
    assert readings(launches, [ALIKE, ALIKE]) == NotRun(Hindrance.FAILED, why)


@pytest.mark.parametrize(
    ("compared", "outputs"), [([], 1), ([ALIKE], 1), ([ALIKE] * 3, 1), ([ALIKE] * 2, 2)]
)
def test_without_a_comparison_of_every_output_of_every_call_there_are_no_readings(
    compared: list[dict[str, object]], outputs: int
) -> None:
    found = readings(TWO_CALLS, compared, outputs)
    assert found == NotRun(Hindrance.FAILED, "not every counted call came to its end")


@pytest.mark.parametrize(
    ("change", "stands"),
    [
        ({"outside": 2}, True),  # one in a million of two million
        ({"outside": 3}, False),
        ({"outside_fourfold": 1}, False),
        ({"nonfinite": 1}, False),
    ],
)
def test_counted_calls_answer_to_the_rule_of_later_calls(
    change: dict[str, object], stands: bool
) -> None:
    found = readings(TWO_CALLS, [ALIKE, ALIKE | change])
    assert isinstance(found, tuple) is stands
    if not stands:
        why = "a counted call left other outputs than an uncounted one"
        assert found == NotRun(Hindrance.FAILED, why)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b'{"launches": []}',
        document([("k", [1])], []),
        document([("k", [1, 2, 3])], []),
        document([("k", [1, -1])], []),
        document([("k", [1, 0.5])], []),
        document([("k", [1, 1 << 62])], []),
        document([("", [1, 1])], []),
        document([("k", [1, 1])] * (LIMIT_LAUNCHES + 1), []),
        document([], [ALIKE | {"elements": 0}]),
        document([], [ALIKE | {"outside": -1}]),
        document([], [ALIKE | {"more": 1}]),
        document([], [ALIKE] * 129),
        b" " * (LIMIT_BYTES + 1),
    ],
)
def test_a_document_out_of_bounds_is_refused(content: bytes) -> None:
    with pytest.raises(InvalidInput, match="Nsight Compute's counters"):
        read_nsight_counts(content, len(METRICS))


def test_a_lone_run_is_told_in_one_word_how_outputs_compare() -> None:
    likeness = likeness_of(packaged().problem("mha_with_lse_d128"))
    assert likeness.outputs[1] == (DType.FLOAT32, (4, 48, 4096))
    assert likeness_from(likeness.word) == likeness
    plain = Likeness(0.25, 1e-06, ((DType.BFLOAT16, (3, 5)),))
    assert plain.word == "0.25;1e-06;bfloat16:3x5"


@pytest.mark.parametrize("word", ["", "1.0", "1.0;x", "1.0;1.0;half:3", "1.0;1.0;bfloat16:3xy"])
def test_other_words_are_refused(word: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        likeness_from(word)
