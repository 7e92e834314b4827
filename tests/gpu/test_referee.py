"""Whole kernels through the real referee process, as a worker asks it: verdict-free, what was seen; costs are printed."""

import json
import os
import shutil
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from evaluation.adapters.gpu.cupti_library import find_cupti
from evaluation.adapters.gpu.nvml import Nvml
from evaluation.adapters.gpu.referee_client import RefereeClient, RefereeStart
from evaluation.core.errors import ToolFailure, ToolMissing
from evaluation.core.measure.prepared import Prepared
from evaluation.core.measure.referee_words import Settings
from evaluation.core.measure.seen import FaultKind, MeasureSeen, Purpose
from evaluation.core.verdict import Target

from .packed import Pack, trusted_name

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(300)]

RIGHT = ("gemm_wgmma_tma", "mha_fwd_wgmma", "mha_fwd_wgmma_causal")


def say(**words: object) -> None:
    sys.__stdout__.write(json.dumps(words) + "\n")  # type: ignore[union-attr]  # a terminal or a file
    sys.__stdout__.flush()  # type: ignore[union-attr]


@pytest.fixture(scope="module")
def referee(
    gpu: int, pack: Pack, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RefereeClient]:
    try:
        cupti = str(find_cupti().library)
    except ToolMissing:
        cupti = ""
    passed_on = ("PATH", "HOME", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "VIRTUAL_ENV")
    environment = {name: os.environ[name] for name in passed_on if name in os.environ}
    environment["PYTHONPATH"] = str(Path(__file__).parents[2])
    client = RefereeClient(
        RefereeStart(
            Settings(
                device=gpu,
                trusted_cubin=str((pack.root / trusted_name(Target.HOPPER)).resolve()),
                counters=str(pack.counters.resolve()),
                cupti=cupti,
                home=str(tmp_path_factory.mktemp("home")),
                unconfined=shutil.which("bwrap") is None,
            ),
            tuple(environment.items()),
            Nvml,
        )
    )
    yield client
    client.close()


def ratio(seen: MeasureSeen) -> float:
    return statistics.median(
        pair.vendor.event_ns / pair.candidate.event_ns for pair in seen.pairs if not pair.counted
    )


@pytest.mark.parametrize("case", RIGHT)
def test_a_right_kernel_is_measured_in_full(
    referee: RefereeClient, prepared: Callable[[str], Prepared], case: str
) -> None:
    kernel = prepared(case)
    for turn in ("cold", "warm"):
        began = time.monotonic()
        with referee.open(kernel) as session:
            opened = time.monotonic()
            checked = session.check()
            check_done = time.monotonic()
            assert checked.fault is None
            for call in checked.calls:
                assert call.inputs_intact
                assert call.slack_intact
                assert all(one.nonfinite == one.outside_both == 0 for one in call.outputs)
            assert checked.calls[0].outputs[0].square_error is not None
            seen = session.measure()
            measured = time.monotonic()
        closed = time.monotonic()
        say(
            case=case,
            turn=turn,
            open_s=opened - began,
            check_s=check_done - opened,
            measure_s=measured - check_done,
            close_s=closed - measured,
            ratio=ratio(seen),
            pairs=len(seen.pairs),
            asked=seen.asked_pairs,
            calls=len(seen.calls),
            vendor_before=statistics.median(seen.vendor_before_ns),
            vendor_after=statistics.median(seen.vendor_after_ns),
            vendor_in_pairs=statistics.median(pair.vendor.event_ns for pair in seen.pairs),
            candidate_ns=statistics.median(
                pair.candidate.event_ns for pair in seen.pairs if not pair.counted
            ),
            slopes=[
                (one.side, one.calls, (one.long_ns - one.short_ns) // one.calls)
                for one in seen.slopes
            ],
            canaries=[(one.lines, one.hits) for one in seen.canaries],
            unavailable=seen.probe.unavailable,
            readings=[dict(one.values) for one in seen.probe.readings],
            set_up=(checked.set_up_ns, checked.set_up_bytes),
            clocks=[(one.sm_mhz, one.power_mw, one.throttle) for one in seen.clocks],
        )
    assert seen.fault is None
    assert seen.launchers == 3
    assert len(seen.vendor_after_ns) == 10
    assert {pair.launcher for pair in seen.pairs} == {0, 1, 2}
    assert all(call.inputs_intact and call.slack_intact for call in seen.calls)
    assert all(not one.nonfinite for call in seen.calls for one in call.outputs)
    assert sum(call.purpose is Purpose.PAIR for call in seen.calls) == sum(
        not pair.counted for pair in seen.pairs
    )


def test_a_wrong_kernel_leaves_after_its_first_call(
    referee: RefereeClient, prepared: Callable[[str], Prepared]
) -> None:
    kernel = prepared("one_nan")
    for turn in ("cold", "warm"):
        began = time.monotonic()
        with referee.open(kernel) as session:
            opened = time.monotonic()
            checked = session.check()
            done = time.monotonic()
        say(
            turn=turn, open_s=opened - began, wrong_s=done - opened, close_s=time.monotonic() - done
        )
    assert checked.fault is None
    assert len(checked.calls) == 1
    assert sum(one.nonfinite for one in checked.calls[0].outputs) >= 1


@pytest.mark.parametrize(
    ("case", "kind"),
    [("illegal_address", FaultKind.CUDA_ERROR), ("never_ends", FaultKind.TIMED_OUT)],
)
def test_after_a_fault_the_next_kernel_is_measured(
    referee: RefereeClient, prepared: Callable[[str], Prepared], case: str, kind: FaultKind
) -> None:
    with referee.open(prepared(case)) as session:
        fault = session.check().fault
    assert fault is not None
    say(case=case, kind=fault.kind, code=fault.code, name=fault.name, seconds=fault.seconds)
    assert fault.kind is kind
    with referee.open(prepared("gemm_wgmma_tma")) as session:
        checked = session.check()
    assert checked.fault is None
    assert len(checked.calls) == 3


def test_a_killed_referee_is_our_fault_and_the_next_kernel_is_measured(
    referee: RefereeClient, prepared: Callable[[str], Prepared]
) -> None:
    kernel = prepared("gemm_wgmma_tma")
    with pytest.raises(ToolFailure, match="ended during check"), referee.open(kernel) as session:  # noqa: PT012 - the block is the test
        assert referee._running is not None
        os.kill(referee._running.process.pid, 9)
        session.check()
    with referee.open(kernel) as session:
        assert session.check().fault is None


def test_ten_repetitions_of_one_kernel_spread_little(
    referee: RefereeClient, prepared: Callable[[str], Prepared]
) -> None:
    ratios = []
    for _ in range(10):
        with referee.open(prepared("gemm_wgmma_tma")) as session:
            session.check()
            ratios.append(ratio(session.measure()))
    spread = statistics.stdev(ratios) / statistics.mean(ratios)
    say(ratios=ratios, coefficient_of_variation=spread)
    assert spread < 0.005
