"""Rules of launches and function attributes (T4): what the runtime would refuse, and no more."""

from collections.abc import Iterator

from evaluation.core.binary.facts import KernelFunction
from evaluation.core.catalogue.function_attributes import (
    CARVEOUT,
    CARVEOUTS,
    CLUSTER_POLICIES,
    CLUSTER_POLICY,
    CLUSTER_SIDES,
    DYNAMIC_SHARED,
    FLAGS,
    NON_PORTABLE,
)
from evaluation.core.plan.plan import (
    AttributeStep,
    LaunchAttribute,
    LaunchStep,
    Stepping,
)
from evaluation.core.plan.plan_world import World
from evaluation.core.quoting import quoted
from evaluation.core.records import Remark

_AXES = 3
_WIDTHS = (4, 8)


def attribute_remarks(step: AttributeStep, world: World) -> Iterator[Remark]:
    """Check cudaFuncSetAttribute by cudaFuncAttribute number."""
    function = world.cubin.function(step.function)
    if function is None:
        yield world.remark(f"names {quoted(step.function)}, which is not in the cubin")
        return
    dynamic = world.limits.shared_bytes_optin - function.static_shared_bytes
    side = world.limits.cluster_blocks_optin
    ranges = {
        DYNAMIC_SHARED: range(dynamic + 1),
        CARVEOUT: CARVEOUTS,
        **dict.fromkeys(CLUSTER_SIDES, range(side + 1)),
        NON_PORTABLE: FLAGS,
        CLUSTER_POLICY: CLUSTER_POLICIES,
    }
    if step.value not in ranges.get(step.attribute, ()):
        yield world.remark(
            f"sets attribute {step.attribute} of {quoted(step.function)} to {step.value}"
        )


def launch_remarks(step: LaunchStep, world: World) -> Iterator[Remark]:
    """Check one launch against its kernel, the device, and the attributes set before."""
    function = world.cubin.function(step.function)
    if function is None:
        yield world.remark(f"launches {quoted(step.function)}, which is not in the cubin")
        return
    yield from _block(step, function, world)
    yield from _shared(step, function, world)
    yield from _settings(step, function, world)
    yield from _parameters(step, function, world)
    for rule in step.stepping:
        yield from _stepping(rule, function, world)


def _block(step: LaunchStep, function: KernelFunction, world: World) -> Iterator[Remark]:
    limits = world.limits
    for name, sides, largest in (
        ("grid", step.grid, limits.grid),
        ("block", step.block, limits.block),
    ):
        if not all(1 <= side <= most for side, most in zip(sides, largest, strict=True)):
            yield world.remark(f"has {name} {_by(sides)}; the device takes 1 to {_by(largest)}")
    threads = _product(step.block)
    most = min(limits.threads_per_block, function.max_threads or limits.threads_per_block)
    if threads > most:
        yield world.remark(f"has {threads} threads a block; {most} are allowed")
    if function.required_block not in {None, step.block}:
        yield world.remark(f"has block {_by(step.block)}; the kernel fixes another size")
    if step.cooperative:
        resident = limits.multiprocessors * min(
            limits.blocks_per_multiprocessor,
            limits.threads_per_multiprocessor // max(threads, 1),
        )
        if _product(step.grid) > resident:
            yield world.remark(f"is cooperative with more than {resident} blocks")


def _shared(step: LaunchStep, function: KernelFunction, world: World) -> Iterator[Remark]:
    plain = max(world.limits.shared_bytes_plain - function.static_shared_bytes, 0)
    allowed = world.attributes.get((step.function, DYNAMIC_SHARED), plain)
    if step.shared > allowed:
        yield world.remark(
            f"uses {step.shared} bytes of dynamic shared memory; {allowed} are allowed",
            instead="raise cudaFuncAttributeMaxDynamicSharedMemorySize first",
        )


