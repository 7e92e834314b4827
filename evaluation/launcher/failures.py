"""How work in the launcher fails: by the candidate, or by us. The program answers with the one or the other."""

import contextlib
from collections.abc import Iterator

from evaluation.adapters.gpu.driver_calls import CudaError
from evaluation.core.launching.answers import OurFault


class StepFailed(Exception):
    """The candidate's work failed. ``step`` of the list at hand or NO_STEP; ``code`` is the CUresult."""

    def __init__(self, step: int, code: int) -> None:
        super().__init__(f"step {step} failed with CUresult {code}")
        self.step = step
        self.code = code


class OurFailure(Exception):
    """Whatever the kernel is like, this launcher cannot serve. ``detail`` as OurFault says."""

    def __init__(self, reason: OurFault, detail: int = 0) -> None:
        super().__init__(f"{reason.name} {detail}")
        self.reason = reason
        self.detail = detail


@contextlib.contextmanager
def ours(reason: OurFault = OurFault.DRIVER) -> Iterator[None]:
    """What the driver refuses in here has nothing to do with the candidate."""
    try:
        yield
    except CudaError as error:
        raise OurFailure(reason, error.code) from error


@contextlib.contextmanager
def theirs(step: int) -> Iterator[None]:
    """What the driver refuses in here, it refuses to the candidate."""
    try:
        yield
    except CudaError as error:
        raise StepFailed(step, error.code) from error
