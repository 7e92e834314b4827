"""What every reader here reads from."""

from typing import Protocol

from portal.uploads.reading.refused import TooLarge

CHUNK_BYTES = 256 << 10


class Readable(Protocol):
    """Bytes in order; ``read`` may give fewer than asked for, and nothing only at the end."""

    def read(self, size: int, /) -> bytes: ...


def whole(stream: Readable, limit_bytes: int, member: str) -> bytes:
    """All bytes of a small member; ``TooLarge`` beyond the limit, without reading further."""
    parts = bytearray()
    while chunk := stream.read(min(CHUNK_BYTES, limit_bytes + 1 - len(parts))):
        parts += chunk
        if len(parts) > limit_bytes:
            raise TooLarge(f"is larger than {limit_bytes:,} bytes", member)
    return bytes(parts)
