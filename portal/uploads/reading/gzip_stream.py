"""A gzip file as a stream of what it expands to, refused as soon as it expands too far."""

import zlib

from portal.uploads.reading.limits import Limits
from portal.uploads.reading.readable import Readable
from portal.uploads.reading.refused import Refused

MAGIC = b"\x1f\x8b"
_INPUT_BYTES = 64 << 10
_WITH_GZIP_HEADER = 31


class Gunzip:
    """Expands all parts of a gzip file; checksums are checked by zlib at the end of each part."""

    def __init__(self, stream: Readable, limits: Limits) -> None:
        self._stream = stream
        self._limits = limits
        self._input = b""
        self._part = zlib.decompressobj(_WITH_GZIP_HEADER)
        self._parts = 1
        self._read_bytes = 0
        self._expanded_bytes = 0
        self._at_end = False

    def read(self, size: int, /) -> bytes:
        # zlib takes 0 for "no limit".
        if size < 1:
            return b""
        while not self._at_end:
            if not self._input:
                self._fill()
            given = self._expand(size)
            if self._part.eof:
                self._next_part()
            if given:
                return given
        return b""

    def _fill(self) -> None:
        self._input = self._stream.read(_INPUT_BYTES)
        self._read_bytes += len(self._input)
        if not self._input:
            raise Refused("the gzip file is cut off")

    def _expand(self, size: int) -> bytes:
        try:
            given = self._part.decompress(self._input, size)
        except zlib.error as wrong:
            raise Refused("the gzip file is damaged") from wrong
        self._input = self._part.unconsumed_tail
        self._expanded_bytes += len(given)
        self._check_expansion()
        return given

    def _next_part(self) -> None:
        rest = self._part.unused_data or self._stream.read(_INPUT_BYTES)
        self._read_bytes += 0 if self._part.unused_data else len(rest)
        if not rest:
            self._at_end = True
            return
        if not rest.startswith(MAGIC[: len(rest)]):
            raise Refused("the gzip file goes on after its end")
        self._parts += 1
        if self._parts > self._limits.gzip_parts:
            raise Refused(f"the gzip file has more than {self._limits.gzip_parts:,} parts")
        self._part = zlib.decompressobj(_WITH_GZIP_HEADER)
        self._input = rest

    def _check_expansion(self) -> None:
        expanded, limits = self._expanded_bytes, self._limits
        if expanded > limits.expanded_bytes:
            raise Refused(f"the archive expands to more than {limits.expanded_bytes:,} bytes")
        taken = self._read_bytes - len(self._input)
        if expanded > max(limits.ratio_grace_bytes, limits.ratio * taken):
            raise Refused(f"the archive expands to more than {limits.ratio} times its size")
