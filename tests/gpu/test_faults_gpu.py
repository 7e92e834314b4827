"""What fails on a GPU ends in the right verdict or as a failure of ours, in bounded time, and the next kernel is judged."""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import pytest

from evaluation.core.errors import ToolFailure
from evaluation.core.measure.health import GpuSick
from evaluation.core.measure.measurer import Session
from evaluation.core.measure.seen import CallSeen, CheckSeen, MeasureSeen, OutputSeen
from evaluation.core.timing.budget import LAUNCHERS, PAIRS_LEAST
from evaluation.core.verdict import Stage, Verdict

from .packed import Pack

if TYPE_CHECKING:
    from .measuring import Bench

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(180)]

HONEST = "honest_wgmma"
Seen = TypeVar("Seen", CheckSeen, MeasureSeen)


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


@pytest.mark.parametrize("stage", [Stage.CHECK, Stage.TIME], ids=str)
def test_a_launcher_that_somebody_kills_brings_no_verdict_against_the_kernel(
    bench: "Bench", stage: Stage
) -> None:
    with bench.measurer.open(bench.pack.prepared(HONEST)) as session:
        killed = _kill_a_launcher_during(session, stage)
        assert killed, "no launcher was seen to live"
    assert is_judged_right(bench)


def _kill_a_launcher_during(session: Session, stage: Stage) -> list[int]:
    """Check and measure while a thread kills one launcher in that stage. Give its process.

    A failure of ours and right calls are fair ends; a fault of the kernel's, a wrong output and a sick GPU are none.
    """
    killed: list[int] = []
    with _hunting(killed, in_seconds=0.0) if stage is Stage.CHECK else contextlib.nullcontext():
        checked = _unless_ours(session.check)
    if checked is None:
        return killed
    assert checked.fault is None
    assert len(checked.calls) == 3
    assert not any(one.outside_both + one.nonfinite for one in _outputs(checked.calls))
    # Among the first pairs of the launcher that made the checked calls.
    with _hunting(killed, in_seconds=0.1) if stage is Stage.TIME else contextlib.nullcontext():
        measured = _unless_ours(session.measure)
    if measured is not None:
        assert measured.fault is None
        assert measured.launchers == LAUNCHERS
        assert len([one for one in measured.pairs if not one.counted]) >= PAIRS_LEAST
        assert not any(one.outside_fourfold + one.nonfinite for one in _outputs(measured.calls))
    return killed


def _outputs(calls: tuple[CallSeen, ...]) -> Iterator[OutputSeen]:
    return (output for call in calls for output in call.outputs)


def _unless_ours(make: Callable[[], Seen]) -> Seen | None:
    """What was seen, or None where it is a failure of ours that nobody takes for the kernel's."""
    try:
        return make()
    except GpuSick:
        raise
    except ToolFailure:
        return None


@contextlib.contextmanager
def _hunting(killed: list[int], *, in_seconds: float) -> Iterator[None]:
    """Kill the launcher that has worked most, which has the kernel, as soon as there is one and after ``in_seconds``."""
    stop = threading.Event()

    def hunt() -> None:
        stop.wait(in_seconds)
        while not killed and not stop.is_set():
            for pid in sorted(_launchers(), key=_ticks)[-1:]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)
            stop.wait(0.005)

    hunter = threading.Thread(target=hunt)
    hunter.start()
    try:
        yield
    finally:
        stop.set()
        hunter.join()


def _ticks(pid: int) -> int:
    """Processor time of a process so far, in clock ticks; 0 for one that is gone."""
    with contextlib.suppress(OSError):
        behind_the_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return int(behind_the_name[11]) + int(behind_the_name[12])
    return 0


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
