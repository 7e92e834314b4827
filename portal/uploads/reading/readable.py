"""What every reader here reads from."""

from typing import Protocol

from portal.uploads.reading.refused import TooLarge

CHUNK_BYTES = 256 << 10


class Readable(Protocol):
    """Bytes in order; ``read``, asked for at least one, may give fewer than that, and none only at the end."""

    def read(self, size: int, /) -> bytes: ...


class Seekable(Readable, Protocol):
    """Bytes with an end, such as an open file."""

    def seek(self, offset: int, whence: int = 0, /) -> int: ...


def exactly(stream: Readable, size: int) -> bytes:
    """``size`` bytes, or fewer only where the stream ends."""
    held = stream.read(size) if size else b""
    if len(held) == size:
        return held
    parts = bytearray(held)
    while held and len(parts) < size:
        held = stream.read(size - len(parts))
        parts += held
    return bytes(parts)


def whole(stream: Readable, limit_bytes: int, member: str) -> bytes:
    """All bytes of a small member; ``TooLarge`` beyond the limit, without reading further."""
    parts = bytearray()
    while chunk := stream.read(min(CHUNK_BYTES, limit_bytes + 1 - len(parts))):
        parts += chunk
        if len(parts) > limit_bytes:
            raise TooLarge(f"is larger than {limit_bytes:,} bytes", member)
    return bytes(parts)
