"""The runs of kernels as a table to save: what a page of a kernel, or of several side by side, shows of each."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from evaluation.core.findings import Findings
from evaluation.core.judgement import Speed
from evaluation.selectors import KernelPage, RunRow
from leaderboard.exports.addresses import address_column
from leaderboard.exports.table import Column, Table, Value, columns_of


@dataclass(frozen=True, slots=True)
class KernelRun:
    """A run with the kernel that it judged."""

    kernel: KernelPage
    run: RunRow


def runs_table(
    found: Iterable[KernelRun], *, origin: str, page: str, shown: Collection[str] | None = None
) -> Table[KernelRun]:
    """``shown`` are the columns of the page of a kernel; all where it is None."""
    parts = {**_which(origin), **_found(), **_when()}
    return Table("runs", {"page": page}, columns_of(parts, shown), tuple(found))


def _which(origin: str) -> dict[str, tuple[Column[KernelRun], ...]]:
    """By the column of the page that they belong to."""
    return {
        "run": (
            Column("kernel_sha256", lambda one: one.kernel.sha256),
            address_column(origin, "kernel_url", "kernel", lambda one: one.kernel.sha256),
            Column("language", lambda one: one.kernel.language.value),
            Column("size_bytes", lambda one: one.kernel.size),
            Column("run", lambda one: one.run.uid),
            address_column(origin, "run_url", "run", lambda one: one.run.uid),
        ),
        "problem": (
            Column("problem", lambda one: one.run.problem),
            Column("problem_version", lambda one: one.run.problem_version),
        ),
        "device": (
            Column("target", lambda one: one.run.target),
            Column("device", lambda one: one.run.device),
        ),
        "judge": (
            Column("judge", lambda one: one.run.judge),
            Column("in_effect", lambda one: one.run.applied),
        ),
    }


def _found() -> dict[str, tuple[Column[KernelRun], ...]]:
    def found(read: Callable[[Findings], Value]) -> Callable[[KernelRun], Value]:
        return lambda one: read(one.run.findings) if one.run.findings else None

    def speed(read: Callable[[Speed], Value]) -> Callable[[KernelRun], Value]:
        return found(lambda one: read(one.speed) if one.speed else None)

    return {
        "verdict": (
            Column("state", lambda one: one.run.state.value),
            Column("verdict", lambda one: one.run.verdict),
            Column("correct", found(lambda one: one.correct.value)),
        ),
        "instruction": (Column("family", found(lambda one: one.instruction.family.value)),),
        "matrix_path": (
            Column("matrix_path", found(lambda one: one.instruction.matrix_path.value)),
            Column("coverage_share", found(lambda one: one.instruction.coverage)),
            Column("executed_share", found(lambda one: one.instruction.executed_share)),
        ),
        "ratio": (
            Column("ratio", speed(lambda one: one.ratio)),
            Column("ratio_low", speed(lambda one: one.low)),
            Column("ratio_high", speed(lambda one: one.high)),
            Column("candidate_ns", speed(lambda one: one.candidate_ns)),
            Column("vendor_ns", speed(lambda one: one.vendor_ns)),
            Column("speed_reason", found(lambda one: one.speed_reason)),
        ),
    }


def _when() -> dict[str, tuple[Column[KernelRun], ...]]:
    return {
        "gpu": (Column("gpu_seconds", lambda one: one.run.gpu_seconds),),
        "ended": (
            Column("created_at", lambda one: one.run.created_at.isoformat()),
            Column(
                "finished_at",
                lambda one: one.run.finished_at.isoformat() if one.run.finished_at else "",
            ),
        ),
    }
