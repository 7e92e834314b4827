"""What the driver's error codes say about a kernel: numbers and names of CUresult, CUDA driver API 13.0.

Only codes that a kernel's work can bring or that are plainly not its doing have a row. Whether the GPU is well was
asked before: a code without a row is therefore the kernel's, as a runtime error.
"""

from dataclasses import dataclass

from evaluation.core.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Cause:
    """``verdict`` is None where the kernel is not to blame. ``words`` finish the sentence "a call failed: ..."."""

    name: str
    verdict: Verdict | None
    words: str
    instead: str = ""


_OUTSIDE = "check the bounds of every load and store; each buffer ends where unmapped memory begins"
_FEWER = "fewer threads, registers or bytes of shared memory a block"
_MEMORY, _RUNTIME = Verdict.MEMORY_FAULT, Verdict.RUNTIME_ERROR

_CAUSES = {
    1: Cause(
        "CUDA_ERROR_INVALID_VALUE",
        _RUNTIME,
        "the driver refuses a number in it",
        "check grid, block, cluster and the arguments of tensor maps",
    ),
    2: Cause("CUDA_ERROR_OUT_OF_MEMORY", None, "the device has no memory left"),
    46: Cause("CUDA_ERROR_DEVICE_UNAVAILABLE", None, "the device is not to be had"),
    100: Cause("CUDA_ERROR_NO_DEVICE", None, "there is no device"),
    101: Cause("CUDA_ERROR_INVALID_DEVICE", None, "the device is gone"),
    209: Cause("CUDA_ERROR_NO_BINARY_FOR_GPU", None, "the cubin is for another device"),
    214: Cause("CUDA_ERROR_ECC_UNCORRECTABLE", None, "the device's memory has an error"),
    220: Cause("CUDA_ERROR_NVLINK_UNCORRECTABLE", None, "a link of the device has an error"),
    226: Cause("CUDA_ERROR_CONTAINED", None, "the device contained an error of its memory"),
    700: Cause(
        "CUDA_ERROR_ILLEGAL_ADDRESS",
        _MEMORY,
        "an access outside all buffers, or a write to a read-only one",
        _OUTSIDE,
    ),
    701: Cause(
        "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", _RUNTIME, "the launch needs more than an SM has", _FEWER
    ),
    702: Cause("CUDA_ERROR_LAUNCH_TIMEOUT", Verdict.TIMEOUT, "the device ended it for its time"),
    710: Cause("CUDA_ERROR_ASSERT", _RUNTIME, "an assertion of the kernel does not hold"),
    714: Cause(
        "CUDA_ERROR_HARDWARE_STACK_ERROR",
        _MEMORY,
        "the call stack is corrupted or too small",
        "less recursion and smaller arrays on the stack",
    ),
    715: Cause("CUDA_ERROR_ILLEGAL_INSTRUCTION", _RUNTIME, "an instruction that does not exist"),
    716: Cause(
        "CUDA_ERROR_MISALIGNED_ADDRESS",
        _MEMORY,
        "an access that is not aligned to its size",
        "buffers are aligned to 256 bytes and no more; align what you add to them",
    ),
    717: Cause(
        "CUDA_ERROR_INVALID_ADDRESS_SPACE",
        _MEMORY,
        "an access to another address space than its instruction is for",
        "convert with __cvta_generic_to_shared where an instruction takes shared addresses",
    ),
    718: Cause("CUDA_ERROR_INVALID_PC", _MEMORY, "a jump to where there is no code"),
    719: Cause(
        "CUDA_ERROR_LAUNCH_FAILED",
        _RUNTIME,
        "the kernel ended with an exception: a trap, or shared memory or a barrier used out of bounds",
        "check offsets into shared memory, barriers and descriptors",
    ),
    720: Cause(
        "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
        _RUNTIME,
        "a cooperative grid that is not resident at once",
        "ask the occupancy functions how many blocks fit",
    ),
    721: Cause("CUDA_ERROR_TENSOR_MEMORY_LEAK", _RUNTIME, "tensor memory is not given back"),
    801: Cause("CUDA_ERROR_NOT_SUPPORTED", _RUNTIME, "the device does not support it"),
    912: Cause(
        "CUDA_ERROR_INVALID_CLUSTER_SIZE", _RUNTIME, "the cluster does not fit the device", _FEWER
    ),
}  # fmt: skip


def cause(code: int) -> Cause:
    """Look up a CUresult that is not 0."""
    found = _CAUSES.get(code)
    return found or Cause(f"CUresult {code}", _RUNTIME, "the driver reports an error")
