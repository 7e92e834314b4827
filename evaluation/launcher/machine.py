"""The device and the one context of a launcher."""

from dataclasses import dataclass

from cuda.bindings import driver

from evaluation.adapters.gpu.driver_calls import ask
from evaluation.adapters.gpu.driver_facts import device_facts
from evaluation.core.launching.answers import OurFault
from evaluation.launcher.failures import OurFailure, ours

DEVICE = 0  # the only one that the environment lets the process see

_LIMIT = driver.CUlimit
# A kernel that needs much local memory gets it in its first call. Given back after a launch it would have to wait, in
# the next one, for a stream that itself waits for the host.
_KEEP_LOCAL_MEMORY = int(driver.CUctx_flags.CU_CTX_LMEM_RESIZE_TO_MAX)


@dataclass(frozen=True, slots=True)
class Machine:
    """``stream`` is the one stream of everything."""

    stream: int


def open_machine() -> Machine:
    """Initialise the driver and make a context, current from now on. Raise OurFailure."""
    with ours():
        ask(driver.cuInit, 0)
        facts = device_facts(DEVICE)
        if facts.pageable_access or facts.host_page_tables:
            raise OurFailure(OurFault.HOST_MEMORY)
        ask(driver.cuCtxCreate, None, _KEEP_LOCAL_MEMORY, ask(driver.cuDeviceGet, DEVICE))
        flag = driver.CUstream_flags.CU_STREAM_NON_BLOCKING
        machine = Machine(int(ask(driver.cuStreamCreate, int(flag))))
        forget_persisting_lines()
    return machine


def set_limits(*, stack_bytes: int, heap_bytes: int) -> None:
    """Set what the plan asks for, before anything of it is loaded; 0 leaves the driver's own. Raise CudaError."""
    if stack_bytes:
        ask(driver.cuCtxSetLimit, _LIMIT.CU_LIMIT_STACK_SIZE, stack_bytes)
    if heap_bytes:
        ask(driver.cuCtxSetLimit, _LIMIT.CU_LIMIT_MALLOC_HEAP_SIZE, heap_bytes)


def forget_persisting_lines() -> None:
    """Let no line stay in the L2 cache for having been marked as persisting (rule S2). Raise CudaError."""
    ask(driver.cuCtxResetPersistingL2Cache)
    ask(driver.cuCtxSetLimit, _LIMIT.CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0)