def _settings(step: LaunchStep, function: KernelFunction, world: World) -> Iterator[Remark]:
    kinds = [one.attribute for one in step.settings]
    if kinds != [one for one in LaunchAttribute if one in kinds]:
        yield world.remark("has launch attributes twice or out of order")
        return
    sizes = {LaunchAttribute.CLUSTER, LaunchAttribute.PREFERRED_CLUSTER}
    for setting in step.settings:
        wanted = _AXES if setting.attribute in sizes else 1
        if len(setting.value) != wanted or not all(setting.value):
            yield world.remark(f"has {setting.attribute} of {list(setting.value)}")
            return
    values = {one.attribute: one.value for one in step.settings}
    if values.get(LaunchAttribute.CLUSTER_POLICY, (0,))[0] not in CLUSTER_POLICIES:
        yield world.remark("has a cluster scheduling policy that CUDA 13.0 does not have")
    if LaunchAttribute.PROGRAMMATIC_SERIALIZATION in values and not world.launches:
        yield world.remark("is the first launch and has programmatic serialization")
    yield from _clusters(step, function, values, world)


def _clusters(
    step: LaunchStep,
    function: KernelFunction,
    values: dict[LaunchAttribute, tuple[int, ...]],
    world: World,
) -> Iterator[Remark]:
    asked = values.get(LaunchAttribute.CLUSTER)
    preferred = values.get(LaunchAttribute.PREFERRED_CLUSTER)
    cluster = asked or function.cluster or _required_cluster(step, world)
    if asked and function.cluster and asked != function.cluster:
        yield world.remark(f"asks for clusters of {_by(asked)}; the kernel fixes another size")
    if preferred and not cluster:
        yield world.remark("prefers a cluster without asking for one")
    wide = world.attributes.get((step.function, NON_PORTABLE), 0)
    limits = world.limits
    most = limits.cluster_blocks_optin if wide else limits.cluster_blocks_plain
    for size in (cluster, preferred):
        if size and _product(size) > most:
            yield world.remark(f"has clusters of {_product(size)} blocks; {most} are allowed")
        if size and not function.grid_counts_clusters and not _divides(size, step.grid):
            yield world.remark(f"has grid {_by(step.grid)}, no multiple of cluster {_by(size)}")
    if cluster and preferred and not _divides(cluster, preferred):
        yield world.remark("prefers a cluster that is no multiple of the one it asks for")


def _required_cluster(step: LaunchStep, world: World) -> tuple[int, int, int] | None:
    """Give the cluster that attributes of the function ask for, where all three are set."""
    x, y, z = (world.attributes.get((step.function, one), 0) for one in CLUSTER_SIDES)
    return (x, y, z) if x and y and z else None


def _divides(size: tuple[int, ...], sides: tuple[int, ...]) -> bool:
    return all(one and side % one == 0 for side, one in zip(sides, size, strict=True))


def _parameters(step: LaunchStep, function: KernelFunction, world: World) -> Iterator[Remark]:
    content = step.parameters.content
    if len(content) != function.parameter_bytes:
        yield world.remark(
            f"passes {len(content)} bytes of parameters; the cubin says {function.parameter_bytes}"
        )
        return
    outside = bytearray(content)
    for one in function.parameters:
        outside[one.offset : one.offset + one.size] = bytes(
            len(outside[one.offset : one.offset + one.size])
        )
    if any(outside):
        yield world.remark("has bytes between its parameters")


def _stepping(rule: Stepping, function: KernelFunction, world: World) -> Iterator[Remark]:
    end = rule.at + rule.width
    inside = any(
        one.offset <= rule.at and end <= one.offset + one.size for one in function.parameters
    )
    if rule.width not in _WIDTHS or rule.at % rule.width or not inside:
        yield world.remark(f"steps {rule.width} bytes at byte {rule.at}, which is no integer")
    elif not 1 <= rule.step < 1 << 8 * rule.width:
        yield world.remark(f"steps the argument at byte {rule.at} by {rule.step}")
    if world.in_setup:
        yield world.remark("steps an argument in set-up")


def _product(sides: tuple[int, ...]) -> int:
    x, y, z = sides
    return x * y * z


def _by(sides: tuple[int, ...]) -> str:
    return " x ".join(str(side) for side in sides)
