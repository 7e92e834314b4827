"""A GPU that saw what it is told to have seen, behind the measurer port."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TypeVar

from measured import CHECKED, DEVICE, GEMM, MEASURED

from evaluation.core.measure.measurer import Session
from evaluation.core.measure.prepared import Prepared
from evaluation.core.measure.seen import CheckSeen, DeviceSeen, MeasureSeen, ProbeSeen, Reading
from evaluation.core.probe.metrics import metrics_for
from evaluation.core.verdict import Target

# 2 * 8192 * 7168 * 5120 operations of WGMMA on bf16, and the candidate's own time.
_COUNTS = {
    "sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32_sparsity_off.sum": 601_295_421_440,
    # Half of 2,010,000 ns, of which the profiler has the rest.
    "gpu__time_duration.sum": 2_010_000,
    "sm__cycles_active.max": 1_900_000,
    "sm__cycles_elapsed.max": 3_800_000,
}
_VALUES = tuple((name, _COUNTS.get(name, 0)) for name in metrics_for(Target.HOPPER, GEMM))
READINGS = ProbeSeen(tuple(Reading(0, call, _VALUES) for call in (9, 17, 25)))
MEASURED_WITH_COUNTERS = replace(
    MEASURED, probe=READINGS, roofs=replace(MEASURED.roofs, matrix_flops_per_s=8.0e14)
)


@dataclass
class FakeMeasurer:
    """Gives ``checked`` and one of ``measured`` after the other, the last for ever; an exception is raised.

    ``at_close`` is raised when a kernel is put away, as by a GPU that was sick after it.
    """

    checked: CheckSeen | Exception = CHECKED
    measured: tuple[MeasureSeen | Exception, ...] = (MEASURED_WITH_COUNTERS,)
    at_close: Exception | None = None
    said: list[str] = field(default_factory=list)  # what was asked of it, in order
    kernels: list[Prepared] = field(default_factory=list)

    @property
    def device(self) -> DeviceSeen:
        return DEVICE

    @contextlib.contextmanager
    def open(self, prepared: Prepared) -> Iterator[Session]:
        self.kernels.append(prepared)
        self.said.append("open")
        try:
            yield self.session()
        finally:
            self.said.append("close")
            if self.at_close is not None:
                raise self.at_close

    def session(self) -> Session:
        return FakeSession(self)

    def close(self) -> None:
        self.said.append("end")


@dataclass
class FakeSession:
    measurer: FakeMeasurer

    def check(self) -> CheckSeen:
        self.measurer.said.append("check")
        return _given(self.measurer.checked)

    def measure(self) -> MeasureSeen:
        self.measurer.said.append("measure")
        left = self.measurer.measured
        if len(left) > 1:
            self.measurer.measured = left[1:]
        return _given(left[0])


Seen = TypeVar("Seen", CheckSeen, MeasureSeen)


def _given(answer: Seen | Exception) -> Seen:
    if isinstance(answer, Exception):
        raise answer
    return answer
