"""The vendor library's calls that kernels are timed against: cuBLAS and cuDNN through PyTorch.

Tensors are those of a problem in the order of the ABI. A call enqueues on PyTorch's current stream and returns its
outputs in private memory; nothing of it is ever in a buffer that a launcher sees.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch

from evaluation.core.catalogue.problem import Kind, Problem
from evaluation.core.catalogue.problem_kinds import attention_shape

Tensors = tuple[torch.Tensor, ...]
VendorCall = Callable[[Tensors], Tensors]

_aten = torch.ops.aten


@dataclass(slots=True)
class Matmul:
    """C = A B' by cuBLAS. The output is one tensor for all calls, as the candidate's is."""

    out: torch.Tensor | None = None

    def __call__(self, inputs: Tensors) -> Tensors:
        a, b = inputs
        if self.out is None:
            self.out = torch.empty((a.shape[0], b.shape[0]), dtype=a.dtype, device=a.device)
        torch.mm(a, b.t(), out=self.out)
        return (self.out,)


@dataclass(frozen=True, slots=True)
class Forward:
    """O and the natural logarithm of the sums of exponentials, [B, H, S], by cuDNN."""

    causal: bool
    scale: float

    def __call__(self, inputs: Tensors) -> Tensors:
        out, lse, *_ = self.all(inputs[:3])
        return out, lse.squeeze(-1)

    def all(self, inputs: Tensors) -> Tensors:
        """Everything the operation returns; the backward wants some of it back."""
        query, key, value = inputs
        found: Tensors = _aten._scaled_dot_product_cudnn_attention(  # noqa: SLF001 - its only name
            query,
            key,
            value,
            None,
            True,  # noqa: FBT003 - compute_log_sumexp; the operation takes it by place
            0.0,
            self.causal,
            False,  # noqa: FBT003 - return_debug_mask
            scale=self.scale,
        )
        return found


@dataclass(slots=True)
class Backward:
    """dQ, dK and dV by cuDNN from Q, K, V, O, dO and L, all as the kernel gets them."""

    forward: Forward
    state: Tensors = ()  # of the random generator: unused without dropout, and asked for

    def __call__(self, inputs: Tensors) -> Tensors:
        query, key, value, out, grad, lse = inputs
        if not self.state:
            self.state = self.forward.all((query, key, value))[6:8]
        seed, offset = self.state
        found: Tensors = _aten._scaled_dot_product_cudnn_attention_backward(  # noqa: SLF001 - its only name
            grad,
            query,
            key,
            value,
            out,
            lse.unsqueeze(-1),
            seed,
            offset,
            None,
            None,
            None,
            query.shape[2],
            key.shape[2],
            0.0,
            self.forward.causal,
            scale=self.forward.scale,
        )
        return found[:3]


def forward_of(problem: Problem) -> Forward:
    """The forward of an attention problem; the backward's O and L are its outputs."""
    return Forward(problem.causal, attention_scale(problem))


def vendor_of(problem: Problem) -> VendorCall:
    """Give a fresh call for a problem's baseline."""
    if problem.kind is Kind.GEMM:
        return Matmul()
    if problem.kind is Kind.ATTENTION_FORWARD:
        return forward_of(problem)
    return Backward(forward_of(problem))


def attention_scale(problem: Problem) -> float:
    """What the scores are multiplied with: 1 / sqrt(head dimension)."""
    return 1.0 / math.sqrt(attention_shape(problem).head_dim)
