"""The attribute records of ``.nv.info`` sections of a cubin (ABI 8, written by ptxas of CUDA 13).

A record is one byte format, one byte attribute and a value: 2 bytes in the header for formats 1 to 3, or a 2-byte
length and that many bytes for format 4. Numbers and layouts were read off real cubins and compared with the names
that ``cuobjdump -elf`` prints.
"""

import struct
from dataclasses import dataclass
from typing import Final

from evaluation.core.binary.elf import Image, Section
from evaluation.core.binary.facts import Parameter

MAX_INFO_BYTES: Final = 1 << 20  # one section; a kernel lists one word for each barrier and exit
MAX_PARAMETER_BYTES: Final = 32_764  # of one kernel, since CUDA 12.1 on sm_70 and up
MAX_PARAMETERS: Final = 4096
MAX_BARRIERS: Final = 16  # named barriers of one block, by the hardware

MAX_THREADS: Final = 0x05
PARAM_CBANK: Final = 0x0A
REQUIRED_THREADS: Final = 0x10
FRAME_SIZE: Final = 0x11
MIN_STACK_SIZE: Final = 0x12
PARAMETER: Final = 0x17
PARAMETER_BYTES: Final = 0x19
REGISTER_COUNT: Final = 0x2F
CTA_PER_CLUSTER: Final = 0x3D
MAX_CLUSTER_RANK: Final = 0x3F
PARAMETER_V2: Final = 0x45
BARRIERS: Final = 0x4C
GRID_COUNTS_CLUSTERS: Final = (
    0x5B  # EIATTR_BLOCKS_ARE_CLUSTERS: the launch's grid is given in clusters
)

_REPEATED: Final = frozenset({PARAMETER, PARAMETER_V2})
_FORMAT_IN_HEADER: Final = frozenset({1, 2, 3})
_FORMAT_SIZED: Final = 4
_HEADER: Final = struct.Struct("<BBH")
_PARAMETER: Final = struct.Struct("<IHHI")
_PARAMETER_V2: Final = struct.Struct("<IHHHBB")


@dataclass(frozen=True, slots=True)
class Attribute:
    """One record; ``value`` is the header's 16 bits for small formats, ``payload`` the bytes of a sized one."""

    number: int
    value: int
    payload: bytes


def read_attributes(image: Image, section: Section) -> tuple[Attribute, ...]:
    content = image.bytes_of(section, limit_bytes=MAX_INFO_BYTES)
    attributes = []
    place = 0
    while place < len(content):
        if place + _HEADER.size > len(content):
            raise image.refusal(section.name, "ends inside a record")
        form, number, value = _HEADER.unpack_from(content, place)
        place += _HEADER.size
        payload = b""
        if form == _FORMAT_SIZED:
            payload = content[place : place + value]
            if len(payload) != value:
                raise image.refusal(section.name, "ends inside a record")
            place += value
        elif form not in _FORMAT_IN_HEADER:
            raise image.refusal(section.name, f"holds a record of unknown format {form}")
        attributes.append(Attribute(number, value, payload))
    return tuple(attributes)


@dataclass(frozen=True, slots=True)
class KernelAttributes:
    """What the records of one kernel say. Sizes in bytes; None where no record speaks."""

    parameters: tuple[Parameter, ...]
    parameter_base: int | None
    parameter_bytes: int
    max_threads: int
    required_block: tuple[int, int, int] | None
    cluster: tuple[int, int, int] | None
    grid_counts_clusters: bool
    barriers: int
    max_cluster_blocks: int


def read_kernel(image: Image, section: Section) -> KernelAttributes:
    """Read ``.nv.info.<kernel>``. Parameters must be numbered from 0, lie inside the block and not overlap."""
    attributes = read_attributes(image, section)
    single = _single(image, section, attributes)
    base, block_bytes = _parameter_block(image, section, single)
    parameters = _parameters(image, section, attributes)
    _check_parameters(image, section, parameters, block_bytes)
    required = _three(image, section, single.get(REQUIRED_THREADS))
    largest = required or _three(image, section, single.get(MAX_THREADS))
    return KernelAttributes(
        parameters=parameters,
        parameter_base=base,
        parameter_bytes=block_bytes,
        max_threads=largest[0] * largest[1] * largest[2] if largest else 0,
        required_block=required,
        cluster=_three(image, section, single.get(CTA_PER_CLUSTER)),
        grid_counts_clusters=GRID_COUNTS_CLUSTERS in single,
        barriers=_barriers(image, section, single.get(BARRIERS)),
        max_cluster_blocks=_word(image, section, single.get(MAX_CLUSTER_RANK)),
    )


