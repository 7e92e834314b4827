"""What the judge and the program that replays a plan by itself (launcher/alone.py) have to agree on."""

from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Final

from evaluation.core.catalogue.dtype import DType
from evaluation.core.catalogue.problem import Problem

OUR_FAULT: Final = 3
"""Exit code of a run that did not come to the kernel. Whatever a kernel does, its run ends with 0."""


@unique
class Contents(StrEnum):
    """What is in outputs and in the plan's own allocations before a call. Inputs always hold normal values."""

    RANDOM = "random"
    UNTOUCHED = "untouched"  # so that initcheck can tell who reads what nobody has written


@dataclass(frozen=True, slots=True)
class Likeness:
    """How a run compares what its calls leave on the same inputs: type and shape of each output, in their order."""

    atol: float
    rtol: float
    outputs: tuple[tuple[DType, tuple[int, ...]], ...]

    @property
    def word(self) -> str:
        """One word of a command line."""
        outputs = (f"{dtype}:{'x'.join(map(str, shape))}" for dtype, shape in self.outputs)
        return ";".join((repr(self.atol), repr(self.rtol), *outputs))


def likeness_of(problem: Problem) -> Likeness:
    """Take the problem's own tolerance."""
    outputs = tuple((one.dtype, problem.sizes(one.shape)) for one in problem.outputs)
    return Likeness(problem.tolerance.atol, problem.tolerance.rtol, outputs)


def likeness_from(word: str) -> Likeness:
    """Read what ``word`` wrote. Raise ValueError for anything else."""
    atol, rtol, *outputs = word.split(";")
    return Likeness(float(atol), float(rtol), tuple(_output(one) for one in outputs))


def _output(text: str) -> tuple[DType, tuple[int, ...]]:
    dtype, _, shape = text.partition(":")
    return DType(dtype), tuple(map(int, shape.split("x")))
