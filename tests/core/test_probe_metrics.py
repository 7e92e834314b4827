"""The tables of counters, against names written down by hand and against CUPTI's own tables where it is installed."""

import pytest
from probed import BLACKWELL, HOPPER

from evaluation.adapters.catalogue import packaged
from evaluation.core.probe.metrics import METRICS, Counted, metrics_for
from evaluation.core.verdict import Target

GEMM = packaged().problem("gemm_n7168_k5120")
FRAME_VALUES = 64  # what one answer of a launcher has room for


@pytest.mark.parametrize(
    ("target", "names"), [(Target.HOPPER, HOPPER), (Target.BLACKWELL, BLACKWELL)]
)
def test_a_reading_has_these_counters_and_no_others(target: Target, names: dict[str, str]) -> None:
    asked = metrics_for(target, GEMM)
    assert sorted(asked) == sorted(names.values())
    assert len(set(asked)) == len(asked) <= FRAME_VALUES


@pytest.mark.parametrize("target", list(Target))
def test_no_counter_needs_patched_code(target: Target) -> None:
    assert not [name for name in metrics_for(target, GEMM) if "sass" in name]


@pytest.mark.parametrize("target", list(Target))
def test_operations_are_two_a_product(target: Target) -> None:
    ops = [one for one in METRICS[target] if "__ops_path_tensor_" in one.name]
    assert {one.products.as_integer_ratio() for one in ops} == {(1, 2)}
    assert {one.counted for one in ops} <= {Counted.TARGET_OPS, Counted.WARP_MATRIX_OPS}
    assert all((one.format is None) == (one.counted is Counted.WARP_MATRIX_OPS) for one in ops)


@pytest.mark.parametrize("target", list(Target))
def test_sparse_counters_are_those_that_say_so(target: Target) -> None:
    assert all(one.sparse == one.name.endswith("sparsity_on.sum") for one in METRICS[target])
