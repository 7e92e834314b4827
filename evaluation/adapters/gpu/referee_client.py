"""The measurer port over a referee process: started on demand, killed when late, tried after every fault."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from evaluation.adapters import trusted_process
from evaluation.adapters.gpu.referee_channel import Channel, ChannelClosed, ChannelLate
from evaluation.adapters.trusted_process import TrustedProcess
from evaluation.core.catalogue.problem import Problem
from evaluation.core.errors import ToolFailure
from evaluation.core.measure.health import GpuSick, HealthSeen, sickness
from evaluation.core.measure.prepared import Prepared
from evaluation.core.measure.referee_words import Act, Failed, Kernel, Reply, Request, Settings
from evaluation.core.measure.seen import CheckSeen, DeviceSeen, MeasureSeen
from evaluation.core.plan.plan_json import plan_to_json

PROGRAM = ("-B", "-m", "evaluation.referee")

_RESET = "run nvidia-smi, reset the GPU, then lift the quarantine"


class HealthWatch(Protocol):
    def health(self) -> HealthSeen:
        """What is new since the last look."""
        ...

    def close(self) -> None: ...


class Claim(Protocol):
    """Our lock on the GPU. A referee keeps it too, so that nobody has the GPU while one of a killed client lives."""

    @property
    def descriptor(self) -> int | None:
        """Of the locked file; None where nothing is claimed."""
        ...

    def shared_with(self, process: int) -> None:
        """Note which process keeps it beside us. Never raises: the lock holds without the note."""
        ...


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Seconds the client waits. ``beside`` is granted to every request on top of what the problem allows."""

    ready: float = 120.0  # PyTorch is imported, a context made
    open: float = 180.0  # a problem's vendor call is proven, its oracle run
    beside: float = 30.0
    end: float = 30.0  # a launcher is ended
    death: float = 10.0  # a killed process is gone, or the GPU is sick (rule T8)


@dataclass(frozen=True, slots=True)
class RefereeStart:
    """How a referee is started. ``environment`` is all it gets; ``watch`` opens NVML for a GPU's uuid."""

    settings: Settings
    environment: tuple[tuple[str, str], ...]
    watch: Callable[[str], HealthWatch]
    program: tuple[str, ...] = PROGRAM
    deadlines: Deadlines = field(default_factory=Deadlines)
    claim: Claim | None = None


@dataclass(frozen=True, slots=True)
class _Running:
    process: TrustedProcess
    channel: Channel
    device: DeviceSeen


