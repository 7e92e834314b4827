"""Rules of memory (T4): every address inside a buffer that exists, and no input ever written."""

from collections.abc import Iterator

from evaluation.core.catalogue.device import DEVICE_MEMORY_BYTES
from evaluation.core.plan.plan import (
    LIMIT_CYCLE,
    Address,
    AllocStep,
    ByteRange,
    CopyStep,
    FreeStep,
    LaunchStep,
    MemsetStep,
    PayloadStep,
    Place,
    Space,
    Step,
    Template,
    addresses,
    direct_places,
    template_of,
)
from evaluation.core.plan.plan_limits import RANGES
from evaluation.core.plan.plan_world import World
from evaluation.core.record.map_tokens import TOKEN_ALIGNMENT, TOKEN_BYTES
from evaluation.core.record.relocation import POINTER_BYTES
from evaluation.core.records import Remark

_WIDTHS = (1, 2, 4)


def memory_remarks(step: Step, world: World) -> Iterator[Remark]:
    """Check a step against the memory that is there when it runs."""
    yield from _places(step, world)
    for address in addresses(step):
        yield from _address(address, world)
    template = template_of(step)
    if template is not None:
        yield from _template(step, template, world)
    match step:
        case AllocStep():
            yield from _alloc(step, world)
        case FreeStep():
            yield from _free(step, world)
        case MemsetStep():
            yield from _memset(step, world)
        case PayloadStep():
            yield from _payload(step, world)
        case CopyStep():
            yield from _copy(step, world)
        case _:
            pass


def _alloc(step: AllocStep, world: World) -> Iterator[Remark]:
    if step.allocation != world.allocations:
        yield world.remark(f"makes allocation {step.allocation}; {world.allocations} is next")
    if step.size > DEVICE_MEMORY_BYTES:
        yield world.remark(f"allocates {step.size} bytes; {DEVICE_MEMORY_BYTES} are allowed in all")


def _free(step: FreeStep, world: World) -> Iterator[Remark]:
    if step.allocation not in world.owned:
        yield world.remark(
            f"frees allocation {step.allocation}, which these steps have not allocated"
        )


def _places(step: Step, world: World) -> Iterator[Remark]:
    """Check the cycles: arguments do not take part, and set-up has none."""
    template = template_of(step)
    inside = tuple(one.to for one in template.relocations) if template else ()
    for place in direct_places(step) + inside:
        if not 1 <= len(place) <= (1 if world.in_setup else LIMIT_CYCLE):
            yield world.remark(f"has a cycle of {len(place)} addresses")
        if len(place) > 1 and any(one.space is Space.ARGUMENT for one in place):
            yield world.remark("has a cycle through an argument")


def _address(address: Address, world: World) -> Iterator[Remark]:
    size = world.size_of(address)
    if size is None:
        yield world.remark(f"uses {world.words(address)}, which is not there")
    elif address.offset > size:
        yield world.remark(f"uses {world.words(address)}, outside its {size} bytes")
    if world.in_setup and address.space is Space.ARGUMENT:
        yield world.remark(f"uses {world.words(address)} in set-up")


def _memset(step: MemsetStep, world: World) -> Iterator[Remark]:
    if step.width not in _WIDTHS:
        yield world.remark(f"sets elements of {step.width} bytes; 1, 2 or 4 are allowed")
        return
    if step.value >= 1 << 8 * step.width:
        yield world.remark(f"sets value {step.value} in {step.width} bytes")
    for address in step.destination:
        if address.offset % step.width:
            yield world.remark(f"sets {world.words(address)}, not aligned to {step.width} bytes")
    row = step.columns * step.width
    yield from _written(step.destination, row, step.rows, step.pitch, world)


def _payload(step: PayloadStep, world: World) -> Iterator[Remark]:
    if step.columns * step.rows != len(step.payload.content):
        yield world.remark("has a payload of another size than its rows")
    yield from _written(step.destination, step.columns, step.rows, step.pitch, world)


def _copy(step: CopyStep, world: World) -> Iterator[Remark]:
    yield from _written(step.destination, step.columns, step.rows, step.destination_pitch, world)
    yield from _touched(step.source, step.columns, step.rows, step.source_pitch, world)


def _written(place: Place, row_bytes: int, rows: int, pitch: int, world: World) -> Iterator[Remark]:
    yield from _touched(place, row_bytes, rows, pitch, world)
    for address in place:
        if world.is_input(address):
            yield world.remark(
                f"writes {world.words(address)}, an input", instead="copy it to own memory first"
            )


def _touched(place: Place, row_bytes: int, rows: int, pitch: int, world: World) -> Iterator[Remark]:
    if not row_bytes or not rows:
        yield world.remark("touches no byte")
        return
    if rows > 1 and pitch < row_bytes:
        yield world.remark(f"has rows of {row_bytes} bytes only {pitch} bytes apart")
    extent = (rows - 1) * pitch + row_bytes
    for address in place:
        size = world.size_of(address)
        if size is not None and address.offset + extent > size:
            yield world.remark(
                f"touches {extent} bytes from {world.words(address)}, which has {size}"
            )


def _template(step: Step, template: Template, world: World) -> Iterator[Remark]:
    """Check the holes: inside the bytes, apart from each other, and zero."""
    origin = world.parameter_base(step)
    for use in template.maps:
        if (origin + use.at) % TOKEN_ALIGNMENT:
            yield world.remark(f"holds a tensor map at byte {use.at}, not aligned to 64 bytes")
        if use.map >= world.maps:
            yield world.remark(f"holds tensor map {use.map}, which is not encoded yet")
    kinds = [
        [ByteRange(one.at, one.at + POINTER_BYTES) for one in template.relocations],
        [ByteRange(one.at, one.at + TOKEN_BYTES) for one in template.maps],
    ]
    counters: list[ByteRange] = []
    if isinstance(step, LaunchStep):
        kinds.append(list(step.undetermined))
        counters = [ByteRange(one.at, one.at + one.width) for one in step.stepping]
        if max(len(step.undetermined), len(counters)) > RANGES:
            yield world.remark(f"has more than {RANGES} undetermined ranges or counters")
    for kind in (*kinds, counters):
        if kind != sorted(kind, key=_start):
            yield world.remark("lists places in its bytes out of order")
    holes = [hole for kind in kinds for hole in kind]
    yield from _apart(sorted(holes + counters, key=_start), template.content, world)
    for hole in holes:
        if any(template.content[hole.start : hole.end]):
            yield world.remark(f"has bytes in the hole at byte {hole.start}")


def _apart(ranges: list[ByteRange], content: bytes, world: World) -> Iterator[Remark]:
    """Refuse ranges that overlap, are empty or leave the bytes."""
    end = 0
    for one in ranges:
        if not end <= one.start < one.end <= len(content):
            yield world.remark(f"has a hole at byte {one.start} that has no room")
        end = one.end


def _start(one: ByteRange) -> int:
    return one.start


def unfreed_remarks(world: World) -> Iterator[Remark]:
    """Refuse memory that a call allocates and keeps: every call would need more."""
    for allocation in sorted(world.owned):
        yield Remark("T4", f"a call allocates allocation {allocation} and never frees it")
