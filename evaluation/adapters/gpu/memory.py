"""Device memory that two processes share as a file descriptor, between unmapped ranges (rule C3).

An access outside of what a buffer has mapped faults at once. What is mapped beyond the buffer's own bytes, because
memory comes in granules of 2 MiB, is its slack; whoever cares compares a hash of it.
"""

from dataclasses import dataclass
from typing import Any

from cuda.bindings import driver

from evaluation.adapters.gpu.driver_calls import CudaError, ask

ALIGNMENT = 256  # of every buffer's address, start or end aligned

_FILE = driver.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
_ACCESS = driver.CUmemAccess_flags
_NO_READ_ONLY = frozenset(
    (
        int(driver.CUresult.CUDA_ERROR_NOT_SUPPORTED),
        int(driver.CUresult.CUDA_ERROR_INVALID_VALUE),
    )
)


@dataclass(frozen=True, slots=True)
class Buffer:
    """``size`` bytes as asked for in ``mapped`` bytes at ``base``, in the middle of an own reservation.

    ``writable`` is False only where the driver accepted a read-only mapping.
    """

    size: int
    mapped: int
    base: int
    reservation: int
    reserved: int
    handle: int
    writable: bool

    def address(self, *, end_aligned: bool) -> int:
        """Where the buffer starts: its end, rounded up to 256 bytes, or its start touches an unmapped range."""
        return (
            self.base + self.mapped - _round_up(self.size, ALIGNMENT) if end_aligned else self.base
        )

    def slack(self, *, end_aligned: bool) -> tuple[tuple[int, int], ...]:
        """Address and size of the mapped ranges before and behind the buffer, none of them empty."""
        start = self.address(end_aligned=end_aligned)
        end = start + self.size
        ranges = ((self.base, start - self.base), (end, self.base + self.mapped - end))
        return tuple((at, size) for at, size in ranges if size)


def granularity(device: int) -> int:
    """Bytes that mapped memory comes in on this device."""
    flag = driver.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM
    return int(ask(driver.cuMemGetAllocationGranularity, _property(device), flag))


def create(size: int, *, device: int) -> Buffer:
    """Allocate at least one granule for ``size`` bytes, readable and writable. Raise CudaError (out of memory)."""
    granule = granularity(device)
    mapped = _round_up(max(size, 1), granule)
    handle = int(ask(driver.cuMemCreate, mapped, _property(device), 0))
    return _map(handle, size, mapped, granule, device=device, writable=True)


def export(buffer: Buffer) -> int:
    """A new file descriptor for the memory of ``buffer``; the caller closes it."""
    return int(ask(driver.cuMemExportToShareableHandle, buffer.handle, _FILE, 0))


def import_fd(fd: int, size: int, *, device: int, writable: bool) -> Buffer:
    """Map memory that another process made for ``size`` bytes; ``fd`` stays the caller's.

    Whether a read-only mapping was accepted, ``Buffer.writable`` says; whether it holds, ``Trusted.check_readonly``.
    """
    granule = granularity(device)
    mapped = _round_up(max(size, 1), granule)
    handle = int(ask(driver.cuMemImportFromShareableHandle, fd, _FILE))
    return _map(handle, size, mapped, granule, device=device, writable=writable)


def release(buffer: Buffer) -> None:
    """Unmap, and free when no other process holds it. The caller has waited for all work on it."""
    ask(driver.cuMemUnmap, buffer.base, buffer.mapped)
    ask(driver.cuMemRelease, buffer.handle)
    ask(driver.cuMemAddressFree, buffer.reservation, buffer.reserved)


def _map(
    handle: int, size: int, mapped: int, granule: int, *, device: int, writable: bool
) -> Buffer:
    reserved = mapped + 2 * granule
    reservation, base = 0, 0
    try:
        reservation = int(ask(driver.cuMemAddressReserve, reserved, granule, 0, 0))
        ask(driver.cuMemMap, reservation + granule, mapped, 0, handle, 0)
        base = reservation + granule
        granted = _allow(base, mapped, device=device, writable=writable)
    except CudaError:
        if base:
            ask(driver.cuMemUnmap, base, mapped)
        if reservation:
            ask(driver.cuMemAddressFree, reservation, reserved)
        ask(driver.cuMemRelease, handle)
        raise
    return Buffer(size, mapped, base, reservation, reserved, handle, granted)


def _allow(base: int, mapped: int, *, device: int, writable: bool) -> bool:
    """Set the access and return whether the mapping can be written."""
    if not writable:
        try:
            _set_access(base, mapped, device, _ACCESS.CU_MEM_ACCESS_FLAGS_PROT_READ)
        except CudaError as error:
            if error.code not in _NO_READ_ONLY:
                raise
        else:
            return False
    _set_access(base, mapped, device, _ACCESS.CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
    return True


def _set_access(base: int, mapped: int, device: int, flags: Any) -> None:
    access = driver.CUmemAccessDesc()
    access.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    access.location.id = device
    access.flags = flags
    ask(driver.cuMemSetAccess, base, mapped, [access], 1)


def _property(device: int) -> Any:
    made = driver.CUmemAllocationProp()
    made.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    made.requestedHandleTypes = _FILE
    made.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    made.location.id = device
    return made


def _round_up(size: int, step: int) -> int:
    return -(-size // step) * step
