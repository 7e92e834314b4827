"""The outputs of a problem in single precision, by the written formulas, in memory of the referee's own.

Attention goes head by head, a few at a time, so that a score matrix fits. ``exact_arithmetic`` must have been called.
"""

import torch

from evaluation.adapters.referee.vendor import Tensors, attention_scale
from evaluation.core.catalogue.problem import Kind, Problem

SCORES_BYTES = 2 << 30  # of one single-precision score matrix of all heads that are done together


def exact_arithmetic() -> None:
    """Let PyTorch multiply single precision in single precision, not in TF32."""
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.set_float32_matmul_precision("highest")


def empty_outputs(problem: Problem, device: torch.device) -> Tensors:
    """Memory for what ``compute`` writes: float32, in the order of the outputs."""
    return tuple(
        torch.empty(problem.sizes(one.shape), dtype=torch.float32, device=device)
        for one in problem.outputs
    )


def compute(problem: Problem, inputs: Tensors, outputs: Tensors) -> None:
    """Write the outputs for ``inputs``, which are the problem's in the order of the ABI."""
    if problem.kind is Kind.GEMM:
        a, b = inputs
        torch.mm(a.float(), b.float().t(), out=outputs[0])
        return
    scale = attention_scale(problem)
    rows = tuple(one.flatten(0, 1) for one in inputs)  # batch and head are one axis
    results = tuple(one.flatten(0, 1) for one in outputs)
    sequence = rows[0].shape[1]
    together = max(1, SCORES_BYTES // (4 * sequence * sequence))
    heads = forward_heads if problem.kind is Kind.ATTENTION_FORWARD else backward_heads
    for at in range(0, rows[0].shape[0], together):
        part = slice(at, at + together)
        found = heads(tuple(one[part].float() for one in rows), scale=scale, causal=problem.causal)
        for result, one in zip(results, found, strict=True):
            result[part] = one


def forward_heads(inputs: Tensors, *, scale: float, causal: bool) -> Tensors:
    """O and L of heads [h, s, d]: L = log sum exp of a row of scores, O = exp(scores - L) V."""
    query, key, value = inputs
    scores = _scores(query, key, scale=scale, causal=causal)
    lse = torch.logsumexp(scores, dim=-1)
    weights = scores.sub_(lse.unsqueeze(-1)).exp_()
    return torch.bmm(weights, value), lse


def backward_heads(inputs: Tensors, *, scale: float, causal: bool) -> Tensors:
    """dQ, dK, dV of heads: P = exp(scores - L), dS = P (dO V' - rowsum(dO O)) scale."""
    query, key, value, out, grad, lse = inputs
    scores = _scores(query, key, scale=scale, causal=causal)
    weights = scores.sub_(lse.unsqueeze(-1)).exp_()
    grad_value = torch.bmm(weights.transpose(1, 2), grad)
    inner = (grad * out).sum(-1, keepdim=True)
    grad_scores = torch.bmm(grad, value.transpose(1, 2)).sub_(inner).mul_(weights).mul_(scale)
    return (
        torch.bmm(grad_scores, key),
        torch.bmm(grad_scores.transpose(1, 2), query),
        grad_value,
    )


def _scores(query: torch.Tensor, key: torch.Tensor, *, scale: float, causal: bool) -> torch.Tensor:
    scores = torch.bmm(query, key.transpose(1, 2)).mul_(scale)
    if causal:
        length = scores.shape[-1]
        hidden = torch.ones(length, length, dtype=torch.bool, device=scores.device).triu_(1)
        scores.masked_fill_(hidden, float("-inf"))
    return scores
