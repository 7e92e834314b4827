"""JSON lines as a stream: one line is held at a time."""

from collections.abc import Iterator

from portal.uploads.reading.limits import Limits
from portal.uploads.reading.readable import Readable
from portal.uploads.reading.refused import Refused, TooLarge

LIMIT_LINES = 100_000
_CHUNK_BYTES = 1 << 16


def json_lines(stream: Readable, limits: Limits, member: str) -> Iterator[tuple[int, bytes]]:
    """Yield (1-based number, line) of lines that are not blank. Raise Refused for too many or too long ones."""
    for number, line in enumerate(_lines(stream, limits, member), 1):
        if number > LIMIT_LINES:
            raise Refused(f"the file has more than {LIMIT_LINES} lines", member)
        if line.strip():
            yield number, line


def _lines(stream: Readable, limits: Limits, member: str) -> Iterator[bytes]:
    parts: list[bytes] = []
    held = 0
    while chunk := stream.read(_CHUNK_BYTES):
        *ended, rest = chunk.split(b"\n")
        for line in ended:
            yield b"".join([*parts, line])
            parts, held = [], 0
        parts.append(rest)
        held += len(rest)
        if held > limits.document_bytes:
            sentence = f"a line has more than {limits.document_bytes} bytes"
            raise TooLarge(sentence, member)
    yield b"".join(parts)
