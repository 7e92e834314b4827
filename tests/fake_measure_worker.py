"""A measure worker with a fake GPU, for tests of real workers: an app for ``celery -A fake_measure_worker``.

The file that FAKE_GPU names says what the GPU does, read anew with every kernel: ``well``; ``slow``, its ratio halves;
``busy``, a check does not end while that stands there; ``sick``.
"""

import os
import time
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from fake_measurer import MEASURED_WITH_COUNTERS, FakeMeasurer
from measured import CHECKED, PAIRS, pair
from sample_run import a_prepared_kernel

from evaluation import queues, tasks, worker
from evaluation.adapters.measure_wiring import equipment
from evaluation.adapters.reporter import QueueReporter
from evaluation.adapters.station import Station
from evaluation.core.measure.health import GpuSick
from evaluation.core.measure.known_kernel import Band, ReadyKernel
from evaluation.core.measure.measurer import Session
from evaluation.core.measure.seen import CheckSeen, MeasureSeen

app = worker.app
_GPU = Path(os.environ["FAKE_GPU"])
_SLOW = replace(
    MEASURED_WITH_COUNTERS,
    pairs=tuple(pair(one.launcher, one.place, candidate=2_000_000) for one in PAIRS),
)
# Two kernels an hour are for real workers.
queues.DEVICE_HEARTBEAT_SECONDS = 1
queues.CANARY_AGAIN_SECONDS = 1


@dataclass
class _Session:
    def check(self) -> CheckSeen:
        while _GPU.read_text() == "busy":
            time.sleep(0.02)
        if _GPU.read_text() == "sick":
            raise GpuSick("Xid 79 during the kernel")
        return CHECKED

    def measure(self) -> MeasureSeen:
        return _SLOW if _GPU.read_text() == "slow" else MEASURED_WITH_COUNTERS


class _Measurer(FakeMeasurer):
    def session(self) -> Session:
        return _Session()


def _station(self: tasks.MeasureTask) -> Station:
    real = equipment(
        worker.state(),
        device=worker.device(),
        gpu=worker.gpu(),
        worker=worker.worker_name(),
        reporter=QueueReporter(self.app),
        environment={},
    )
    known = ReadyKernel("gemm", a_prepared_kernel(), Band("h200", 0.70, 0.80, "by hand"))
    fake = replace(real, open_measurer=_Measurer, canaries=lambda: (known,))
    return Station(fake, self.consume)


_property = cached_property(_station)
_property.__set_name__(tasks.MeasureTask, "station")
tasks.MeasureTask.station = _property  # type: ignore[assignment]