def read_function_words(image: Image, section: Section) -> dict[int, dict[int, int]]:
    """The records of ``.nv.info`` that give one number a function: {attribute: {symbol index: number}}."""
    words: dict[int, dict[int, int]] = {REGISTER_COUNT: {}, FRAME_SIZE: {}, MIN_STACK_SIZE: {}}
    for attribute in read_attributes(image, section):
        if attribute.number not in words:
            continue
        if len(attribute.payload) != 8:
            raise image.refusal(section.name, f"record {attribute.number:#x} is not 8 bytes")
        symbol, number = struct.unpack("<II", attribute.payload)
        if words[attribute.number].setdefault(symbol, number) != number:
            raise image.refusal(section.name, f"gives symbol {symbol} two numbers")
    return words


def _single(
    image: Image, section: Section, attributes: tuple[Attribute, ...]
) -> dict[int, Attribute]:
    relied_upon = {
        MAX_THREADS,
        PARAM_CBANK,
        REQUIRED_THREADS,
        PARAMETER_BYTES,
        CTA_PER_CLUSTER,
        MAX_CLUSTER_RANK,
        BARRIERS,
        GRID_COUNTS_CLUSTERS,
    }
    single: dict[int, Attribute] = {}
    for attribute in attributes:
        if attribute.number in relied_upon and attribute.number in single:
            raise image.refusal(section.name, f"holds record {attribute.number:#x} twice")
        single[attribute.number] = attribute
    return single


def _barriers(image: Image, section: Section, attribute: Attribute | None) -> int:
    if attribute is None:
        return 0
    if attribute.value > MAX_BARRIERS:
        raise image.refusal(
            section.name, f"uses {attribute.value} barriers; a block has {MAX_BARRIERS}"
        )
    return attribute.value


def _word(image: Image, section: Section, attribute: Attribute | None) -> int:
    """The number of a record of 4 bytes; 0 where there is none."""
    if attribute is None:
        return 0
    if len(attribute.payload) != 4:
        raise image.refusal(section.name, f"record {attribute.number:#x} is not 4 bytes")
    return int.from_bytes(attribute.payload, "little")


def _parameter_block(
    image: Image, section: Section, single: dict[int, Attribute]
) -> tuple[int | None, int]:
    place, size = single.get(PARAM_CBANK), single.get(PARAMETER_BYTES)
    if place is None and size is None:
        return None, 0
    if place is None or size is None or len(place.payload) != 8:
        raise image.refusal(section.name, "gives the parameter block without place or size")
    _, base, block_bytes = struct.unpack("<IHH", place.payload)
    if block_bytes != size.value or block_bytes > MAX_PARAMETER_BYTES:
        raise image.refusal(
            section.name,
            f"gives the parameter block {block_bytes} and {size.value} bytes; one size of at most "
            f"{MAX_PARAMETER_BYTES} is allowed",
        )
    return base, block_bytes


def _parameters(
    image: Image, section: Section, attributes: tuple[Attribute, ...]
) -> tuple[Parameter, ...]:
    parameters = []
    for attribute in attributes:
        if attribute.number not in _REPEATED:
            continue
        if len(attribute.payload) != _PARAMETER.size:
            raise image.refusal(section.name, "holds a parameter record of another size")
        if attribute.number == PARAMETER:
            _, ordinal, offset, packed = _PARAMETER.unpack(attribute.payload)
            size = packed >> 18  # below it: logarithmic alignment, space, bank
        else:
            _, ordinal, offset, size, _, _ = _PARAMETER_V2.unpack(attribute.payload)
        parameters.append(Parameter(ordinal, offset, size))
    if len(parameters) > MAX_PARAMETERS:
        raise image.refusal(section.name, f"{len(parameters)} parameters, at most {MAX_PARAMETERS}")
    return tuple(sorted(parameters, key=lambda one: one.ordinal))


def _check_parameters(
    image: Image, section: Section, parameters: tuple[Parameter, ...], block_bytes: int
) -> None:
    end = 0
    for place, one in enumerate(parameters):
        if one.ordinal != place:
            raise image.refusal(section.name, f"has no parameter {place}, or has it twice")
        if one.offset < end or one.offset + one.size > block_bytes:
            raise image.refusal(
                section.name,
                f"places parameter {place} ({one.size} bytes at {one.offset}) outside the block of "
                f"{block_bytes} bytes or over the one before it",
            )
        end = one.offset + one.size


def _three(
    image: Image, section: Section, attribute: Attribute | None
) -> tuple[int, int, int] | None:
    if attribute is None:
        return None
    if len(attribute.payload) != 12:
        raise image.refusal(section.name, f"record {attribute.number:#x} is not 12 bytes")
    x, y, z = struct.unpack("<III", attribute.payload)
    if not (1 <= x <= 65_535 and 1 <= y <= 65_535 and 1 <= z <= 65_535):
        raise image.refusal(section.name, f"record {attribute.number:#x} says {x} by {y} by {z}")
    return x, y, z
