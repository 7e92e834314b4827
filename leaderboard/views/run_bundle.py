"""Makes the bundle of a run out of its reports and artifacts, as far as this viewer may see them."""

from dataclasses import replace
from uuid import UUID

from evaluation.cli import exit_codes
from evaluation.core.bundle.bundle import pack
from evaluation.core.bundle.members import SOURCE
from evaluation.core.errors import ToolFailure
from evaluation.core.findings import findings_of
from evaluation.core.judgement import Judgement
from evaluation.core.ports import Artifacts
from evaluation.core.records import Outcome, StageReport
from evaluation.core.verdict import Lane, Language, RunState, Target
from evaluation.selectors import ReportRow, Viewer, kernel_page, run_progress
from evaluation.selectors.progress import RunProgress

MOST_BYTES = 64 << 20  # made in memory while somebody waits
_LOG_BYTES = 8 << 20
_SOURCE_BYTES = 4 << 20


class NoBundle(LookupError):
    """This run has none to give; the text says why."""


def bundle_of(viewer: Viewer, uid: UUID, store: Artifacts) -> bytes:
    """Pack a finished run. Raise NotVisible, or NoBundle where something of it is missing or there is too much."""
    found = run_progress(viewer, uid)
    if found.state is not RunState.FINISHED:
        raise NoBundle("A run has a bundle when it is finished.")
    if found.language is not Language.CUDA:
        raise NoBundle("Bundles hold kernels in CUDA.")
    kernel_page(viewer, found.kernel)  # a bundle holds the source: who may not see it has none
    refs = [one for report in found.reports for one in report.report.artifacts]
    if sum(one.size for one in refs) > MOST_BYTES:
        raise NoBundle(f"The bundle would have more than {MOST_BYTES >> 20} MiB; save its parts.")
    try:
        reports = tuple(_with_log(one, store) for one in found.reports)
        source = store.get(found.kernel, limit_bytes=_SOURCE_BYTES)
        return pack(
            _judgement(found, reports),
            source,
            lambda ref: store.get(ref.sha256, limit_bytes=ref.size),
        )
    except ToolFailure:
        raise NoBundle("Some artifacts of this run are not kept here.") from None


def _with_log(row: ReportRow, store: Artifacts) -> StageReport:
    if not row.log:
        return row.report
    content = store.get(row.log, limit_bytes=_LOG_BYTES)
    return replace(row.report, log=content.decode("utf-8", "replace"))


def _judgement(found: RunProgress, reports: tuple[StageReport, ...]) -> Judgement:
    outcome = Outcome(reports)
    established = findings_of(outcome)
    return Judgement(
        source=SOURCE,
        source_sha256=found.kernel,
        problem=found.problem,
        problem_version=found.problem_version,
        target=Target(found.target),
        device=found.device,
        reports=reports,
        missing=(),
        verdict=outcome.verdict,
        correct=established.correct,
        instruction=established.instruction,
        speed=established.speed,
        speed_reason=established.speed_reason,
        integrity=established.integrity,
        exit_code=exit_codes.of_verdict(outcome.verdict),
        lane=Lane(found.lane),
        judge=found.judge,
    )
