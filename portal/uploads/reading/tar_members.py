"""The members of a tar file, read once from front to back."""

from collections.abc import Callable, Iterator

from portal.uploads.reading.limits import Limits
from portal.uploads.reading.member import Member
from portal.uploads.reading.member_names import Names, cleaned
from portal.uploads.reading.readable import CHUNK_BYTES, Readable, exactly
from portal.uploads.reading.refused import Refused
from portal.uploads.reading.tar_headers import (
    BLOCK_BYTES,
    END,
    Extended,
    Header,
    extended,
    parse,
)

# A long name and an extended header for each; more of them would cost time that no limit on members bounds.
_HEADERS_A_MEMBER = 3


def tar_members(
    stream: Readable, limits: Limits, wanted: Callable[[str], bool]
) -> Iterator[Member]:
    names = Names()
    for count, (header, said) in enumerate(_headers(stream, limits), start=1):
        if count > limits.members:
            raise Refused(f"the archive has more than {limits.members:,} members")
        name = cleaned(header.raw_name if said.raw_name is None else said.raw_name, limits)
        size_bytes = header.size_bytes if said.size_bytes is None else said.size_bytes
        is_folder = header.is_folder
        if is_folder and size_bytes:
            raise Refused("is a folder with content", name)
        if name:
            names.add(name, is_folder=is_folder)
        elif not is_folder:
            raise Refused("has a member without a name")
        part = _Part(stream, size_bytes, name)
        if not is_folder and wanted(name):
            yield Member(name, part)
        part.skip()


def _headers(stream: Readable, limits: Limits) -> Iterator[tuple[Header, Extended]]:
    """Each file and folder with what was said before it; whoever takes one consumes its content."""
    said = Extended()
    headers_left = _HEADERS_A_MEMBER * limits.members
    while True:
        block = exactly(stream, BLOCK_BYTES)
        if len(block) < BLOCK_BYTES:
            raise Refused("the tar file is cut off")
        if block == END:
            _only_zeros(stream)
            return
        headers_left -= 1
        if headers_left < 0:
            raise Refused("the tar file has more extended headers than members")
        header = parse(block)
        if header.says_more:
            said = extended(header, _content(stream, header), said)
            continue
        yield header, said
        said = Extended()


def _content(stream: Readable, header: Header) -> bytes:
    padded = header.size_bytes + -header.size_bytes % BLOCK_BYTES
    content = exactly(stream, padded)
    if len(content) < padded:
        raise Refused("the tar file is cut off")
    return content[: header.size_bytes]


def _only_zeros(stream: Readable) -> None:
    while chunk := stream.read(CHUNK_BYTES):
        if chunk.strip(b"\0"):
            raise Refused("the tar file goes on after its end")


class _Part:
    """The content of one member, as long as nobody has read on."""

    def __init__(self, stream: Readable, size_bytes: int, name: str) -> None:
        self._stream = stream
        self._left_bytes = size_bytes
        self._padding_bytes = -size_bytes % BLOCK_BYTES
        self._name = name
        self._is_over = False

    def read(self, size: int, /) -> bytes:
        if self._is_over:
            raise ValueError(f"{self._name} was read after the archive had gone on")
        return self._take(size)

    def skip(self) -> None:
        """Read on to the next header."""
        self._is_over = True
        while self._left_bytes:
            self._take(CHUNK_BYTES)
        if len(exactly(self._stream, self._padding_bytes)) < self._padding_bytes:
            raise Refused("the tar file is cut off", self._name)

    def _take(self, size: int) -> bytes:
        given = self._stream.read(min(size, self._left_bytes)) if self._left_bytes else b""
        if not given and self._left_bytes and size:
            raise Refused("the tar file is cut off", self._name)
        self._left_bytes -= len(given)
        return given
