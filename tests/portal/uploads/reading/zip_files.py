"""Zip files made by hand, so that every field can lie."""

import struct
import zlib
from dataclasses import dataclass, replace

UNIX = 3 << 8
LINK, DEVICE, REGULAR = 0o120777 << 16, 0o020666 << 16, 0o100644 << 16


@dataclass(frozen=True)
class Zipped:
    """One member: what is in the archive, and what its two headers say (None: the truth)."""

    name: bytes
    content: bytes = b""
    method: int = 8
    flags: int = 0
    attributes: int = REGULAR
    local_name: bytes | None = None
    said_expanded: int | None = None
    said_checksum: int | None = None
    said_at: int | None = None
    packed: bytes | None = None
    extra: bytes = b""

    @property
    def compressed(self) -> bytes:
        if self.packed is not None:
            return self.packed
        if self.method != 8:
            return self.content
        deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
        return deflate.compress(self.content) + deflate.flush()


def local(one: Zipped) -> bytes:
    name = one.name if one.local_name is None else one.local_name
    head = struct.pack(
        "<4s5H3L2H",
        b"PK\x03\x04",
        20,
        one.flags,
        one.method,
        0,
        0,
        zlib.crc32(one.content),
        len(one.compressed),
        len(one.content),
        len(name),
        0,
    )
    return head + name + one.compressed


def central(one: Zipped, at: int) -> bytes:
    head = struct.pack(
        "<4s6H3L5H2L",
        b"PK\x01\x02",
        UNIX | 20,
        20,
        one.flags,
        one.method,
        0,
        0,
        zlib.crc32(one.content) if one.said_checksum is None else one.said_checksum,
        len(one.compressed),
        len(one.content) if one.said_expanded is None else one.said_expanded,
        len(one.name),
        len(one.extra),
        0,
        0,
        0,
        one.attributes,
        at if one.said_at is None else one.said_at,
    )
    return head + one.name + one.extra


def end(members: int, size: int, at: int, comment: bytes = b"") -> bytes:
    counts = (0, 0, members, members, size, at, len(comment))
    return struct.pack("<4s4H2LH", b"PK\x05\x06", *counts) + comment


def zipped(*members: Zipped, comment: bytes = b"") -> bytes:
    """The archive of these members in this order."""
    body = b""
    directory = b""
    for one in members:
        directory += central(one, len(body))
        body += local(one)
    return body + directory + end(len(members), len(directory), len(body), comment)


def zipped64(
    one: Zipped, *, record_size: int = 44, members: int = 1, extra: bytes | None = None
) -> bytes:
    """An archive of one member whose places and sizes are in zip64 fields."""
    sizes = struct.pack("<HHQQQ", 1, 24, len(one.content), len(one.compressed), 0)
    body = local(one)
    marked = replace(
        one, said_expanded=0xFFFFFFFF, said_at=0xFFFFFFFF, extra=sizes if extra is None else extra
    )
    head = bytearray(central(marked, 0))
    head[20:24] = b"\xff" * 4
    record = struct.pack(
        "<4sQ2H2L4Q",
        b"PK\x06\x06",
        record_size,
        45,
        45,
        0,
        0,
        members,
        members,
        len(head),
        len(body),
    )
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, len(body) + len(head), 1)
    return body + bytes(head) + record + locator + end(0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF)
