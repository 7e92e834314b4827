"""Launches of kernels: grid, block, attributes and parameter bytes become one cuLaunchKernelEx."""

import ctypes
from dataclasses import dataclass
from typing import Any

from cuda.bindings import driver

from evaluation.adapters.gpu.driver_calls import ask

Triple = tuple[int, int, int]

_ID = driver.CUlaunchAttributeID
_ALIGNMENT = 64  # a tensor map among the parameters is read from an address like this


@dataclass(frozen=True, slots=True)
class LaunchShape:
    """Blocks in a grid, threads in a block, dynamic shared memory in bytes, and the attributes that a plan may hold.

    ``cluster_policy`` is a CUclusterSchedulingPolicy; None and False leave an attribute out.
    """

    grid: Triple
    block: Triple
    shared: int = 0
    cooperative: bool = False
    cluster: Triple | None = None
    preferred_cluster: Triple | None = None
    cluster_policy: int | None = None
    programmatic_serialization: bool = False


def launch(
    function: int, shape: LaunchShape, *, stream: int, parameters: tuple[bytes, ...]
) -> None:
    """Enqueue a kernel; ``parameters`` are the bytes of each of its parameters, in order. Raise CudaError."""
    block = Parameters(parameters)
    ask(driver.cuLaunchKernelEx, configuration(shape, stream), function, block.address, 0)


def configuration(shape: LaunchShape, stream: int) -> Any:
    """The CUlaunchConfig of a shape."""
    config = driver.CUlaunchConfig()
    config.gridDimX, config.gridDimY, config.gridDimZ = shape.grid
    config.blockDimX, config.blockDimY, config.blockDimZ = shape.block
    config.sharedMemBytes = shape.shared
    config.hStream = stream
    attributes = _attributes(shape)
    if attributes:
        config.attrs = attributes
        config.numAttrs = len(attributes)
    return config


class Parameters:
    """Parameter bytes in host memory and the array of pointers to them that a launch takes."""

    def __init__(self, parameters: tuple[bytes, ...]) -> None:
        starts, end = [], 0
        for content in parameters:
            starts.append(end)
            end += -(-len(content) // _ALIGNMENT) * _ALIGNMENT
        self._bytes = ctypes.create_string_buffer(end + _ALIGNMENT)
        base = -(-ctypes.addressof(self._bytes) // _ALIGNMENT) * _ALIGNMENT
        for start, content in zip(starts, parameters, strict=True):
            ctypes.memmove(base + start, content, len(content))
        pointers = [base + start for start in starts]
        self._pointers = (ctypes.c_void_p * max(len(pointers), 1))(*pointers)

    @property
    def address(self) -> int:
        """Address of the array of pointers; valid as long as this object lives."""
        return ctypes.addressof(self._pointers)


def _attributes(shape: LaunchShape) -> list[Any]:
    made = []
    if shape.cooperative:
        made.append(_attribute(_ID.CU_LAUNCH_ATTRIBUTE_COOPERATIVE))
        made[-1].value.cooperative = 1
    if shape.cluster:
        made.append(_attribute(_ID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION))
        _set_triple(made[-1].value.clusterDim, shape.cluster)
    if shape.preferred_cluster:
        made.append(_attribute(_ID.CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION))
        _set_triple(made[-1].value.preferredClusterDim, shape.preferred_cluster)
    if shape.cluster_policy is not None:
        made.append(_attribute(_ID.CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE))
        policy = driver.CUclusterSchedulingPolicy(shape.cluster_policy)
        made[-1].value.clusterSchedulingPolicyPreference = policy
    if shape.programmatic_serialization:
        made.append(_attribute(_ID.CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION))
        made[-1].value.programmaticStreamSerializationAllowed = 1
    return made


def _attribute(identity: Any) -> Any:
    attribute = driver.CUlaunchAttribute()
    attribute.id = identity
    return attribute


def _set_triple(target: Any, triple: Triple) -> None:
    target.x, target.y, target.z = triple
