import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.adapters.catalogue import packaged
from evaluation.core.catalogue.device import (
    ActiveClusters,
    Attribute,
    ClusterGroup,
    Device,
    DeviceFact,
    FactName,
    default_product,
)
from evaluation.core.catalogue.device_attributes import NAMES, NUMBERS, OF_THE_HOST
from evaluation.core.catalogue.device_file import load_device
from evaluation.core.catalogue.occupancy import SmLimits
from evaluation.core.errors import InvalidInput
from evaluation.core.verdict import Target

TABLE = """\
format = 1
product = "x100-lab"
title = "A table for tests"
target = "hopper"

[[groups]]
source = "vendor documentation"
detail = "a data sheet"
[groups.attributes]
cudaDevAttrMaxThreadsPerBlock = 1024
cudaDevAttrMaxBlockDimX = 1024
cudaDevAttrMaxBlockDimY = 1024
cudaDevAttrMaxBlockDimZ = 64
cudaDevAttrMaxGridDimX = 2147483647
cudaDevAttrMaxGridDimY = 65535
cudaDevAttrMaxGridDimZ = 65535
cudaDevAttrMaxSharedMemoryPerBlock = 49152
cudaDevAttrWarpSize = 32
cudaDevAttrMaxRegistersPerBlock = 65536
cudaDevAttrMultiProcessorCount = 4
cudaDevAttrMaxThreadsPerMultiProcessor = 2048
cudaDevAttrComputeCapabilityMajor = 9
cudaDevAttrComputeCapabilityMinor = 0
cudaDevAttrMaxSharedMemoryPerMultiprocessor = 233472
cudaDevAttrMaxRegistersPerMultiprocessor = 65536
cudaDevAttrMaxSharedMemoryPerBlockOptin = 232448
cudaDevAttrMaxBlocksPerMultiprocessor = 32
cudaDevAttrReservedSharedMemoryPerBlock = 1024
cudaDevAttrClusterLaunch = 1
[groups.facts]
device_name = "X100 Lab"
portable_cluster_blocks = 8
largest_cluster_blocks = 16

[[groups]]
source = "measured 2026-11-30"
detail = "one card"
[groups.attributes]
cudaDevAttrL2CacheSize = 1000
[groups.facts]
total_memory_bytes = 150000000000
[groups.active_clusters]
2 = 2
"""
REQUIRED = 20


def changed(old: str, new: str) -> str:
    assert TABLE.count(old) == 1, f"{old!r} occurs {TABLE.count(old)} times"
    return TABLE.replace(old, new)


def refusal(text: str) -> tuple[str, str]:
    with pytest.raises(InvalidInput) as caught:
        load_device(text, where="d.toml")
    assert caught.value.where == "d.toml"
    return caught.value.key, caught.value.rule


def test_a_table_answers_with_value_name_and_source() -> None:
    device = load_device(TABLE, where="d.toml")
    assert (device.product, device.title, device.target) == (
        "x100-lab",
        "A table for tests",
        Target.HOPPER,
    )
    assert device.attribute(16) == 4
    assert device.multiprocessors == 4
    assert device.device_name == "X100 Lab"
    assert device.total_memory_bytes == 150_000_000_000
    assert Attribute(38, "cudaDevAttrL2CacheSize", 1000, "measured 2026-11-30") in device.attributes
    assert [one.number for one in device.attributes] == sorted(
        [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 39, 75, 76, 81, 82, 97, 106, 111, 120, 38]
    )
    assert device.facts == (
        DeviceFact(FactName.DEVICE_NAME, "X100 Lab", "vendor documentation"),
        DeviceFact(FactName.LARGEST_CLUSTER_BLOCKS, 16, "vendor documentation"),
        DeviceFact(FactName.PORTABLE_CLUSTER_BLOCKS, 8, "vendor documentation"),
        DeviceFact(FactName.TOTAL_MEMORY_BYTES, 150_000_000_000, "measured 2026-11-30"),
    )
    assert device.active_clusters == (ActiveClusters(2, 2, "measured 2026-11-30"),)


