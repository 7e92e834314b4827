"""What evidence pages read. Every selector takes a viewer first and applies visibility and holds itself."""

from evaluation.models.viewer import ANYONE, Viewer
from evaluation.selectors.entries import (
    EntryHead,
    EntryPage,
    TrajectoryPage,
    TrajectoryRow,
    entry_page,
    trajectory_page,
)
from evaluation.selectors.kernels import HoldRow, KernelPage, KernelPlace, RunRow, kernel_page
from evaluation.selectors.progress import MyEntry, RunProgress, my_entries, run_progress
from evaluation.selectors.refusal import NotVisible
from evaluation.selectors.run_reports import ReportRow
from evaluation.selectors.turn_row import DeviceSpeed, Reported, TurnRow

__all__ = [
    "ANYONE",
    "DeviceSpeed",
    "EntryHead",
    "EntryPage",
    "HoldRow",
    "KernelPage",
    "KernelPlace",
    "MyEntry",
    "NotVisible",
    "ReportRow",
    "Reported",
    "RunProgress",
    "RunRow",
    "TrajectoryPage",
    "TrajectoryRow",
    "TurnRow",
    "Viewer",
    "entry_page",
    "kernel_page",
    "my_entries",
    "run_progress",
    "trajectory_page",
]
