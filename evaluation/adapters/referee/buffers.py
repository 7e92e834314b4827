"""The sets of buffers that a problem's kernels work on: shared memory between unmapped ranges, and its descriptors."""

import os
from dataclasses import dataclass

from evaluation.adapters.gpu import memory
from evaluation.adapters.gpu.memory import Buffer
from evaluation.core.catalogue.problem import Argument, Problem, argument_list
from evaluation.core.launching.port import SharedBuffer
from evaluation.core.measure.bench import Place


@dataclass(frozen=True, slots=True)
class Slot:
    """One tensor argument in one set, with the descriptor under which a launcher gets its memory."""

    argument: Argument
    buffer: Buffer
    descriptor: int

    @property
    def shared(self) -> SharedBuffer:
        return SharedBuffer(
            self.descriptor, self.argument.size_bytes, writable=self.argument.is_output
        )


@dataclass(frozen=True, slots=True)
class Tensor:
    """An argument where one call finds it. ``slack`` are address and size of what is mapped around it and unused."""

    argument: Argument
    address: int
    slack: tuple[tuple[int, int], ...]

    @property
    def shape(self) -> tuple[int, ...]:
        return self.argument.shape or ()


class BufferSets:
    """``make`` may be called again for more sets; ``release`` only when no launcher lives (rule T9)."""

    def __init__(self, problem: Problem, *, device: int) -> None:
        self._arguments = tuple(one for one in argument_list(problem) if one.shape is not None)
        self._device = device
        self._sets: list[tuple[Slot, ...]] = []

    @property
    def count(self) -> int:
        return len(self._sets)

    @property
    def set_bytes(self) -> int:
        return sum(one.size_bytes for one in self._arguments)

    @property
    def shared(self) -> tuple[tuple[SharedBuffer, ...], ...]:
        return tuple(tuple(slot.shared for slot in slots) for slots in self._sets)

    def make(self, count: int) -> None:
        """Have ``count`` sets. Raise CudaError when memory runs out."""
        while len(self._sets) < count:
            self._sets.append(tuple(self._slot(one) for one in self._arguments))

    def tensors(self, place: Place) -> tuple[Tensor, ...]:
        """All tensor arguments of a place in the order of the ABI."""
        return tuple(
            Tensor(
                slot.argument,
                slot.buffer.address(end_aligned=place.end_aligned),
                slot.buffer.slack(end_aligned=place.end_aligned),
            )
            for slot in self._sets[place.number]
        )

    def release(self) -> None:
        """Give everything back; the caller has waited for all work."""
        while self._sets:
            for slot in self._sets.pop():
                os.close(slot.descriptor)
                memory.release(slot.buffer)

    def _slot(self, argument: Argument) -> Slot:
        buffer = memory.create(argument.size_bytes, device=self._device)
        return Slot(argument, buffer, memory.export(buffer))
