"""Streams that tests read from: made on the fly, or given in small pieces."""

from collections.abc import Iterable


class Made:
    """Bytes from an iterable of pieces, so that a hostile document takes no memory of its own."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)
        self._held = b""

    def read(self, size: int, /) -> bytes:
        while not self._held:
            piece = next(self._pieces, None)
            if piece is None:
                return b""
            self._held = piece
        given, self._held = self._held[:size], self._held[size:]
        return given


def drops(content: bytes, size: int = 1) -> Made:
    """The content in pieces of ``size`` bytes, so that every token is cut somewhere."""
    return Made(content[at : at + size] for at in range(0, len(content), size))
