"""A file inside an archive."""

from dataclasses import dataclass

from portal.uploads.reading.readable import Readable


@dataclass(frozen=True, slots=True)
class Member:
    """A wanted file; its stream is valid until the next member is asked for, and what is unread then is skipped."""

    name: str
    stream: Readable
