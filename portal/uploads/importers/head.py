"""What an upload is at a first look: its shape by its first bytes, and the names by which formats are known."""

import io

from portal.uploads.importers.importer import HEAD_BYTES, Head, Shape
from portal.uploads.importers.json_lines import json_lines
from portal.uploads.importers.run_names import is_of_a_run
from portal.uploads.importers.source import Source
from portal.uploads.importers.trial_names import is_of_a_trace_set, is_of_a_trial
from portal.uploads.reading.archives import is_archive, members
from portal.uploads.reading.json_stream import Wanted, picked
from portal.uploads.reading.limits import Limits
from portal.uploads.reading.readable import Readable
from portal.uploads.reading.refused import Refused

_KEYS = (
    "trajectory_format",
    "schema_version",
    "format",
    "definition",
    "spec",
    "sources",
    "workload",
    "evaluation",
)
_WANTED = tuple(Wanted((key,), keep=(("name",),)) for key in _KEYS)
_ENOUGH = (
    {"trajectory_format"},
    {"schema_version"},
    {"format"},
    {"definition", "spec", "sources"},
    {"definition", "workload", "evaluation"},
)


def head_of(source: Source, limits: Limits) -> Head:
    """Look at an upload as far as it takes to tell its format. Raise Refused for one that is empty or broken."""
    with source.open() as file:
        first = file.read(HEAD_BYTES)
    if not first:
        raise Refused("the upload is empty", source.name)
    if is_archive(first):
        return Head(source.name, Shape.ARCHIVE, {}, _member(source, limits))
    if not first.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        return Head(source.name, Shape.TEXT, {})
    of_lines = _line_marks(source, limits)
    if of_lines is not None:
        return Head(source.name, Shape.JSON_LINES, of_lines)
    with source.open() as file:
        return Head(source.name, Shape.JSON, _marks(file, limits, source.name))


def _member(source: Source, limits: Limits) -> str:
    with source.open() as archive:
        for member in members(archive, limits, _is_known):
            return member.name
    return ""


def _is_known(name: str) -> bool:
    return is_of_a_run(name) or is_of_a_trial(name) or is_of_a_trace_set(name)


def _line_marks(source: Source, limits: Limits) -> dict[str, str] | None:
    """Give the keys of the first line, where it is a document and not the last line; None where it is not."""
    with source.open() as file:
        lines = json_lines(file, limits, source.name)
        first = next(lines, None)
        if first is None or next(lines, None) is None:
            return None
    try:
        return _marks(io.BytesIO(first[1]), limits, source.name, whole=True)
    except Refused:
        return None


def _marks(stream: Readable, limits: Limits, name: str, *, whole: bool = False) -> dict[str, str]:
    marks: dict[str, str] = {}
    for one in picked(stream, _WANTED, limits, name):
        marks[str(one.path[0])] = one.value if isinstance(one.value, str) else ""
        if not whole and any(enough <= marks.keys() for enough in _ENOUGH):
            break  # importers read and check the document to its end
    return marks
