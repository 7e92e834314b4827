"""Tar files made by hand, so that every field can lie."""

import gzip

END = bytes(1024)


def header(
    name: bytes,
    size: int = 0,
    *,
    kind: bytes = b"0",
    magic: bytes = b"ustar\x0000",
    prefix: bytes = b"",
    size_field: bytes | None = None,
    link: bytes = b"",
) -> bytes:
    """One block with a right checksum."""
    block = bytearray(512)
    block[: len(name)] = name
    block[100:108] = b"0000644\0"
    block[124:136] = b"%011o\0" % size if size_field is None else size_field
    block[148:156] = b" " * 8
    block[156:157] = kind
    block[157 : 157 + len(link)] = link
    block[257:265] = magic
    block[345 : 345 + len(prefix)] = prefix
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def padded(content: bytes) -> bytes:
    return content + bytes(-len(content) % 512)


def file(name: bytes, content: bytes = b"") -> bytes:
    return header(name, len(content)) + padded(content)


def record(key: bytes, value: bytes) -> bytes:
    """One line of a pax header, which counts its own length."""
    rest = b" " + key + b"=" + value + b"\n"
    length = len(rest) + 1
    while len(str(length)) + len(rest) != length:
        length += 1
    return str(length).encode() + rest


def pax(content: bytes, kind: bytes = b"x") -> bytes:
    return header(b"PaxHeaders/0", len(content), kind=kind) + padded(content)


def gzipped(content: bytes) -> bytes:
    return gzip.compress(content, 9, mtime=0)
