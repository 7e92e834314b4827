"""Whose fault a jail's end is: the command's, one of its limits', or ours."""

from dataclasses import replace

import pytest

from evaluation.adapters.cgroup import Shortage
from evaluation.adapters.jail_end import Ending, Seen, ending
from evaluation.adapters.jail_process import JailStatus
from evaluation.core.errors import CannotJail, ToolFailure
from evaluation.core.ports import Limits

LIMITS = Limits(60.0, 10, 1000, 1, 1, 1, 1, 1, 1)
SEEN = Seen(
    status=JailStatus(child=7, pid_namespace=8, exit_code=0),
    said=b"",
    killed=False,
    timed_out=False,
    grouped=True,
    shortage=Shortage(0),
    cpu_seconds=1.0,
    peak_bytes=100,
)
CLEAN = Ending(0, None, timed_out=False, cpu_exhausted=False, memory_exhausted=False)
OUR_FAULT = "because the host ran out of memory"


def ended(code: int | None) -> Seen:
    return replace(SEEN, status=replace(SEEN.status, exit_code=code))


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (SEEN, CLEAN),
        (ended(3), replace(CLEAN, exit_code=3)),
        (ended(139), replace(CLEAN, exit_code=None, signal=11)),
        (ended(152), replace(CLEAN, exit_code=None, signal=24, cpu_exhausted=True)),
        (
            replace(ended(137), cpu_seconds=8.0),
            replace(CLEAN, exit_code=None, signal=9, cpu_exhausted=True),
        ),
        (replace(ended(1), cpu_seconds=8.0), replace(CLEAN, exit_code=1, cpu_exhausted=True)),
        (replace(ended(1), cpu_seconds=7.9), replace(CLEAN, exit_code=1)),
        (replace(SEEN, cpu_seconds=10.5), CLEAN),
        (replace(ended(1), peak_bytes=800), replace(CLEAN, exit_code=1, memory_exhausted=True)),
        (replace(ended(1), peak_bytes=None), replace(CLEAN, exit_code=1)),
        (replace(SEEN, peak_bytes=800), CLEAN),
        (
            replace(ended(None), timed_out=True),
            replace(CLEAN, exit_code=None, signal=9, timed_out=True),
        ),
    ],
)
def test_an_end_is_put_down_to_the_command_or_its_limit(seen: Seen, expected: Ending) -> None:
    assert ending(seen, LIMITS) == expected


@pytest.mark.parametrize("code", [0, 1, 137, None])
def test_a_kill_in_a_group_at_its_bound_is_the_jails_own_use_of_memory(code: int | None) -> None:
    seen = replace(ended(code), shortage=Shortage(kills=1, refusals=9))

    assert ending(seen, LIMITS).memory_exhausted


@pytest.mark.parametrize("code", [1, 137])
def test_a_kill_in_a_group_below_its_bound_is_our_fault(code: int) -> None:
    with pytest.raises(ToolFailure, match=OUR_FAULT):
        ending(replace(ended(code), shortage=Shortage(kills=1)), LIMITS)


def test_a_command_that_ends_well_needed_nothing_that_was_killed() -> None:
    assert ending(replace(SEEN, shortage=Shortage(kills=1)), LIMITS) == CLEAN


def test_a_group_at_its_bound_without_a_kill_says_nothing() -> None:
    seen = replace(ended(1), shortage=Shortage(kills=0, refusals=9))

    assert ending(seen, LIMITS) == replace(CLEAN, exit_code=1)


def test_without_a_group_a_command_killed_while_the_kernel_killed_is_our_fault() -> None:
    with pytest.raises(ToolFailure, match=OUR_FAULT):
        ending(replace(ended(137), grouped=False, shortage=Shortage(kills=1)), LIMITS)


@pytest.mark.parametrize(
    "seen",
    [
        ended(1),
        ended(139),
        replace(ended(137), cpu_seconds=11.0),
        replace(ended(None), timed_out=True),
    ],
)
def test_without_a_group_kills_elsewhere_do_not_explain_another_end(seen: Seen) -> None:
    alone = replace(seen, grouped=False)

    with_kills = replace(alone, shortage=Shortage(kills=1))

    assert ending(with_kills, LIMITS) == ending(alone, LIMITS)


@pytest.mark.parametrize(
    ("seen", "error", "what"),
    [
        (
            replace(SEEN, status=JailStatus(), timed_out=True),
            ToolFailure,
            "not ready within its time limit",
        ),
        (replace(ended(None), killed=True), ToolFailure, "killed from outside"),
        (
            replace(SEEN, status=JailStatus(), said=b"bwrap: no namespaces\n"),
            CannotJail,
            "this host cannot jail: bwrap: no namespaces",
        ),
    ],
)
def test_a_jail_that_was_not_complete_or_was_taken_away_is_our_fault(
    seen: Seen, error: type[ToolFailure], what: str
) -> None:
    with pytest.raises(error, match=what):
        ending(seen, LIMITS)
