"""Named barriers of a kernel, which bound how many of its blocks one SM holds."""

import struct

import pytest
from cubin_files import Cubin, Kernel

from evaluation.core.binary.cubin import read_cubin
from evaluation.core.errors import InvalidInput


def record(barriers: int) -> bytes:
    return struct.pack("<BBH", 2, 0x4C, barriers)  # EIATTR_NUM_BARRIERS as one byte in the header


def read(records: bytes) -> int:
    content = Cubin((Kernel("k", records=records),)).build().content
    return read_cubin(bytes(content)).functions[0].barriers


def test_the_named_barriers_of_a_kernel_are_read() -> None:
    assert read(record(16)) == 16
    assert read(record(1)) == 1


def test_a_kernel_that_never_waits_has_no_barrier() -> None:
    assert read(b"") == 0


@pytest.mark.parametrize(
    ("records", "rule"),
    [
        (record(17), "uses 17 barriers; a block has 16"),
        (record(1) + record(2), "holds record 0x4c twice"),
    ],
)
def test_barriers_that_no_kernel_has_are_refused(records: bytes, rule: str) -> None:
    with pytest.raises(InvalidInput, match=rule):
        read(records)
