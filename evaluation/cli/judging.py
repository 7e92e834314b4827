"""The commands judge and record: a file in, stage after stage on the screen, a verdict out."""

import argparse
import hashlib
import sys
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Protocol

from evaluation.adapters.gpu_use import GpuUnavailable
from evaluation.adapters.lab import Lab
from evaluation.adapters.workspace import Workspace
from evaluation.cli import exit_codes, files
from evaluation.cli.asking import job_of
from evaluation.cli.bundling import save
from evaluation.cli.gpu_choice import FindGpu, choose, left_out
from evaluation.cli.paper import Paper, clean
from evaluation.cli.report import print_reports, print_stage, print_summary
from evaluation.cli.watching import Watch, artifact
from evaluation.core import wire
from evaluation.core.bundle.members import of_artifact
from evaluation.core.errors import ToolMissing
from evaluation.core.findings import findings_of
from evaluation.core.judgement import Judgement, Missing
from evaluation.core.measure.examination import ExaminationKind
from evaluation.core.measure.hand_over import prepared_from
from evaluation.core.measure.parts import parts_of
from evaluation.core.pipeline import Job, Tools, prepare
from evaluation.core.ports import Artifacts
from evaluation.core.records import Outcome, StageReport
from evaluation.core.verdict import Stage

_GPU_STAGES = tuple(stage for stage in Stage if stage.needs_gpu)


class OpenTools(Protocol):
    def __call__(self, workspace: Workspace, *, cached: bool) -> Tools: ...


class OpenLab(Protocol):
    def __call__(
        self, workspace: Workspace, product: str, gpu: int
    ) -> AbstractContextManager[Lab]: ...


def judge(
    options: argparse.Namespace,
    workspace: Workspace,
    open_tools: OpenTools,
    open_lab: OpenLab,
    find_gpu: FindGpu,
) -> int:
    """Print stage by stage, or one JSON document at the end. The exit code is the verdict's."""
    paper = Paper(sys.stderr if options.json else sys.stdout)
    choice = choose(options, workspace, find_gpu)
    examine = tuple(ExaminationKind(one) for one in options.examine)
    if examine and choice.device is None:
        action = "leave --examine out, or judge on a machine with such a GPU"
        raise ToolMissing(f"--examine {examine[0]}: {choice.why}", action=action)
    job = job_of(options, here=choice.here)
    _check_places(options)
    tools = open_tools(workspace, cached=not options.no_cache)
    if not options.json:
        _print_title(paper, options, job)
    watch = Watch(paper, tools.artifacts, quiet=options.json)
    reports = tuple(watch.over(prepare(job, tools, watch.begin)))
    why_no_gpu = choice.why
    if choice.device is not None and Outcome(reports).verdict is None:
        try:
            with open_lab(workspace, choice.device.product, choice.number) as lab:
                reports += _measured(lab, job, reports, watch, examine)
        except GpuUnavailable as why:  # taken, or found sick, while the kernel was compiled
            why_no_gpu = left_out(options, why)
    judgement = _judgement(options.file, job, reports, why_no_gpu)
    if options.out is not None:
        _write_out(options.out, judgement, tools.artifacts)
    if options.bundle is not None:
        save(options.bundle, judgement, job.source, tools.artifacts)
    if options.json:
        sys.stdout.write(f"{wire.encode(judgement).decode()}\n")
    else:
        for one in judgement.missing:
            print_stage(paper, one.stage, "-", None, one.why)
        print_reports(paper, judgement.reports)
        print_summary(paper, judgement, options.out)
    return judgement.exit_code


def _check_places(options: argparse.Namespace) -> None:
    """Raise CannotWrite before anything is compiled."""
    if options.out is not None:
        files.make_folder(options.out)
    if options.bundle is not None:
        files.check_writable(options.bundle)


def _measured(
    lab: Lab,
    job: Job,
    reports: tuple[StageReport, ...],
    watch: Watch,
    examine: tuple[ExaminationKind, ...],
) -> tuple[StageReport, ...]:
    """What the GPU half says after the ``reports`` of the other one."""
    parts = parts_of(Outcome(reports))
    prepared = prepared_from(job.problem, job.device, parts, lab.tools.artifacts)
    with closing(lab.stages(prepared, parts, watch.begin, examine=examine)) as stages:
        return tuple(watch.over(stages))


def record(options: argparse.Namespace, workspace: Workspace, open_tools: OpenTools) -> int:
    """Write the launch plan; progress and refusals go to standard error."""
    paper = Paper(sys.stderr)
    job = job_of(options)
    to_stdout = options.out == Path(files.STANDARD)
    if not to_stdout:
        files.check_writable(options.out)
    tools = open_tools(workspace, cached=not options.no_cache)
    watch = Watch(paper, tools.artifacts, quiet=False)
    for report in watch.over(prepare(job, tools, watch.begin)):
        if report.verdict is not None:
            print_reports(paper, (report,))
            return exit_codes.of_verdict(report.verdict)
        if report.stage is Stage.RECORD:
            content = artifact(report.artifacts[0], tools.artifacts)
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


def _judgement(file: str, job: Job, reports: tuple[StageReport, ...], why_no_gpu: str) -> Judgement:
    outcome = Outcome(reports)
    found = findings_of(outcome)
    missing = () if outcome.verdict is not None else _GPU_STAGES
    return Judgement(
        source=file,
        source_sha256=hashlib.sha256(job.source).hexdigest(),
        problem=job.problem.name,
        problem_version=job.problem.version,
        target=job.target,
        device=job.device.product,
        reports=reports,
        missing=tuple(Missing(one, why_no_gpu) for one in missing),
        verdict=outcome.verdict,
        correct=found.correct,
        instruction=found.instruction,
        speed=found.speed,
        speed_reason=found.speed_reason,
        integrity=found.integrity,
        exit_code=exit_codes.of_verdict(outcome.verdict),
    )


def _write_out(folder: Path, judgement: Judgement, artifacts: Artifacts) -> None:
    for ref in Outcome(judgement.reports).artifacts:
        if member := of_artifact(ref.name):
            files.write(folder / member.file, artifact(ref, artifacts))
    files.write(folder / "report.json", wire.encode(judgement))
