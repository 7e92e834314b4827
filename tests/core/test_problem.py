import pytest

from evaluation.adapters.catalogue import packaged
from evaluation.core.catalogue.dtype import DType
from evaluation.core.catalogue.problem import Argument, Distribution, Family, argument_list
from evaluation.core.catalogue.problem_file import load_problem
from evaluation.core.catalogue.problem_kinds import (
    AttentionShape,
    GemmShape,
    attention_shape,
    gemm_shape,
    letters,
)
from evaluation.core.verdict import Target

SCALED = """\
format = 1
name = "gemm_scaled"
title = "A scaled product"
version = 1
ranked = false
suite = "tests"
kind = "gemm"
formula = "C = alpha * A B' + beta"
baseline = "cublas_matmul"
input_sets = 1
axes = { rows = 128, columns = 256, inner = 64 }
workload = { uuid = "94920358-01a8-4c5b-9209-3103fd490e94", axes = {} }
inputs = [
  { name = "alpha", dtype = "float32", shape = "scalar", value = 0.5 },
  { name = "left", dtype = "float16", shape = ["rows", "inner"], distribution = "normal" },
  { name = "beta", dtype = "int32", shape = "scalar", value = -3 },
  { name = "right", dtype = "float16", shape = ["columns", "inner"], distribution = "normal" },
]
outputs = [{ name = "out", dtype = "float32", shape = ["rows", "columns"] }]
tolerance = { atol = 1e-2, rtol = 1e-2 }
bounds = { call_seconds = 10, gpu_seconds = 60, precision_grade = 4.0, excess_work = 3.0 }
targets = { hopper = ["gmma"] }
"""

BHSD = (4, 48, 4096, 128)


def test_scalars_keep_their_place_among_the_arguments_and_their_value() -> None:
    assert argument_list(load_problem(SCALED, where="p.toml")) == (
        Argument(
            "alpha", is_output=False, dtype=DType.FLOAT32, shape=None, size_bytes=4, value=0.5
        ),
        Argument("left", is_output=False, dtype=DType.FLOAT16, shape=(128, 64), size_bytes=16384),
        Argument("beta", is_output=False, dtype=DType.INT32, shape=None, size_bytes=4, value=-3),
        Argument("right", is_output=False, dtype=DType.FLOAT16, shape=(256, 64), size_bytes=32768),
        Argument("out", is_output=True, dtype=DType.FLOAT32, shape=(128, 256), size_bytes=131072),
    )


def test_roles_are_places_and_not_names() -> None:
    problem = load_problem(SCALED, where="p.toml")
    assert gemm_shape(problem) == GemmShape(m=128, n=256, k=64)
    found = letters(problem.kind, problem.inputs, problem.outputs, where="p.toml")
    assert found == {"m": "rows", "k": "inner", "n": "columns"}


def test_the_gemm_of_the_paper_takes_a_b_c() -> None:
    arguments = argument_list(packaged().problem("gemm_n7168_k5120"))
    assert [(one.name, one.shape, one.is_output) for one in arguments] == [
        ("A", (8192, 5120), False),
        ("B", (7168, 5120), False),
        ("C", (8192, 7168), True),
    ]
    assert [one.size_bytes for one in arguments] == [83886080, 73400320, 117440512]


@pytest.mark.parametrize("name", ["mha_with_lse_d128", "mha_with_lse_d128_causal"])
def test_attention_forward_takes_q_k_v_o_lse(name: str) -> None:
    problem = packaged().problem(name)
    assert [(one.name, one.dtype, one.shape) for one in argument_list(problem)] == [
        ("Q", DType.BFLOAT16, BHSD),
        ("K", DType.BFLOAT16, BHSD),
        ("V", DType.BFLOAT16, BHSD),
        ("O", DType.BFLOAT16, BHSD),
        ("LSE", DType.FLOAT32, (4, 48, 4096)),
    ]
    assert attention_shape(problem) == AttentionShape(4, 48, 4096, 128)


@pytest.mark.parametrize("name", ["mha_bwd_d128", "mha_bwd_d128_causal"])
def test_attention_backward_takes_q_k_v_o_do_l_and_three_gradients(name: str) -> None:
    arguments = argument_list(packaged().problem(name))
    assert [(one.name, one.dtype, one.shape) for one in arguments] == [
        ("Q", DType.BFLOAT16, BHSD),
        ("K", DType.BFLOAT16, BHSD),
        ("V", DType.BFLOAT16, BHSD),
        ("O", DType.BFLOAT16, BHSD),
        ("dO", DType.BFLOAT16, BHSD),
        ("L", DType.FLOAT32, (4, 48, 4096)),
        ("dQ", DType.BFLOAT16, BHSD),
        ("dK", DType.BFLOAT16, BHSD),
        ("dV", DType.BFLOAT16, BHSD),
    ]
    assert [one.is_output for one in arguments] == [False] * 6 + [True] * 3


def test_backward_takes_output_and_lse_from_the_vendors_forward() -> None:
    inputs = {one.name: one.distribution for one in packaged().problem("mha_bwd_d128").inputs}
    assert inputs["O"] is Distribution.VENDOR_FORWARD_OUTPUT
    assert inputs["L"] is Distribution.VENDOR_FORWARD_LSE
    assert inputs["dO"] is Distribution.NORMAL


def test_hopper_counts_gmma_or_tma_and_blackwell_its_own_family_only() -> None:
    for problem in packaged().problems():
        assert problem.families(Target.HOPPER) == (Family.GMMA, Family.TMA)
        assert problem.families(Target.BLACKWELL) == (Family.TCGEN05,)


@pytest.mark.parametrize(
    ("dtype", "size_bytes", "code", "bits", "floating"),
    [
        (DType.BFLOAT16, 2, 4, 16, True),
        (DType.FLOAT16, 2, 2, 16, True),
        (DType.FLOAT32, 4, 2, 32, True),
        (DType.FLOAT8_E4M3FN, 1, 10, 8, True),
        (DType.FLOAT8_E5M2, 1, 12, 8, True),
        (DType.INT64, 8, 0, 64, False),
        (DType.INT32, 4, 0, 32, False),
        (DType.INT16, 2, 0, 16, False),
        (DType.INT8, 1, 0, 8, False),
        (DType.BOOL, 1, 6, 8, False),
    ],
)
def test_a_type_knows_its_size_and_its_dlpack_code(
    dtype: DType, size_bytes: int, code: int, bits: int, *, floating: bool
) -> None:
    assert (dtype.size_bytes, dtype.dlpack_code, dtype.dlpack_bits) == (size_bytes, code, bits)
    assert dtype.is_floating is floating
    assert dtype.is_integer is dtype.value.startswith("int")


def test_every_type_is_in_that_list() -> None:
    assert len(DType) == 10
