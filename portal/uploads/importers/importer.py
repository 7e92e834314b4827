"""The one interface of all formats, and what a format is recognised by."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from portal.uploads.importers.records import Format, ReadTrajectory
from portal.uploads.importers.source import Source
from portal.uploads.reading.limits import Limits

HEAD_BYTES = 4096
"""From which the shape of an upload is told."""


class Shape(StrEnum):
    ARCHIVE = "archive"
    JSON = "json"
    JSON_LINES = "json_lines"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Head:
    """What is known of an upload before it is read.

    ``marks`` has the top-level keys of a JSON document that formats are known by, with their text where they have
    one; ``member`` the first member of an archive by whose name a format is known.
    """

    name: str
    shape: Shape
    marks: Mapping[str, str]
    member: str = ""


class Importer(Protocol):
    """Reads one format. Adding a format is a file with this interface and a line in ``detect.py``."""

    @property
    def name(self) -> Format: ...

    def recognises(self, head: Head) -> bool: ...

    def read(
        self, source: Source, limits: Limits, *, done: Collection[str] = ()
    ) -> Iterator[ReadTrajectory]:
        """Yield one trajectory after the other, without those whose member is in ``done``.

        Raise Refused, also after some trajectories, for bytes that break a limit or are not what they say; then
        nothing of the upload may be kept. No two trajectories are in memory at once where the caller lets go of one
        before it asks for the next.
        """
        ...
