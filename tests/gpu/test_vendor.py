"""The referee's own half on a Hopper GPU: the vendor proven, fresh inputs, the oracle, comparison, clocks; costs are printed."""

import json
import os
import re
import statistics
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here")

from evaluation.adapters.catalogue import packaged  # noqa: E402 - after the skip
from evaluation.adapters.gpu import driver  # noqa: E402
from evaluation.adapters.referee import libraries, oracle  # noqa: E402
from evaluation.adapters.referee.gpu_bench import GpuBench  # noqa: E402
from evaluation.adapters.referee.keys import keys  # noqa: E402
from evaluation.adapters.referee.opening import open_stand  # noqa: E402
from evaluation.adapters.referee.stand import Stand  # noqa: E402
from evaluation.core.measure.bench import Place  # noqa: E402
from evaluation.core.measure.seen import Roofs  # noqa: E402
from evaluation.core.timing.limits import floor_of  # noqa: E402
from evaluation.core.verdict import Target  # noqa: E402

from .packed import Pack, trusted_name  # noqa: E402

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(240)]

GEMM = "gemm_n7168_k5120"
PROBLEMS = tuple(one.name for one in packaged().problems() if Target.HOPPER in one.targets)
START = Place(0, end_aligned=False)
END = Place(1, end_aligned=True)


def say(**words: object) -> None:
    sys.__stdout__.write(json.dumps(words) + "\n")  # type: ignore[union-attr]  # a terminal or a file
    sys.__stdout__.flush()  # type: ignore[union-attr]


@pytest.fixture(scope="module")
def stand(gpu: int, pack: Pack) -> Stand:
    cubin = pack.root / trusted_name(packaged().device("h200").target)
    return open_stand(gpu, cubin, confined=True)  # no launcher is started here


def bench_of(stand: Stand, name: str) -> GpuBench:
    return GpuBench(packaged().problem(name), stand, keys(os.urandom(32)))


@pytest.fixture(scope="module")
def gemm(stand: Stand) -> Iterator[GpuBench]:
    bench = bench_of(stand, GEMM)
    yield bench
    bench.close()


def candidate_outputs(bench: GpuBench, place: Place) -> list[Any]:
    """The shared output buffers at a place as bytes, as a candidate would write them."""
    from evaluation.adapters.referee.tensors import tensor_over  # noqa: PLC0415 - needs PyTorch

    return [
        tensor_over(one.address, one.shape, one.argument.dtype, device=bench._stand.index)
        for one in bench._at(place).tensors
        if one.argument.is_output
    ]


def copy_the_vendors(bench: GpuBench, place: Place) -> None:
    for mine, theirs in zip(candidate_outputs(bench, place), bench._vendor.outputs, strict=True):
        mine.copy_(theirs)
    torch.cuda.synchronize()


@pytest.fixture(scope="module")
def roofs(stand: Stand) -> Roofs:
    return Roofs(stand.trusted.read_rate(stand.stream), stand.trusted.matrix_rate(stand.stream))


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_vendor_of_a_problem_is_proven_and_right_and_not_below_the_floor(
    stand: Stand, roofs: Roofs, name: str
) -> None:
    began = time.monotonic()
    bench = bench_of(stand, name)  # proves names and values; raises ToolFailure otherwise
    warm = time.monotonic() - began
    try:
        kernels = bench._vendor._kernels(bench._at(START).inputs)
        calls = []
        for place in (START, END) * 5:
            bench.renew(place)
            calls.append(bench.vendor(place).event_ns)
        copy_the_vendors(bench, END)
        began = time.monotonic()
        bench.oracle(END)
        oracle_seconds = time.monotonic() - began
        began = time.monotonic()
        compared = bench.compare(END)
        compare_seconds = time.monotonic() - began
        began = time.monotonic()
        bench.renew(START)
        renew_seconds = time.monotonic() - began
        bench.vendor(START)
        slope = bench.slope((START,) * 4)
        say(
            problem=name,
            kernels=sorted(set(kernels)),
            vendor_ns=statistics.median(calls),
            floor_ns=floor_of(packaged().problem(name), roofs),
            vendor_spread=(max(calls) - min(calls)) / statistics.median(calls),
            slope_ns=slope // 4,
            sets=len(bench.sets),
            warm_s=warm,
            oracle_s=oracle_seconds,
            compare_s=compare_seconds,
            renew_s=renew_seconds,
            square_errors=[(one.square_error, one.vendor_square_error) for one in compared.outputs],
            outside=[one.outside for one in compared.outputs],
        )
        assert statistics.median(calls) >= floor_of(packaged().problem(name), roofs)
        assert compared.inputs_intact
        assert compared.slack_intact
        for one in compared.outputs:
            assert (one.nonfinite, one.outside, one.outside_both, one.outside_fourfold) == (
                0,
                0,
                0,
                0,
            )
            assert one.square_error == pytest.approx(one.vendor_square_error)  # it is the vendor's
            assert one.square_error is not None
            assert one.square_error > 0  # bf16 is not single precision
    finally:
        bench.close()
        torch.cuda.empty_cache()  # of one problem at a time


