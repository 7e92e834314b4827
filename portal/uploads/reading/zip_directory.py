"""The directory of a zip file, read by hand: the members it lists and where they lie, or a refusal.

Every byte count is compared with where the next thing begins, so that no two members share bytes and no header
decides how much is read.
"""

import stat
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from portal.uploads.reading.limits import Limits
from portal.uploads.reading.member_names import Names, cleaned
from portal.uploads.reading.readable import Seekable, exactly
from portal.uploads.reading.refused import Refused
from portal.uploads.reading.zip_end import Directory, find_directory

LOCAL_HEADER_BYTES = 30
STORED, DEFLATED = 0, 8
# Encrypted, strongly encrypted, masked headers.
_ENCRYPTED = 0x1 | 0x40 | 0x2000
_PATCH = 0x20
_ZIP64_EXTRA = 1
_FULL_32 = 0xFFFFFFFF
_HEADER = struct.Struct("<4s6H3L5H2L")


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of the archive; its compressed bytes end before ``end_at``, where something else begins."""

    raw_name: bytes
    name: str
    method: int
    checksum: int
    compressed_bytes: int
    expanded_bytes: int
    header_at: int
    end_at: int


@dataclass(frozen=True, slots=True)
class _Listed:
    """What the directory says of one member, files and folders alike."""

    raw_name: bytes
    name: str
    is_folder: bool
    method: int
    checksum: int
    compressed_bytes: int
    expanded_bytes: int
    header_at: int

    @property
    def least_end(self) -> int:
        return self.header_at + LOCAL_HEADER_BYTES + len(self.raw_name) + self.compressed_bytes


def read_entries(archive: Seekable, size_bytes: int, limits: Limits) -> list[Entry]:
    """The files in the order of the directory, after the whole directory was checked."""
    directory = find_directory(archive, size_bytes, limits)
    listed = list(_listed(archive, directory, limits))
    _check_expansion(listed, size_bytes, limits)
    ends = _ends(listed, directory)
    return [
        Entry(
            one.raw_name,
            one.name,
            one.method,
            one.checksum,
            one.compressed_bytes,
            one.expanded_bytes,
            one.header_at,
            ends[one.header_at],
        )
        for one in listed
        if not one.is_folder
    ]


def _listed(archive: Seekable, directory: Directory, limits: Limits) -> Iterator[_Listed]:
    archive.seek(directory.at)
    content = exactly(archive, directory.size_bytes)
    names = Names()
    at = 0
    for _ in range(directory.members):
        fields = content[at : at + _HEADER.size]
        if len(fields) < _HEADER.size or not fields.startswith(b"PK\x01\x02"):
            raise Refused("the directory of the zip file is damaged")
        at += _HEADER.size
        one, variable_bytes = _parsed(_HEADER.unpack(fields), content, at, limits)
        at += variable_bytes
        if one.name:
            names.add(one.name, is_folder=one.is_folder)
        yield one
    if at != len(content):
        raise Refused("the directory of the zip file lists other members than it counts")


def _parsed(
    fields: tuple[int, ...], content: bytes, at: int, limits: Limits
) -> tuple[_Listed, int]:
    """The member of a header whose name, extra field and comment begin ``at``, and how long those are."""
    (_, _, _, flags, method, _, _, checksum, compressed, expanded) = fields[:10]
    (name_bytes, extra_bytes, comment_bytes, disk, _, attributes, header_at) = fields[10:]
    raw_name = content[at : at + name_bytes]
    extra = content[at + name_bytes : at + name_bytes + extra_bytes]
    name = cleaned(raw_name, limits)
    is_folder = raw_name.endswith(b"/")
    _check_kind(name, flags, attributes >> 16, is_folder=is_folder)
    expanded, compressed, header_at = _with_zip64(name, extra, (expanded, compressed, header_at))
    _check_sizes(name, method, disk, compressed, expanded, is_folder=is_folder)
    one = _Listed(raw_name, name, is_folder, method, checksum, compressed, expanded, header_at)
    return one, name_bytes + extra_bytes + comment_bytes


def _check_kind(name: str, flags: int, mode: int, *, is_folder: bool) -> None:
    if flags & _ENCRYPTED:
        raise Refused("is encrypted", name)
    if flags & _PATCH:
        raise Refused("is a patch and no file", name)
    kind = stat.S_IFMT(mode)
    if kind == stat.S_IFLNK:
        raise Refused("is a link", name)
    if kind not in (0, stat.S_IFDIR if is_folder else stat.S_IFREG):
        raise Refused("is neither a file nor a folder", name)


def _check_sizes(
    name: str, method: int, disk: int, compressed: int, expanded: int, *, is_folder: bool
) -> None:
    if disk:
        raise Refused("lies in another part of a split zip file", name)
    if method not in (STORED, DEFLATED):
        raise Refused(f"is compressed by method {method}; deflate and none are understood", name)
    if is_folder and expanded:
        raise Refused("is a folder with content", name)
    if method == STORED and compressed != expanded:
        raise Refused("is said to have two sizes", name)


def _with_zip64(name: str, extra: bytes, fields: tuple[int, int, int]) -> tuple[int, int, int]:
    """Expanded size, compressed size and place, with what the zip64 field says where one is marked as too large."""
    marked = [index for index, value in enumerate(fields) if value == _FULL_32]
    if not marked:
        return fields
    large = _extra_field(name, extra, _ZIP64_EXTRA)
    if len(large) < 8 * len(marked):
        raise Refused("has no size in its zip64 field", name)
    values = list(fields)
    for order, index in enumerate(marked):
        (values[index],) = struct.unpack_from("<Q", large, 8 * order)
    return values[0], values[1], values[2]


def _extra_field(name: str, extra: bytes, wanted: int) -> bytes:
    found: list[bytes] = []
    at = 0
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, at)
        if kind == wanted:
            found.append(extra[at + 4 : at + 4 + length])
        at += 4 + length
    if len(found) != 1:
        raise Refused("has no size in its zip64 field", name)
    return found[0]


def _check_expansion(listed: list[_Listed], size_bytes: int, limits: Limits) -> None:
    """By what the directory says; each member that is read may expand to no more than it said."""
    expanded = sum(one.expanded_bytes for one in listed)
    if expanded > limits.expanded_bytes:
        raise Refused(f"the archive expands to more than {limits.expanded_bytes:,} bytes")
    if expanded > max(limits.ratio_grace_bytes, limits.ratio * size_bytes):
        raise Refused(f"the archive expands to more than {limits.ratio} times its size")


def _ends(listed: list[_Listed], directory: Directory) -> dict[int, int]:
    """By place of a member, where the next one or the directory begins."""
    ends: dict[int, int] = {}
    next_at = directory.at
    for one in sorted(listed, key=lambda one: one.header_at, reverse=True):
        if one.least_end > next_at:
            raise Refused("overlaps another member or the directory of the zip file", one.name)
        ends[one.header_at] = next_at
        next_at = one.header_at
    return ends
