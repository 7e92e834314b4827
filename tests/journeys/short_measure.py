"""A measure worker with short waits whose GPU sees what an H200 has seen: an app for ``celery -A short_measure``.

JOURNEY_PACE is how many seconds a check, and a measurement, takes.
"""

import contextlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import short_times  # noqa: F401 (for what it shortens)
from fake_measurer import MEASURED_WITH_COUNTERS, FakeMeasurer
from measured import CHECKED
from sample_run import a_prepared_kernel
from scripted_kernels import Case, case_of

from evaluation import tasks, worker
from evaluation.adapters import measure_wiring
from evaluation.adapters.artifacts import LocalArtifacts
from evaluation.adapters.reporter import QueueReporter
from evaluation.adapters.station import Station
from evaluation.core import wire
from evaluation.core.measure.known_kernel import Band, ReadyKernel
from evaluation.core.measure.measurer import Session
from evaluation.core.measure.prepared import Prepared
from evaluation.core.measure.seen import CheckSeen, MeasureSeen

app = worker.app
_PACE_SECONDS = float(os.environ.get("JOURNEY_PACE", "0"))
_RECORDED = Path(__file__).parents[1] / "fixtures" / "h200"


@dataclass(frozen=True, slots=True)
class _Session:
    """Without a case it is a canary that is well."""

    case: Case | None

    def check(self) -> CheckSeen:
        time.sleep(_PACE_SECONDS)
        if self.case is None:
            return CHECKED
        content = (_RECORDED / self.case.name / "check_seen.json").read_bytes()
        return wire.decode(CheckSeen, content, where=self.case.name)

    def measure(self) -> MeasureSeen:
        time.sleep(_PACE_SECONDS)
        if self.case is None:
            return MEASURED_WITH_COUNTERS
        content = (_RECORDED / self.case.name / "measure_seen.json").read_bytes()
        return wire.decode(MeasureSeen, content, where=self.case.name)


class _Measurer(FakeMeasurer):
    @contextlib.contextmanager
    def open(self, prepared: Prepared) -> Iterator[Session]:
        yield _Session(case_of(prepared.cubin))


def _station(self: tasks.MeasureTask) -> Station:
    artifacts = LocalArtifacts(worker.state().artifacts)
    real = measure_wiring.equipment(
        worker.state(),
        device=worker.device(),
        gpu=worker.gpu(),
        worker=worker.worker_name(),
        reporter=QueueReporter(self.app),
        environment={},
    )
    known = ReadyKernel("gemm", a_prepared_kernel(), Band("h200", 0.70, 0.80, "by hand"))
    scripted = replace(
        real,
        open_measurer=_Measurer,
        # Without an examiner: it would look for the GPU that is not there.
        judge=measure_wiring._Judge(measure_wiring.measure_tools(artifacts, worker.device())),
        canaries=lambda: (known,),
    )
    return Station(scripted, self.consume)


_property = cached_property(_station)
_property.__set_name__(tasks.MeasureTask, "station")
tasks.MeasureTask.station = _property  # type: ignore[assignment]
