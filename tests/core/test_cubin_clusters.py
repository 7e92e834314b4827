"""The largest cluster that __launch_bounds__ allows."""

import struct

import pytest
from cubin_files import Cubin, Kernel

from evaluation.core.binary.cubin import read_cubin
from evaluation.core.errors import InvalidInput


def record(payload: bytes) -> bytes:
    return struct.pack("<BBH", 4, 0x3F, len(payload)) + payload  # EIATTR_MAX_CLUSTER_RANK


def read(records: bytes) -> int:
    content = Cubin((Kernel("k", records=records),)).build().content
    return read_cubin(bytes(content)).functions[0].max_cluster_blocks


def test_the_largest_cluster_of_a_kernel_is_read() -> None:
    assert read(record(struct.pack("<I", 4))) == 4


def test_a_kernel_without_such_a_bound_has_none() -> None:
    assert read(b"") == 0


@pytest.mark.parametrize(
    ("records", "rule"),
    [
        (record(b"\x04\x00"), "record 0x3f is not 4 bytes"),
        (record(bytes(4)) + record(bytes(4)), "holds record 0x3f twice"),
    ],
)
def test_a_bound_that_ptxas_would_not_write_is_refused(records: bytes, rule: str) -> None:
    with pytest.raises(InvalidInput, match=rule):
        read(records)
