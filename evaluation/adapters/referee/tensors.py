"""PyTorch tensors over device memory that somebody else owns."""

from dataclasses import dataclass
from typing import Any

import torch

from evaluation.core.catalogue.dtype import DType
from evaluation.core.errors import ToolFailure

# The array interface has no word for bfloat16: its bits travel as integers of the same width.
_WORDS = {
    DType.BFLOAT16: ("<i2", torch.bfloat16),
    DType.FLOAT16: ("<i2", torch.float16),
    DType.FLOAT32: ("<f4", torch.float32),
}


@dataclass(frozen=True, slots=True)
class _Memory:
    """What ``torch.as_tensor`` asks of memory on a device (CUDA array interface, version 3)."""

    address: int
    shape: tuple[int, ...]
    word: str

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "typestr": self.word,
            "data": (self.address, False),
            "version": 3,
            "strides": None,
        }


def tensor_over(address: int, shape: tuple[int, ...], dtype: DType, *, device: int) -> torch.Tensor:
    """A contiguous tensor over memory that must outlive it; nothing is copied."""
    if dtype not in _WORDS:
        raise ToolFailure(
            f"the referee has no tensors of {dtype}", action="add it to adapters/referee/tensors.py"
        )
    word, kind = _WORDS[dtype]
    made = torch.as_tensor(_Memory(address, shape, word), device=f"cuda:{device}")
    if made.data_ptr() != address:
        raise ToolFailure(
            "PyTorch copied shared memory instead of using it",
            action="this PyTorch does not fit; docs/method.md names one that does",
        )
    return made.view(kind) if made.dtype != kind else made


def address_of(tensor: torch.Tensor) -> int:
    """Where a contiguous tensor starts; raise ToolFailure for any other."""
    if not tensor.is_contiguous():
        raise ToolFailure(
            f"the vendor's output has strides {tuple(tensor.stride())} for {tuple(tensor.shape)}",
            action="this PyTorch or cuDNN does not fit; docs/method.md names one that does",
        )
    return int(tensor.data_ptr())
