"""What a device says of itself through the driver."""

import uuid
from dataclasses import dataclass

from cuda.bindings import driver

from evaluation.adapters.gpu.driver_calls import ask

_ATTRIBUTE = driver.CUdevice_attribute
_NAME_BYTES = 256


@dataclass(frozen=True, slots=True)
class DeviceFacts:
    """``pageable_access`` and ``host_page_tables`` must both be False where kernels are judged (rule T1)."""

    name: str
    uuid: str  # as NVML writes it: GPU-00000000-0000-0000-0000-000000000000
    compute_capability: tuple[int, int]
    multiprocessors: int
    l2_bytes: int
    memory_bytes: int
    shared_optin_bytes: int  # the most dynamic shared memory of one block
    pageable_access: bool
    host_page_tables: bool
    driver_version: int  # as cuDriverGetVersion: 13000


def device_facts(device: int) -> DeviceFacts:
    """Ask the driver about a device (its ordinal). Needs driver.start(), no context. Raise CudaError."""
    name = ask(driver.cuDeviceGetName, _NAME_BYTES, device)
    return DeviceFacts(
        name=name.split(b"\0", 1)[0].decode(errors="replace"),
        uuid=f"GPU-{uuid.UUID(bytes=bytes(ask(driver.cuDeviceGetUuid, device).bytes))}",
        compute_capability=(
            attribute(device, _ATTRIBUTE.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
            attribute(device, _ATTRIBUTE.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
        ),
        multiprocessors=attribute(device, _ATTRIBUTE.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
        l2_bytes=attribute(device, _ATTRIBUTE.CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE),
        memory_bytes=int(ask(driver.cuDeviceTotalMem, device)),
        shared_optin_bytes=attribute(
            device, _ATTRIBUTE.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
        ),
        pageable_access=bool(
            attribute(device, _ATTRIBUTE.CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS)
        ),
        host_page_tables=bool(
            attribute(
                device,
                _ATTRIBUTE.CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES,
            )
        ),
        driver_version=int(ask(driver.cuDriverGetVersion)),
    )


def attribute(device: int, which: object) -> int:
    """One CUdevice_attribute of a device."""
    return int(ask(driver.cuDeviceGetAttribute, which, device))
