"""The runs of kernels as a table to save: what a page of a kernel, or of several side by side, shows of each."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from evaluation.core.findings import Findings
from evaluation.core.judgement import Speed
from evaluation.selectors import KernelPage, RunRow
from leaderboard.exports.addresses import address_column
from leaderboard.exports.table import Column, Table, Value


@dataclass(frozen=True, slots=True)
class KernelRun:
    """A run with the kernel that it judged."""

    kernel: KernelPage
    run: RunRow


def runs_table(found: Iterable[KernelRun], *, origin: str, page: str) -> Table[KernelRun]:
    columns: list[Column[KernelRun]] = [*_which(origin), *_found(), *_when()]
    return Table("runs", {"page": page}, columns, tuple(found))


def _which(origin: str) -> tuple[Column[KernelRun], ...]:
    return (
        Column("kernel_sha256", lambda one: one.kernel.sha256),
        address_column(origin, "kernel_url", "kernel", lambda one: one.kernel.sha256),
        Column("language", lambda one: one.kernel.language.value),
        Column("size_bytes", lambda one: one.kernel.size),
        Column("run", lambda one: one.run.uid),
        address_column(origin, "run_url", "run", lambda one: one.run.uid),
        Column("problem", lambda one: one.run.problem),
        Column("problem_version", lambda one: one.run.problem_version),
        Column("target", lambda one: one.run.target),
        Column("device", lambda one: one.run.device),
        Column("judge", lambda one: one.run.judge),
        Column("in_effect", lambda one: one.run.applied),
        Column("state", lambda one: one.run.state.value),
    )


def _found() -> tuple[Column[KernelRun], ...]:
    def found(read: Callable[[Findings], Value]) -> Callable[[KernelRun], Value]:
        return lambda one: read(one.run.findings) if one.run.findings else None

    def speed(read: Callable[[Speed], Value]) -> Callable[[KernelRun], Value]:
        return found(lambda one: read(one.speed) if one.speed else None)

    return (
        Column("verdict", lambda one: one.run.verdict),
        Column("correct", found(lambda one: one.correct.value)),
        Column("family", found(lambda one: one.instruction.family.value)),
        Column("matrix_path", found(lambda one: one.instruction.matrix_path.value)),
        Column("coverage_share", found(lambda one: one.instruction.coverage)),
        Column("executed_share", found(lambda one: one.instruction.executed_share)),
        Column("ratio", speed(lambda one: one.ratio)),
        Column("ratio_low", speed(lambda one: one.low)),
        Column("ratio_high", speed(lambda one: one.high)),
        Column("candidate_ns", speed(lambda one: one.candidate_ns)),
        Column("vendor_ns", speed(lambda one: one.vendor_ns)),
        Column("speed_reason", found(lambda one: one.speed_reason)),
    )


def _when() -> tuple[Column[KernelRun], ...]:
    return (
        Column("gpu_seconds", lambda one: one.run.gpu_seconds),
        Column("created_at", lambda one: one.run.created_at.isoformat()),
        Column(
            "finished_at",
            lambda one: one.run.finished_at.isoformat() if one.run.finished_at else "",
        ),
    )
