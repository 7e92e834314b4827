"""The commands judge and record: a file in, stage after stage on the screen, a verdict out."""

import argparse
import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

from evaluation.adapters.catalogue import packaged
from evaluation.adapters.wiring import prepare_tools
from evaluation.adapters.workspace import Workspace
from evaluation.cli import exit_codes
from evaluation.cli.paper import Paper
from evaluation.cli.report import print_reports, print_summary, stage_line
from evaluation.core import wire
from evaluation.core.device import default_product
from evaluation.core.errors import InvalidInput
from evaluation.core.judgement import Judgement, Missing, correct_of
from evaluation.core.pipeline import Job, Tools, prepare
from evaluation.core.ports import Artifacts
from evaluation.core.records import StageReport
from evaluation.core.verdict import FamilyExecuted, Language, Stage, Target, Verdict

SOURCE_READ_BYTES = (
    4 * 1024 * 1024
)  # what is more than the policy's limit is refused there, with the rule
ARTIFACT_READ_BYTES = 256 * 1024 * 1024
_GPU_STAGES = tuple(stage for stage in Stage if stage.needs_gpu)
_NO_GPU_HALF = "needs a GPU worker; this version judges as far as the scan"
_FILE_NAMES = {
    "plan": "plan.json",
    "cubin": "kernel.cubin",
    "ptx": "kernel.ptx",
    "library": "libkernel.so",
    "sass_evidence": "sass.txt",
}


class Unreadable(Exception):
    """The input file cannot be read; the message is for the user."""


def judge(options: argparse.Namespace, workspace: Workspace) -> int:
    paper = Paper(sys.stderr if options.json else sys.stdout)
    try:
        job, name = _job(options)
    except Unreadable as why:
        sys.stderr.write(f"ptxboard: {why}\n")
        return exit_codes.NO_INPUT
    tools = prepare_tools(workspace, cached=not options.no_cache)
    if not options.json:
        paper.line(
            f"{paper.style(name, 'bold')}  for {job.problem.name} on {job.target} (device table {job.device.product})"
        )
        paper.line()
    reports = tuple(_watched(job, tools, paper, quiet=options.json))
    judgement = _judgement(name, job, reports)
    if options.out is not None:
        _write_out(options.out, reports, judgement, tools.artifacts)
    if options.json:
        sys.stdout.write(f"{wire.encode(judgement).decode()}\n")
    else:
        for one in judgement.missing:
            paper.line(stage_line(paper, one.stage, "-", None, one.why))
        print_reports(paper, judgement.reports)
        print_summary(paper, judgement, options.out)
    return judgement.exit_code


def record(options: argparse.Namespace, workspace: Workspace) -> int:
    paper = Paper(sys.stderr)
    try:
        job, _ = _job(options)
    except Unreadable as why:
        sys.stderr.write(f"ptxboard: {why}\n")
        return exit_codes.NO_INPUT
    tools = prepare_tools(workspace, cached=not options.no_cache)
    for report in _watched(job, tools, paper, quiet=False):
        if report.verdict is not None:
            print_reports(paper, (report,))
            return exit_codes.BY_VERDICT[report.verdict]
        if report.stage is Stage.RECORD:
            (plan,) = (one for one in report.artifacts if one.name == "plan")
            content = tools.artifacts.get(plan.sha256, limit_bytes=ARTIFACT_READ_BYTES)
            if options.out is None:
                sys.stdout.buffer.write(content + b"\n")
            else:
                options.out.write_bytes(content)
            break
    return exit_codes.OK


def _job(options: argparse.Namespace) -> tuple[Job, str]:
    target = Target(options.target)
    catalogue = packaged()
    problem = catalogue.problem(options.problem)
    if target not in problem.targets:
        known = ", ".join(problem.targets)
        raise InvalidInput(
            where=problem.name, key="targets", rule=f"is not judged on {target}; only on {known}"
        )
    device = catalogue.device(options.device or default_product(target))
    if device.target is not target:
        rule = f"is a {device.target} product, not a {target} one"
        raise InvalidInput(where="--device", key=device.product, rule=rule)
    return Job(_read(options.file), Language.CUDA, problem, target, device), options.file


def _read(file: str) -> bytes:
    try:
        if file == "-":
            return sys.stdin.buffer.read(SOURCE_READ_BYTES)
        with Path(file).open("rb") as stream:
            return stream.read(SOURCE_READ_BYTES)
    except OSError as error:
        raise Unreadable(f"cannot read {file}: {error.strerror}") from error


def _watched(job: Job, tools: Tools, paper: Paper, *, quiet: bool) -> Iterator[StageReport]:
    def begin(stage: Stage) -> None:
        if not quiet:
            paper.pending(stage_line(paper, stage, "...", None, ""))

    for report in prepare(job, tools, begin):
        if not quiet:
            word = "no" if report.verdict is not None else "ok"
            paper.line(stage_line(paper, report.stage, word, report.seconds, report.headline))
        yield report


def _judgement(name: str, job: Job, reports: tuple[StageReport, ...]) -> Judgement:
    verdict = reports[-1].verdict
    missing = (
        () if verdict is not None else tuple(Missing(one, _NO_GPU_HALF) for one in _GPU_STAGES)
    )
    return Judgement(
        source=name,
        source_sha256=hashlib.sha256(job.source).hexdigest(),
        problem=job.problem.name,
        problem_version=job.problem.version,
        target=job.target,
        device=job.device.product,
        reports=reports,
        missing=missing,
        verdict=verdict,
        correct=correct_of(verdict),
        instruction=_family(reports[-1]),
        speed_ratio=None,
        exit_code=exit_code(verdict),
    )


def exit_code(verdict: Verdict | None) -> int:
    return exit_codes.INCOMPLETE if verdict is None else exit_codes.BY_VERDICT[verdict]


def _family(last: StageReport) -> FamilyExecuted:
    for fact in last.facts:
        if fact.name == "family_static":
            return FamilyExecuted(str(fact.value))
    return FamilyExecuted.UNKNOWN


def _write_out(
    folder: Path, reports: tuple[StageReport, ...], judgement: Judgement, artifacts: Artifacts
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for ref in (ref for report in reports for ref in report.artifacts):
        content = artifacts.get(ref.sha256, limit_bytes=ARTIFACT_READ_BYTES)
        (folder / _FILE_NAMES[ref.name]).write_bytes(content)
    (folder / "report.json").write_bytes(wire.encode(judgement))
