"""Questions that an H200 answers otherwise than the recorder does, as measured (tests/core/fixtures/h200).

An answer in doubt is no assumption of a plan: on the real device it would differ, and the kernel would be taken for a
victim of ours, whoever asked the odd question and why. The plan is then judged as it was recorded. A rule leaves this
list when the recorder answers as the device does.
"""

from evaluation.core.catalogue.function_attributes import (
    CONSTANT_BYTES,
    MOST_THREADS,
    MUST_HAVE_CLUSTER,
)
from evaluation.core.record.kernel_settings import Kernel, Kernels

Asked = tuple[int | str, ...]

_BYTES = range(2**31)  # the driver counts dynamic shared memory in 32 bits


def is_in_doubt(kernel: Kernel, call: str, asked: Asked, kernels: Kernels) -> bool:
    """Say whether the device may answer otherwise; ``asked`` is what follows the kernel's name."""
    match call, asked:
        case "cudaFuncGetAttributes", _:
            doubt = kernel.facts.required_block is not None
        case "cuFuncGetAttribute", (int(number),):
            doubt = _is_attribute_in_doubt(kernel, number, kernels)
        case "cudaOccupancyAvailableDynamicSMemPerBlock", _:
            doubt = kernel.settings.carveout_percent >= 0  # it shares out the carve-out only
        case "cudaOccupancyMaxActiveBlocksPerMultiprocessor", (_, shared):
            doubt = shared not in _BYTES
        case "cudaOccupancyMaxActiveClusters", (_, shared, int(blocks)):
            doubt = shared not in _BYTES or _is_cluster_in_doubt(kernel, blocks)
        case "cudaOccupancyMaxPotentialClusterSize", (_, shared, _):
            doubt = shared not in _BYTES
        case _:
            doubt = False
    return doubt


def _is_attribute_in_doubt(kernel: Kernel, number: int, kernels: Kernels) -> bool:
    if number == CONSTANT_BYTES:  # a gap between two variables counts
        return kernels.constants > 1
    # __block_size__ is neither a limit of threads to the runtime, nor is the cluster that comes with it one to be set.
    return kernel.facts.required_block is not None and number in {MOST_THREADS, MUST_HAVE_CLUSTER}


def _is_cluster_in_doubt(kernel: Kernel, blocks: int) -> bool:
    """Load balancing puts blocks of a cluster on one SM, and a bound on clusters ends in an error."""
    bound = kernel.facts.max_cluster_blocks or blocks
    return kernel.settings.cluster_policy != 0 or blocks > bound
