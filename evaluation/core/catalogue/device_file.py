"""Reads a device table from TOML and refuses everything that is not completely right.

Values stand in groups by who states them. A group has a ``source`` (a date of measurement, vendor documentation, or
the rule that every measuring host keeps), a ``detail`` for people, and any of ``attributes`` under CUDA's own names,
``facts``, ``active_clusters`` by cluster size, and ``cluster_groups``: how many groups there are of so many SMs.
"""

import re

from evaluation.core.catalogue.device import (
    ActiveClusters,
    Attribute,
    ClusterGroup,
    Device,
    DeviceFact,
    FactName,
)
from evaluation.core.catalogue.device_attributes import NAMES, NUMBERS, OF_THE_HOST
from evaluation.core.catalogue.tables import Table, parse, shown_key
from evaluation.core.verdict import Target

FORMAT = 1
LIMIT_GROUPS = 8
LIMIT_VALUE = 2**31 - 1
LIMIT_MEMORY_BYTES = 2**42

_PRODUCT = re.compile(r"[a-z][a-z0-9]{1,15}(-[a-z0-9]{1,15})?")
_SOURCES = ("vendor documentation", "rule of measuring hosts")
_MEASURED = re.compile(r"measured 20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])")
_CAPABILITY = {Target.HOPPER: (9, 0), Target.BLACKWELL: (10, 0)}
_GROUP_SIZE = re.compile(r"[1-9][0-9]?")
_WARP_SIZE = 32
# Without these a launch cannot be checked as the runtime checks it (rule L7), nor occupancy be told.
_REQUIRED = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 39, 75, 76, 81, 82, 97, 106, 111, 120)
_REQUIRED_FACTS = (FactName.PORTABLE_CLUSTER_BLOCKS, FactName.LARGEST_CLUSTER_BLOCKS)


def load_device(text: str, *, where: str) -> Device:
    """Read the table that ``text`` states, or raise InvalidInput naming ``where``, the key and the rule."""
    top = parse(text, where=where)
    top.only("format", "product", "title", "target", "groups")
    top.integer("format", low=FORMAT, high=FORMAT)
    attributes: dict[int, Attribute] = {}
    facts: dict[FactName, DeviceFact] = {}
    clusters: dict[int, ActiveClusters] = {}
    groups: dict[int, ClusterGroup] = {}
    for group in top.tables("groups", limit=LIMIT_GROUPS):
        group.only("source", "detail", "attributes", "facts", "active_clusters", "cluster_groups")
        group.line("detail", limit=200)
        source = _source(group)
        if group.has("attributes"):
            _take_attributes(group.table("attributes"), source, attributes)
        if group.has("facts"):
            _take_facts(group.table("facts"), source, facts)
        if group.has("active_clusters"):
            _take_clusters(group.table("active_clusters"), source, clusters)
        if group.has("cluster_groups"):
            _take_groups(group.table("cluster_groups"), source, groups)
    device = Device(
        product=top.name(
            "product", _PRODUCT, like="lower-case letters and digits, with one - inside at most"
        ),
        title=top.line("title", limit=120),
        target=top.word("target", Target),
        attributes=tuple(attributes[number] for number in sorted(attributes)),
        facts=tuple(facts[name] for name in sorted(facts)),
        active_clusters=tuple(clusters[blocks] for blocks in sorted(clusters)),
        cluster_groups=tuple(groups[size] for size in sorted(groups, reverse=True)),
    )
    _is_complete(top, device)
    _is_consistent(top, device)
    return device


def _source(group: Table) -> str:
    source = group.line("source", limit=60)
    if source not in _SOURCES and not _MEASURED.fullmatch(source):
        allowed = ", ".join(f'"{one}"' for one in _SOURCES)
        raise group.broken("source", f'must be "measured YYYY-MM-DD" or one of {allowed}')
    return source


def _take_attributes(table: Table, source: str, found: dict[int, Attribute]) -> None:
    for name in table.entries:
        number = NUMBERS.get(name)
        if number is None:
            raise table.broken(shown_key(name), "is no device attribute of CUDA 13.0 by its C name")
        if number in OF_THE_HOST:
            raise table.broken(name, "tells about one host, not about a product; leave it out")
        if number in found:
            raise table.broken(name, f"is stated twice, before as {found[number].source}")
        value = table.integer(name, low=0, high=LIMIT_VALUE)
        found[number] = Attribute(number, name, value, source)


