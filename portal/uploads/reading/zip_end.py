"""The end of a zip file, which says where its directory is."""

import struct
from dataclasses import dataclass

from portal.uploads.reading.limits import Limits
from portal.uploads.reading.readable import Seekable, exactly
from portal.uploads.reading.refused import Refused

# Fifty thousand members with names of a hundred bytes and the usual extra fields take ten.
LIMIT_DIRECTORY_BYTES = 32 << 20
_END = struct.Struct("<4s4H2LH")
_END64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR64 = struct.Struct("<4sLQL")
_LIMIT_COMMENT_BYTES = 0xFFFF
_FULL_16, _FULL_32 = 0xFFFF, 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class Directory:
    at: int
    size_bytes: int
    members: int


def find_directory(archive: Seekable, size_bytes: int, limits: Limits) -> Directory:
    """The directory, which lies right before the end records and within every limit."""
    tail_at = max(0, size_bytes - _LIMIT_COMMENT_BYTES - _END.size - _LOCATOR64.size - _END64.size)
    archive.seek(tail_at)
    tail = exactly(archive, size_bytes - tail_at)
    end_at = _end_record(tail)
    found, records_at = _with_zip64(tail, tail_at, end_at)
    if found.members > limits.members:
        raise Refused(f"the archive has more than {limits.members:,} members")
    if found.size_bytes > LIMIT_DIRECTORY_BYTES:
        raise Refused(
            f"the directory of the zip file has more than {LIMIT_DIRECTORY_BYTES:,} bytes"
        )
    if found.at + found.size_bytes != records_at:
        raise Refused("the directory of the zip file is not where its end says")
    return found


def _end_record(tail: bytes) -> int:
    """Where the one end record is whose comment ends with the file."""
    fitting: list[int] = []
    at = tail.find(b"PK\x05\x06")
    while at >= 0:
        if at + _END.size <= len(tail):
            comment_bytes = _END.unpack_from(tail, at)[7]
            if at + _END.size + comment_bytes == len(tail):
                fitting.append(at)
        at = tail.find(b"PK\x05\x06", at + 1)
    if not fitting:
        raise Refused("the zip file is cut off: it has no end")
    if len(fitting) > 1:
        raise Refused("the zip file has more than one end")
    return fitting[0]


def _with_zip64(tail: bytes, tail_at: int, end_at: int) -> tuple[Directory, int]:
    """The directory, and where the end records begin."""
    _, disk, directory_disk, here, members, size, at, _ = _END.unpack_from(tail, end_at)
    locator_at = end_at - _LOCATOR64.size
    if locator_at < 0 or not tail.startswith(b"PK\x06\x07", locator_at):
        if disk or directory_disk or here != members:
            raise Refused("the zip file is one part of a split one")
        return Directory(at, size, members), tail_at + end_at
    record_at = _LOCATOR64.unpack_from(tail, locator_at)[2] - tail_at
    # The record of version 1 has a fixed size and stands right before its locator.
    if record_at != locator_at - _END64.size or record_at < 0:
        raise Refused("the zip64 record of the zip file is not where it should be")
    signature, rest, _, _, disk64, other64, here64, members64, size64, at64 = _END64.unpack_from(
        tail, record_at
    )
    if signature != b"PK\x06\x06" or rest != _END64.size - 12:
        raise Refused("the zip64 record of the zip file is damaged")
    if disk64 or other64 or here64 != members64:
        raise Refused("the zip file is one part of a split one")
    for short, long, full in (
        (members, members64, _FULL_16),
        (size, size64, _FULL_32),
        (at, at64, _FULL_32),
    ):
        if short not in (long, full):
            raise Refused("the zip64 record of the zip file contradicts its end")
    return Directory(at64, size64, members64), tail_at + record_at
