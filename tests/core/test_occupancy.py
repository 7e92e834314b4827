import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.catalogue.occupancy import (
    BlockNeeds,
    SmLimits,
    active_blocks_per_sm,
    active_clusters,
)

# Compute capability 9.0 and 10.0 alike: 228 KiB a multiprocessor, 227 KiB a block with opt-in, 1 KiB reserved.
HOPPER = SmLimits(
    threads=2048,
    blocks=32,
    registers=65536,
    shared_bytes=233472,
    threads_per_block=1024,
    registers_per_block=65536,
    shared_bytes_per_block=49152,
    shared_bytes_per_block_optin=232448,
    shared_bytes_reserved_per_block=1024,
)
OPTIN = 232448


@pytest.mark.parametrize(
    ("threads", "registers", "blocks"),
    [
        (1, 16, 32),  # one warp: 64 by warps, the block limit is 32
        (128, 32, 16),  # 4 warps of 64: 16; registers 16384 / 1024 = 16 a quarter, 64 warps: 16
        (128, 33, 12),  # 33 * 32 = 1056, up to 1280; 16384 / 1280 = 12; 48 warps / 4
        (128, 168, 3),  # 5376; 16384 / 5376 = 3; 12 warps / 4
        (384, 168, 1),  # 12 warps / 12
        (384, 176, 0),  # 5632; 16384 / 5632 = 2; 8 warps / 12
        (160, 96, 4),  # 5 warps; 3072; 16384 / 3072 = 5; 20 warps / 5
        (33, 255, 4),  # 2 warps; 8160 up to 8192; 2 a quarter; 8 warps / 2
        (288, 176, 0),  # 9 warps, up to 12 * 5632 = 67584 above 65536, though 9 * 5632 would fit
        (256, 128, 2),  # 8 warps; 4096; 4 a quarter; 16 warps / 8
        (1024, 64, 1),  # 32 warps; 2048; 8 a quarter; 32 warps / 32
        (1024, 32, 2),  # 64 warps / 32
        (1000, 32, 2),  # 32 warps, rounded up
        (1025, 16, 0),  # above the limit of a block
        (768, 0, 2),  # a kernel without registers: 64 / 24
    ],
)
def test_warps_and_registers_bound_the_blocks(threads: int, registers: int, blocks: int) -> None:
    assert active_blocks_per_sm(BlockNeeds(threads, registers), HOPPER) == blocks


@pytest.mark.parametrize(
    ("static", "dynamic", "limit", "blocks"),
    [
        (0, 0, None, 16),  # 1024 reserved: 233472 / 1024 = 228; warps allow 16
        (0, 49152, None, 4),  # 50176; 233472 / 50176 = 4.65
        (0, 49153, None, 0),  # needs opt-in
        (4096, 45056, None, 4),  # 49152 together
        (4096, 45057, None, 0),
        (0, 49153, OPTIN, 4),  # 50177, up to 50304; 4.64
        (0, 76800, OPTIN, 3),  # 77824; exactly 3
        (0, 76801, OPTIN, 2),  # 77825, up to 77952; 2.995
        (0, 115712, OPTIN, 2),  # 116736; exactly 2
        (0, 115713, OPTIN, 1),
        (0, OPTIN, OPTIN, 1),  # 233472; exactly 1
        (4096, 228352, 228352, 1),  # 232448 together
        (4096, 228353, 228353, 0),  # one byte above the device's limit
        (0, 1000, 1000, 16),
        (0, 1001, 1000, 16),  # above the function's own limit, yet below the plain one
        (0, 49152, 0, 4),
        (0, 60000, 50000, 0),
        (0, 60001, 60000, 0),  # above both
        (49152, 1, 0, 0),  # 49153 together, and its own limit is 0
        (49152, 0, 0, 4),
    ],
)
def test_shared_memory_bounds_the_blocks(
    static: int, dynamic: int, limit: int | None, blocks: int
) -> None:
    needs = BlockNeeds(
        threads=128,
        registers_per_thread=16,
        static_shared_bytes=static,
        dynamic_shared_bytes=dynamic,
        dynamic_limit_bytes=limit,
    )
    assert active_blocks_per_sm(needs, HOPPER) == blocks


@pytest.mark.parametrize(
    ("barriers", "blocks"), [(0, 16), (1, 16), (4, 16), (5, 12), (8, 8), (16, 4)]
)
def test_sixty_four_named_barriers_are_shared_out(barriers: int, blocks: int) -> None:
    needs = BlockNeeds(threads=128, registers_per_thread=16, barriers=barriers)
    assert active_blocks_per_sm(needs, HOPPER) == blocks


