"""How many blocks of a kernel one SM of compute capability 9.0 or 10.0 holds at a time (rule L6).

The recording shim answers ``cudaOccupancyMaxActiveBlocksPerMultiprocessor`` by the same rule, so it is spelled
out here. It gives every answer that an H200 with driver 580.159.04 gave (tests/core/fixtures/h200); for 10.0 it is
what the vendor documents. The answer is the smallest of five numbers, all divisions rounded down unless it says up:

warps       warps of the SM / warps of a block. A block has threads / 32 warps, rounded up; a block above the
            thread limit of a block never fits.
blocks      the block limit of the SM.
registers   Registers go to warps in units of 256, and each of four sub-partitions owns a quarter of the registers.
            unit = registers a thread * 32, rounded up to 256; warps of the SM = 4 * (quarter / unit);
            divided by the warps of a block. A block never fits if unit * (its warps rounded up to 4) is above
            the register limit of a block.
shared      need = static + dynamic + bytes reserved a block, rounded up to 128; capacity of the SM / need.
            A block never fits if static + dynamic is above the plain limit of a block and above static + the
            function's own limit. A limit set below the plain one changes nothing here, though a launch above it fails.
barriers    64 / named barriers of a block, where it uses any (KernelFunction.barriers). Barriers in shared memory
            (mbarrier) are none of these.

The capacity is all shared memory of the SM unless the function asks for a carve-out; then it is that share of it, or
the need where that is more, rounded up to a size that the hardware can be split at.
Bounds by __launch_bounds__, clusters, tensor memory and the number of SMs are not part of this answer.
"""

from dataclasses import dataclass

WARP_THREADS = 32
SUB_PARTITIONS = 4
REGISTER_UNIT = 256
SHARED_UNIT_BYTES = 128
BARRIERS_PER_SM = 64
CLUSTERED_BLOCKS_PER_SM = 8
MAX_REGISTERS_PER_THREAD = 255
SPLITS_BYTES = tuple(kib * 1024 for kib in (0, 8, 16, 32, 64, 100, 132, 164, 196, 228))


@dataclass(frozen=True, slots=True)
class SmLimits:
    """What one SM and one block may hold; bytes and counts as the device attributes state them."""

    threads: int
    blocks: int
    registers: int
    shared_bytes: int
    threads_per_block: int
    registers_per_block: int
    shared_bytes_per_block: int  # without opt-in
    shared_bytes_per_block_optin: int
    shared_bytes_reserved_per_block: int


@dataclass(frozen=True, slots=True)
class BlockNeeds:
    """What a block of a kernel takes.

    ``dynamic_limit_bytes`` is the function's cudaFuncAttributeMaxDynamicSharedMemorySize and None where it was never
    set; ``carveout_percent`` its cudaFuncAttributePreferredSharedMemoryCarveout and None for the default.
    """

    threads: int
    registers_per_thread: int
    static_shared_bytes: int = 0
    dynamic_shared_bytes: int = 0
    dynamic_limit_bytes: int | None = None
    barriers: int = 0
    carveout_percent: int | None = None


def active_blocks_per_sm(needs: BlockNeeds, limits: SmLimits) -> int:
    """Count the blocks that one SM holds at a time; 0 where not even one fits.

    Raise ValueError for numbers that no kernel has.
    """
    _check(needs)
    warps = _up(needs.threads, WARP_THREADS) // WARP_THREADS
    if needs.threads > limits.threads_per_block:
        return 0
    return min(
        limits.threads // WARP_THREADS // warps,
        limits.blocks,
        _by_registers(needs, limits, warps),
        _by_shared(needs, limits),
        BARRIERS_PER_SM // needs.barriers if needs.barriers else limits.blocks,
    )


def active_clusters(
    cluster_blocks: int, blocks_per_sm: int, groups: tuple[tuple[int, int], ...]
) -> int:
    """Count the clusters that a device holds at a time, as ``cudaOccupancyMaxActiveClusters`` answers.

    ``groups`` says which SMs can share a cluster: (SMs of a group, number of such groups). A cluster needs at least
    as many SMs in its group as it has blocks, and an SM holds at most eight blocks of clusters, also of clusters of
    one. The groups and the rule were found to fit every answer of an H200 (tests/core/fixtures/h200).
    """
    if cluster_blocks < 1:
        raise ValueError(f"{cluster_blocks} blocks are no cluster")
    blocks = min(blocks_per_sm, CLUSTERED_BLOCKS_PER_SM)
    return sum(
        count * (multiprocessors * blocks // cluster_blocks)
        for multiprocessors, count in groups
        if multiprocessors >= cluster_blocks
    )


def _by_registers(needs: BlockNeeds, limits: SmLimits, warps: int) -> int:
    if needs.registers_per_thread == 0:
        return limits.blocks
    unit = _up(needs.registers_per_thread * WARP_THREADS, REGISTER_UNIT)
    # The hardware's check of one block assumes that every sub-partition takes the same number of its warps.
    if unit * _up(warps, SUB_PARTITIONS) > limits.registers_per_block:
        return 0
    return limits.registers // SUB_PARTITIONS // unit * SUB_PARTITIONS // warps


def _by_shared(needs: BlockNeeds, limits: SmLimits) -> int:
    asked = needs.static_shared_bytes + needs.dynamic_shared_bytes
    granted = limits.shared_bytes_per_block
    if needs.dynamic_limit_bytes is not None:
        raised = needs.static_shared_bytes + needs.dynamic_limit_bytes
        granted = min(max(granted, raised), limits.shared_bytes_per_block_optin)
    if asked > granted:
        return 0
    need = _up(asked + limits.shared_bytes_reserved_per_block, SHARED_UNIT_BYTES)
    return _capacity(needs.carveout_percent, need, limits) // need


def _capacity(carveout_percent: int | None, need: int, limits: SmLimits) -> int:
    if carveout_percent is None:
        return limits.shared_bytes
    wanted = max(limits.shared_bytes * carveout_percent // 100, need)
    return next((size for size in SPLITS_BYTES if size >= wanted), limits.shared_bytes)


def _check(needs: BlockNeeds) -> None:
    counts = (
        ("threads", needs.threads, 1, None),
        ("registers_per_thread", needs.registers_per_thread, 0, MAX_REGISTERS_PER_THREAD),
        ("static_shared_bytes", needs.static_shared_bytes, 0, None),
        ("dynamic_shared_bytes", needs.dynamic_shared_bytes, 0, None),
        ("dynamic_limit_bytes", needs.dynamic_limit_bytes or 0, 0, None),
        ("barriers", needs.barriers, 0, 16),
        ("carveout_percent", needs.carveout_percent or 0, 0, 100),
    )
    for name, value, low, high in counts:
        if value < low or (high is not None and value > high):
            raise ValueError(f"{name} is {value}; no kernel has that")


def _up(value: int, unit: int) -> int:
    return -(-value // unit) * unit
