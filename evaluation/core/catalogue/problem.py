"""A problem: what a kernel has to compute, on which inputs, how exactly, and what it is compared with."""

import math
from dataclasses import dataclass
from enum import StrEnum

from evaluation.core.catalogue.dtype import DType
from evaluation.core.verdict import Target


class Kind(StrEnum):
    """Problem kinds the judge has a formula, a reference and a work count for."""

    GEMM = "gemm"
    ATTENTION_FORWARD = "attention_forward"
    ATTENTION_BACKWARD = "attention_backward"


class Family(StrEnum):
    """Instruction families a problem may ask for. TMA means its transfers, not its prefetches or fences."""

    GMMA = "gmma"
    TMA = "tma"
    TCGEN05 = "tcgen05"


class Distribution(StrEnum):
    """Where the values of an input come from."""

    NORMAL = "normal"  # independent, mean 0, standard deviation 1, rounded to the type
    VENDOR_FORWARD_OUTPUT = "vendor_forward_output"  # O of the vendor's forward on the same Q, K, V
    VENDOR_FORWARD_LSE = "vendor_forward_lse"  # its log-sum-exp, natural logarithm
    FIXED = "fixed"  # a scalar of one stated value


class Baseline(StrEnum):
    """The vendor call that a kernel is timed against."""

    CUBLAS_MATMUL = "cublas_matmul"
    CUDNN_SDPA_FORWARD = "cudnn_sdpa_forward"
    CUDNN_SDPA_BACKWARD = "cudnn_sdpa_backward"


@dataclass(frozen=True, slots=True)
class Axis:
    """A named length in elements; ``fixed`` by the definition, or else given by the workload."""

    name: str
    size: int
    fixed: bool


@dataclass(frozen=True, slots=True)
class Input:
    """``shape`` names axes, outermost first, contiguous; None is a scalar, and then ``value`` is what it is."""

    name: str
    dtype: DType
    shape: tuple[str, ...] | None
    distribution: Distribution
    value: int | float | None = None


@dataclass(frozen=True, slots=True)
class Output:
    name: str
    dtype: DType
    shape: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tolerance:
    """An element is outside only if it misses both: |x - y| > max(atol, rtol * |y|).

    ``borderline_one_in``: of so many elements of an output one may be outside in a checked call, within four times the
    tolerance; 0 where none may, which is the paper's rule. It is stated where the vendor's own results are outside of
    the oracle's now and then (docs/adr/0023-borderline-elements.md).
    """

    atol: float
    rtol: float
    borderline_one_in: int = 0


@dataclass(frozen=True, slots=True)
class Bounds:
    """Where the judge stops or begins to ask.

    ``precision_grade`` is a kernel's error over the vendor's own error, both against a wider oracle, above which a
    signal is raised; ``excess_work`` the executed share of the required matrix work above which one is.
    """

    call_seconds: int
    gpu_seconds: int
    precision_grade: float
    excess_work: float


@dataclass(frozen=True, slots=True)
class Asked:
    """The families of which a kernel must execute at least one on ``target``."""

    target: Target
    families: tuple[Family, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """One definition with one workload. ``version`` rises with every change that could change a finding."""

    name: str
    title: str
    version: int
    ranked: bool
    suite: str
    kind: Kind
    causal: bool
    formula: str
    workload: str  # its published uuid
    axes: tuple[Axis, ...]
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    input_sets: int
    tolerance: Tolerance
    bounds: Bounds
    baseline: Baseline
    asked: tuple[Asked, ...]

    @property
    def targets(self) -> tuple[Target, ...]:
        return tuple(one.target for one in self.asked)

    def families(self, target: Target) -> tuple[Family, ...]:
        """Families asked for on ``target``; empty where the problem does not exist for it."""
        return next((one.families for one in self.asked if one.target is target), ())

    def sizes(self, shape: tuple[str, ...]) -> tuple[int, ...]:
        """Lengths of the named axes in elements."""
        lengths = {axis.name: axis.size for axis in self.axes}
        return tuple(lengths[name] for name in shape)


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of ``run``. A tensor has a shape and no value; a scalar has a value and no shape.

    Tensors are contiguous. A floating scalar is passed as a double, an integer or bool as a 64-bit integer, as
    TVM-FFI passes them; ``size_bytes`` is the size of the declared type.
    """

    name: str
    is_output: bool
    dtype: DType
    shape: tuple[int, ...] | None
    size_bytes: int
    value: int | float | None = None


def argument_list(problem: Problem) -> tuple[Argument, ...]:
    """Arguments in the order of the ABI: inputs, then outputs, each as the definition lists them."""
    inputs = tuple(
        _argument(problem, one, is_output=False, value=one.value) for one in problem.inputs
    )
    return inputs + tuple(_argument(problem, one, is_output=True) for one in problem.outputs)


def _argument(
    problem: Problem, one: Input | Output, *, is_output: bool, value: float | None = None
) -> Argument:
    shape = None if one.shape is None else problem.sizes(one.shape)
    elements = 1 if shape is None else math.prod(shape)
    return Argument(one.name, is_output, one.dtype, shape, elements * one.dtype.size_bytes, value)
