"""The image of the judge's own kernels in a context: its functions, its own memory, and launches of them."""

from typing import Final

from evaluation.adapters.gpu import driver, trusted_kernels
from evaluation.adapters.gpu.trusted_kernels import TrustedKernel

# Words of our own: where reads that must not be removed could end up, a counter, an answer.
SINK: Final = 0
ARRIVALS: Final = 256
ANSWER: Final = 512
_OWN_BYTES: Final = 4096
_FLUSHED_TIMES: Final = 4  # of the L2 cache


class TrustedModule:
    """``cubin`` is TrustedCubins' for the target of the device, whose ordinal is ``device``. Raise CudaError."""

    def __init__(self, cubin: bytes, *, device: int) -> None:
        self.device = device
        self.facts = driver.device_facts(device)
        self._module = driver.load_module(cubin)
        self._functions = {
            kernel.name: driver.find_function(self._module, kernel.name)
            for kernel in trusted_kernels.KERNELS
        }
        self._own = driver.allocate(_OWN_BYTES)
        driver.clear(self._own, _OWN_BYTES, 0)
        self._scratch = 0
        self.scratch_bytes = _FLUSHED_TIMES * self.facts.l2_bytes // 16 * 16
        driver.synchronise()

    def close(self) -> None:
        """Give memory and module back; the caller has waited for all work."""
        if self._scratch:
            driver.free(self._scratch)
        driver.free(self._own)
        driver.unload_module(self._module)

    @property
    def scratch(self) -> int:
        """Memory of four times the L2 cache, allocated when first asked for."""
        if not self._scratch:
            self._scratch = driver.allocate(self.scratch_bytes)
        return self._scratch

    @property
    def cold_bytes(self) -> int:
        """The start of the scratch memory that a flush has driven out of the cache again."""
        return self.scratch_bytes // _FLUSHED_TIMES

    def word(self, place: int) -> int:
        """The address of one of our own words."""
        return self._own + place

    def function(self, kernel: TrustedKernel) -> int:
        return self._functions[kernel.name]

    def blocks(self, kernel: TrustedKernel, items: int, *, each: int, resident: int) -> int:
        """Enough blocks for ``items`` with ``each`` to a thread, but no more than run at once."""
        wanted = -(-items // (each * kernel.threads))
        return max(1, min(wanted, self.facts.multiprocessors * resident))

    def launch(self, stream: int, kernel: TrustedKernel, blocks: int, *values: float) -> None:
        """Enqueue ``blocks`` blocks; ``values`` are the kernel's parameters."""
        shape = driver.LaunchShape((blocks, 1, 1), (kernel.threads, 1, 1))
        parameters = kernel.parameters(values)
        driver.launch(self._functions[kernel.name], shape, stream=stream, parameters=parameters)
