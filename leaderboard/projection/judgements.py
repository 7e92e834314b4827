"""The runs and holds of kernels, by what they are of: one kernel at one problem for one target."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from django.db.models import QuerySet

from evaluation.core.verdict import Correct, FamilyExecuted, MatrixPath, RunState, Verdict
from evaluation.models import Hold, Run, Turn
from leaderboard.projection.past import RunFact

_Judged: TypeAlias = tuple[int, str, int, str]  # kernel, problem, its version, target
_Held: TypeAlias = tuple[int, str, str]  # kernel, problem, target
_Owned: TypeAlias = tuple[str, bool, RunFact]  # with its owner and whether it is shared

_RUN_COLUMNS = (
    *("kernel_id", "problem", "problem_version", "target", "owner", "shared", "pk", "uid", "judge"),
    *("device", "device_wanted", "state", "applied", "correct", "family", "matrix_path"),
    *("ratio", "ratio_low", "ratio_high", "candidate_ns", "vendor_ns", "finished_at"),
    *("verdict", "gpu_seconds"),
)
_FROM_A_GPU = frozenset(map(str, (Verdict.ACCEPTED, Verdict.WRONG_RESULT, Verdict.MEMORY_FAULT)))
_FROM_EITHER_HALF = frozenset(map(str, (Verdict.TIMEOUT, Verdict.RUNTIME_ERROR)))
_FAMILIES = {str(word): word for word in FamilyExecuted}
_PATHS = {str(word): word for word in MatrixPath}


@dataclass(frozen=True, slots=True)
class Judgements:
    runs: dict[_Judged, list[_Owned]]
    holds: dict[_Held, str]

    def runs_of(self, judged: _Judged, owner: str) -> tuple[RunFact, ...]:
        """Give the runs that this owner may rest on, the newest first; those without an end come before all others."""
        several = self.runs.get(judged, ())
        return tuple([run for whose, shared, run in several if shared or whose == owner])

    def hold_of(self, held: _Held) -> str:
        """Give the state of the acting hold, or nothing."""
        return self.holds.get(held, "")


def judgements(turns: QuerySet[Turn]) -> Judgements:
    """Read what has been found of these turns' kernels, in two queries."""
    kernels = turns.order_by().filter(missing="").values("kernel_id")
    holds = Hold.objects.acting().filter(kernel__in=kernels)
    return Judgements(
        _by_what(Run.objects.filter(kernel__in=kernels).values_list(*_RUN_COLUMNS)),
        {
            (kernel, problem, target): state
            for kernel, problem, target, state in holds.values_list(
                "kernel_id", "problem", "target", "state"
            )
        },
    )


def _by_what(rows: Iterable[tuple[Any, ...]]) -> dict[_Judged, list[_Owned]]:
    """Take rows of _RUN_COLUMNS. All is done in one loop: there are a million of them."""
    found: defaultdict[_Judged, list[_Owned]] = defaultdict(list)
    for (
        kernel, problem, version, target, owner, shared, key, uid, judge, device, wanted, state, applied,
        correct, family, path, ratio, low, high, candidate_ns, vendor_ns, ended_at, verdict, gpu_seconds,
    ) in rows:  # fmt: skip
        run = RunFact(
            key, str(uid), judge, device, wanted,
            state == RunState.FINISHED and applied, state == RunState.ABANDONED, correct == Correct.YES,
            _FAMILIES[family], _PATHS[path],
            ratio, low, high, candidate_ns, vendor_ns, ended_at,
            verdict in _FROM_A_GPU or (gpu_seconds > 0 and verdict in _FROM_EITHER_HALF),
        )  # fmt: skip
        found[kernel, problem, version, target].append((owner, shared, run))
    for several in found.values():
        if len(several) > 1:
            several.sort(key=_age, reverse=True)
    return found


def _age(owned: _Owned) -> tuple[bool, float, int]:
    run = owned[2]
    return (run.ended_at is None, run.ended_at.timestamp() if run.ended_at else 0.0, run.key)