def test_the_limits_of_a_multiprocessor_come_from_the_attributes() -> None:
    assert load_device(TABLE, where="d.toml").sm_limits() == SmLimits(
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


def test_cluster_groups_answer_for_every_cluster_size() -> None:
    text = changed("2 = 2", "2 = 2\n[groups.cluster_groups]\n2 = 2")
    device = load_device(text, where="d.toml")
    assert device.cluster_groups == (ClusterGroup(2, 2, "measured 2026-11-30"),)
    assert device.clusters_at_a_time(cluster_blocks=2, blocks_per_sm=3) == 6
    assert device.clusters_at_a_time(cluster_blocks=3, blocks_per_sm=3) == 0
    without = load_device(TABLE, where="d.toml")
    assert without.clusters_at_a_time(cluster_blocks=2, blocks_per_sm=3) is None


def test_what_no_group_states_is_unknown_and_listed_as_such() -> None:
    device = load_device(changed("total_memory_bytes = 150000000000\n", ""), where="d.toml")
    assert device.attribute(13) is None
    assert (13, "cudaDevAttrClockRate") in device.unknown_attributes()
    assert (16, "cudaDevAttrMultiProcessorCount") not in device.unknown_attributes()
    assert device.total_memory_bytes is None
    assert device.unknown_facts() == (FactName.TOTAL_MEMORY_BYTES,)
    unnamed = load_device(changed('device_name = "X100 Lab"\n', ""), where="d.toml")
    assert unnamed.device_name is None


def test_what_belongs_to_a_host_is_not_even_listed_as_unknown() -> None:
    unknown = load_device(TABLE, where="d.toml").unknown_attributes()
    assert 33 in OF_THE_HOST
    assert 33 not in {number for number, _ in unknown}
    assert len(unknown) == 147 - 21 - len(OF_THE_HOST)


def test_a_device_built_by_hand_without_limits_says_so_when_asked() -> None:
    bare = Device("bare", "Bare", Target.HOPPER, (), (), ())
    with pytest.raises(ValueError, match="bare was built without attribute 39"):
        bare.sm_limits()


@pytest.mark.parametrize(
    ("number", "name"),
    [
        (1, "cudaDevAttrMaxThreadsPerBlock"),
        (16, "cudaDevAttrMultiProcessorCount"),
        (38, "cudaDevAttrL2CacheSize"),
        (81, "cudaDevAttrMaxSharedMemoryPerMultiprocessor"),
        (97, "cudaDevAttrMaxSharedMemoryPerBlockOptin"),
        (102, "CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED"),
        (106, "cudaDevAttrMaxBlocksPerMultiprocessor"),
        (111, "cudaDevAttrReservedSharedMemoryPerBlock"),
        (120, "cudaDevAttrClusterLaunch"),
        (127, "CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED"),
        (147, "cudaDevAttrOnlyPartialHostNativeAtomicSupported"),
    ],
)
def test_attributes_have_the_numbers_of_cuda_13_0(number: int, name: str) -> None:
    assert (NAMES[number], NUMBERS[name]) == (name, number)


def test_the_numbers_run_from_1_to_147_without_a_gap_or_a_name_twice() -> None:
    assert list(NAMES) == list(range(1, 148))
    assert len(NUMBERS) == 147


@pytest.mark.parametrize(
    ("old", "new", "key", "rule"),
    [
        ("format = 1", "format = 9", "format", "from 1 to 1"),
        ('"x100-lab"', '"X100"', "product", "lower-case"),
        ('"x100-lab"', '"x-y-z"', "product", "one - inside"),
        ('title = "A table for tests"', "", "title", "missing"),
        ('target = "hopper"', 'target = "ampere"', "target", "not one of: hopper, blackwell"),
        ('target = "hopper"', 'target = "blackwell"', "groups", "not that of blackwell"),
        ('target = "hopper"', 'target = "hopper"\ncolour = 1', "colour", "unknown key"),
        ('detail = "one card"', "", "groups.1.detail", "missing"),
        ('detail = "one card"', 'detail = "one card"\nx = 1', "groups.1.x", "unknown key"),
        ('"measured 2026-11-30"', '"measured 2026-13-30"', "groups.1.source", "measured YYYY-MM-DD"),
        ('"measured 2026-11-30"', '"measured today"', "groups.1.source", "vendor documentation"),
        ('"measured 2026-11-30"', '"a blog"', "groups.1.source", "rule of measuring hosts"),
        ("cudaDevAttrL2CacheSize = 1000", "cudaDevAttrL2Size = 1", "groups.1.attributes.cudaDevAttrL2Size", "no device attribute"),
        ("cudaDevAttrL2CacheSize = 1000", '"a\\nb" = 1', "groups.1.attributes.'a\\nb'", "no device attribute"),
        ("cudaDevAttrL2CacheSize = 1000", "cudaDevAttrPciBusId = 1", "groups.1.attributes.cudaDevAttrPciBusId", "one host"),
        ("cudaDevAttrL2CacheSize = 1000", "cudaDevAttrWarpSize = 32", "groups.1.attributes.cudaDevAttrWarpSize", "before as vendor"),
        ("cudaDevAttrL2CacheSize = 1000", "cudaDevAttrL2CacheSize = -1", "groups.1.attributes.cudaDevAttrL2CacheSize", "from 0"),
        ("cudaDevAttrL2CacheSize = 1000", "cudaDevAttrL2CacheSize = 2147483648", "groups.1.attributes.cudaDevAttrL2CacheSize", "to 2147483647"),
        ("cudaDevAttrL2CacheSize = 1000", "cudaDevAttrL2CacheSize = true", "groups.1.attributes.cudaDevAttrL2CacheSize", "an integer"),
        ("total_memory_bytes = 150000000000", 'device_name = "Y"', "groups.1.facts.device_name", "twice"),
        ("total_memory_bytes = 150000000000", "total_memory_bytes = 0", "groups.1.facts.total_memory_bytes", "from 1"),
        ("total_memory_bytes = 150000000000", "weight = 1", "groups.1.facts.weight", "unknown key"),
        ("portable_cluster_blocks = 8", "portable_cluster_blocks = 65", "groups.0.facts.portable_cluster_blocks", "to 64"),
        ('device_name = "X100 Lab"', "device_name = 1", "groups.0.facts.device_name", "must be text"),
        ("2 = 2", "3 = 2", "groups.1.active_clusters.3", "allowed: 1, 2, 4, 8, 16"),
        ("2 = 2", '"2\\u0000" = 2', "groups.1.active_clusters.'2\\x00'", "no cluster size"),
        ("2 = 2", "2 = 5000", "groups.1.active_clusters.2", "to 4096"),
        ("2 = 2", '2 = 2\n[[groups]]\nsource = "vendor documentation"\ndetail = "x"\nactive_clusters = { 2 = 1 }', "groups.2.active_clusters.2", "twice"),
        ("2 = 2", "2 = 2\n[groups.cluster_groups]\n100 = 1", "groups.1.cluster_groups.100", "no group of 1 to 99"),
        ("2 = 2", "2 = 2\n[groups.cluster_groups]\nx = 1", "groups.1.cluster_groups.x", "no group of 1 to 99"),
        ("2 = 2", "2 = 2\n[groups.cluster_groups]\n2 = 0", "groups.1.cluster_groups.2", "from 1 to 256"),
        ("2 = 2", "2 = 2\n[groups.cluster_groups]\n2 = 3", "groups", "have 6 multiprocessors, the device 4"),
        ("2 = 2", "2 = 2\n[groups.cluster_groups]\n3 = 1\n1 = 1", "groups", "hold 1 clusters of 2, stated are 2"),
        ("largest_cluster_blocks = 16", 'largest_cluster_blocks = 16\n[groups.cluster_groups]\n4 = 1\n[[groups]]\nsource = "vendor documentation"\ndetail = "x"\ncluster_groups = { 4 = 1 }', "groups.1.cluster_groups.4", "before as vendor"),
        ("cudaDevAttrWarpSize = 32", "cudaDevAttrWarpSize = 64", "groups", "32 threads"),
        ("cudaDevAttrWarpSize = 32\n", "", "groups", "no group states cudaDevAttrWarpSize"),
        ("portable_cluster_blocks = 8\n", "", "groups", "no group states portable_cluster_blocks"),
        ("largest_cluster_blocks = 16", "largest_cluster_blocks = 7", "groups", "is smaller than the portable"),
        ("cudaDevAttrMultiProcessorCount = 4", "cudaDevAttrMultiProcessorCount = 0", "groups", "at least one multi"),
        ("MaxBlocksPerMultiprocessor = 32", "MaxBlocksPerMultiprocessor = 0", "groups", "at least one block"),
        ("ThreadsPerBlock = 1024", "ThreadsPerBlock = 4096", "groups", "more threads"),
        ("RegistersPerBlock = 65536", "RegistersPerBlock = 65537", "groups", "more registers"),
        ("SharedMemoryPerBlock = 49152", "SharedMemoryPerBlock = 300000", "groups", "less than without"),
        ("PerBlockOptin = 232448", "PerBlockOptin = 233472", "groups", "does not fit"),
        ("Multiprocessor = 233472", "Multiprocessor = 1", "groups", "does not fit"),
    ],
)  # fmt: skip
def test_a_broken_rule_is_named_with_its_key(old: str, new: str, key: str, rule: str) -> None:
    found_key, found_rule = refusal(changed(old, new))
    assert (found_key, rule in found_rule) == (key, True), found_rule


@pytest.mark.parametrize(
    ("product", "target", "name", "multiprocessors", "capability"),
    [
        ("h100-sxm", Target.HOPPER, "NVIDIA H100 80GB HBM3", 132, (9, 0)),
        ("h100-pcie", Target.HOPPER, "NVIDIA H100 PCIe", 114, (9, 0)),
        ("h100-nvl", Target.HOPPER, "NVIDIA H100 NVL", 132, (9, 0)),
        ("h200", Target.HOPPER, "NVIDIA H200", 132, (9, 0)),
        ("b200", Target.BLACKWELL, "NVIDIA B200", 148, (10, 0)),
    ],
)
def test_each_packaged_product_knows_its_name_and_its_size(
    product: str, target: Target, name: str, multiprocessors: int, capability: tuple[int, int]
) -> None:
    device = packaged().device(product)
    assert (device.target, device.device_name) == (target, name)
    assert device.multiprocessors == multiprocessors
    assert (device.attribute(75), device.attribute(76)) == capability


def test_every_packaged_product_has_one_multiprocessor_of_its_generation() -> None:
    for device in packaged().devices():
        assert device.sm_limits() == SmLimits(
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


def test_no_packaged_product_reaches_pageable_host_memory() -> None:
    for device in packaged().devices():
        assert (device.attribute(88), device.attribute(100)) == (0, 0)


def test_a_target_without_a_device_is_answered_by_its_default_product() -> None:
    for target, product in ((Target.HOPPER, "h200"), (Target.BLACKWELL, "b200")):
        assert default_product(target) == product
        assert packaged().device(product).target is target


_EDITS = st.lists(
    st.tuples(
        st.integers(min_value=0, max_value=len(TABLE) - 1),
        st.integers(min_value=0, max_value=40),
        st.text(alphabet=string.printable + "\u202e\ud7ff", max_size=6),
    ),
    min_size=1,
    max_size=4,
)


@given(_EDITS)
@settings(max_examples=400)
def test_a_damaged_table_is_a_device_or_a_named_refusal(edits: list[tuple[int, int, str]]) -> None:
    text = TABLE
    for start, length, piece in edits:
        text = text[:start] + piece + text[start + length :]
    try:
        device = load_device(text, where="d.toml")
    except InvalidInput as refused:
        assert refused.where == "d.toml"
        assert refused.rule
        assert len(str(refused)) < 1000
    else:
        assert len(device.attributes) >= REQUIRED
        assert device.sm_limits().threads >= 32
