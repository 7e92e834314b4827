"""Tables of what was handed in and judged: entries, turns, runs; and what they name: models, problems."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from evaluation.core.catalogue.problem import Problem
from evaluation.core.catalogue.work import flops, input_bytes, output_bytes
from evaluation.core.findings import Findings
from evaluation.selectors import EntryHead, Reported, TrajectoryRow, TurnRow
from evaluation.selectors.public_rows import (
    PublicRun,
    public_entries,
    public_runs,
    public_trajectories,
)
from leaderboard.exports.data_set.tables import DataTable, number, text, time, whole, yes_no
from leaderboard.selectors.model_head import ListedModel, listed_models


@dataclass(frozen=True, slots=True)
class PlacedTurn:
    """A turn with its trajectory and entry."""

    entry: str
    trajectory: TrajectoryRow
    turn: TurnRow


def entries(at: datetime) -> DataTable[EntryHead]:
    return DataTable(
        "entries",
        "Public entries: one model under one configuration.",
        (
            text("entry", "uid", lambda one: one.uid),
            text("model", "slug; empty until it is accepted", lambda one: one.model_slug),
            text("proposed_model", "as the upload named it", lambda one: one.proposed_model),
            text("authorship", "how its author is known", lambda one: one.authorship),
            text("harness", "as it was said", lambda one: one.harness),
            text("harness_version", "as it was said", lambda one: one.harness_version),
            text("pack", "knowledge given to the model", lambda one: one.pack),
            text("language", "cuda or triton", lambda one: one.language),
            text("reasoning_effort", "as it was said", lambda one: one.reasoning_effort),
            yes_no("single_kernel", "ranks on speed boards only", lambda one: one.single_kernel),
            whole("prompts", "declared layout", lambda one: one.prompts),
            whole("trajectories", "declared, a prompt", lambda one: one.trajectories),
            whole("turns", "declared, a trajectory", lambda one: one.turns),
            text("licence", "of the kernels", lambda one: one.licence),
            time("created_at", "when it was handed in", lambda one: one.created_at),
        ),
        partial(public_entries, at=at),
    )


def turns(at: datetime) -> DataTable[PlacedTurn]:
    def pieces() -> Iterator[tuple[PlacedTurn, ...]]:
        for piece in public_trajectories(at=at):
            yield tuple(
                PlacedTurn(one.entry, one.trajectory, turn)
                for one in piece
                for turn in one.trajectory.turns
            )

    def found(read: Callable[[Findings], str]) -> Callable[[PlacedTurn], str | None]:
        return lambda one: read(one.turn.findings) if one.turn.findings else None

    def ratio(read: Callable[[Reported], float | None]) -> Callable[[PlacedTurn], float | None]:
        return lambda one: read(one.turn.reported) if one.turn.reported else None

    def said(read: Callable[[Reported], str]) -> Callable[[PlacedTurn], str | None]:
        return lambda one: read(one.turn.reported) if one.turn.reported else None

    return DataTable(
        "turns",
        "Turns of public entries, what we found and what the upload reported.",
        (
            text("entry", "uid", lambda one: one.entry),
            text("trajectory", "uid", lambda one: one.trajectory.uid),
            text("problem", "name", lambda one: one.trajectory.problem),
            whole("problem_version", "", lambda one: one.trajectory.problem_version),
            text("target", "hopper or blackwell", lambda one: one.trajectory.target.value),
            whole("prompt", "from 1", lambda one: one.trajectory.prompt + 1),
            whole("number", "of the trajectory, from 1", lambda one: one.trajectory.number + 1),
            text("ending", "why the trajectory ended", lambda one: one.trajectory.ending),
            whole("turn", "from 1", lambda one: one.turn.number + 1),
            text("state", "judged, open, struck, …", lambda one: one.turn.state.value),
            text("missing", "why there is no kernel", lambda one: one.turn.missing),
            text("kernel", "SHA-256", lambda one: one.turn.kernel),
            text("run", "uid of the run that counts", lambda one: one.turn.run),
            text("verdict", "of that run", lambda one: one.turn.verdict),
            text("correct", "yes, no, unknown", found(lambda one: one.correct.value)),
            text("family", "by the paper’s rule", found(lambda one: one.instruction.family.value)),
            text("matrix_path", "", found(lambda one: one.instruction.matrix_path.value)),
            text("judge", "series", lambda one: one.turn.judge),
            text("reported_status", "the upload’s word", said(lambda one: one.status)),
            yes_no("reported_correct", "the upload’s word", _reported_correct),
            number("reported_ratio", "the upload’s word", ratio(lambda one: one.speedup)),
            number("reported_latency_us", "the upload’s word", ratio(lambda one: one.latency_us)),
            text("reported_device", "the upload’s word", said(lambda one: one.device)),
            whole("prompt_tokens", "", lambda one: one.turn.prompt_tokens),
            whole("completion_tokens", "", lambda one: one.turn.completion_tokens),
            whole("reasoning_tokens", "", lambda one: one.turn.reasoning_tokens),
            number("cost_usd", "", lambda one: one.turn.cost_usd),
            time("at", "when the upload says it was made", lambda one: one.turn.at),
        ),
        pieces,
    )


def runs(at: datetime) -> DataTable[PublicRun]:
    return DataTable(
        "runs",
        "Judgings that came to an end, of kernels in public entries.",
        (
            text("run", "uid", lambda one: one.uid),
            text("kernel", "SHA-256", lambda one: one.kernel),
            text("problem", "name", lambda one: one.problem),
            whole("problem_version", "", lambda one: one.problem_version),
            text("target", "hopper or blackwell", lambda one: one.target),
            text("device", "product it was measured on", lambda one: one.device),
            text("judge", "series", lambda one: one.judge),
            text("language", "cuda or triton", lambda one: one.language),
            text("state", "finished or abandoned", lambda one: one.state),
            text("verdict", "empty where it was abandoned", lambda one: one.verdict),
            text("correct", "yes, no, unknown", lambda one: one.correct),
            text("family", "by the paper’s rule", lambda one: one.family),
            text("matrix_path", "yes, no, unknown", lambda one: one.matrix_path),
            number("coverage", "of the matrix path, at least", lambda one: one.coverage),
            number("executed_share", "of the needed work", lambda one: one.executed_share),
            number("ratio", "vendor’s time over the kernel’s", lambda one: one.ratio),
            number("ratio_low", "lower end of its 95 % interval", lambda one: one.ratio_low),
            number("ratio_high", "upper end", lambda one: one.ratio_high),
            whole("candidate_ns", "the kernel’s time", lambda one: one.candidate_ns),
            whole("vendor_ns", "the vendor’s time", lambda one: one.vendor_ns),
            text("without_speed_why", "", lambda one: one.speed_reason),
            text("lane", "recorded or live", lambda one: one.lane),
            yes_no("applied", "its result counts", lambda one: one.applied),
            number("gpu_seconds", "that it took", lambda one: one.gpu_seconds),
            time("created_at", "", lambda one: one.created_at),
            time("finished_at", "", lambda one: one.finished_at),
        ),
        partial(public_runs, at=at),
    )


def models(at: datetime) -> DataTable[ListedModel]:
    return DataTable(
        "models",
        "Names under which entries were accepted or values published.",
        (
            text("model", "slug", lambda one: one.slug),
            text("name", "", lambda one: one.name),
            text("track", "human, agent or model", lambda one: one.track),
            text("released_on", "date", _released),
            whole("public_entries", "", lambda one: one.entries),
            whole("published_values", "", lambda one: one.published),
        ),
        lambda: iter((listed_models(at=at).models,)),
    )


def problems(catalogue: Sequence[Problem]) -> DataTable[Problem]:
    return DataTable(
        "problems",
        "What kernels are asked to compute.",
        (
            text("problem", "name", lambda one: one.name),
            text("title", "", lambda one: one.title),
            whole("version", "", lambda one: one.version),
            text("suite", "", lambda one: one.suite),
            yes_no("ranked", "others are shown only", lambda one: one.ranked),
            text("kind", "", lambda one: one.kind.value),
            text("targets", "a space between", lambda one: " ".join(one.targets)),
            text("workload", "its published uuid", lambda one: one.workload),
            text("baseline", "the vendor’s call", lambda one: one.baseline.value),
            whole("flops", "by the published formula", flops),
            whole("input_bytes", "", input_bytes),
            whole("output_bytes", "", output_bytes),
        ),
        lambda: iter((catalogue,)),
    )


def _reported_correct(one: PlacedTurn) -> bool | None:
    return one.turn.reported.correct if one.turn.reported else None


def _released(one: ListedModel) -> str | None:
    return one.released_on.isoformat() if one.released_on else None
