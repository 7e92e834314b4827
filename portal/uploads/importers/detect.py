"""Which format an upload has, by what is in it and never by what it is called."""

from evaluation.core.quoting import quoted
from portal.uploads.importers.atif import Atif
from portal.uploads.importers.flashinfer import FlashInfer
from portal.uploads.importers.head import head_of
from portal.uploads.importers.importer import Head, Importer, Shape
from portal.uploads.importers.mini_swe_agent import MiniSweAgent
from portal.uploads.importers.own_json import FORMAT, OwnJson
from portal.uploads.importers.run_directory import RunDirectory
from portal.uploads.importers.single_kernel import SingleKernel
from portal.uploads.importers.source import Source
from portal.uploads.reading.limits import Limits
from portal.uploads.reading.refused import Refused

_UNKNOWN = {
    Shape.ARCHIVE: (
        "the archive holds none of plan.json, trajectories/*.json, agent/trajectory.json, solutions/*.json, "
        "traces/*.jsonl"
    ),
    Shape.JSON: (
        "this JSON document is no mini-swe-agent or ATIF trajectory, no ptxboard-trajectory and no "
        "FlashInfer-Bench solution or trace"
    ),
    Shape.JSON_LINES: "these JSON lines are no FlashInfer-Bench traces",
    Shape.TEXT: "this is no kernel, no JSON document and no zip or tar archive",
}


def importers() -> tuple[Importer, ...]:
    return (MiniSweAgent(), RunDirectory(), OwnJson(), Atif(), FlashInfer(), SingleKernel())


def importer_for(source: Source, limits: Limits) -> Importer:
    """Find the importer of an upload. Raise Refused where no format is recognised."""
    head = head_of(source, limits)
    found = next((one for one in importers() if one.recognises(head)), None)
    if found is None:
        raise Refused(_UNKNOWN[head.shape] + _format_named(head), source.name)
    return found


def _format_named(head: Head) -> str:
    """What a document calls its own format: a slip of the pen in it would look like a wrong document."""
    word = head.marks.get("format")
    return f"; its format is {quoted(word)}, ours is {quoted(FORMAT)}" if word else ""
