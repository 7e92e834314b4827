"""The brief: what the recorder tells its driver about a kernel, a problem and a device.

A brief is text, one fact a line, words separated by one space, names in hex. It is ours from end to end, but it
carries names out of the author's cubin, so nothing in it needs quoting. ``evaluation/native/shim/brief.cpp`` reads it.
"""

import struct
from collections.abc import Iterator

from evaluation.core.binary.facts import CubinFacts, DeviceSymbol, KernelFunction
from evaluation.core.catalogue.device import Device
from evaluation.core.catalogue.problem import Argument
from evaluation.core.errors import ToolFailure

LARGEST_SEED = 2**64 - 1
LARGEST_FILL = 255
# The shim's own checks of launches read these; a table without them cannot answer for a device.
_NEEDED_ATTRIBUTES = (1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 39, 81, 82, 97, 106, 111)


def write_brief(
    *,
    arguments: tuple[Argument, ...],
    cubin: CubinFacts,
    device: Device,
    seed: int,
    process: int,
    calls: int,
    fill: int,
) -> bytes:
    """Write the brief of one recording process.

    ``process`` is 0 or 1: both have the same ``seed``, and every token base differs between them in every byte above
    the lowest. ``fill`` is the byte that memory holds which nobody has written: heap, stack and guards (rule L3).
    Raise ToolFailure for a device table that cannot answer the shim's own questions.
    """
    known = 0 <= seed <= LARGEST_SEED and process in {0, 1} and 0 < fill <= LARGEST_FILL
    if not known or calls < 1:
        raise ValueError(f"no recording has {seed=}, {process=}, {calls=} and {fill=}")
    lines = (
        "brief 1",
        f"seed {seed}",
        f"process {process}",
        f"calls {calls}",
        f"fill {fill}",
        f"sm {cubin.sm}",
        f"lists {len(cubin.functions)} {len(cubin.symbols)} {len(arguments)} {len(device.cluster_groups)}",
        *_device(device),
        *(_kernel(one) for one in cubin.functions),
        *(_symbol(one) for one in cubin.symbols),
        *(_argument(one) for one in arguments),
        "end",
    )
    return "".join(f"{line}\n" for line in lines).encode("ascii")


def _device(device: Device) -> Iterator[str]:
    for number in _NEEDED_ATTRIBUTES:
        if device.attribute(number) is None:
            raise ToolFailure(
                f"the table of {device.product} has no attribute {number}",
                action=f"add it to evaluation/devices/{device.product}.toml",
            )
    portable, largest = device.portable_cluster_blocks, device.largest_cluster_blocks
    name = _hex(device.device_name or "")
    yield f"device {name} {device.total_memory_bytes or 0} {portable} {largest}"
    yield from (f"group {one.multiprocessors} {one.groups}" for one in device.cluster_groups)
    yield from (f"attribute {one.number} {one.value}" for one in device.attributes)


def _kernel(one: KernelFunction) -> str:
    numbers = (
        one.parameter_bytes,
        one.registers,
        one.static_shared_bytes,
        one.local_bytes,
        one.max_threads,
        one.barriers,
        *(one.cluster or (0, 0, 0)),
        *(one.required_block or (0, 0, 0)),
        len(one.parameters),
        *(number for place in one.parameters for number in (place.offset, place.size)),
    )
    return f"kernel {_hex(one.name)} {_words(numbers)}"


def _symbol(one: DeviceSymbol) -> str:
    return f"symbol {_hex(one.name)} {one.size} {int(one.space == 'constant')}"


def _argument(one: Argument) -> str:
    if one.shape is not None:
        return f"tensor {_words((one.dtype.dlpack_code, one.dtype.dlpack_bits, len(one.shape), *one.shape))}"
    if one.value is None:
        raise ValueError(f"the scalar {one.name} has no value")
    if one.dtype.is_floating:
        return f"real {struct.pack('<d', one.value).hex()}"
    return f"integer {int(one.value)}"


def _hex(name: str) -> str:
    """Hex of a name as bytes; names of a cubin may hold bytes that are no UTF-8, kept as surrogates."""
    return name.encode("utf-8", "surrogateescape").hex() or "-"


def _words(numbers: tuple[int, ...]) -> str:
    return " ".join(str(number) for number in numbers)
