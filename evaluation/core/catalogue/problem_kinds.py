"""What each kind of problem looks like: the roles of its tensors in order, and the lengths its formulas need.

A tensor has its role by its place, never by its name: definitions name the same thing differently.
"""

from dataclasses import dataclass

from evaluation.core.catalogue.dtype import DType
from evaluation.core.catalogue.problem import Baseline, Distribution, Input, Kind, Output, Problem
from evaluation.core.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Role:
    """One tensor of a kind. Equal letters mean the same axis, different letters different axes.

    ``operand`` tensors enter matrix products and share one floating type; ``lse`` is a float32 log-sum-exp.
    """

    name: str
    letters: str
    operand: bool = False
    lse: bool = False
    distribution: Distribution = Distribution.NORMAL

    def __str__(self) -> str:
        return f"{self.name}[{','.join(self.letters)}]"


@dataclass(frozen=True, slots=True)
class Layout:
    inputs: tuple[Role, ...]
    outputs: tuple[Role, ...]
    masked: bool  # whether the kind has a causal form
    baseline: Baseline


@dataclass(frozen=True, slots=True)
class GemmShape:
    """C[m, n] = A[m, k] times the transpose of B[n, k]."""

    m: int
    n: int
    k: int


@dataclass(frozen=True, slots=True)
class AttentionShape:
    batch: int
    heads: int
    sequence: int
    head_dim: int


def layout(kind: Kind) -> Layout:
    return _LAYOUTS[kind]


def gemm_shape(problem: Problem) -> GemmShape:
    lengths = _lengths(problem)
    return GemmShape(lengths["m"], lengths["n"], lengths["k"])


def attention_shape(problem: Problem) -> AttentionShape:
    lengths = _lengths(problem)
    return AttentionShape(lengths["b"], lengths["h"], lengths["s"], lengths["d"])


def letters(
    kind: Kind, inputs: tuple[Input, ...], outputs: tuple[Output, ...], *, where: str
) -> dict[str, str]:
    """Map the letters of a kind to axis names; raise InvalidInput where the tensors do not fit the kind.

    Scalars stand outside the pattern and may come anywhere among the inputs.
    """
    plan = layout(kind)
    tensors = tuple(one for one in inputs if one.shape is not None)
    found: dict[str, str] = {}
    sides: tuple[tuple[str, tuple[Role, ...], tuple[Input | Output, ...]], ...] = (
        ("inputs", plan.inputs, tensors),
        ("outputs", plan.outputs, outputs),
    )
    for side, roles, given in sides:
        if len(given) != len(roles):
            names = ", ".join(map(str, roles))
            rule = f"a problem of kind {kind} has {len(roles)} tensors here, in this order: {names}"
            raise InvalidInput(where=where, key=side, rule=rule)
        for role, tensor in zip(roles, given, strict=True):
            _bind(role, tensor, found, where=where, key=f"{side}.{tensor.name}")
    _operands_agree(plan, tensors, where=where)
    return found


def _bind(
    role: Role, tensor: Input | Output, found: dict[str, str], *, where: str, key: str
) -> None:
    shape = tensor.shape or ()
    fits = len(shape) == len(role.letters)
    for letter, axis in zip(role.letters, shape, strict=False):
        fits = fits and found.setdefault(letter, axis) == axis
    if not fits or len(set(found.values())) != len(found):
        rule = (
            f"stands in the place of {role}; "
            "one letter is one axis in all tensors, two letters are two axes"
        )
        raise InvalidInput(where=where, key=f"{key}.shape", rule=rule)
    if role.lse and tensor.dtype is not DType.FLOAT32:
        raise InvalidInput(where=where, key=f"{key}.dtype", rule="a log-sum-exp is float32")
    if not tensor.dtype.is_floating:
        raise InvalidInput(where=where, key=f"{key}.dtype", rule="must be a floating type")
    if isinstance(tensor, Input) and tensor.distribution is not role.distribution:
        rule = f"{role.name} of this kind is {role.distribution}"
        raise InvalidInput(where=where, key=f"{key}.distribution", rule=rule)


def _operands_agree(plan: Layout, tensors: tuple[Input, ...], *, where: str) -> None:
    operands = [one for role, one in zip(plan.inputs, tensors, strict=True) if role.operand]
    for one in operands[1:]:
        if one.dtype is not operands[0].dtype:
            rule = f"must be {operands[0].dtype} as {operands[0].name}: operands share one type"
            raise InvalidInput(where=where, key=f"inputs.{one.name}.dtype", rule=rule)


def _lengths(problem: Problem) -> dict[str, int]:
    names = letters(problem.kind, problem.inputs, problem.outputs, where=problem.name)
    sizes = {axis.name: axis.size for axis in problem.axes}
    return {letter: sizes[axis] for letter, axis in names.items()}


_Q, _K, _V = (Role(name, "bhsd", operand=True) for name in "QKV")
_LAYOUTS = {
    Kind.GEMM: Layout(
        inputs=(Role("A", "mk", operand=True), Role("B", "nk", operand=True)),
        outputs=(Role("C", "mn"),),
        masked=False,
        baseline=Baseline.CUBLAS_MATMUL,
    ),
    Kind.ATTENTION_FORWARD: Layout(
        inputs=(_Q, _K, _V),
        outputs=(Role("O", "bhsd"), Role("LSE", "bhs", lse=True)),
        masked=True,
        baseline=Baseline.CUDNN_SDPA_FORWARD,
    ),
    Kind.ATTENTION_BACKWARD: Layout(
        inputs=(
            _Q,
            _K,
            _V,
            Role("O", "bhsd", distribution=Distribution.VENDOR_FORWARD_OUTPUT),
            Role("dO", "bhsd", operand=True),
            Role("L", "bhs", lse=True, distribution=Distribution.VENDOR_FORWARD_LSE),
        ),
        outputs=(Role("dQ", "bhsd"), Role("dK", "bhsd"), Role("dV", "bhsd")),
        masked=True,
        baseline=Baseline.CUDNN_SDPA_BACKWARD,
    ),
}