class RefereeClient:
    """The ``Measurer`` of core/measure/measurer.py. One kernel at a time; ``close`` it at the end.

    Raises ToolFailure for our faults. A GpuSick is for good: every later call raises it again.
    """

    def __init__(self, start: RefereeStart) -> None:
        self._start = start
        self._running: _Running | None = None
        self._watch: HealthWatch | None = None
        self._device: DeviceSeen | None = None
        self._sick: GpuSick | None = None
        self._kernel_is_open = False

    @property
    def deadlines(self) -> Deadlines:
        return self._start.deadlines

    @property
    def device(self) -> DeviceSeen:
        """The device, as the referee says; starts one if none runs."""
        return self._device or self._referee().device

    @contextlib.contextmanager
    def open(self, prepared: Prepared) -> Iterator["RefereeSession"]:
        """Hand a kernel to the referee. Nothing of it is alive when the block ends, or GpuSick is raised."""
        self._referee()
        before = self._look()
        try:
            self._open(prepared)
            yield RefereeSession(self, prepared.problem)
            self.ask(Request(Act.CLOSE), seconds=self._start.deadlines.end)
            self._kernel_is_open = False
        finally:
            if self._kernel_is_open:  # whatever the referee is doing with it, it does not go on
                self._drop()
            self._require_health(before)

    def ask(self, request: Request, *blobs: bytes, seconds: float) -> Reply:
        """Send a request and wait for the answer. Raise ToolFailure for every answer that is none."""
        running = self._running
        if running is None:
            raise ToolFailure("the referee has ended", action="try the kernel again")
        try:
            running.channel.send(request, *blobs, seconds=seconds)
            reply = running.channel.receive(Reply, seconds=seconds)
        except ChannelLate as late:
            self._recover()
            raise ToolFailure(
                f"the referee did not answer to {request.act} within {seconds:.0f} s and was killed",
                action="try the kernel again; if it happens again, look at the GPU with nvidia-smi",
            ) from late
        except ChannelClosed as closed:
            words = running.process.last_words()
            self._recover()
            raise ToolFailure(
                f"the referee ended during {request.act} ({closed}); its last words: {words}",
                action="look at the referee's words above; ptxboard doctor tests what it needs",
            ) from closed
        if reply.failed:
            self._fail(reply.failed)
        return reply

    def close(self) -> None:
        """End the referee; an idle one goes by itself."""
        if self._running is not None:
            running, self._running = self._running, None
            running.channel.socket.close()
            running.process.ended(seconds=self._start.deadlines.death)
            self._kill(running.process)
        if self._watch is not None:
            self._watch.close()
            self._watch = None

    def _open(self, prepared: Prepared) -> None:
        plan = plan_to_json(prepared.plan)
        kernel = Kernel(
            prepared.problem,
            prepared.plan.target,
            prepared.family,
            plan_bytes=len(plan),
            cubin_bytes=len(prepared.cubin),
        )
        request = Request(Act.OPEN, kernel)
        self._kernel_is_open = True
        self.ask(request, plan, prepared.cubin, seconds=self._start.deadlines.open)

    def _referee(self) -> _Running:
        if self._sick is not None:
            raise self._sick
        if self._running is None:
            self._running = self._begin()
        return self._running

    def _begin(self) -> _Running:
        process = self._started()
        channel = Channel(process.socket)
        seconds = self._start.deadlines.ready
        try:
            channel.send(self._start.settings, seconds=seconds)
            reply = channel.receive(Reply, seconds=seconds)
        except (ChannelClosed, ChannelLate) as silent:
            words = process.last_words()
            self._kill(process)
            raise ToolFailure(
                f"the referee does not start ({silent}); its last words: {words}",
                action="run ptxboard doctor: it tests the driver, PyTorch and the rest",
            ) from silent
        if reply.device is None:
            self._kill(process)
            failed = reply.failed or Failed("the referee said no device", "report this", sick=False)
            raise ToolFailure(failed.what, action=failed.action)
        self._device = reply.device
        return _Running(process, channel, reply.device)

    def _started(self) -> TrustedProcess:
        claim = self._start.claim
        process = trusted_process.start(
            self._start.program,
            self._start.environment,
            keep=None if claim is None else claim.descriptor,
        )
        if claim is not None:
            claim.shared_with(process.pid)
        return process

    def _fail(self, failed: Failed) -> None:
        """Raise what a referee that failed has said. It has ended by then, and is not believed again."""
        if failed.sick:
            self._drop()
            raise self._declare_sick(failed.what)
        self._recover()
        raise ToolFailure(failed.what, action=failed.action)

    def _recover(self) -> None:
        """Kill the referee and start another, which runs a kernel of its own: if that fails, the GPU is sick."""
        self._drop()
        try:
            self._referee()
        except ToolFailure as failure:
            raise self._declare_sick(f"no new referee after a failure: {failure}") from failure

    def _drop(self) -> None:
        running, self._running = self._running, None
        self._kernel_is_open = False
        if running is not None:
            self._kill(running.process)

    def _kill(self, process: TrustedProcess) -> None:
        gone = process.kill(seconds=self._start.deadlines.death)
        process.close()
        if not gone:
            raise self._declare_sick("a killed referee does not die: it is stuck in the driver")

    def _declare_sick(self, why: str) -> GpuSick:
        self._sick = self._sick or GpuSick(why, action=_RESET)
        return self._sick

    def _look(self) -> HealthSeen:
        if self._watch is None:
            self._watch = self._start.watch(self.device.uuid)
        return self._watch.health()

    def _require_health(self, before: HealthSeen) -> None:
        why = sickness(before, self._look())
        if why:
            self._drop()
            raise self._declare_sick(why)


@dataclass(frozen=True, slots=True)
class RefereeSession:
    """The ``Session`` of core/measure/measurer.py, asked over the wire."""

    client: RefereeClient
    problem: Problem

    def check(self) -> CheckSeen:
        seen = self.client.ask(Request(Act.CHECK), seconds=self._seconds).check
        return _said(seen)

    def measure(self) -> MeasureSeen:
        seen = self.client.ask(Request(Act.MEASURE), seconds=self._seconds).measure
        return _said(seen)

    @property
    def _seconds(self) -> float:
        bounds, deadlines = self.problem.bounds, self.client.deadlines
        return bounds.gpu_seconds + 2 * bounds.call_seconds + deadlines.beside


Seen = TypeVar("Seen", CheckSeen, MeasureSeen)


def _said(seen: Seen | None) -> Seen:
    if seen is None:
        raise ToolFailure("the referee answered to another question", action="report this as a bug")
    return seen
