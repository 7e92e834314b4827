"""Limits of time of a whole job against the clocks of its tools."""

from evaluation import queues
from evaluation.adapters import disassembler, inspector, native, recorder, toolchain
from evaluation.core.compile.build import BuildLimits
from evaluation.core.record.record import NOISE_RECORDINGS

PAIR = 2


def of_recordings() -> float:
    """All recordings of one kernel when each is tried as often as may be and runs into its clock."""
    batches = PAIR / recorder._AT_A_TIME + NOISE_RECORDINGS / recorder._AT_A_TIME
    return batches * recorder._ATTEMPTS * recorder.LIMITS.wall_seconds


def test_a_job_whose_tools_all_run_into_their_clocks_ends_before_its_own_limit() -> None:
    for_another_worker = (
        2  # who builds the same and is let down by the host, so that we build after it
    )
    opening = (
        toolchain.VERSION_LIMITS.wall_seconds + for_another_worker * native.LIMITS.wall_seconds
    )
    build = for_another_worker * BuildLimits().wall_seconds + 2 * inspector.LIMITS.wall_seconds
    stages = build + of_recordings() + disassembler.LIMITS.wall_seconds

    assert of_recordings() == 320.0
    assert opening + stages < queues.PREPARE_LIMITS.soft


def test_a_lease_outlives_several_lost_heartbeats() -> None:
    assert queues.LEASE_SECONDS >= 5 * queues.HEARTBEAT_SECONDS


def test_what_the_pool_kills_had_time_to_report_and_is_not_handed_out_again_meanwhile() -> None:
    limits = queues.PREPARE_LIMITS

    # A report is tried for a minute at most (evaluation/adapters/reporter.py).
    assert limits.hard - limits.soft >= 60
    # A jail's processes get 20 s to die.
    assert limits.visibility - limits.hard >= 300