def _take_facts(table: Table, source: str, found: dict[FactName, DeviceFact]) -> None:
    table.only(*(name.value for name in FactName))
    for name in FactName:
        if table.has(name):
            if name in found:
                raise table.broken(name, f"is stated twice, before as {found[name].source}")
            found[name] = DeviceFact(name, _fact(table, name), source)


def _fact(table: Table, name: FactName) -> int | str:
    if name is FactName.DEVICE_NAME:
        return table.line(name, limit=255)
    high = LIMIT_MEMORY_BYTES if name is FactName.TOTAL_MEMORY_BYTES else 64
    return table.integer(name, low=1, high=high)


def _take_clusters(table: Table, source: str, found: dict[int, ActiveClusters]) -> None:
    for key in table.entries:
        if key not in {"1", "2", "4", "8", "16"}:
            raise table.broken(shown_key(key), "is no cluster size; allowed: 1, 2, 4, 8, 16")
        blocks = int(key)
        if blocks in found:
            raise table.broken(key, f"is stated twice, before as {found[blocks].source}")
        found[blocks] = ActiveClusters(blocks, table.integer(key, low=0, high=4096), source)


def _take_groups(table: Table, source: str, found: dict[int, ClusterGroup]) -> None:
    for key in table.entries:
        if not _GROUP_SIZE.fullmatch(key):
            raise table.broken(shown_key(key), "is no group of 1 to 99 multiprocessors")
        size = int(key)
        if size in found:
            raise table.broken(key, f"is stated twice, before as {found[size].source}")
        found[size] = ClusterGroup(size, table.integer(key, low=1, high=256), source)


def _is_complete(top: Table, device: Device) -> None:
    for number in _REQUIRED:
        if device.attribute(number) is None:
            rule = f"no group states {NAMES[number]}, which every table must"
            raise top.broken("groups", rule)
    for name in _REQUIRED_FACTS:
        if device.fact(name) is None:
            raise top.broken("groups", f"no group states {name}, which every table must")


def _is_consistent(top: Table, device: Device) -> None:
    sm = device.sm_limits()
    capability = (device.attribute(75), device.attribute(76))
    plain, optin = sm.shared_bytes_per_block, sm.shared_bytes_per_block_optin
    reserved, threads = sm.shared_bytes_reserved_per_block, sm.threads_per_block
    rules = (
        (
            capability == _CAPABILITY[device.target],
            f"the compute capability is not that of {device.target}",
        ),
        (device.attribute(10) == _WARP_SIZE, "a warp of these targets has 32 threads"),
        (device.multiprocessors >= 1, "a device has at least one multiprocessor"),
        (sm.blocks >= 1, "a multiprocessor holds at least one block"),
        (_WARP_SIZE <= threads <= sm.threads, "a block has more threads than a multiprocessor"),
        (0 < sm.registers_per_block <= sm.registers, "a block has more registers than its SM"),
        (0 < plain <= optin, "shared memory with opt-in is less than without"),
        (
            device.portable_cluster_blocks <= device.largest_cluster_blocks,
            "the largest cluster is smaller than the portable one",
        ),
        (optin + reserved <= sm.shared_bytes, "the largest block's shared memory does not fit"),
    )
    for holds, rule in rules:
        if not holds:
            raise top.broken("groups", rule)
    if device.cluster_groups:
        _groups_agree(top, device)


def _groups_agree(top: Table, device: Device) -> None:
    in_groups = sum(one.multiprocessors * one.groups for one in device.cluster_groups)
    if in_groups != device.multiprocessors:
        rule = f"the cluster groups have {in_groups} multiprocessors, the device {device.multiprocessors}"
        raise top.broken("groups", rule)
    for one in device.active_clusters:
        found = device.clusters_at_a_time(cluster_blocks=one.blocks, blocks_per_sm=1)
        if found != one.clusters:
            rule = f"the cluster groups hold {found} clusters of {one.blocks}, stated are {one.clusters}"
            raise top.broken("groups", rule)
