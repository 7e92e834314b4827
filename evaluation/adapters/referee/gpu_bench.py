"""The ``Bench`` of a problem on a real device: buffers, fresh inputs, the vendor, the oracle and comparison."""

from collections.abc import Iterator
from dataclasses import dataclass

from evaluation.adapters.gpu import driver
from evaluation.adapters.referee import oracle
from evaluation.adapters.referee.answering import answers_in_time
from evaluation.adapters.referee.buffers import BufferSets, Tensor
from evaluation.adapters.referee.comparing import Comparison
from evaluation.adapters.referee.inputs import renew
from evaluation.adapters.referee.stand import Stand
from evaluation.adapters.referee.tensors import tensor_over
from evaluation.adapters.referee.vendor import Tensors, forward_of
from evaluation.adapters.referee.vendor_side import VendorSide
from evaluation.core.catalogue.problem import Kind, Problem
from evaluation.core.errors import ToolFailure
from evaluation.core.launching.port import BufferSet
from evaluation.core.measure.bench import Compared, Place
from evaluation.core.measure.seen import Canary, ClockSample, DeviceSeen, Roofs, Timed
from evaluation.core.timing.budget import SETS_LEAST, buffer_sets

HEALTH_SECONDS = 5.0
_MEMORY_SHARE = 8  # all sets take at most an eighth of the device's memory


@dataclass(frozen=True, slots=True)
class _At:
    """A place with its tensors: all as addresses, the inputs as PyTorch's views."""

    place: Place
    tensors: tuple[Tensor, ...]
    inputs: Tensors


class GpuBench:
    """Warm when it is made: the vendor's call is proven and every set of buffers there. Raise ToolFailure, CudaError.

    ``close`` frees shared memory only; what held expected values stays in PyTorch's own pool (rule T9).
    """

    def __init__(self, problem: Problem, stand: Stand, keys: Iterator[int]) -> None:
        self._problem = problem
        self._stand = stand
        self._keys = keys
        self._forward = forward_of(problem) if problem.kind is Kind.ATTENTION_BACKWARD else None
        self._buffers = BufferSets(problem, device=stand.index)
        self._places: dict[Place, _At] = {}
        self._comparison = Comparison(problem, stand)
        self._vendor = VendorSide(problem, stand)
        self._exact = oracle.empty_outputs(problem, stand.torch_device)
        self._expected_at: Place | None = None
        self._exact_at: Place | None = None
        self._warm_up()

    @property
    def device(self) -> DeviceSeen:
        return self._stand.device

    @property
    def sets(self) -> tuple[BufferSet, ...]:
        return self._buffers.shared

    def renew(self, place: Place) -> None:
        """Overwrite everything at ``place``; what was expected there before is expected no more."""
        at = self._at(place)
        self._expected_at = self._exact_at = None
        renew(
            self._problem,
            self._stand,
            tensors=at.tensors,
            views=at.inputs,
            forward=self._forward,
            keys=self._keys,
        )
        self._comparison.watch(place, at.tensors, key=next(self._keys))
        driver.synchronise()

    def vendor(self, place: Place) -> Timed:
        """As the port says. Its event time is the device's, its outside time from the flag to the end."""
        timed = self._vendor.time(self._at(place).inputs)
        self._expected_at = place
        return timed

    def oracle(self, place: Place) -> None:
        """About 20 ms for the GEMM of the paper and 0.2 s for its attention backward: asked rarely."""
        with self._stand.on_stream():
            oracle.compute(self._problem, self._at(place).inputs, self._exact)
        driver.synchronise()
        self._exact_at = place

    def compare(self, place: Place) -> Compared:
        """As the port says. Raise ToolFailure where there is nothing to compare with, or that holds a NaN."""
        if self._expected_at != place:
            raise ToolFailure(
                "outputs were to be compared with those of other inputs", action="report this"
            )
        exact = self._exact if self._exact_at == place else None
        return self._comparison.compare(place, self._at(place).tensors, self._vendor.outputs, exact)

    def slope(self, places: tuple[Place, ...]) -> int:
        """As the port says; the outputs of the last call are kept and expected nowhere."""
        self._expected_at = None
        return self._vendor.slope(tuple(self._at(place).inputs for place in places))

    def canary(self, place: Place) -> Canary:
        """Look at the largest input."""
        inputs = [one for one in self._at(place).tensors if not one.argument.is_output]
        largest = max(inputs, key=lambda one: one.argument.size_bytes)
        return self._comparison.canary(largest, key=next(self._keys))

    def roofs(self) -> Roofs:
        """Best of a few each, some ten milliseconds together."""
        stand = self._stand
        return Roofs(
            read_bytes_per_s=stand.trusted.read_rate(stand.stream),
            matrix_flops_per_s=stand.trusted.matrix_rate(stand.stream),
        )

    def sample(self) -> ClockSample:
        return self._stand.nvml.sample()

    def well(self) -> bool:
        stand = self._stand
        return answers_in_time(stand.trusted, stand.stream, seconds=HEALTH_SECONDS)

    def close(self) -> None:
        """Only while no launcher lives."""
        driver.synchronise()
        self._places.clear()
        self._comparison.close()
        self._buffers.release()

    def _warm_up(self) -> None:
        """Prove the vendor on the first set, time it, and make as many sets as that time asks for."""
        self._buffers.make(SETS_LEAST)
        for first in (Place(0, end_aligned=True), Place(0, end_aligned=False)):
            self.renew(first)
            self._vendor.warm_up(self._at(first).inputs)
        self.oracle(first)
        self._vendor.prove(self._at(first).inputs, self._exact)
        vendor_ns = self.vendor(first).event_ns
        device = self._stand.device
        self._buffers.make(
            buffer_sets(
                vendor_ns,
                self._buffers.set_bytes,
                device.l2_bytes,
                device.memory_bytes // _MEMORY_SHARE,
            )
        )

    def _at(self, place: Place) -> _At:
        if place not in self._places:
            tensors = self._buffers.tensors(place)
            views = tuple(
                tensor_over(one.address, one.shape, one.argument.dtype, device=self._stand.index)
                for one in tensors
                if not one.argument.is_output
            )
            self._places[place] = _At(place, tensors, views)
        return self._places[place]
