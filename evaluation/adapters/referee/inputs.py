"""Fresh contents of a place before a call: inputs from their distributions, random bits for all else (rule C4)."""

import math
from collections.abc import Iterator

from evaluation.adapters.referee.buffers import Tensor
from evaluation.adapters.referee.stand import Stand
from evaluation.adapters.referee.vendor import Forward, Tensors
from evaluation.core.catalogue.problem import Distribution, Input, Problem


def renew(
    problem: Problem,
    stand: Stand,
    *,
    tensors: tuple[Tensor, ...],
    views: Tensors,
    forward: Forward | None,
    keys: Iterator[int],
) -> None:
    """Enqueue it all. ``views`` are the inputs as PyTorch sees them; ``forward`` makes a backward problem's O and L."""
    trusted, stream = stand.trusted, stand.stream
    stated = tensor_inputs(problem)
    key = next(keys)
    for number, (one, tensor) in enumerate(zip(stated, tensors, strict=False)):
        if one.distribution is Distribution.NORMAL:
            elements = math.prod(tensor.shape)
            trusted.normals(stream, tensor.address, elements, one.dtype, key=key, which=number)
    if forward is not None:
        _from_the_forward(stated, stand, views, forward)
    for tensor in tensors:
        if tensor.argument.is_output:
            trusted.bits(stream, tensor.address, tensor.argument.size_bytes, key=next(keys))
        for address, size in tensor.slack:
            trusted.bits(stream, address, size, key=next(keys))


def tensor_inputs(problem: Problem) -> tuple[Input, ...]:
    return tuple(one for one in problem.inputs if one.shape is not None)


def _from_the_forward(
    stated: tuple[Input, ...], stand: Stand, views: Tensors, forward: Forward
) -> None:
    """Copy O and L of the vendor's forward on the same Q, K and V to where a kernel finds them."""
    made = {
        Distribution.VENDOR_FORWARD_OUTPUT: 0,
        Distribution.VENDOR_FORWARD_LSE: 1,
    }
    with stand.on_stream():
        found = forward(views)
        for one, view in zip(stated, views, strict=True):
            if one.distribution in made:
                view.copy_(found[made[one.distribution]])
