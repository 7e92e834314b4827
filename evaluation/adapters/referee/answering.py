"""Whether the device still does what we ask, without waiting for ever for one that does not."""

import time

from cuda.bindings import driver as bindings

from evaluation.adapters.gpu import driver
from evaluation.adapters.gpu.driver_calls import CudaError
from evaluation.adapters.gpu.trusted import Trusted

_BUSY_NS = 100_000
_POLL_SECONDS = 0.001
_NOT_READY = int(bindings.CUresult.CUDA_ERROR_NOT_READY)


def answers_in_time(trusted: Trusted, stream: int, *, seconds: float) -> bool:
    """Run a small kernel and look at what it left. False for every error and after ``seconds``."""
    deadline = time.monotonic() + seconds
    try:
        trusted.busy(stream, _BUSY_NS)
        while not _is_done(stream):
            if time.monotonic() > deadline:
                return False
            time.sleep(_POLL_SECONDS)
        return trusted.is_well(stream)
    except CudaError:
        return False


def _is_done(stream: int) -> bool:
    try:
        driver.ask(bindings.cuStreamQuery, stream)
    except CudaError as error:
        if error.code == _NOT_READY:
            return False
        raise
    return True
