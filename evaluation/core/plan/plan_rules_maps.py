"""Rules of tensor maps: what cuTensorMapEncodeTiled and Im2col accept, and how far a map reaches.

Limits and alignments are those of the CUDA 13.0 driver API.
"""

from collections.abc import Iterator

from evaluation.core.plan.plan import MapEncode, MapStep
from evaluation.core.plan.plan_world import World
from evaluation.core.record.recording import MapMode
from evaluation.core.record.recording_events import MAP_RANK
from evaluation.core.records import Remark

# Bytes of an element by CUtensorMapDataType; the packed types of 4 and 6 bits have none.
ELEMENT_BYTES = (1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4)
_PACKED = {13: (16, 8), 14: (16, 16), 15: (16, 16)}  # elements a group, bytes of a group in memory
_TYPES = len(ELEMENT_BYTES) + len(_PACKED)

_DIM = 2**32
_STRIDE_BYTES = 2**40
_BOX = 256
_ELEMENT_STRIDE = 8
_CHANNELS, _PIXELS = 256, 1024
_INTERLEAVES, _SWIZZLES, _PROMOTIONS, _FILLS = 3, 7, 4, 2
_NEWER_SM, _SWIZZLES_SM90 = 100, 4  # packed types and 128-byte atoms came with 10.0
_FLOATING = range(6, 13)  # float16 to tf32: what out-of-bounds NaN can be asked of
_UNIT_BYTES = 16
_WIDE_UNIT_BYTES = 32  # of addresses and strides with 32-byte interleave and 16-byte packing
_INTERLEAVE_32B = 2
_SWIZZLE_32B = 1
# Widest row of a box in bytes by swizzle; 4 to 6 are atoms of 128 bytes.
_SWIZZLE_BYTES = {1: 32, 2: 64, 3: 128, 4: 128, 5: 128, 6: 128}
_LEAST_INTERLEAVED_RANK = 3
_LEAST_IM2COL_RANK = 3
_CORNER = {3: 2**15, 4: 2**7, 5: 2**4}  # reach of a corner by rank
_ALIGNED_PACKED = (14, 15)


def map_remarks(step: MapStep, world: World) -> Iterator[Remark]:
    """Check what the driver would refuse, so that a replay never meets a refusal."""
    if step.map != world.maps:
        yield world.remark(f"encodes tensor map {step.map}; {world.maps} is next")
    for rule in _broken(step.encode, world.cubin.sm):
        yield world.remark(f"encodes a tensor map whose {rule}")


def reach_bytes(encode: MapEncode) -> int:
    """Give the bytes from the map's address to the end of its last element."""
    inner = encode.dims[0]
    if encode.data_type in _PACKED:
        elements, size = _PACKED[encode.data_type]
        row = -(-inner // elements) * size
    else:
        row = inner * ELEMENT_BYTES[encode.data_type]
    steps = zip(encode.dims[1:], encode.strides, strict=True)
    return row + sum((dim - 1) * stride for dim, stride in steps)


def _broken(encode: MapEncode, sm: int) -> Iterator[str]:
    rank = len(encode.dims)
    if not 1 <= rank <= MAP_RANK:
        yield f"rank is not 1 to {MAP_RANK}"
        return
    if len(encode.strides) != rank - 1 or len(encode.element_strides) != rank:
        yield "lists have different ranks"
    if not all(1 <= dim <= _DIM for dim in encode.dims):
        yield "dimensions are not 1 to 2^32"
    unit = _unit(encode)
    if any(stride % unit or stride >= _STRIDE_BYTES for stride in encode.strides):
        yield f"strides are not multiples of {unit} below 2^40"
    if any(address.offset % unit for address in encode.address):
        yield f"address is not a multiple of {unit}"
    if not all(1 <= one <= _ELEMENT_STRIDE for one in encode.element_strides):
        yield "element strides are not 1 to 8"
    yield from _kinds(encode, rank, sm)
    yield from _tiled(encode, rank) if encode.mode is MapMode.TILED else _im2col(encode, rank)


def _kinds(encode: MapEncode, rank: int, sm: int) -> Iterator[str]:
    newer = sm >= _NEWER_SM
    numbers = (
        ("data type", encode.data_type, _TYPES if newer else len(ELEMENT_BYTES)),
        ("interleave", encode.interleave, _INTERLEAVES),
        ("swizzle", encode.swizzle, _SWIZZLES if newer else _SWIZZLES_SM90),
        ("L2 promotion", encode.l2, _PROMOTIONS),
        ("fill", encode.fill, _FILLS if encode.data_type in _FLOATING else 1),
    )
    for name, number, end in numbers:
        if number >= end:
            yield f"{name} is {number}, which this device or data type does not have"
    if encode.interleave and rank < _LEAST_INTERLEAVED_RANK:
        yield "interleave needs a rank of 3 or more"
    if encode.interleave == _INTERLEAVE_32B and encode.swizzle != _SWIZZLE_32B:
        yield "interleave of 32 bytes needs a swizzle of 32 bytes"


def _tiled(encode: MapEncode, rank: int) -> Iterator[str]:
    if len(encode.box) != rank or not all(1 <= side <= _BOX for side in encode.box):
        yield "box is not 1 to 256 elements in each dimension"
        return
    if encode.lower or encode.upper or encode.channels or encode.pixels:
        yield "mode is tiled, with numbers of im2col"
    yield from _inner(encode, encode.box[0])


def _inner(encode: MapEncode, elements: int) -> Iterator[str]:
    """Check the innermost extent of a box against transfers and swizzle; packed types have none."""
    if encode.interleave or encode.data_type >= len(ELEMENT_BYTES):
        return
    row = elements * ELEMENT_BYTES[encode.data_type]
    if row % _UNIT_BYTES:
        yield f"box has rows of {row} bytes, no multiple of 16"
    widest = _SWIZZLE_BYTES.get(encode.swizzle, row)
    if row > widest:
        yield f"box has rows of {row} bytes, wider than its swizzle of {widest}"


def _im2col(encode: MapEncode, rank: int) -> Iterator[str]:
    if rank < _LEAST_IM2COL_RANK:
        yield "mode im2col needs a rank of 3 or more"
        return
    corner = _CORNER[rank]
    sides = (encode.lower, encode.upper)
    if any(len(side) != rank - 2 for side in sides) or encode.box:
        yield "corners do not fit its rank"
    if not all(-corner <= one < corner for side in sides for one in side):
        yield f"corners are not -{corner} to {corner - 1}"
    if not 1 <= encode.channels <= _CHANNELS or not 1 <= encode.pixels <= _PIXELS:
        yield "channels or pixels are not 1 to 256 and 1 to 1024"
    yield from _inner(encode, encode.channels)


def _unit(encode: MapEncode) -> int:
    wide = encode.interleave == _INTERLEAVE_32B or encode.data_type in _ALIGNED_PACKED
    return _WIDE_UNIT_BYTES if wide else _UNIT_BYTES
