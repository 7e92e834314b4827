"""The part of a JSON document that is in memory: enough for the token at hand."""

import codecs

from portal.uploads.reading.limits import Limits
from portal.uploads.reading.readable import CHUNK_BYTES, Readable, exactly
from portal.uploads.reading.refused import Refused, TooLarge

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Window:
    """Gives a document chunk by chunk and refuses one that is too large or no UTF-8."""

    def __init__(self, stream: Readable, limits: Limits, member: str) -> None:
        self._stream = stream
        self._limit_bytes = limits.document_bytes
        self._member = member
        self._decoder = codecs.getincrementaldecoder("utf-8")("strict")
        self.read_bytes = 0
        self.at_end = False

    def more(self, rest: bytes) -> bytes:
        """The unread rest with at least one further byte behind it, or as it is when ``at_end`` turns true."""
        # As much again as is held: a long token is scanned a constant number of times, not once a chunk.
        chunk = exactly(self._stream, max(CHUNK_BYTES, len(rest)))
        self._check(chunk)
        self.read_bytes += len(chunk)
        if self.read_bytes > self._limit_bytes:
            raise TooLarge(f"is larger than {self._limit_bytes:,} bytes", self._member)
        self.at_end = not chunk
        return rest + chunk if chunk else rest

    def _check(self, chunk: bytes) -> None:
        if self.read_bytes == 0 and chunk.startswith(BYTE_ORDER_MARK):
            raise Refused("begins with a byte order mark, which JSON has not", self._member)
        try:
            self._decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as wrong:
            pending = len(wrong.object) - len(chunk)
            at = self.read_bytes - pending + wrong.start
            raise Refused(f"is not UTF-8 at byte {at:,}", self._member) from wrong
