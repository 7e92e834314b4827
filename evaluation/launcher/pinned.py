"""Host memory that the device copies from without the driver waiting for the stream.

A copy from ordinary memory may wait until the stream has come to it, and a stream that is held at its window never
does. Equal contents share their memory: a plan's payloads repeat after a cycle of calls.
"""

import ctypes
from dataclasses import dataclass, field

from cuda.bindings import driver

from evaluation.adapters.gpu.driver_calls import ask

_FOR_ALL_CONTEXTS_AND_MAPPED = 3  # CU_MEMHOSTALLOC_PORTABLE and CU_MEMHOSTALLOC_DEVICEMAP


def allocate_pinned(size: int) -> int:
    """Give the host address of ``size`` bytes that stay until the process ends. Raise CudaError."""
    return int(ask(driver.cuMemHostAlloc, size, _FOR_ALL_CONTEXTS_AND_MAPPED))


@dataclass(slots=True)
class Pinned:
    addresses: dict[bytes, int] = field(default_factory=dict, repr=False)

    def hold(self, content: bytes) -> int:
        """Give a host address at which ``content`` stands. Raise CudaError."""
        if content not in self.addresses:
            address = allocate_pinned(len(content))
            ctypes.memmove(address, content, len(content))
            self.addresses[content] = address
        return self.addresses[content]
