"""What a second process does with memory, in a context of its own: an error of the GPU ends a context for good.

    PYTHONPATH=. python tests/gpu/memory_child.py ROLE CUBIN [WORDS...]

The answer is one line: a word, and ``CUDA_ERROR_...`` where the driver refused.
"""

import ctypes
import sys
from collections.abc import Callable
from pathlib import Path

from cuda.bindings import driver as bindings

from evaluation.adapters.gpu import driver, memory
from evaluation.adapters.gpu.driver_calls import ask
from evaluation.adapters.gpu.trusted import Trusted

DEVICE = 0
STEP = 16  # bytes of one access
MARK = 0x0123_4567_89AB_CDEF


def read(_: Trusted, stream: int, fd: str, size: str) -> str:
    buffer = memory.import_fd(int(fd), int(size), device=DEVICE, writable=False)
    return driver.copy_from_device(buffer.base, int(size), stream).hex()


def mapped(_: Trusted, __: int, fd: str, size: str, writable: str) -> str:
    buffer = memory.import_fd(int(fd), int(size), device=DEVICE, writable=writable == "yes")
    return "writable" if buffer.writable else "read-only"


def write(trusted: Trusted, stream: int, fd: str, size: str, writable: str) -> str:
    buffer = memory.import_fd(int(fd), int(size), device=DEVICE, writable=writable == "yes")
    trusted.bits(stream, buffer.base, int(size), key=4)
    driver.synchronise()
    return "written"


def check(trusted: Trusted, stream: int, fd: str, size: str, writable: str) -> str:
    buffer = memory.import_fd(int(fd), int(size), device=DEVICE, writable=writable == "yes")
    trusted.check_readonly(stream, buffer.base)
    driver.synchronise()
    return "written"


def reach(trusted: Trusted, stream: int, size: str, end_aligned: str, offset: str) -> str:
    """Read 16 bytes ``offset`` bytes from the start of a buffer; ``end`` and ``before`` stand for the two ends."""
    buffer = memory.create(int(size), device=DEVICE)
    start = buffer.address(end_aligned=end_aligned == "yes")
    places = {
        "before": -STEP,
        "first": 0,
        "last": buffer.size - STEP,
        "end": buffer.size,
        "beyond": buffer.base + buffer.mapped - start,
    }
    trusted.read(stream, start + places[offset], STEP)
    driver.synchronise()
    return "reached"


def host(trusted: Trusted, stream: int, kind: str) -> str:
    """Let a kernel store to the address of a host variable, or of host memory that CUDA gave; say what it holds then."""
    variable = ctypes.c_uint64(MARK)
    address = ctypes.addressof(variable)
    if kind == "of CUDA":
        address = int(ask(bindings.cuMemHostAlloc, ctypes.sizeof(variable), 0))
        ctypes.c_uint64.from_address(address).value = MARK
    try:
        trusted.bits(stream, address, ctypes.sizeof(variable), key=6)
        driver.synchronise()
    except driver.CudaError as error:
        answer = error.name
    else:
        answer = "stored"
    kept = ctypes.c_uint64.from_address(address).value == MARK
    return f"{answer}, {'kept' if kept else 'changed'}"


ROLES: dict[str, Callable[..., str]] = {
    "read": read,
    "mapped": mapped,
    "write": write,
    "check": check,
    "reach": reach,
    "host": host,
}


def main(role: str, cubin: str, *words: str) -> None:
    driver.start()
    driver.open_context(DEVICE, own=True)
    trusted = Trusted(Path(cubin).read_bytes(), device=DEVICE)
    try:
        answer = ROLES[role](trusted, driver.create_stream(), *words)
    except driver.CudaError as error:
        answer = error.name
    print(answer, flush=True)  # noqa: T201 - the answer


if __name__ == "__main__":
    main(*sys.argv[1:])
