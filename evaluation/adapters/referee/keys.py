"""Keys for generators and hashes: unguessable, and none given twice."""

import hashlib
from collections.abc import Iterator

NONCE_BYTES = 32


def keys(nonce: bytes) -> Iterator[int]:
    """64-bit keys for ever: the start of SHA-256 of a nonce that no launcher sees, and a counter."""
    if len(nonce) < NONCE_BYTES:
        raise ValueError(f"a nonce has at least {NONCE_BYTES} random bytes, not {len(nonce)}")
    count = 0
    while True:
        digest = hashlib.sha256(nonce + count.to_bytes(8, "little")).digest()
        yield int.from_bytes(digest[:8], "little")
        count += 1
