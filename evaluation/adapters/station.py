"""One GPU at work: takes prepared kernels one at a time, runs canaries in between, and rests when it is not well.

A station lives in one process from the first kernel to the last. Its referee is warm between kernels.
"""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Protocol

from evaluation.adapters.quarantine import GpuTaken, Quarantine
from evaluation.core.errors import NotHere, ToolFailure
from evaluation.core.measure.damage import judge_losses
from evaluation.core.measure.health import GpuSick
from evaluation.core.measure.known_kernel import ReadyKernel, canary_run
from evaluation.core.measure.ledger import Ledger, Running
from evaluation.core.measure.measurer import Measurer
from evaluation.core.measure.prepared import Prepared
from evaluation.core.messages import (
    CanaryReported,
    CanaryRun,
    DeviceHeartbeat,
    KernelLost,
    KernelNoted,
    MeasureJob,
    Versions,
)
from evaluation.core.ports import Reporter
from evaluation.core.records import StageReport
from evaluation.core.staged import Begin
from evaluation.core.verdict import Stage

log = logging.getLogger(__name__)


class Judge(Protocol):
    """The GPU half of the pipeline. ``bulk_rows`` are the scan's, 0 where it counted none."""

    def __call__(
        self, prepared: Prepared, measurer: Measurer, begin: Begin, *, bulk_rows: int = 0
    ) -> Iterator[StageReport]: ...


_WORKER_ENDED = "the worker ended while this kernel ran"


@dataclass(frozen=True, slots=True)
class Equipment:
    """What a station works with. Everything that opens something raises ToolFailure and is tried again later.

    ``rebuild`` reads what a job hands over. ``canaries`` prepares the known kernels of the device. ``clock`` counts
    seconds and never goes back. ``consume`` tells the worker whether to take jobs.
    """

    worker: str
    device: str
    quarantine: Quarantine
    reporter: Reporter
    open_measurer: Callable[[], Measurer]
    rebuild: Callable[[MeasureJob], Prepared]
    judge: Judge
    canaries: Callable[[], tuple[ReadyKernel, ...]]
    clock: Callable[[], float]
    canary_seconds: float
    canary_again_seconds: float


