"""Archives of strangers: the wanted members as streams, nothing extracted, everything checked."""

from collections.abc import Callable, Iterator

from portal.uploads.reading.gzip_stream import MAGIC, Gunzip
from portal.uploads.reading.limits import Limits
from portal.uploads.reading.member import Member
from portal.uploads.reading.readable import Readable, Seekable, exactly
from portal.uploads.reading.refused import Refused
from portal.uploads.reading.tar_headers import BLOCK_BYTES, END, is_header
from portal.uploads.reading.tar_members import tar_members
from portal.uploads.reading.zip_members import MAGICS, zip_members

__all__ = ["Member", "is_archive", "members"]

HEAD_BYTES = BLOCK_BYTES
_FROM_END = 2


def is_archive(head: bytes) -> bool:
    """Whether the first ``HEAD_BYTES`` of a file are those of a zip, gzip or tar file."""
    return head.startswith((*MAGICS, MAGIC)) or is_header(head[:HEAD_BYTES])


def members(archive: Seekable, limits: Limits, wanted: Callable[[str], bool]) -> Iterator[Member]:
    """The wanted files in the order of the archive, whatever the upload was called.

    ``Refused`` may come after some members: a caller keeps nothing of an archive that was not exhausted.
    """
    size_bytes = archive.seek(0, _FROM_END)
    if size_bytes > limits.archive_bytes:
        raise Refused(f"the archive is larger than {limits.archive_bytes:,} bytes")
    archive.seek(0)
    head = exactly(archive, HEAD_BYTES)
    archive.seek(0)
    if head.startswith(MAGICS):
        yield from zip_members(archive, size_bytes, limits, wanted)
    elif head.startswith(MAGIC):
        yield from tar_members(_tar_inside(archive, limits), limits, wanted)
    elif is_header(head):
        yield from tar_members(archive, limits, wanted)
    else:
        raise Refused("the file is no zip, tar or tar.gz archive")


def _tar_inside(archive: Seekable, limits: Limits) -> Readable:
    first = exactly(Gunzip(archive, limits), BLOCK_BYTES)
    if first != END and not is_header(first):
        raise Refused("the gzip file holds no tar file")
    archive.seek(0)
    return Gunzip(archive, limits)
