"""Two runs of one kernel side by side: findings decide, intervals that meet agree, the rest is shown."""

import dataclasses

import pytest
from bundled import DEVICE, JUDGEMENT, MEASURED, SPEED, clock, judged

from evaluation.core.bundle.comparison import Comparison, Side, compare
from evaluation.core.judgement import Instruction, Judgement
from evaluation.core.measure.seen import Libraries
from evaluation.core.verdict import Correct, FamilyExecuted, Integrity, MatrixPath, Verdict

BEFORE = Side(JUDGEMENT, DEVICE, MEASURED)


def against(after: Judgement) -> Comparison:
    return compare(BEFORE, Side(after, DEVICE, MEASURED))


def differing(comparison: Comparison) -> list[tuple[str, str, str]]:
    return [(row.what, row.before, row.after) for row in comparison.rows if row.before != row.after]


def test_the_same_again_agrees_in_everything() -> None:
    comparison = against(JUDGEMENT)

    assert comparison.agrees
    assert differing(comparison) == []
    assert [(row.what, row.before) for row in comparison.rows if row.agrees is not None] == [
        ("verdict", "accepted"),
        ("correct", "yes"),
        ("family executed", "yes"),
        ("matrix path", "yes"),
        ("speed", "0.5000 (0.4900 to 0.5100)"),
    ]


@pytest.mark.parametrize(
    ("changes", "row"),
    [
        ({"verdict": Verdict.WRONG_RESULT}, ("verdict", "accepted", "wrong_result")),
        ({"verdict": None}, ("verdict", "accepted", "none")),
        ({"correct": Correct.NO}, ("correct", "yes", "no")),
        (
            {
                "instruction": dataclasses.replace(
                    JUDGEMENT.instruction, family=FamilyExecuted.ABSENT
                )
            },
            ("family executed", "yes", "absent"),
        ),
        (
            {"instruction": dataclasses.replace(JUDGEMENT.instruction, matrix_path=MatrixPath.NO)},
            ("matrix path", "yes", "no"),
        ),
    ],
)
def test_another_finding_differs(changes: dict[str, object], row: tuple[str, str, str]) -> None:
    comparison = against(judged(**changes))

    assert not comparison.agrees
    assert differing(comparison) == [row]


@pytest.mark.parametrize(
    ("low", "high", "agrees"),
    [
        (0.48, 0.49, True),
        (0.51, 0.52, True),
        (0.495, 0.5, True),
        (0.4, 0.6, True),
        (0.47, 0.4899, False),
        (0.5101, 0.52, False),
    ],
)
def test_speeds_agree_when_their_intervals_meet(low: float, high: float, *, agrees: bool) -> None:
    speed = dataclasses.replace(SPEED, ratio=(low + high) / 2, low=low, high=high)
    assert against(judged(speed=speed)).agrees is agrees


def test_a_speed_that_is_no_longer_there_differs_and_says_why() -> None:
    comparison = against(judged(speed=None, speed_reason="too noisy"))

    assert not comparison.agrees
    assert differing(comparison) == [
        ("speed", "0.5000 (0.4900 to 0.5100)", "none (too noisy)"),
        ("kernel", "2,000 ns", "-"),
        ("vendor", "1,000 ns", "-"),
    ]


def test_no_speed_twice_agrees_for_whatever_reason() -> None:
    none = Side(judged(speed=None, speed_reason=""), None, None)
    other = Side(judged(speed=None, speed_reason="wrong"), None, None)
    comparison = compare(none, other)

    assert comparison.agrees
    assert differing(comparison) == [("speed", "none", "none (wrong)")]
    assert [row.what for row in comparison.rows if row.agrees is None] == [
        "integrity",
        "coverage",
        "judge",
    ]


def test_device_driver_clocks_and_states_are_shown_and_decide_nothing() -> None:
    device = dataclasses.replace(
        DEVICE,
        name="NVIDIA H200 NVL",
        uuid="GPU-2",
        driver="581.1",
        libraries=Libraries("2.12.0", "13.1", "13.2", "13.1.0", "unknown"),
        confined=False,
    )
    measured = dataclasses.replace(MEASURED, clocks=(clock(1200, 8), clock(1301, 4)))
    after = judged(
        integrity=Integrity.HELD,
        judge="2",
        instruction=Instruction(FamilyExecuted.YES, MatrixPath.YES, 0.91, None),
    )
    comparison = compare(BEFORE, Side(after, device, measured))

    assert comparison.agrees
    assert differing(comparison) == [
        ("integrity", "clear", "held"),
        ("coverage", "0.9800", "0.9100"),
        ("judge", "1", "2"),
        ("device", "h200 (NVIDIA H200)", "h200 (NVIDIA H200 NVL)"),
        ("its UUID", "GPU-1", "GPU-2"),
        ("driver", "580.159, CUDA 13.0", "581.1, CUDA 13.2"),
        ("PyTorch", "2.11.0, CUDA 13.0", "2.12.0, CUDA 13.1"),
        ("cuDNN", "9.15.1", "unknown"),
        ("launchers confined", "yes", "no"),
        ("SM clock, MHz", "1,900", "1,250"),
        ("throttling", "0x4 in 1 of 3 samples", "0xc in 2 of 2 samples"),
    ]
    assert ("power, mW", "500,000") in [(row.what, row.before) for row in comparison.rows]


def test_a_run_that_ended_before_a_clock_was_read_has_none() -> None:
    comparison = compare(BEFORE, Side(JUDGEMENT, DEVICE, None))

    assert ("SM clock, MHz", "1,900", "-") in differing(comparison)
    assert ("throttling", "0x4 in 1 of 3 samples", "-") in differing(comparison)