class Station:
    """``stages`` and ``beat`` may be called from two threads; the GPU serves one at a time."""

    def __init__(self, equipment: Equipment, consume: Callable[[bool], None]) -> None:
        self._with = equipment
        self._consume = consume
        self._gpu = threading.Lock()
        self._claiming = threading.Lock()
        self._looked_back = False
        self._measurer: Measurer | None = None
        self._known: tuple[ReadyKernel, ...] | None = None
        self._canary_due = equipment.clock()  # at once: nothing is known of this device yet
        self._trouble = ""  # why no canary could run
        self._consuming = True
        self._kernel = ""
        self._untold: KernelLost | None = None

    def resting(self) -> str:
        """Why this GPU takes no kernel now, or nothing. Raise ToolFailure where nobody can say.

        The GPU is claimed where nobody has it.
        """
        return self._taken() or self._unwell()

    def refusal(self) -> str:
        """The same for a job that has come: where it is refused, no other is taken until a beat finds all well."""
        resting = self.resting()
        if resting:
            self._consuming = (
                False  # first: whatever comes of the word to the worker, a beat says it again
            )
            try:
                self._consume(False)  # noqa: FBT003  # a callback with one meaning
            except ToolFailure as failure:
                log.warning("the worker takes jobs still: %s; %s", failure.what, failure.action)
        return resting

    def recover(self) -> None:
        """Put a kernel that was running when the last worker ended down as lost, and tell the portal.

        Raise ToolFailure where one of both did not work; to be called again then, and harmless after that. So it is
        where another process has the GPU: what is running then is that one's, and nothing was lost.
        """
        self._claim()
        if self._untold is not None:
            self._with.reporter.send(self._untold)
            self._untold = None

    def stages(self, job: MeasureJob, begin: Begin) -> Iterator[StageReport]:
        """Judge what a job hands over. Raise ToolFailure for our own faults; a sick GPU rests from then on.

        Raise NotHere, before anything of the kernel is launched, where the GPU rests: a canary may have found so while
        the job waited for it.
        """
        kernel = job.parts.plan.sha256
        losses = self._with.quarantine.read().losses_of(kernel)
        damage = judge_losses(losses, job.losses)
        if damage is not None:
            begin(Stage.CHECK)
            yield damage
            return
        prepared = self._with.rebuild(job)
        with self._gpu:
            resting = self.refusal()
            if resting:
                raise NotHere(resting, action="see the heartbeats of this device")
            measurer = self._opened()  # no kernel is to blame for what happens until here
            with self._noted(Running(kernel, job.attempt)):
                yield from self._with.judge(
                    prepared, measurer, begin, bulk_rows=job.parts.bulk_rows
                )

    def lose(self, what: str, *, by_time: bool) -> None:
        """Put a loss down to the kernel at hand, and tell the portal: whatever it did, its worker had to give it up."""
        running = self._with.quarantine.read().running
        after = self._with.quarantine.lose(what, by_time=by_time)
        if running is None:
            return
        self._note_lost(running, after, what)
        try:
            self.recover()
        except ToolFailure as failure:  # the next beat tells it
            log.warning("a loss was not told: %s; %s", failure.what, failure.action)

    def absolve(self) -> None:
        """Put no loss down to the kernel at hand: the judge itself failed, and the GPU is as it was."""
        self._with.quarantine.end()

    def beat(self) -> None:
        """Run the canaries when they are due and the GPU is free, then say how the device is.

        Raise ToolFailure where the portal or the worker could not be told; the next beat says it again.
        """
        taken = self._taken()
        if (
            not taken
            and self._with.clock() >= self._canary_due
            and self._gpu.acquire(blocking=False)
        ):
            try:
                self._run_canaries()
            finally:
                self._gpu.release()
        resting = taken or self._unwell()
        if resting or not self._consuming:
            # Said again while it rests: a worker that lost its broker takes from its queue again when it is back.
            self._consume(not resting)
        self._consuming = not resting
        seen = None if self._measurer is None else self._measurer.device
        self._with.reporter.send(
            DeviceHeartbeat(
                Versions(), self._with.worker, self._with.device, seen, resting, self._kernel
            )
        )

    def live(self, seconds: float, done: threading.Event) -> None:
        """Beat until ``done``; what fails of it is logged and tried again with the next beat."""
        while not done.is_set():
            try:
                with suppress(GpuTaken):  # the beat says so
                    self.recover()
                self.beat()
            except ToolFailure as failure:
                log.warning("a beat of this device failed: %s; %s", failure.what, failure.action)
            done.wait(seconds)

    def _taken(self) -> str:
        """Who has the GPU, or nothing: then it is ours from now on."""
        try:
            self._claim()
        except GpuTaken as taken:
            return taken.what
        return ""

    def _unwell(self) -> str:
        return self._with.quarantine.read().resting or self._trouble

    def _claim(self) -> None:
        """Have the GPU. Once, before a kernel of ours can be noted, see which one its last owner left behind."""
        with self._claiming:
            self._with.quarantine.claim()
            if self._looked_back:
                return
            running = self._with.quarantine.read().running
            if running is not None:
                after = self._with.quarantine.lose(_WORKER_ENDED, by_time=False)
                self._note_lost(running, after, _WORKER_ENDED)
            self._looked_back = True

    def _note_lost(self, running: Running, after: Ledger, what: str) -> None:
        """Have the portal told, by which a kernel is not run for ever on one GPU after another (rule T6)."""
        count = len(after.losses_of(running.kernel))
        self._untold = KernelLost(
            Versions(), running.attempt, self._with.worker, running.kernel, count, what
        )

    @contextmanager
    def _noted(self, running: Running) -> Iterator[None]:
        """The ledger names the kernel before its first launch and until the GPU is known to be well after it.

        So does the portal: a ledger may go down with its machine. Without its knowledge nothing is launched.
        """
        self._with.quarantine.begin(running)
        self._kernel = running.kernel
        try:
            self._with.reporter.send(
                KernelNoted(Versions(), running.attempt, self._with.worker, running.kernel)
            )
            yield
        except GpuSick as sick:
            self._with.quarantine.set_sick(sick.what)
            self.lose(sick.what, by_time=False)
            self._measurer = None
            raise
        except (ToolFailure, GeneratorExit):
            self._with.quarantine.end()
            raise
        else:
            self._with.quarantine.end()
        finally:
            self._kernel = ""

    def _opened(self) -> Measurer:
        if self._measurer is None:
            self._claim()
            self._measurer = self._with.open_measurer()
        return self._measurer

    def _run_canaries(self) -> None:
        if self._with.quarantine.read().sick:
            return
        self._canary_due = self._with.clock() + self._with.canary_again_seconds
        try:
            runs = tuple(self._run(one) for one in self._prepared_canaries())
        except GpuSick as sick:
            self._with.quarantine.set_sick(sick.what)
            self._measurer = None
            return
        except ToolFailure as failure:
            log.warning("no canary ran: %s; %s", failure.what, failure.action)
            self._trouble = f"no canary ran: {failure.what}"
            return
        self._trouble = ""
        ill = "; ".join(f"canary {one.name}: {one.said}" for one in runs if not one.well)
        self._with.quarantine.set_drifted(ill)
        if not ill:
            self._canary_due = self._with.clock() + self._with.canary_seconds
        self._with.reporter.send(
            CanaryReported(Versions(), self._with.worker, self._with.device, runs)
        )

    def _prepared_canaries(self) -> tuple[ReadyKernel, ...]:
        if self._known is None:
            self._known = self._with.canaries()
        return self._known

    def _run(self, ready: ReadyKernel) -> CanaryRun:
        reports = self._with.judge(ready.prepared, self._opened(), lambda _: None)
        return canary_run(ready, tuple(reports))
