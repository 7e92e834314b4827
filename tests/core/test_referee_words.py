"""The small rules of the referee's seam: what stops a kernel, what makes a GPU sick, which lines exist."""

from dataclasses import replace

import pytest

from evaluation.adapters.catalogue import packaged
from evaluation.core import wire
from evaluation.core.catalogue.problem import Tolerance
from evaluation.core.errors import InvalidInput
from evaluation.core.measure.bench import Compared
from evaluation.core.measure.health import HealthSeen, sickness
from evaluation.core.measure.referee_words import Act, Failed, Kernel, Reply, Request
from evaluation.core.measure.seen import OutputSeen
from evaluation.core.measure.stopping import (
    asks_the_oracle,
    fails_a_checked_call,
    fails_a_later_call,
)
from evaluation.core.verdict import FamilyExecuted, Target

STRICT = Tolerance(atol=0.01, rtol=0.01)
NOTHING_SAID = wire.encode(Reply(done=True)).replace(b"true", b"false")
RIGHT = OutputSeen("C", 2_000_000, 0, 0, 0, 0, None, None)


def compared(*, inputs: bool = True, slack: bool = True, **changes: int) -> Compared:
    output = OutputSeen(
        name="C",
        elements=2_000_000,
        nonfinite=changes.get("nonfinite", 0),
        outside=changes.get("outside", 0),
        outside_both=changes.get("outside_both", 0),
        outside_fourfold=changes.get("outside_fourfold", 0),
        first=None,
        worst=None,
    )
    return Compared(inputs, slack, (RIGHT, output))


@pytest.mark.parametrize(
    ("seen", "checked", "later"),
    [
        (compared(), False, False),
        (compared(inputs=False), True, True),
        (compared(slack=False), True, True),
        (compared(nonfinite=1), True, True),
        (compared(outside=7), False, False),  # within tolerance of the oracle
        (compared(outside=1, outside_both=1), True, False),
        (compared(outside=2, outside_both=2), True, False),  # one in a million, exactly
        (compared(outside=3, outside_both=3), True, True),
        (compared(outside=1, outside_fourfold=1), False, True),
    ],
)
def test_calls_stop_a_kernel_by_their_rule(seen: Compared, checked: bool, later: bool) -> None:
    assert (fails_a_checked_call(seen, STRICT), fails_a_later_call(seen)) == (checked, later)


@pytest.mark.parametrize(
    ("seen", "fails"),
    [
        (compared(outside=1, outside_both=1), False),  # of two million elements
        (compared(outside=2, outside_both=2), True),
        (compared(outside=1, outside_both=1, outside_fourfold=1), True),
        (compared(outside=1, outside_fourfold=1), False),  # the oracle agrees with the kernel
        (compared(nonfinite=1), True),
        (compared(inputs=False), True),
    ],
)
def test_a_stated_share_of_borderline_elements_stops_no_kernel(seen: Compared, fails: bool) -> None:
    rare = replace(STRICT, borderline_one_in=2_000_000)
    assert fails_a_checked_call(seen, rare) is fails


@pytest.mark.parametrize(
    ("seen", "graded", "ungraded"),
    [
        (compared(), True, False),
        (compared(outside=1), True, True),
        (compared(outside=20_000), True, True),  # one in a hundred, exactly
        (compared(outside=20_001), False, False),
        (compared(nonfinite=1, outside=1), False, False),
        (compared(inputs=False, outside=1), False, False),
    ],
)
def test_the_oracle_is_asked_where_it_can_change_something(
    seen: Compared, graded: bool, ungraded: bool
) -> None:
    assert asks_the_oracle(seen, graded=True) == graded
    assert asks_the_oracle(seen, graded=False) == ungraded


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (HealthSeen((), 0), HealthSeen((), 0), ""),
        (HealthSeen((79,), 3), HealthSeen((), 3), ""),  # told before this kernel
        (HealthSeen((), 0), HealthSeen((13, 31, 43), 0), ""),  # a program's own errors
        (HealthSeen((), 0), HealthSeen((109, 154, 45), 0), ""),  # it never ended and was killed
        (HealthSeen((), 0), HealthSeen((69, 32, 8, 11, 25, 37, 44), 0), ""),
        (HealthSeen((), 0), HealthSeen((39, 40, 41, 70, 71, 72, 75, 76, 77, 85), 0), ""),
        (HealthSeen((), 0), HealthSeen((46,), 0), "Xid 46 during the kernel"),
        (HealthSeen((), 0), HealthSeen((109, 119), 0), "Xid 119 during the kernel"),
        (
            HealthSeen((), 0),
            HealthSeen((62, 63, 64, 74, 92, 94, 95, 120), 0),
            "Xid 62, 63, 64, 74, 92, 94, 95, 120 during the kernel",
        ),
        (HealthSeen((), 0), HealthSeen((9999,), 0), "Xid 9999 during the kernel"),  # not known yet
        (HealthSeen((), 0), HealthSeen((31, 48), 0), "Xid 48 during the kernel"),
        (HealthSeen((), 0), HealthSeen((79, 119), 0), "Xid 79, 119 during the kernel"),
        (HealthSeen((), 1), HealthSeen((), 3), "2 uncorrectable memory errors during the kernel"),
        (HealthSeen((), None), HealthSeen((), 3), ""),
        (HealthSeen((), 1), HealthSeen((), None), ""),
        (HealthSeen((), 3), HealthSeen((), 0), ""),  # the driver was loaded anew
    ],
)
def test_a_gpu_is_sick_by_what_is_new(before: HealthSeen, after: HealthSeen, said: str) -> None:
    assert sickness(before, after) == said


def test_a_reply_says_exactly_one_thing() -> None:
    failed = Failed("no GPU", "look", sick=True)
    assert wire.decode(Reply, wire.encode(Reply(failed=failed)), where="a test") == Reply(
        failed=failed
    )
    for broken in (
        NOTHING_SAID,
        wire.encode(Reply(failed=failed)).replace(b'"done":false', b'"done":true'),
    ):
        with pytest.raises(InvalidInput, match="exactly one thing"):
            wire.decode(Reply, broken, where="a test")


def test_a_request_carries_a_kernel_to_open_and_never_else() -> None:
    for act in (Act.CHECK, Act.MEASURE, Act.CLOSE):
        assert Request(act).kernel is None
    with pytest.raises(ValueError, match="to open it"):
        Request(Act.OPEN)


def test_a_kernel_states_sizes_that_can_be_read() -> None:
    assert kernel(256 << 20).cubin_bytes == 256 << 20
    for size in (-1, (256 << 20) + 1):
        with pytest.raises(ValueError, match="at most 268435456 bytes"):
            kernel(size)


def kernel(size: int) -> Kernel:
    problem = packaged().problem("gemm_n4096_k4096")
    return Kernel(problem, Target.HOPPER, FamilyExecuted.UNKNOWN, plan_bytes=1, cubin_bytes=size)
