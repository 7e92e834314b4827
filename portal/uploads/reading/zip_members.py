"""The members of a zip file as streams that believe no header."""

import struct
import zlib
from collections.abc import Callable, Iterator

from portal.uploads.reading.limits import Limits
from portal.uploads.reading.member import Member
from portal.uploads.reading.readable import Seekable, exactly
from portal.uploads.reading.refused import Refused
from portal.uploads.reading.zip_directory import (
    DEFLATED,
    LOCAL_HEADER_BYTES,
    Entry,
    read_entries,
)

MAGICS = (b"PK\x03\x04", b"PK\x05\x06")
_LOCAL = struct.Struct("<4s5H3L2H")
_INPUT_BYTES = 64 << 10
_RAW_DEFLATE = -15


def zip_members(
    archive: Seekable, size_bytes: int, limits: Limits, wanted: Callable[[str], bool]
) -> Iterator[Member]:
    for entry in read_entries(archive, size_bytes, limits):
        if wanted(entry.name):
            yield Member(entry.name, _Expanding(archive, entry, _content_at(archive, entry)))


def _content_at(archive: Seekable, entry: Entry) -> int:
    """Where the compressed bytes begin, after a header that agrees with the directory."""
    archive.seek(entry.header_at)
    header = exactly(archive, _LOCAL.size)
    if len(header) < _LOCAL.size or not header.startswith(b"PK\x03\x04"):
        raise Refused("is not where the directory of the zip file says", entry.name)
    fields = _LOCAL.unpack(header)
    method, name_bytes, extra_bytes = fields[3], fields[9], fields[10]
    if method != entry.method or exactly(archive, name_bytes) != entry.raw_name:
        raise Refused("is another member than the directory of the zip file says", entry.name)
    at: int = entry.header_at + LOCAL_HEADER_BYTES + name_bytes + extra_bytes
    if at + entry.compressed_bytes > entry.end_at:
        raise Refused("overlaps another member or the directory of the zip file", entry.name)
    return at


class _Expanding:
    """Expands one member; its size and checksum are compared at its end."""

    def __init__(self, archive: Seekable, entry: Entry, at: int) -> None:
        self._archive = archive
        self._entry = entry
        self._at = at
        self._end_at = at + entry.compressed_bytes
        self._inflate = zlib.decompressobj(_RAW_DEFLATE) if entry.method == DEFLATED else None
        self._input = b""
        self._checksum = 0
        self._given_bytes = 0
        self._is_checked = False

    def read(self, size: int, /) -> bytes:
        given = self._stored(size) if self._inflate is None else self._deflated(size)
        self._given_bytes += len(given)
        self._checksum = zlib.crc32(given, self._checksum)
        if self._given_bytes > self._entry.expanded_bytes:
            raise self._refused("expands to more than the directory of the zip file says")
        if not given and size and not self._is_checked:
            self._check_end()
        return given

    def _stored(self, size: int) -> bytes:
        return self._compressed(size)

    def _deflated(self, size: int) -> bytes:
        assert self._inflate is not None
        # zlib takes 0 for "no limit".
        while size and not self._inflate.eof:
            if not self._input:
                self._input = self._compressed(_INPUT_BYTES)
            at_end = not self._input
            try:
                given = self._inflate.decompress(self._input, size)
            except zlib.error as wrong:
                raise self._refused("is damaged") from wrong
            self._input = self._inflate.unconsumed_tail
            if given:
                return given
            if at_end and not self._inflate.eof:
                raise self._refused("is cut off")
        return b""

    def _compressed(self, size: int) -> bytes:
        self._archive.seek(self._at)
        found = self._archive.read(min(size, self._end_at - self._at))
        self._at += len(found)
        return found

    def _check_end(self) -> None:
        unread = self._inflate is not None and self._inflate.unused_data
        if unread or self._at < self._end_at:
            raise self._refused("goes on after its end")
        if self._given_bytes != self._entry.expanded_bytes:
            raise self._refused("is shorter than the directory of the zip file says")
        if self._checksum != self._entry.checksum:
            raise self._refused("does not have the checksum that the zip file says")
        self._is_checked = True

    def _refused(self, reason: str) -> Refused:
        return Refused(reason, self._entry.name)
