"""The ``Shop`` of a real referee: one device, one warm problem at a time, launchers in their jails."""

import secrets
import time
from pathlib import Path

from evaluation.adapters.gpu.launcher_client import Deadlines
from evaluation.adapters.gpu.launcher_runtime import find_runtime
from evaluation.adapters.gpu.launchers import (
    Confinement,
    CounterFiles,
    Jailed,
    ProcessLaunchers,
    Unjailed,
    jail_for,
)
from evaluation.adapters.referee.gpu_bench import GpuBench
from evaluation.adapters.referee.keys import NONCE_BYTES, keys
from evaluation.adapters.referee.opening import open_stand
from evaluation.adapters.referee.served_session import ServedSession
from evaluation.adapters.referee.session import Resources, Subject
from evaluation.adapters.referee.spares import SpareLaunchers
from evaluation.adapters.workspace import Workspace
from evaluation.core.catalogue.problem import Bounds, Problem
from evaluation.core.errors import InvalidInput, ToolFailure
from evaluation.core.launching.port import Gpu
from evaluation.core.launching.replay import held_calls
from evaluation.core.measure.referee_words import Kernel, Settings
from evaluation.core.measure.seen import DeviceSeen
from evaluation.core.plan.plan import Plan
from evaluation.core.plan.plan_json import plan_from_json
from evaluation.core.probe.metrics import metrics_for
from evaluation.core.timing.budget import LAUNCHERS
from evaluation.core.verdict import FamilyExecuted

# A call that ends a little late is told as too slow, with its time; one that does not end at all is cut off here.
_CALL_GRACE_SECONDS = 2.0


class Workshop:
    """Opening a kernel makes its problem warm, if it is not. Raise ToolFailure or CudaError."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._stand = open_stand(
            settings.device, Path(settings.trusted_cubin), confined=not settings.unconfined
        )
        self._gpu = Gpu(self._stand.nvml.minor, self._stand.device.uuid)
        self._keys = keys(secrets.token_bytes(NONCE_BYTES))
        self._own_kernels = Path(settings.trusted_cubin).read_bytes()
        self._spawn = _spawner(settings)
        self._bounds: Bounds | None = None
        self._spares: SpareLaunchers | None = None
        self._problem: Problem | None = None
        self._bench: GpuBench | None = None

    @property
    def device(self) -> DeviceSeen:
        return self._stand.device

    def open(self, kernel: Kernel, plan: bytes, cubin: bytes) -> ServedSession:
        """Nothing of the kernel runs before its session is asked."""
        spares = self._launchers(kernel)
        spares.replenish()
        bench = self._warm(kernel.problem)
        spares.settle()  # nothing else is being started while something is timed
        counted = kernel.family is not FamilyExecuted.ABSENT  # rule I11
        metrics = metrics_for(kernel.target, kernel.problem) if counted else ()
        resources = Resources(bench, spares, self._gpu, time.monotonic_ns, secrets.token_bytes)
        held = held_calls(_read(plan).steady)
        return ServedSession(Subject(kernel.problem, plan, cubin, metrics, held), resources, spares)

    def close(self) -> None:
        """End what is ready; the rest ends with the process."""
        if self._spares is not None:
            self._spares.close()
        self._stand.nvml.close()

    def _warm(self, problem: Problem) -> GpuBench:
        if self._bench is None or self._problem != problem:
            if self._bench is not None:
                self._bench.close()  # no launcher has a kernel, and spares hold nothing (rule T9)
                self._bench = None
            self._bench = GpuBench(problem, self._stand, self._keys)
            self._problem = problem
        return self._bench

    def _launchers(self, kernel: Kernel) -> SpareLaunchers:
        """The deadlines are the problem's, so spares of other bounds are of no use. Counted is the same for all."""
        bounds, metrics = kernel.problem.bounds, metrics_for(kernel.target, kernel.problem)
        if self._spares is None or self._bounds != bounds:
            if self._spares is not None:
                self._spares.close()
            deadlines = Deadlines(
                set_up=float(bounds.call_seconds), call=bounds.call_seconds + _CALL_GRACE_SECONDS
            )
            confinement = Confinement.NONE if self._settings.unconfined else Confinement.JAIL
            launchers = ProcessLaunchers(self._spawn, self._own_kernels, deadlines, confinement)
            self._spares = SpareLaunchers(
                launchers,
                self._gpu,
                count=LAUNCHERS,
                # Opening CUPTI and its first start take half a second. What fails here is tried again when it matters.
                ready=lambda launcher: launcher.count(metrics),
            )
            self._bounds = bounds
        return self._spares


def _read(plan: bytes) -> Plan:
    """Read the document that the prepare half wrote and validated."""
    try:
        return plan_from_json(plan)
    except InvalidInput as error:
        raise ToolFailure(
            "the referee cannot read the plan", action="prepare the kernel again"
        ) from error


def _spawner(settings: Settings) -> Jailed | Unjailed:
    runtime = find_runtime()
    counters = None
    if settings.counters and settings.cupti:
        counters = CounterFiles(Path(settings.counters), Path(settings.cupti))
    if settings.unconfined:
        return Unjailed(runtime, counters)
    jail = jail_for(runtime, counters, Workspace(Path(settings.home)).slots)
    return Jailed(jail, runtime, counters)