@pytest.mark.parametrize(
    ("percent", "dynamic", "blocks"),
    [
        (100, 10000, 16),  # 11024, up to 11136; 233472 / 11136 = 20
        (25, 10000, 5),  # 58368, split at 65536; 5.9
        (50, 10000, 12),  # 116736, split at 132 KiB = 135168; 12.1
        (0, 10000, 1),  # the need itself, split at 16384; 1.5
        (0, 0, 8),  # 1024, split at 8192
        (87, 10000, 16),  # 203120, split at 233472
    ],
)
def test_a_carve_out_bounds_the_shared_memory(percent: int, dynamic: int, blocks: int) -> None:
    needs = BlockNeeds(128, 16, dynamic_shared_bytes=dynamic, carveout_percent=percent)
    assert active_blocks_per_sm(needs, HOPPER) == blocks


def test_a_carve_out_never_takes_more_than_there_is() -> None:
    small = dataclasses.replace(HOPPER, shared_bytes=240_000)
    needs = BlockNeeds(32, 16, dynamic_shared_bytes=28976, carveout_percent=100)
    # 28976 + 1024 = 30000, up to 30080; 240000 lies above every split and is all there is; 7.97
    assert active_blocks_per_sm(needs, small) == 7


@pytest.mark.parametrize(
    "needs",
    [
        BlockNeeds(0, 16),
        BlockNeeds(32, -1),
        BlockNeeds(32, 256),
        BlockNeeds(32, 16, static_shared_bytes=-1),
        BlockNeeds(32, 16, dynamic_shared_bytes=-1),
        BlockNeeds(32, 16, dynamic_limit_bytes=-1),
        BlockNeeds(32, 16, barriers=17),
        BlockNeeds(32, 16, carveout_percent=101),
    ],
)
def test_numbers_that_no_kernel_has_are_refused(needs: BlockNeeds) -> None:
    with pytest.raises(ValueError, match="no kernel has that"):
        active_blocks_per_sm(needs, HOPPER)


_NEEDS = st.builds(
    BlockNeeds,
    threads=st.integers(min_value=1, max_value=1100),
    registers_per_thread=st.integers(min_value=0, max_value=255),
    static_shared_bytes=st.integers(min_value=0, max_value=49152),
    dynamic_shared_bytes=st.integers(min_value=0, max_value=240_000),
    dynamic_limit_bytes=st.none() | st.integers(min_value=0, max_value=240_000),
    barriers=st.integers(min_value=0, max_value=16),
    carveout_percent=st.none() | st.integers(min_value=0, max_value=100),
)


@given(st.integers(min_value=1, max_value=32), st.integers(min_value=0, max_value=32))
def test_clusters_never_hold_more_blocks_than_the_multiprocessors_of_their_groups(
    cluster: int, blocks: int
) -> None:
    held = active_clusters(cluster, blocks, ((18, 2), (16, 5), (2, 4))) * cluster
    assert held <= 124 * blocks
    assert held <= 124 * 8


@pytest.mark.parametrize(
    ("cluster", "blocks", "clusters"),
    [
        (1, 1, 9),  # 5 and 2 * 2 multiprocessors
        (2, 1, 4),  # 2 of the five, 1 of each pair
        (3, 2, 3),  # 10 / 3; a pair holds no cluster of three, though it holds four blocks
        (5, 8, 8),
        (6, 8, 0),
        (1, 32, 72),  # eight blocks a multiprocessor at most
        (1, 0, 0),
    ],
)
def test_a_cluster_has_as_many_multiprocessors_in_its_group_as_blocks(
    cluster: int, blocks: int, clusters: int
) -> None:
    assert active_clusters(cluster, blocks, ((5, 1), (2, 2))) == clusters


def test_no_blocks_are_no_cluster() -> None:
    with pytest.raises(ValueError, match="0 blocks are no cluster"):
        active_clusters(0, 1, ((5, 1),))


@given(_NEEDS)
def test_what_is_held_fits_into_one_multiprocessor(needs: BlockNeeds) -> None:
    blocks = active_blocks_per_sm(needs, HOPPER)
    assert 0 <= blocks <= 32
    assert blocks * needs.threads <= 2048
    assert blocks * needs.threads * needs.registers_per_thread <= 65536
    shared = needs.static_shared_bytes + needs.dynamic_shared_bytes + 1024
    assert blocks * shared <= 233472


@given(_NEEDS)
def test_asking_for_more_never_gives_more_blocks(needs: BlockNeeds) -> None:
    before = active_blocks_per_sm(needs, HOPPER)
    more_threads = dataclasses.replace(needs, threads=needs.threads + 1)
    assert active_blocks_per_sm(more_threads, HOPPER) <= before
    more_registers = dataclasses.replace(
        needs, registers_per_thread=max(1, min(255, needs.registers_per_thread + 1))
    )
    assert active_blocks_per_sm(more_registers, HOPPER) <= before
