"""Which bytes of a kernel's parameter block count (rule L3): padding must not look like a value."""

from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.core.binary.facts import CubinFacts, KernelFunction, KernelReads, Parameter
from evaluation.core.plan.plan import ByteRange
from evaluation.core.record.map_tokens import TOKEN_BYTES, HeldMap
from evaluation.core.record.recording import Launch
from evaluation.core.record.regions import Regions
from evaluation.core.record.relocation import POINTER_BYTES

_WHOLE = (0, 1, 2, 4)  # bytes left over that are taken for a number without padding


@dataclass(frozen=True, slots=True)
class Mask:
    """``keep`` has 0xff for a byte that counts. ``undetermined`` bytes were dropped for noise."""

    keep: bytes
    undetermined: tuple[ByteRange, ...] = ()


def masks(cubin: CubinFacts, reads: tuple[KernelReads, ...]) -> Mapping[str, Mask]:
    """Keep what parameters cover and, where the reads are exactly known, what is read."""
    known = {one.function: one for one in reads}
    return {one.name: Mask(_keep(one, known.get(one.name))) for one in cubin.functions}


def _keep(function: KernelFunction, reads: KernelReads | None) -> bytes:
    covered = bytearray(function.parameter_bytes)
    for parameter in function.parameters:
        _fill(covered, parameter.offset, parameter.offset + parameter.size)
    if reads is None or not reads.exact:
        return bytes(covered)
    read = bytearray(function.parameter_bytes)
    for start, end in reads.read:
        _fill(read, start, end)
    return bytes(one & other for one, other in zip(covered, read, strict=True))


def _fill(target: bytearray, start: int, end: int) -> None:
    """Set the bytes of a range as far as the target reaches."""
    start, end = max(start, 0), min(end, len(target))
    if start < end:
        target[start:end] = b"\xff" * (end - start)


def may_hold_padding(
    function: KernelFunction,
    reads: KernelReads | None,
    launch: Launch,
    held: tuple[HeldMap, ...],
    regions: Regions,
) -> bool:
    """Say whether a launch may carry bytes that no one set and no mask removes.

    A struct may, as far as it holds neither tensor maps nor pointers; a number of up to four bytes
    is taken for whole; eight bytes may be ``struct {int; char;}``.
    """
    if reads is not None and reads.exact:
        return False
    return any(_rest(one, launch, held, regions) not in _WHOLE for one in function.parameters)


def _rest(parameter: Parameter, launch: Launch, held: tuple[HeldMap, ...], regions: Regions) -> int:
    """Count the bytes of a parameter that hold neither a tensor map nor an aligned pointer."""
    start, end = parameter.offset, parameter.offset + parameter.size
    maps = sum(start <= one.at < end for one in held)
    pointers = sum(
        regions.first_at(int.from_bytes(launch.parameters[at : at + POINTER_BYTES], "little"))
        is not None
        for at in range(start, end - POINTER_BYTES + 1, POINTER_BYTES)
    )
    return parameter.size - TOKEN_BYTES * maps - POINTER_BYTES * pointers


def with_noise(mask: Mask, varied: bytes) -> Mask:
    """Drop the bytes that ``varied`` marks (not zero) among those that the mask keeps."""
    noisy = bytes(0xFF if kept and one else 0 for kept, one in zip(mask.keep, varied, strict=True))
    keep = bytes(kept & ~one & 0xFF for kept, one in zip(mask.keep, noisy, strict=True))
    return Mask(keep, _ranges(noisy))


def _ranges(marked: bytes) -> tuple[ByteRange, ...]:
    found: list[ByteRange] = []
    start = marked.find(0xFF)
    while start >= 0:
        end = marked.find(0, start)
        end = len(marked) if end < 0 else end
        found.append(ByteRange(start, end))
        start = marked.find(0xFF, end)
    return tuple(found)
