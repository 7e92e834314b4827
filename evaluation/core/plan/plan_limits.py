"""How large a plan may be (rule T4), and what its device can launch."""

from dataclasses import dataclass

from evaluation.core.catalogue.device import Device

STEADY_STEPS = 64
STEADY_LAUNCHES = 32
SETUP_STEPS = 256
PAYLOAD_BYTES = 16 * 1024 * 1024  # of all payloads together
LOCAL_MEMORY_HOLD_BYTES = 8 * 1024**3
STACK_DEFAULT_BYTES = 1024  # of a thread, as a fresh context has it; measured on an H200
STACK_UNIT_BYTES = 16
HEAP_DEFAULT_BYTES = 8 * 1024**2  # the same of the heap of kernels
HEAP_UNIT_BYTES = 64 * 1024
SETUP_SIGNAL_BYTES = 1024**3
DOCUMENT_BYTES = 64 * 1024 * 1024  # payloads in hex, parameters, relocations
DOCUMENT_MARKS = 1_000_000  # brackets and commas
DOCUMENT_DEPTH = 6
RELOCATIONS = 65_536  # pointers and tensor maps in all bytes of a plan together
RANGES = 256  # of undetermined bytes, or of counters, of one launch
ASSUMPTIONS = 1024


@dataclass(frozen=True, slots=True)
class DeviceLimits:
    """Sizes in threads, blocks and bytes, as the device table states them."""

    multiprocessors: int
    threads_per_multiprocessor: int
    blocks_per_multiprocessor: int
    threads_per_block: int
    block: tuple[int, int, int]
    grid: tuple[int, int, int]
    shared_bytes_plain: int  # static and dynamic of a block, without opting in
    shared_bytes_optin: int  # the same after cudaFuncAttributeMaxDynamicSharedMemorySize
    cluster_blocks_plain: int
    cluster_blocks_optin: int  # with cudaFuncAttributeNonPortableClusterSizeAllowed

    @property
    def resident_threads(self) -> int:
        return self.multiprocessors * self.threads_per_multiprocessor


def device_limits(device: Device) -> DeviceLimits:
    """Take the limits from a table. Raise ValueError if it lacks one; a loaded table has them."""
    sm = device.sm_limits()
    return DeviceLimits(
        multiprocessors=device.multiprocessors,
        threads_per_multiprocessor=sm.threads,
        blocks_per_multiprocessor=sm.blocks,
        threads_per_block=sm.threads_per_block,
        block=_triple(device, 2),
        grid=_triple(device, 5),
        shared_bytes_plain=sm.shared_bytes_per_block,
        shared_bytes_optin=sm.shared_bytes_per_block_optin,
        cluster_blocks_plain=device.portable_cluster_blocks,
        cluster_blocks_optin=device.largest_cluster_blocks,
    )


def _triple(device: Device, first: int) -> tuple[int, int, int]:
    """Read three attributes that CUDA numbers in a row: x, y, z."""
    values = [device.attribute(first + axis) for axis in range(3)]
    x, y, z = (value for value in values if value is not None)
    return x, y, z
