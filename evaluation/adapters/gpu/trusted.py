"""The judge's own kernels on a device: methods enqueue on a stream of the current context and return.

Addresses and streams are ints. Results lie in device memory that the caller gives, at the sizes that
evaluation/core/measure states; the caller copies them back when the stream has come that far. Raise CudaError.
"""

import math
from dataclasses import dataclass
from typing import Final

from cuda.bindings import driver as bindings

from evaluation.adapters.gpu import driver, memory, roofs, trusted_kernels, trusted_module
from evaluation.adapters.gpu.trusted_module import TrustedModule
from evaluation.core.catalogue.dtype import DType
from evaluation.core.errors import ToolFailure
from evaluation.core.measure import cells
from evaluation.core.measure.canary_result import LINES_EACH, canary_lines
from evaluation.core.measure.compare_result import RESULT_BYTES

HASH_BYTES: Final = 8

_WELL: Final = 0x600D_600D_600D_600D  # what the health kernel leaves
_MOST_ELEMENTS: Final = 2**32 - 2
_NEVER: Final = 0xA5C3_96E1  # not what the flush writes; in random bits as rare as any other word
_ROUND_OPERATIONS: Final = 1 << 23
_CONDITIONING_ROUNDS: Final = 48  # about 50 us at the rate of an H200
_FUNCTION: Final = bindings.CUfunction_attribute


@dataclass(frozen=True, slots=True)
class Compare:
    """An output to look at: contiguous, 16-byte aligned.

    ``expected`` is of the same type, ``oracle`` of float32 or None.
    """

    got: int
    expected: int
    oracle: int | None
    dtype: DType
    shape: tuple[int, ...]
    atol: float
    rtol: float


