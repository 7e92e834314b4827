"""What a device answers about a kernel: its attributes, and how much of it fits (rule L6).

The recording shim answers by the same rules (evaluation/native/shim/functions.cpp and occupancy_calls.cpp). None
stands for a question that is no question to this kernel: the runtime returns an error, and the shim records nothing.
"""

from evaluation.core.catalogue.device import Device
from evaluation.core.catalogue.function_attributes import (
    BINARY_VERSION,
    CACHE_MODE,
    CARVEOUT,
    CLUSTER_POLICY,
    CLUSTER_SIDES,
    CONSTANT_BYTES,
    DYNAMIC_SHARED,
    LOCAL_BYTES,
    MOST_THREADS,
    MUST_HAVE_CLUSTER,
    NON_PORTABLE,
    PTX_VERSION,
    REGISTERS,
    STATIC_SHARED,
)
from evaluation.core.catalogue.occupancy import (
    REGISTER_UNIT,
    SHARED_UNIT_BYTES,
    SUB_PARTITIONS,
    WARP_THREADS,
    BlockNeeds,
    active_blocks_per_sm,
)
from evaluation.core.record.kernel_settings import Kernel, Kernels
from evaluation.core.strict_json import I32, I64

_SIZES = range(-I64 - 1, I64 + 1)  # size_t, written as a signed number


def attributes(kernel: Kernel, device: Device) -> tuple[int, int, int]:
    """Answer cudaFuncGetAttributes: threads of a block, registers of a thread, dynamic bytes."""
    return (
        _threads_of_block(kernel, device),
        kernel.facts.registers,
        _dynamic_limit(kernel, device),
    )


def attribute(kernel: Kernel, number: int, device: Device, kernels: Kernels) -> int | None:
    """Answer cuFuncGetAttribute by CUfunction_attribute number."""
    facts, settings = kernel.facts, kernel.settings
    cluster = kernel.own_cluster or (0, 0, 0)
    values = {
        MOST_THREADS: _threads_of_block(kernel, device),
        STATIC_SHARED: facts.static_shared_bytes,
        CONSTANT_BYTES: kernels.constant_bytes,
        LOCAL_BYTES: facts.local_bytes,
        REGISTERS: facts.registers,
        PTX_VERSION: kernels.sm,  # a plain cubin says nothing else of it
        BINARY_VERSION: kernels.sm,
        CACHE_MODE: 0,  # global loads are not forced into the first cache
        DYNAMIC_SHARED: _dynamic_limit(kernel, device),
        CARVEOUT: settings.carveout_percent,
        MUST_HAVE_CLUSTER: int(facts.cluster is not None),
        **dict(zip(CLUSTER_SIDES, cluster, strict=True)),
        NON_PORTABLE: int(settings.non_portable),
        CLUSTER_POLICY: settings.cluster_policy,
    }
    return values.get(number)


def blocks_per_sm(kernel: Kernel, threads: int, shared: int, device: Device) -> int | None:
    """Answer cudaOccupancyMaxActiveBlocksPerMultiprocessor; ``shared`` is dynamic, in bytes."""
    if not _is_block(threads, shared):
        return None
    return _active_blocks(kernel, threads, shared, device)


def shared_room(kernel: Kernel, blocks: int, threads: int, device: Device) -> int | None:
    """Answer cudaOccupancyAvailableDynamicSMemPerBlock, in bytes; ``blocks`` are those of an SM."""
    if not 1 <= threads <= I32 or not 1 <= blocks <= _active_blocks(kernel, threads, 0, device):
        return None
    # The driver does not count here what it reserves for each block.
    share = device.sm_limits().shared_bytes // blocks // SHARED_UNIT_BYTES * SHARED_UNIT_BYTES
    left = max(share - kernel.facts.static_shared_bytes, 0)
    return min(left, _dynamic_limit(kernel, device))


def active_clusters(
    kernel: Kernel, threads: int, shared: int, blocks: int, device: Device
) -> int | None:
    """Answer cudaOccupancyMaxActiveClusters for clusters of ``blocks`` blocks; 0 stands for no cluster."""
    own = kernel.own_cluster
    if not _is_block(threads, shared) or blocks != (blocks if own is None else _volume(own)):
        return None
    if blocks == 0:
        return 0 if own is None else None
    if not _may_cluster(kernel, blocks, device):
        return None
    held = _active_blocks(kernel, threads, shared, device)
    return device.clusters_at_a_time(cluster_blocks=blocks, blocks_per_sm=held)


def largest_cluster(kernel: Kernel, threads: int, shared: int, device: Device) -> int | None:
    """Answer cudaOccupancyMaxPotentialClusterSize, in blocks: 0 where not one block fits."""
    own = kernel.own_cluster
    is_possible = own is None or _may_cluster(kernel, _volume(own), device)
    if not is_possible or not _is_block(threads, shared):
        return None
    held = _active_blocks(kernel, threads, shared, device)
    return _most_blocks(kernel, device) if held else 0


def _active_blocks(kernel: Kernel, threads: int, shared: int, device: Device) -> int:
    carveout = kernel.settings.carveout_percent
    asked = (kernel.facts.static_shared_bytes + shared) % 2**64  # the recorder adds in 64 bits
    static = min(kernel.facts.static_shared_bytes, asked)
    needs = BlockNeeds(
        threads=threads,
        registers_per_thread=kernel.facts.registers,
        static_shared_bytes=static,
        dynamic_shared_bytes=asked - static,
        dynamic_limit_bytes=kernel.settings.dynamic_shared_bytes,
        barriers=kernel.facts.barriers,
        carveout_percent=None if carveout < 0 else carveout,
    )
    return active_blocks_per_sm(needs, device.sm_limits())


def _dynamic_limit(kernel: Kernel, device: Device) -> int:
    if kernel.settings.dynamic_shared_bytes is not None:
        return kernel.settings.dynamic_shared_bytes
    return max(device.sm_limits().shared_bytes_per_block - kernel.facts.static_shared_bytes, 0)


def _threads_of_block(kernel: Kernel, device: Device) -> int:
    """The largest block: by registers in whole warps, by ``__launch_bounds__``, by the device."""
    limits = device.sm_limits()
    most = limits.threads_per_block
    if kernel.facts.registers:
        a_warp = kernel.facts.registers * WARP_THREADS
        unit = -(-a_warp // REGISTER_UNIT) * REGISTER_UNIT
        warps = limits.registers_per_block // SUB_PARTITIONS // unit * SUB_PARTITIONS
        most = min(most, warps * WARP_THREADS)
    return min(most, kernel.facts.max_threads) if kernel.facts.max_threads else most


def _is_block(threads: int, shared: int) -> bool:
    """Say whether a question describes a block; whether it can be launched, occupancy does not ask."""
    return 1 <= threads <= I32 and shared in _SIZES


def _may_cluster(kernel: Kernel, blocks: int, device: Device) -> bool:
    """Say whether occupancy takes clusters of so many blocks; with the attribute there is no bound."""
    is_allowed = kernel.settings.non_portable or blocks <= device.portable_cluster_blocks
    return blocks >= 1 and is_allowed


def _most_blocks(kernel: Kernel, device: Device) -> int:
    wide = kernel.settings.non_portable
    return device.largest_cluster_blocks if wide else device.portable_cluster_blocks


def _volume(sides: tuple[int, int, int]) -> int:
    x, y, z = sides
    return x * y * z
