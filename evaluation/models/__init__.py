"""The rows of evaluation: what was handed in, how it was judged, and what keeps it off the boards."""

from evaluation.models.artifacts import Artifact
from evaluation.models.attempts import Attempt
from evaluation.models.authors import Entry, Model, ModelAlias
from evaluation.models.fleet import CanaryReading, Device, QueueSwitch, Worker
from evaluation.models.holds import Hold
from evaluation.models.paper import PaperCell
from evaluation.models.reports import Signal, StageReport
from evaluation.models.runs import Run
from evaluation.models.viewer import ANYONE, Viewer
from evaluation.models.work import Kernel, ReportedResult, Trajectory, Turn

__all__ = [
    "ANYONE",
    "Artifact",
    "Attempt",
    "CanaryReading",
    "Device",
    "Entry",
    "Hold",
    "Kernel",
    "Model",
    "ModelAlias",
    "PaperCell",
    "QueueSwitch",
    "ReportedResult",
    "Run",
    "Signal",
    "StageReport",
    "Trajectory",
    "Turn",
    "Viewer",
    "Worker",
]