class Trusted:
    """The kernels of one image in the current context (see TrustedModule)."""

    def __init__(self, cubin: bytes, *, device: int) -> None:
        self._module = TrustedModule(cubin, device=device)

    def close(self) -> None:
        """Give memory and module back; the caller has waited for all work."""
        self._module.close()

    def normals(
        self, stream: int, address: int, elements: int, dtype: DType, *, key: int, which: int
    ) -> None:
        """Fill with independent N(0, 1) values of float32 or bfloat16; ``which`` keeps tensors of one key apart."""
        kernels = {
            DType.FLOAT32: (trusted_kernels.NORMALS_F32, 4),
            DType.BFLOAT16: (trusted_kernels.NORMALS_BF16, 8),
        }
        if dtype not in kernels:
            raise _no_kernel("generator", dtype)
        kernel, each = kernels[dtype]
        blocks = self._module.blocks(kernel, elements, each=each, resident=8)
        self._module.launch(stream, kernel, blocks, address, elements, key, which)

    def bits(self, stream: int, address: int, size: int, *, key: int) -> None:
        """Fill ``size`` bytes at any address with random bits."""
        kernel = trusted_kernels.BITS
        blocks = self._module.blocks(kernel, size + 15, each=16, resident=8)
        self._module.launch(stream, kernel, blocks, address, size, key)

    def hash(self, stream: int, address: int, size: int, result: int, *, key: int) -> None:
        """Write the hash of ``size`` bytes at any address to the 8 bytes at ``result``."""
        kernel = trusted_kernels.HASH
        driver.clear(result, HASH_BYTES, stream)
        blocks = self._module.blocks(kernel, size + 15, each=64, resident=4)
        self._module.launch(stream, kernel, blocks, address, size, key, result)

    def compare(self, stream: int, asked: Compare, result: int) -> None:
        """Compare in one pass; RESULT_BYTES at ``result`` are for core/measure/compare_result.py."""
        kernels = {
            (DType.BFLOAT16, False): trusted_kernels.COMPARE_BF16,
            (DType.BFLOAT16, True): trusted_kernels.COMPARE_BF16_ORACLE,
            (DType.FLOAT32, False): trusted_kernels.COMPARE_F32,
            (DType.FLOAT32, True): trusted_kernels.COMPARE_F32_ORACLE,
        }
        which = (asked.dtype, asked.oracle is not None)
        if which not in kernels:
            raise _no_kernel("comparison", asked.dtype)
        elements = math.prod(asked.shape)
        if not 0 < elements <= _MOST_ELEMENTS:
            raise ToolFailure(
                f"an output of {elements} elements cannot be compared",
                action=f"the comparison counts in 32 bits: 1 to {_MOST_ELEMENTS} elements",
            )
        _, columns = cells.matrix(asked.shape)
        driver.clear(result, RESULT_BYTES, stream)
        self._module.launch(
            stream,
            kernels[which],
            self._module.blocks(kernels[which], elements, each=16, resident=2),
            *(asked.got, asked.expected, asked.oracle or 0, elements, columns),
            *cells.cells(asked.shape),
            *(asked.atol, asked.rtol, result),
        )

    def flush(self, stream: int) -> None:
        """Write and then read four times the L2 cache: nothing else is in it, and no line is left to write back."""
        module = self._module
        blocks, vectors = module.facts.multiprocessors * 4, module.scratch_bytes // 16
        module.launch(stream, trusted_kernels.FLUSH_WRITE, blocks, module.scratch, vectors, 0)
        self.read(stream, module.scratch, module.scratch_bytes)

    def scrub(self, stream: int) -> None:
        """Clear shared memory, registers and tensor memory of every multiprocessor (rule T9); one stream at a time."""
        module, kernel = self._module, trusted_kernels.SCRUB
        function = module.function(kernel)
        static = driver.function_attribute(
            function, _FUNCTION.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES.value
        )
        shared = module.facts.shared_optin_bytes - static
        driver.set_function_attribute(
            function, _FUNCTION.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES.value, shared
        )
        grid = (module.facts.multiprocessors, 1, 1)
        shape = driver.LaunchShape(grid, (kernel.threads, 1, 1), shared, cooperative=True)
        arrivals = module.word(trusted_module.ARRIVALS)
        driver.clear(arrivals, 4, stream)
        parameters = kernel.parameters((shared, arrivals))
        driver.launch(function, shape, stream=stream, parameters=parameters)

    def canary(self, stream: int, address: int, size: int, result: int, *, key: int) -> int:
        """Time loads of random lines of a range right after ``flush``. Return how many bytes at ``result`` hold them.

        ``address`` is line aligned. The bytes are for core/measure/canary_result.py.
        """
        lines = canary_lines(size)
        if not lines:
            raise ToolFailure(
                f"{size} bytes are too few for a canary", action="ask for a larger input"
            )
        cold, cold_bytes = self._module.scratch, self._module.cold_bytes
        values = (address, size, cold, cold_bytes, key, result)
        self._module.launch(stream, trusted_kernels.CANARY, lines // LINES_EACH, *values)
        return 3 * 4 * lines

    def busy(self, stream: int, nanoseconds: int) -> None:
        """Keep one multiprocessor for a while, then leave a word that ``is_well`` looks for."""
        answer = self._module.word(trusted_module.ANSWER)
        driver.clear(answer, 8, stream)
        self._module.launch(stream, trusted_kernels.BUSY, 1, nanoseconds, _WELL, answer)

    def is_well(self, stream: int) -> bool:
        """Whether the last ``busy`` did its work. Waits for the stream."""
        answer = driver.copy_from_device(self._module.word(trusted_module.ANSWER), 8, stream)
        return int.from_bytes(answer, "little") == _WELL

    def load(self, stream: int, *, rounds: int = _CONDITIONING_ROUNDS) -> None:
        """Let all matrix units work for a moment: the conditioning before each call of a pair (rule S10)."""
        self.matrix(stream, rounds=rounds, key=0)

    def matrix(self, stream: int, *, rounds: int, key: int) -> int:
        """Multiply random matrices without memory traffic. Return the floating point operations of the launch."""
        blocks = self._module.facts.multiprocessors
        sink = self._module.word(trusted_module.SINK)
        self._module.launch(stream, trusted_kernels.MATRIX, blocks, rounds, key, sink)
        return blocks * rounds * _ROUND_OPERATIONS

    def read(self, stream: int, address: int, size: int) -> None:
        """Read a range once; address and size are multiples of 16."""
        blocks = self._module.facts.multiprocessors * 4
        sink = self._module.word(trusted_module.SINK)
        values = (address, size // 16, _NEVER, sink)
        self._module.launch(stream, trusted_kernels.READ, blocks, *values)

    def check_readonly(self, stream: int, address: int) -> None:
        """Write 16 bytes (their own values); must end in an illegal address, which ends the context too (rule C4)."""
        self._module.launch(stream, trusted_kernels.CHECK_READONLY, 1, address)

    def read_rate(self, stream: int) -> float:
        """The best of a few: bytes a second that memory gives. Takes 2 GiB for the time; waits for the stream."""
        size = roofs.READ_BYTES
        buffer = memory.create(size, device=self._module.device)
        try:
            self.bits(stream, buffer.base, size, key=1)

            def enqueue() -> int:
                self.read(stream, buffer.base, size)
                return size

            return roofs.best_rate(enqueue, stream)
        finally:
            memory.release(buffer)

    def matrix_rate(self, stream: int) -> float:
        """The best of a few: floating point operations a second from registers alone. Waits for the stream."""
        rounds = roofs.MATRIX_ROUNDS
        return roofs.best_rate(lambda: self.matrix(stream, rounds=rounds, key=2), stream)


def _no_kernel(what: str, dtype: DType) -> ToolFailure:
    return ToolFailure(
        f"the judge has no {what} for {dtype}",
        action="add one to evaluation/native/gpu before a problem asks for it",
    )
