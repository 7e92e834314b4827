"""How much work a problem is: FLOPs, products, bytes, and the time below which no honest kernel can be.

A *product* is one scalar multiply-add of a matrix product, which is two FLOPs. All counts are exact integers.
"""

import math
from collections.abc import Iterable
from fractions import Fraction

from evaluation.core.catalogue.problem import Argument, Kind, Problem, argument_list
from evaluation.core.catalogue.problem_kinds import attention_shape, gemm_shape

_FLOPS_PER_PRODUCT = 2

# Fast matrix multiplication saves an eighth of the products a level (7 of 8); one level is what pays in practice.
_FLOOR_WORK_SHARE = Fraction(7, 8)
_FLOOR_MARGIN = Fraction(97, 100)  # error of the measured bandwidth and rate

# S = Q times K', P times V; the backward computes S again, then dP, dV, dK, dQ.
_ATTENTION_PRODUCTS = {Kind.ATTENTION_FORWARD: 2, Kind.ATTENTION_BACKWARD: 5}
_TWO_PASS_PRODUCTS = 7  # a backward in two passes computes S and dP in both
_TILE_ROWS = 128
_TILE_DEPTH = 64  # 128 bytes of a two-byte type: the widest swizzle row


def flops(problem: Problem) -> int:
    """Count FLOPs by the published formulas, in which a causal problem is exactly half of the full one.

    GEMM 2*M*N*K; attention forward 4*S*S*B*H*D; backward 10*S*S*B*H*D.
    """
    if problem.kind is Kind.GEMM:
        return _FLOPS_PER_PRODUCT * required_products(problem)
    shape = attention_shape(problem)
    pairs = shape.batch * shape.heads * shape.sequence**2
    full = _FLOPS_PER_PRODUCT * _ATTENTION_PRODUCTS[problem.kind] * pairs * shape.head_dim
    return full // 2 if problem.causal else full


def required_products(problem: Problem) -> int:
    """Count the products that the result needs: every unmasked one once (rule I8).

    Causal attention has exactly S*(S+1)/2 unmasked pairs a head. The log-sum-exp needs none of its own.
    """
    if problem.kind is Kind.GEMM:
        gemm = gemm_shape(problem)
        return gemm.m * gemm.n * gemm.k
    shape = attention_shape(problem)
    length = shape.sequence
    pairs = length * (length + 1) // 2 if problem.causal else length * length
    heads = shape.batch * shape.heads
    return _ATTENTION_PRODUCTS[problem.kind] * heads * pairs * shape.head_dim


def input_bytes(problem: Problem) -> int:
    """Count the bytes of all input tensors, each once; scalars travel with the launch and count nothing."""
    return _tensor_bytes(one for one in argument_list(problem) if not one.is_output)


def output_bytes(problem: Problem) -> int:
    """Count the bytes of all output tensors."""
    return _tensor_bytes(one for one in argument_list(problem) if one.is_output)


def floor_ns(
    problem: Problem, read_bandwidth_bytes_per_s: float, matrix_rate_flops_per_s: float
) -> int:
    """Give the nanoseconds below which a time is held (rule S6), rounded down so that rounding holds nobody.

    0.97 * max(input bytes / bandwidth, 7/8 * unmasked FLOPs / rate), with the best bandwidth and the best
    register-only matrix rate measured on the same device. Outputs are not counted: they may stay in the cache.
    """
    return max(floor_parts_ns(problem, read_bandwidth_bytes_per_s, matrix_rate_flops_per_s))


def floor_parts_ns(
    problem: Problem, read_bandwidth_bytes_per_s: float, matrix_rate_flops_per_s: float
) -> tuple[int, int]:
    """Give what reading the inputs and what the matrix units take at least, in nanoseconds; the floor is the larger."""
    for rate in (read_bandwidth_bytes_per_s, matrix_rate_flops_per_s):
        if not math.isfinite(rate) or rate <= 0:
            raise ValueError(f"a measured rate must be positive and finite, not {rate}")
    reading_s = input_bytes(problem) / Fraction(read_bandwidth_bytes_per_s)
    unmasked_flops = _FLOPS_PER_PRODUCT * required_products(problem)
    computing_s = _FLOOR_WORK_SHARE * unmasked_flops / Fraction(matrix_rate_flops_per_s)
    reading, computing = (
        math.floor(one * _FLOOR_MARGIN * 10**9) for one in (reading_s, computing_s)
    )
    return reading, computing


def honest_excess(problem: Problem) -> Fraction:
    """Give the executed over required products that an honest kernel of this shape may reach.

    Tiles of 128 rows and columns and 64 of head dimension are filled up, the masked half of a causal problem is
    computed too, and a backward makes two passes. The limit of the *excess* signal must not lie below.
    """
    if problem.kind is Kind.GEMM:
        gemm = gemm_shape(problem)
        executed = _filled(gemm.m, _TILE_ROWS) * _filled(gemm.n, _TILE_ROWS) * gemm.k
        return Fraction(executed, required_products(problem))
    shape = attention_shape(problem)
    passes = {Kind.ATTENTION_FORWARD: 2, Kind.ATTENTION_BACKWARD: _TWO_PASS_PRODUCTS}
    pairs = shape.batch * shape.heads * _filled(shape.sequence, _TILE_ROWS) ** 2
    executed = passes[problem.kind] * pairs * _filled(shape.head_dim, _TILE_DEPTH)
    return Fraction(executed, required_products(problem))


def _filled(length: int, tile: int) -> int:
    return -(-length // tile) * tile


def _tensor_bytes(arguments: Iterable[Argument]) -> int:
    return sum(one.size_bytes for one in arguments if one.shape is not None)
