"""The headers of a tar file: one block for a member, and blocks before it that say more about it."""

import re
from dataclasses import dataclass
from typing import Final

from portal.uploads.reading.refused import Refused

BLOCK_BYTES = 512
END: Final = bytes(BLOCK_BYTES)
# Paths have a thousand bytes at most; what else extended headers carry (attributes, times) is small.
LIMIT_EXTENDED_BYTES = 64 << 10

_KINDS = {
    b"1": "is a hard link",
    b"2": "is a link",
    b"3": "is a device",
    b"4": "is a device",
    b"6": "is a pipe",
    b"K": "is a link",
    b"S": "is a sparse file",
}
_FILE, _FOLDER = (b"0", b"\0"), b"5"
_LONG_NAME, _EXTENDED, _GLOBAL = b"L", b"x", b"g"
_OCTAL = re.compile(rb"[ ]*([0-7]*)[ \0]*")
_RECORD = re.compile(rb"([1-9][0-9]{0,6}) ")


@dataclass(frozen=True, slots=True)
class Header:
    """One block: a file, a folder, or (``says_more``) an extended header whose content is about what follows."""

    raw_name: bytes
    size_bytes: int
    is_folder: bool
    says_more: bytes


@dataclass(frozen=True, slots=True)
class Extended:
    """What extended headers say about the next member."""

    raw_name: bytes | None = None
    size_bytes: int | None = None


def is_header(block: bytes) -> bool:
    """Whether the block has the checksum of a header."""
    if len(block) != BLOCK_BYTES or block == END:
        return False
    said = _OCTAL.fullmatch(block[148:156])
    return said is not None and int(said[1] or b"0", 8) == (
        sum(block) - sum(block[148:156]) + 8 * ord(" ")
    )


def parse(block: bytes) -> Header:
    """The header in a block; refuses every kind but files, folders and extended headers."""
    if not is_header(block):
        raise Refused("the tar file is damaged: a header has a wrong checksum")
    raw_name = block[:100].split(b"\0", 1)[0]
    prefix = block[345:500].split(b"\0", 1)[0]
    if block.startswith(b"ustar\0", 257) and prefix:
        raw_name = prefix + b"/" + raw_name
    kind = block[156:157]
    shown = raw_name.decode("utf-8", "backslashreplace") or "a member without a name"
    size_bytes = _number(block[124:136], shown)
    if kind in (_LONG_NAME, _EXTENDED, _GLOBAL):
        if size_bytes > LIMIT_EXTENDED_BYTES:
            raise Refused(
                f"has an extended header of more than {LIMIT_EXTENDED_BYTES:,} bytes", shown
            )
        return Header(raw_name, size_bytes, is_folder=False, says_more=kind)
    if kind != _FOLDER and kind not in _FILE:
        raise Refused(_KINDS.get(kind, "is neither a file nor a folder"), shown)
    is_folder = kind == _FOLDER or (kind == b"\0" and raw_name.endswith(b"/"))
    return Header(raw_name, size_bytes, is_folder=is_folder, says_more=b"")


def extended(header: Header, content: bytes, so_far: Extended) -> Extended:
    """What is known about the next member after one more extended header."""
    if header.says_more == _LONG_NAME:
        return Extended(content.rstrip(b"\0"), so_far.size_bytes)
    shown = header.raw_name.decode("utf-8", "backslashreplace")
    for key, value in _records(content, shown):
        if key.startswith(b"GNU.sparse."):
            raise Refused("is a sparse file", shown)
        if key not in (b"path", b"size"):
            continue
        if header.says_more == _GLOBAL:
            raise Refused("gives all members one name or size", shown)
        if key == b"path":
            so_far = Extended(value, so_far.size_bytes)
        elif value.isdigit() and len(value) < 16:
            so_far = Extended(so_far.raw_name, int(value))
        else:
            raise Refused("has a size that is no number", shown)
    return so_far


def _records(content: bytes, shown: str) -> list[tuple[bytes, bytes]]:
    """The ``length key=value`` lines of an extended header."""
    records: list[tuple[bytes, bytes]] = []
    at = 0
    while at < len(content):
        length = _RECORD.match(content, at)
        end = at + int(length[1]) if length else 0
        record = content[length.end() : end] if length else b""
        key, equals, value = record.partition(b"=")
        if not record.endswith(b"\n") or end > len(content) or not equals:
            raise Refused("has a damaged extended header", shown)
        records.append((key, value[:-1]))
        at = end
    return records


def _number(field: bytes, shown: str) -> int:
    if field[0] == 0x80:
        return int.from_bytes(field[1:], "big")
    octal = _OCTAL.fullmatch(field)
    if octal is None:
        raise Refused("has a size that is no number", shown)
    return int(octal[1] or b"0", 8)
