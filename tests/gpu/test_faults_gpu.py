"""What fails on a GPU ends in the right verdict or as a failure of ours, in bounded time, and the next kernel is judged."""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from evaluation.core.errors import ToolFailure
from evaluation.core.measure.measurer import Session
from evaluation.core.timing.budget import LAUNCHERS
from evaluation.core.verdict import Verdict

from .packed import Pack

if TYPE_CHECKING:
    from .measuring import Bench

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(180)]

HONEST = "honest_wgmma"


def is_judged_right(bench: "Bench") -> bool:
    """The three checked calls of an honest kernel, all right: an answer takes a fraction of a second."""
    with bench.measurer.open(bench.pack.prepared(HONEST)) as session:
        seen = session.check()
    outside = [one.outside_both + one.nonfinite for call in seen.calls for one in call.outputs]
    return seen.fault is None and len(seen.calls) == 3 and not any(outside)


@pytest.mark.parametrize(
    ("case", "verdict"),
    [
        ("illegal_address", Verdict.MEMORY_FAULT),
        ("misaligned_address", Verdict.MEMORY_FAULT),
        ("device_trap", Verdict.RUNTIME_ERROR),
        ("writes_16_bytes_behind_c", Verdict.MEMORY_FAULT),
        ("writes_an_input", Verdict.MEMORY_FAULT),
        ("workspace_of_12_gib", Verdict.ACCEPTED),
    ],
)
def test_after_a_fault_the_next_kernel_is_judged_right(
    bench: "Bench", case: str, verdict: Verdict
) -> None:
    assert bench.run(case)[-1].verdict is verdict
    assert is_judged_right(bench)


def test_an_endless_loop_is_out_of_time_and_the_next_kernel_is_judged_right(bench: "Bench") -> None:
    began = time.monotonic()
    assert bench.run("never_ends")[-1].verdict is Verdict.TIMEOUT
    assert time.monotonic() - began < 40
    assert is_judged_right(bench)


def test_a_launcher_that_somebody_kills_brings_no_verdict_against_the_kernel(
    bench: "Bench",
) -> None:
    with bench.measurer.open(bench.pack.prepared(HONEST)) as session:
        killed = _kill_first_launcher_during(session)
        assert killed, "no launcher was seen to live"
    assert is_judged_right(bench)


def _kill_first_launcher_during(session: Session) -> list[int]:
    """Make the checked calls while a thread kills the launcher; a ToolFailure or right calls are both fair ends."""
    killed: list[int] = []
    stop = threading.Event()

    def hunt() -> None:
        while not killed and not stop.is_set():
            for pid in _launchers():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)
            time.sleep(0.005)

    hunter = threading.Thread(target=hunt)
    hunter.start()
    try:
        with contextlib.suppress(ToolFailure):
            assert session.check().fault is None
            hunter.join(timeout=5)
            session.measure()
    finally:
        stop.set()
        hunter.join()
    return killed


def _launchers() -> Iterator[int]:
    """Processes below this one that run the launcher's archive."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            words = (entry / "cmdline").read_bytes().split(b"\0")
            starts_python = b"python" in words[0]
            if starts_python and any(word.endswith(b"launcher.zip") for word in words):
                yield int(entry.name)


def test_a_referee_that_is_killed_is_a_failure_of_ours_and_another_one_serves(
    bench: "Bench",
) -> None:
    assert is_judged_right(bench)
    running = bench.measurer._running
    assert running is not None
    os.kill(running.process.pid, signal.SIGKILL)
    assert running.process.ended(seconds=10)
    with pytest.raises(ToolFailure, match="referee"):
        is_judged_right(bench)
    assert is_judged_right(bench)


def test_nothing_of_a_kernel_is_left_when_its_block_ends(bench: "Bench", pack: Pack) -> None:
    with bench.measurer.open(pack.prepared(HONEST)) as session:
        session.check()
        at_work = set(_launchers())
    deadline = time.monotonic() + 5
    while at_work <= set(_launchers()) and time.monotonic() < deadline:
        time.sleep(0.05)
    left = set(_launchers())
    assert at_work - left  # the one that had the kernel
    assert len(left) <= LAUNCHERS  # spares, which know no kernel, wait for the next one