def test_untouched_outputs_are_wrong_nearly_everywhere(gemm: GpuBench) -> None:
    gemm.renew(START)
    gemm.vendor(START)
    (seen,) = gemm.compare(START).outputs
    assert seen.outside + seen.nonfinite > 0.9 * seen.elements
    assert sum(seen.map_counts) == seen.outside


@pytest.mark.parametrize("place", [START, END], ids=["start aligned", "end aligned"])
def test_one_wrong_element_is_found_with_its_index(gemm: GpuBench, place: Place) -> None:
    gemm.renew(place)
    gemm.vendor(place)
    copy_the_vendors(gemm, place)
    (out,) = candidate_outputs(gemm, place)
    out[8191, 7167] += 1000.0
    torch.cuda.synchronize()
    compared = gemm.compare(place)
    (seen,) = compared.outputs
    assert (seen.outside, seen.nonfinite) == (1, 0)
    assert seen.first is not None
    assert seen.first.index == (8191, 7167)
    assert compared.inputs_intact


def test_a_changed_input_and_a_changed_byte_behind_a_buffer_are_found(stand: Stand) -> None:
    from evaluation.adapters.referee.tensors import tensor_over  # noqa: PLC0415 - needs PyTorch
    from evaluation.core.catalogue.dtype import DType  # noqa: PLC0415

    bench = bench_of(stand, "mha_with_lse_d128")  # its LSE does not fill its memory
    try:
        bench.renew(START)
        bench.vendor(START)
        copy_the_vendors(bench, START)
        lse = bench._at(START).tensors[-1]
        ((address, size),) = lse.slack
        words = tensor_over(address, (size // 4,), DType.FLOAT32, device=stand.index)
        words[-1] = 1.0
        torch.cuda.synchronize()
        compared = bench.compare(START)
        assert (compared.inputs_intact, compared.slack_intact) == (True, False)
        bench.renew(START)
        bench.vendor(START)
        bench._at(START).inputs[2][3, 47, 4095, 127] += 1.0
        torch.cuda.synchronize()
        compared = bench.compare(START)
        assert (compared.inputs_intact, compared.slack_intact) == (False, True)
    finally:
        bench.close()


def test_every_input_changes_with_every_call(stand: Stand) -> None:
    bench = bench_of(stand, "mha_bwd_d128_causal")
    try:
        before = [one.clone() for one in bench._at(START).inputs]
        bench.renew(START)
        for old, new in zip(before, bench._at(START).inputs, strict=True):
            same = float((old == new).float().mean())
            assert same < 0.05
    finally:
        bench.close()


def test_inputs_are_normal(gemm: GpuBench) -> None:
    gemm.renew(START)
    for one in gemm._at(START).inputs:
        values = one.float()
        assert abs(float(values.mean())) < 0.002
        assert float(values.std()) == pytest.approx(1.0, abs=0.002)


def test_a_vendor_call_in_a_window_spreads_little_and_is_not_faster_than_its_slope(
    gemm: GpuBench,
) -> None:
    gemm.renew(START)
    calls = sorted(gemm.vendor(START).event_ns for _ in range(30))
    long, short = gemm.slope((START,) * 12), gemm.slope((START,) * 6)
    slope = (long - short) / 6
    say(vendor_ns=calls, slope_ns=slope)
    assert calls[15] >= 0.98 * slope
    assert calls[25] / calls[5] < 1.05


def test_nothing_of_the_inputs_is_in_the_cache_after_a_flush(gemm: GpuBench) -> None:
    gemm.renew(START)
    canary = gemm.canary(START)
    say(canary=(canary.lines, canary.hits))
    assert canary.lines == 4096
    assert canary.hits < 0.02 * canary.lines


def test_roofs_samples_and_health(gemm: GpuBench) -> None:
    began = time.monotonic()
    roofs = gemm.roofs()
    say(roofs=(roofs.read_bytes_per_s, roofs.matrix_flops_per_s), seconds=time.monotonic() - began)
    assert 2e12 < roofs.read_bytes_per_s < 6e12
    assert 5e14 < roofs.matrix_flops_per_s < 1.1e15
    began = time.monotonic()
    sample = gemm.sample()
    say(sample=(sample.sm_mhz, sample.power_mw, sample.throttle), seconds=time.monotonic() - began)
    assert sample.sm_mhz > 0
    assert gemm.well()


def test_nvml_tells_health(stand: Stand) -> None:
    health = stand.nvml.health()
    say(xids=health.xids, uncorrected=health.uncorrected, watches=stand.nvml.watches_xids)
    assert health.xids == ()


def test_the_device_tells_which_libraries_serve(stand: Stand) -> None:
    found = stand.device.libraries
    say(libraries=[found.torch, found.cuda, found.cuda_driver, found.cublas, found.cudnn])
    assert found.torch == torch.__version__
    assert found.cuda == torch.version.cuda
    version = re.compile(r"\d+\.\d+\.\d+")
    assert version.fullmatch(found.cudnn)
    assert version.fullmatch(found.cublas) or found.cublas == libraries.UNKNOWN
    assert (libraries.of_cudnn(91002), libraries.of_cudnn(8902)) == ("9.10.2", "8.9.2")
    assert (libraries.of_cuda(13000), libraries.of_cuda(12080)) == ("13.0", "12.8")
    assert libraries.cublas_version("99") == libraries.UNKNOWN


@pytest.mark.parametrize("causal", [False, True])
def test_the_oracle_is_the_formula(gpu: int, causal: bool) -> None:
    """Against PyTorch's own attention and its gradients in double precision, on small heads."""
    heads, length, depth = 3, 40, 16
    generator = torch.Generator().manual_seed(7)
    query, key, value, grad = (
        torch.randn(heads, length, depth, dtype=torch.float64, generator=generator)
        for _ in range(4)
    )
    for one in (query, key, value):
        one.requires_grad_()
    out = torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=causal)
    out.backward(grad)
    plain = tuple(one.detach() for one in (query, key, value))
    scale = depth**-0.5
    mine, lse = oracle.forward_heads(plain, scale=scale, causal=causal)
    assert torch.allclose(mine, out, atol=1e-12)
    found = oracle.backward_heads((*plain, mine, grad, lse), scale=scale, causal=causal)
    for one, true in zip(found, (query.grad, key.grad, value.grad), strict=True):
        assert torch.allclose(one, true, atol=1e-12)


def test_a_window_is_not_opened_before_all_is_enqueued(stand: Stand) -> None:
    """Twenty empty waits of the host between launches do not show in a held window (rule S5)."""

    def enqueue() -> None:
        for _ in range(20):
            stand.trusted.busy(stand.stream, 1000)
            time.sleep(0.001)

    held = stand.window.time(enqueue, held=True).event_ns
    free = stand.window.time(enqueue, held=False).event_ns
    say(held_ns=held, free_ns=free)
    assert free > 20_000_000
    assert held < 2_000_000
    driver.synchronise()
