"""Replays a case of a pack in this process, with or without hardware counters, and prints what it saw as JSON.

    python3 -m tests.gpu.replayed PACK CASE [--calls N] [--exact] [--counters LIBRARY CUPTI] [--readings N] [--stay-on | --rows]

The launcher's own set-up and replay without its socket and jail: something that Nsight and the sanitizer can be run
around, and in which the counters' cost can be taken apart.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from cuda.bindings import driver

from evaluation.adapters.gpu import memory
from evaluation.adapters.gpu.counters import Counters
from evaluation.adapters.gpu.driver import synchronise
from evaluation.adapters.gpu.driver_calls import ask
from evaluation.adapters.gpu.memory import Buffer
from evaluation.core.launching.port import Counting
from evaluation.core.plan.plan_json import plan_from_json
from evaluation.core.probe.metrics import metrics_for
from evaluation.core.verdict import Target
from evaluation.launcher.counting import Counters as LauncherCounters
from evaluation.launcher.machine import DEVICE, open_machine
from evaluation.launcher.places import SharedSets
from evaluation.launcher.replay import Replay
from evaluation.launcher.setting_up import Documents, set_up

from .packed import Pack

ONE_BF16 = 0x3F80  # twice, it is also a finite float
PLAIN_CALLS = 20


class PlainKernels:
    """Stands for the judge's own kernels: memory gets one pattern, and nothing is loaded or flushed."""

    def bits(self, stream: int, address: int, size: int, *, key: int) -> None:
        del key
        ask(driver.cuMemsetD8Async, address, 0x5A, size, stream)

    def load(self, stream: int) -> None:
        del stream

    def flush(self, stream: int) -> None:
        del stream


@dataclass
class Timer:
    """Wall milliseconds of each kind of step."""

    spent: dict[str, list[float]] = field(default_factory=dict)

    def take(self, name: str, step: Callable[[], object]) -> None:
        began = time.perf_counter()
        step()
        self.spent.setdefault(name, []).append(round(1e3 * (time.perf_counter() - began), 3))


def make_buffer(size: int, *, exact: bool) -> Buffer:
    """``exact``: an allocation of this size and no more, so that memcheck sees its end (rule C8)."""
    if not exact:
        return memory.create(size, device=DEVICE)
    base = int(ask(driver.cuMemAlloc, size))
    return Buffer(size, mapped=size, base=base, reservation=0, reserved=0, handle=0, writable=True)


def prepare(pack: Pack, case: str, *, exact: bool) -> Replay:
    folder = pack.root / case
    plan = (folder / "plan.json").read_bytes()
    machine = open_machine()
    shared = SharedSets()
    for place, argument in enumerate(plan_from_json(plan).arguments):
        buffer = make_buffer(argument.size, exact=exact)
        ask(driver.cuMemsetD16, buffer.base, ONE_BF16, buffer.mapped // 2)
        shared.buffers[0, place] = buffer
    synchronise()
    replay, _ = set_up(
        Documents(plan, (folder / "cubin").read_bytes(), shared), machine, PlainKernels()
    )
    return replay


class Caller:
    def __init__(self, replay: Replay) -> None:
        self._replay = replay
        self._number = 0

    def call(self, counted: Callable[[Callable[[], int]], int] | None = None) -> int:
        number, self._number = self._number, self._number + 1
        return self._replay.call(number, number=0, end_aligned=False, cold=False, counted=counted)


def count(
    caller: Caller, counters: Counters, timer: Timer, metrics: tuple[str, ...], readings: int
) -> dict[str, object]:
    """Take readings with an ordinary call after each pass, whose time shows whether the profiler is really off."""
    plain = [caller.call() for _ in range(PLAIN_CALLS)]
    passes = 0

    def configure() -> None:
        nonlocal passes
        passes = counters.configure(metrics)

    timer.take("configure", configure)
    between, inside, values = [], [], []

    def counted(call: Callable[[], int]) -> int:
        timer.take("begin_pass", counters.begin_pass)
        spent = call()
        timer.take("end_pass", counters.end_pass)
        return spent

    for _ in range(readings):
        for _ in range(passes):
            inside.append(caller.call(counted))
            between.append(caller.call())
        timer.take("values", lambda: values.append(counters.values()))
    counters.close()
    after = [caller.call() for _ in range(PLAIN_CALLS)]
    return {
        "passes": passes,
        "readings": values,
        "plain_ns": plain,
        "counted_ns": inside,
        "between_ns": between,
        "after_ns": after,
        "milliseconds": timer.spent,
    }


def count_in_rows(
    caller: Caller, counters: Counters, timer: Timer, metrics: tuple[str, ...], readings: int
) -> dict[str, object]:
    """Take readings as a launcher does: switched on and off once before all, then on for the passes of one alone."""
    launcher = LauncherCounters(lambda: counters)
    plain = [caller.call() for _ in range(PLAIN_CALLS)]
    configured = []
    timer.take("configure", lambda: configured.append(launcher.configure(metrics)))
    (counting,) = configured
    between, inside, values = [], [], []
    for _ in range(readings):
        for _ in range(counting.passes):
            timer.take("counted call", lambda: inside.append(caller.call(launcher.counted)))
        timer.take("rest", launcher.rest)
        between += [caller.call() for _ in range(PLAIN_CALLS)]
        read = launcher.read()
        assert not isinstance(read, Counting), read.reason
        values.append(dict(zip(metrics, read, strict=True)))
    return {
        "passes": counting.passes,
        "unavailable": counting.reason,
        "readings": values,
        "plain_ns": plain,
        "counted_ns": inside,
        "between_ns": between,
        "milliseconds": timer.spent,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("pack", type=Path)
    parser.add_argument("case")
    parser.add_argument("--calls", type=int, default=3)
    parser.add_argument("--exact", action="store_true")
    parser.add_argument("--counters", nargs=2, type=Path, metavar=("LIBRARY", "CUPTI"))
    parser.add_argument("--readings", type=int, default=2)
    parser.add_argument("--stay-on", action="store_true")
    parser.add_argument("--rows", action="store_true")
    options = parser.parse_args()
    pack = Pack(options.pack)
    caller = Caller(prepare(pack, options.case, exact=options.exact))
    if options.counters is None:
        said: dict[str, object] = {"plain_ns": [caller.call() for _ in range(options.calls)]}
    else:
        timer, opened = Timer(), []
        library, cupti = options.counters
        metrics = metrics_for(Target.HOPPER, pack.prepared(options.case).problem)
        timer.take(
            "open",
            lambda: opened.append(
                Counters(library, cupti, DEVICE, stay_on=options.stay_on or options.rows)
            ),
        )
        how = count_in_rows if options.rows else count
        said = how(caller, opened[0], timer, metrics, options.readings)
    json.dump(said, sys.stdout)


if __name__ == "__main__":
    main()
