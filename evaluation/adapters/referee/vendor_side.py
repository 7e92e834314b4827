"""The vendor's side of a problem: timed calls whose outputs stay private, and the proof that they are the vendor's."""

import time

import torch

from evaluation.adapters.gpu import driver
from evaluation.adapters.referee.stand import Stand
from evaluation.adapters.referee.vendor import Tensors, VendorCall, vendor_of
from evaluation.core.catalogue.problem import Problem
from evaluation.core.errors import ToolFailure
from evaluation.core.measure.seen import Timed
from evaluation.core.measure.vendor_names import strangers
from evaluation.core.timing.budget import VENDOR_HELD_CALLS

FIRST_CALLS = (
    4  # let plans, workspaces and the allocator's blocks come to be, before anything is held
)

_ACTION = "this PyTorch, cuBLAS or cuDNN does not fit; docs/method.md names versions that do"
# Against the single-precision oracle. bf16 keeps 8 bits, so its own rounding is 0.2 % of a value.
_MOST_RELATIVE_ERROR = 0.02
_MOST_OUTSIDE = 1e-4


class VendorSide:
    """``outputs`` are those of the last call; a launcher never sees them."""

    def __init__(self, problem: Problem, stand: Stand) -> None:
        self._problem = problem
        self._stand = stand
        self._call: VendorCall = vendor_of(problem)
        self.outputs: Tensors = ()

    def warm_up(self, inputs: Tensors) -> None:
        """Make the first calls, with the outputs of two alive at a time as later."""
        with self._stand.on_stream():
            for _ in range(FIRST_CALLS):
                self.outputs = self._call(inputs)
        driver.synchronise()

    def time(self, inputs: Tensors) -> Timed:
        """One cold call by the candidate's own rules: nothing kept in the cache, a load, a flush, a window.

        Rules S2, S4, S5 and S10; evaluation/launcher/replay.py does the same in the same order.
        """
        stand = self._stand
        driver.release_persisting_cache()
        stand.trusted.load(stand.stream)
        stand.trusted.flush(stand.stream)
        with stand.on_stream():
            timed = stand.window.time(lambda: self._keep(inputs), held=True)
        stand.trusted.scrub(stand.stream)  # nothing of the outputs is left for a candidate (T9)
        driver.synchronise()
        return timed

    def slope(self, rows: tuple[Tensors, ...]) -> int:
        """Nanoseconds of calls back to back and warm; of VENDOR_HELD_CALLS, without what it takes to enqueue them."""
        stand = self._stand

        def enqueue() -> None:
            for inputs in rows:
                self._keep(inputs)

        with stand.on_stream():
            if len(rows) <= VENDOR_HELD_CALLS:
                taken = stand.window.time(enqueue, held=True).outside_ns
            else:
                began = time.monotonic_ns()
                enqueue()
                driver.synchronise()
                taken = time.monotonic_ns() - began
        stand.trusted.scrub(stand.stream)
        driver.synchronise()
        return taken

    def prove(self, inputs: Tensors, exact: Tensors) -> None:
        """Raise ToolFailure unless the vendor's own kernels ran and made what the oracle made for the same inputs."""
        foreign = strangers(self._problem.baseline, self._kernels(inputs))
        if foreign:
            raise ToolFailure(
                f"{self._problem.baseline} ran {', '.join(foreign)[:500]}", action=_ACTION
            )
        for output, mine, true in zip(self._problem.outputs, self.outputs, exact, strict=True):
            self._require_right(output.name, mine, true)

    def _keep(self, inputs: Tensors) -> None:
        self.outputs = self._call(inputs)

    def _kernels(self, inputs: Tensors) -> tuple[str, ...]:
        """Trace one call and give the names of all that ran on the device."""
        cuda = torch.profiler.ProfilerActivity.CUDA
        with (
            torch.profiler.profile(activities=[cuda], acc_events=True) as trace,
            self._stand.on_stream(),
        ):
            self._keep(inputs)
            driver.synchronise()
        on_device = torch.autograd.DeviceType.CUDA
        return tuple(event.name for event in trace.events() if event.device_type == on_device)

    def _require_right(self, name: str, mine: torch.Tensor, true: torch.Tensor) -> None:
        tolerance = self._problem.tolerance
        with self._stand.on_stream():
            error = (mine.float() - true).abs()
            limit = (true.abs() * tolerance.rtol).clamp_(min=tolerance.atol)
            outside = float((error > limit).float().mean())
            relative = float(error.square().mean().sqrt() / true.square().mean().sqrt())
            finite = bool(torch.isfinite(mine).all()) and bool(torch.isfinite(true).all())
        if not finite or not outside <= _MOST_OUTSIDE or not relative <= _MOST_RELATIVE_ERROR:
            raise ToolFailure(
                f"the vendor's {name} of {self._problem.name} is not what the formula says: {outside:.2e} of its "
                f"elements are outside, relative error {relative:.2e}, all finite: {finite}",
                action=_ACTION,
            )
