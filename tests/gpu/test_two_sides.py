"""The same kernel on both sides of a pair: in a launcher as a candidate, in the referee as if it were the vendor's call.

Nothing but the path differs, so the ratio is 1, within three thousandths (rule S4).
"""

import os
import random
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here")

from evaluation.adapters.catalogue import packaged  # noqa: E402 - after the skip
from evaluation.adapters.gpu.launcher_client import Deadlines  # noqa: E402
from evaluation.adapters.gpu.launcher_runtime import find_runtime  # noqa: E402
from evaluation.adapters.gpu.launchers import (  # noqa: E402
    Confinement,
    Jailed,
    ProcessLaunchers,
    Unjailed,
    jail_for,
)
from evaluation.adapters.referee.gpu_bench import GpuBench  # noqa: E402
from evaluation.adapters.referee.keys import keys  # noqa: E402
from evaluation.adapters.referee.opening import open_stand  # noqa: E402
from evaluation.adapters.referee.stand import Stand  # noqa: E402
from evaluation.adapters.slots import Slots  # noqa: E402
from evaluation.core.launching.port import Called, Gpu, SetUp  # noqa: E402
from evaluation.core.measure.bench import Place  # noqa: E402
from evaluation.core.measure.prepared import Prepared  # noqa: E402
from evaluation.core.plan.plan_json import plan_to_json  # noqa: E402
from evaluation.launcher.machine import Machine  # noqa: E402
from evaluation.launcher.places import SharedSets  # noqa: E402
from evaluation.launcher.replay import Replay  # noqa: E402
from evaluation.launcher.setting_up import Documents, set_up  # noqa: E402

from .packed import Pack, trusted_name  # noqa: E402
from .test_vendor import say  # noqa: E402

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(240)]

CASES = ("gemm_wgmma_tma", "gemm_mma_sync", "mha_fwd_wgmma")
WARM_UP, PAIRS = 5, 60
BAND = 0.003


@pytest.fixture(scope="module")
def stand(gpu: int, pack: Pack) -> Stand:
    cubin = pack.root / trusted_name(packaged().device("h200").target)
    return open_stand(gpu, cubin, confined=shutil.which("bwrap") is not None)


def documents(prepared: Prepared, bench: GpuBench) -> Documents:
    """What a launcher is sent, over the buffers that this process has already."""
    shared = SharedSets()
    for number, slots in enumerate(bench._buffers._sets):
        for place, slot in enumerate(slots):
            shared.buffers[number, place] = slot.buffer
    return Documents(plan_to_json(prepared.plan), prepared.cubin, shared)


class Replayed:
    """Stands in for the vendor's call: enqueues the kernel at the place that was prepared."""

    def __init__(self, replay: Replay) -> None:
        self._replay = replay
        # What the driver gets only once, it gets while nothing is held behind a flag.
        replay.call(0, number=0, end_aligned=False, cold=False, counted=None)
        self._calls = 1
        self._ready: tuple[Any, ...] = ()

    def prepare(self, place: Place) -> None:
        self._ready = self._replay.steady.prepare(
            self._calls, number=place.number, end_aligned=place.end_aligned
        )
        self._calls += 1

    def __call__(self, _inputs: object) -> tuple[()]:
        for action in self._ready:
            action.enqueue()
        return ()


@contextmanager
def launcher_of(stand: Stand, pack: Pack, state: Path) -> Iterator[Any]:
    runtime = find_runtime()
    confinement = Confinement.JAIL if stand.device.confined else Confinement.NONE
    spawn: Jailed | Unjailed = Unjailed(runtime)
    if stand.device.confined:
        spawn = Jailed(jail_for(runtime, None, Slots(state / "slots")), runtime)
    deadlines = Deadlines(set_up=20, call=10)
    launchers = ProcessLaunchers(spawn, pack.trusted(), deadlines, confinement)
    launcher = launchers.start(Gpu(stand.nvml.minor, stand.device.uuid))
    try:
        yield launcher
    finally:
        launcher.kill()


@pytest.mark.parametrize("case", CASES)
def test_a_kernel_takes_as_long_in_a_launcher_as_in_the_vendor_s_place(
    stand: Stand, pack: Pack, case: str, tmp_path: Path
) -> None:
    prepared = pack.prepared(case)
    with (
        closing(GpuBench(prepared.problem, stand, keys(os.urandom(32)))) as bench,
        launcher_of(stand, pack, tmp_path) as launcher,
    ):
        done = launcher.set_up(plan_to_json(prepared.plan), prepared.cubin, bench.sets)
        assert isinstance(done, SetUp), done
        replay, _ = set_up(documents(prepared, bench), Machine(stand.stream), stand.trusted)
        vendor = Replayed(replay)
        bench._vendor._call = vendor

        def in_launcher(number: int, place: Place) -> int:
            answer = launcher.call(
                number,
                set=place.number,
                end_aligned=place.end_aligned,
                counted=False,
                cold=True,
            )
            assert isinstance(answer, Called), answer
            return answer.event_ns

        def in_referee(place: Place) -> int:
            vendor.prepare(place)
            return bench.vendor(place).event_ns

        dice = random.Random(7)  # noqa: S311 - an order, no secret
        pairs = []
        for number in range(WARM_UP + PAIRS):
            place = Place(dice.randrange(len(bench.sets)), end_aligned=bool(dice.randrange(2)))
            bench.renew(place)
            if number // 2 % 2:
                theirs = in_referee(place)
                mine = in_launcher(number, place)
            else:
                mine = in_launcher(number, place)
                theirs = in_referee(place)
            pairs.append((mine, theirs))
        ratios = [theirs / mine for mine, theirs in pairs[WARM_UP:]]
        say(
            case=case,
            ratio=median(ratios),
            spread=(min(ratios), max(ratios)),
            launcher_ns=median(one for one, _ in pairs[WARM_UP:]),
            referee_ns=median(one for _, one in pairs[WARM_UP:]),
        )
        assert abs(median(ratios) - 1) <= BAND
