"""The commands judge and record: a file in, stage after stage on the screen, a verdict out."""

import argparse
import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from evaluation.adapters.workspace import Workspace
from evaluation.cli import exit_codes, files
from evaluation.cli.asking import job_of
from evaluation.cli.launches import launch_lines
from evaluation.cli.paper import Paper, clean
from evaluation.cli.report import (
    print_detail,
    print_reports,
    print_stage,
    print_summary,
    stage_label,
)
from evaluation.core import wire
from evaluation.core.bundle.members import of_artifact
from evaluation.core.errors import ToolFailure
from evaluation.core.judgement import Instruction, Judgement, Missing, correct_of, integrity_of
from evaluation.core.pipeline import Job, Tools, prepare
from evaluation.core.plan.plan_json import plan_from_json
from evaluation.core.ports import Artifacts
from evaluation.core.records import ArtifactRef, Outcome, StageReport
from evaluation.core.scan.scan_report import FAMILY_FACT
from evaluation.core.verdict import FamilyExecuted, Stage

ARTIFACT_READ_BYTES = 256 * 1024 * 1024
_GPU_STAGES = tuple(stage for stage in Stage if stage.needs_gpu)
_NO_GPU_HALF = "needs a GPU worker; this version judges as far as the scan"
_NOT_THE_KERNEL = "the judge failed here, not the kernel; there is no verdict"


class OpenTools(Protocol):
    def __call__(self, workspace: Workspace, *, cached: bool) -> Tools: ...


def judge(options: argparse.Namespace, workspace: Workspace, open_tools: OpenTools) -> int:
    """Print stage by stage, or one JSON document at the end. The exit code is the verdict's."""
    paper = Paper(sys.stderr if options.json else sys.stdout)
    job = job_of(options)
    if options.out is not None:
        files.make_folder(options.out)
    tools = open_tools(workspace, cached=not options.no_cache)
    if not options.json:
        _print_title(paper, options, job)
    reports = tuple(_watched(job, tools, paper, quiet=options.json))
    judgement = _judgement(options.file, job, reports)
    if options.out is not None:
        _write_out(options.out, judgement, tools.artifacts)
    if options.json:
        sys.stdout.write(f"{wire.encode(judgement).decode()}\n")
    else:
        for one in judgement.missing:
            print_stage(paper, one.stage, "-", None, one.why)
        print_reports(paper, judgement.reports)
        print_summary(paper, judgement, options.out)
    return judgement.exit_code


def record(options: argparse.Namespace, workspace: Workspace, open_tools: OpenTools) -> int:
    """Write the launch plan; progress and refusals go to standard error."""
    paper = Paper(sys.stderr)
    job = job_of(options)
    to_stdout = options.out == Path(files.STANDARD)
    if not to_stdout:
        files.check_writable(options.out)
    tools = open_tools(workspace, cached=not options.no_cache)
    for report in _watched(job, tools, paper, quiet=False):
        if report.verdict is not None:
            print_reports(paper, (report,))
            return exit_codes.of_verdict(report.verdict)
        if report.stage is Stage.RECORD:
            content = _artifact(report.artifacts[0], tools.artifacts)
            if to_stdout:
                sys.stdout.write(f"{content.decode()}\n")
            else:
                files.write(options.out, content)
            break
    return exit_codes.OK


def _print_title(paper: Paper, options: argparse.Namespace, job: Job) -> None:
    name = paper.style(clean(files.called(options.file)), "bold")
    text = f"for {job.problem.name} on {job.target} (device table {job.device.product})"
    paper.wrapped(text, indent="  ", first=f"{name}  ")
    paper.line()


def _watched(job: Job, tools: Tools, paper: Paper, *, quiet: bool) -> Iterator[StageReport]:
    """Run the stages; say what is being done and, unless ``quiet``, what came of it."""
    running = Stage.POLICY

    def begin(stage: Stage) -> None:
        nonlocal running
        running = stage
        paper.pending(stage_label(stage, "...", None))

    try:
        for report in prepare(job, tools, begin):
            if not quiet:
                word = "no" if report.ends_run else "ok"
                print_stage(paper, report.stage, word, report.seconds, report.headline)
                if report.stage is Stage.RECORD and not report.ends_run:
                    for line in _launches(report, tools.artifacts):
                        print_detail(paper, line)
            yield report
    except ToolFailure:
        if not quiet:
            print_stage(paper, running, "??", None, _NOT_THE_KERNEL)
        raise
    finally:
        paper.settle()


def _launches(report: StageReport, artifacts: Artifacts) -> Iterator[str]:
    return launch_lines(plan_from_json(_artifact(report.artifacts[0], artifacts)))


def _judgement(file: str, job: Job, reports: tuple[StageReport, ...]) -> Judgement:
    verdict = Outcome(reports).verdict
    missing = (
        () if verdict is not None else tuple(Missing(one, _NO_GPU_HALF) for one in _GPU_STAGES)
    )
    return Judgement(
        source=file,
        source_sha256=hashlib.sha256(job.source).hexdigest(),
        problem=job.problem.name,
        problem_version=job.problem.version,
        target=job.target,
        device=job.device.product,
        reports=reports,
        missing=missing,
        verdict=verdict,
        correct=correct_of(verdict),
        instruction=Instruction(_family(reports[-1])),
        speed=None,
        speed_reason="not measured",
        integrity=integrity_of(Outcome(reports).signals),
        exit_code=exit_codes.of_verdict(verdict),
    )


def _family(last: StageReport) -> FamilyExecuted:
    for fact in last.facts:
        if fact.name == FAMILY_FACT:
            return FamilyExecuted(str(fact.value))
    return FamilyExecuted.UNKNOWN


def _write_out(folder: Path, judgement: Judgement, artifacts: Artifacts) -> None:
    for ref in Outcome(judgement.reports).artifacts:
        if member := of_artifact(ref.name):
            files.write(folder / member.file, _artifact(ref, artifacts))
    files.write(folder / "report.json", wire.encode(judgement))


def _artifact(ref: ArtifactRef, artifacts: Artifacts) -> bytes:
    return artifacts.get(ref.sha256, limit_bytes=ARTIFACT_READ_BYTES)
