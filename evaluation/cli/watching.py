"""Stages on the screen while they run: what is being done, and what came of it."""

from collections.abc import Iterator

from evaluation.cli.launches import launch_lines
from evaluation.cli.paper import Paper
from evaluation.cli.report import print_detail, print_stage, stage_label
from evaluation.core.errors import ToolFailure
from evaluation.core.plan.plan_json import plan_from_json
from evaluation.core.ports import Artifacts
from evaluation.core.records import ArtifactRef, StageReport
from evaluation.core.verdict import Stage, Verdict

ARTIFACT_READ_BYTES = 256 * 1024 * 1024
_NOT_THE_KERNEL = "the judge failed here, not the kernel; there is no verdict"


class Watch:
    """Follows one kernel through its stages. ``quiet`` says only what is being done, and that on a terminal alone."""

    def __init__(self, paper: Paper, artifacts: Artifacts, *, quiet: bool) -> None:
        self._paper = paper
        self._artifacts = artifacts
        self._quiet = quiet
        self._running = Stage.POLICY

    def begin(self, stage: Stage) -> None:
        self._running = stage
        self._paper.pending(stage_label(stage, "...", None))

    def over(self, reports: Iterator[StageReport]) -> Iterator[StageReport]:
        """Give the reports on as they come."""
        try:
            for report in reports:
                if not self._quiet:
                    self._print(report)
                yield report
        except ToolFailure:
            if not self._quiet:
                print_stage(self._paper, self._running, "??", None, _NOT_THE_KERNEL)
            raise
        finally:
            self._paper.settle()

    def _print(self, report: StageReport) -> None:
        fine = report.verdict in {None, Verdict.ACCEPTED}
        word = "ok" if fine else "no"
        print_stage(self._paper, report.stage, word, report.seconds, report.headline)
        if report.stage is Stage.RECORD and fine:
            plan = plan_from_json(artifact(report.artifacts[0], self._artifacts))
            for line in launch_lines(plan):
                print_detail(self._paper, line)


def artifact(ref: ArtifactRef, artifacts: Artifacts) -> bytes:
    return artifacts.get(ref.sha256, limit_bytes=ARTIFACT_READ_BYTES)
