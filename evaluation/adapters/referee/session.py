"""The life of one kernel at the referee: checked calls, then launchers with pairs by a schedule fixed before.

Everything that touches a GPU is behind the ports ``Bench`` and ``Launchers``. Rules C1 to C5, S1 to S4, S11, T8, T9.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median_low

from evaluation.adapters.referee.candidate import NOTHING, Candidate, Clock, LauncherDied, Stopped
from evaluation.adapters.referee.rounds import Round, do_nothing
from evaluation.adapters.referee.tally import Tally, call_seen
from evaluation.core.catalogue.problem import Problem
from evaluation.core.launching.port import NO_STEP, Gpu, Launcher, Launchers, SetUp
from evaluation.core.measure.bench import Bench, Compared, Place
from evaluation.core.measure.health import GpuSick
from evaluation.core.measure.seen import (
    CallSeen,
    CheckSeen,
    Fault,
    FaultKind,
    MeasureSeen,
    Purpose,
)
from evaluation.core.measure.stopping import asks_the_oracle, fails_a_checked_call
from evaluation.core.timing.budget import (
    CHECKED_CALLS,
    SECOND,
    VENDOR_ALONE_CALLS,
    Known,
    over_limit,
)
from evaluation.core.timing.schedule import PlannedPair, schedule

SEED_BYTES = 32
NOT_COUNTED = "not_wanted"  # no instruction of an asked family is in the launched functions (I11)


@dataclass(frozen=True, slots=True)
class Resources:
    """What every kernel's session takes from its referee. ``draw`` gives that many unguessable bytes."""

    bench: Bench
    launchers: Launchers
    gpu: Gpu
    clock: Clock
    draw: Callable[[int], bytes]


@dataclass(frozen=True, slots=True)
class Subject:
    """A prepared kernel as the referee needs it; no ``metrics`` where nothing is to be counted.

    ``held_calls``: see core/launching/replay.py.
    """

    problem: Problem
    plan: bytes = field(repr=False)
    cubin: bytes = field(repr=False)
    metrics: tuple[str, ...]
    held_calls: int


@dataclass(slots=True)
class KernelSession:
    """The ``Session`` of the measurer port in the referee's process. ``close`` leaves nothing of the kernel alive."""

    subject: Subject
    resources: Resources
    _began_ns: int = 0
    _set_up: SetUp = NOTHING
    _candidate: Candidate | None = None
    _leaving: list[Launcher] = field(default_factory=list)  # asked to go, and not waited for yet
    _checked: list[CallSeen] = field(default_factory=list)
    _event_ns: list[int] = field(default_factory=list)
    _beside_ns: list[int] = field(default_factory=list)  # what a pair took beside its two calls
    _vendor_before_ns: tuple[int, ...] = ()
    _tally: Tally = field(default_factory=Tally)
    _one_died: bool = False

    def __post_init__(self) -> None:
        self._began_ns = self.resources.clock()

    def check(self) -> CheckSeen:
        """Make the checked calls on the problem's input sets; the first one that fails is the last one."""
        self._vendor_before_ns = self._vendor_alone()
        fault = self._guarded(self._make_checked_calls) or self._too_slow()
        return CheckSeen(
            device=self.resources.bench.device,
            set_up_ns=self._set_up.gpu_ns,
            set_up_bytes=self._set_up.bytes,
            calls=tuple(self._checked),
            fault=fault,
        )

    def measure(self) -> MeasureSeen:
        """Make the pairs, slopes and counted calls; ``check`` came before and found nothing.

        May be asked again: then all of it is made anew, within what the time limit still leaves.
        """
        if self._candidate is None:
            self._vendor_before_ns = self._vendor_alone()
        fault = self._guarded(self._make_pairs)
        bench = self.resources.bench
        return self._tally.seen(
            device=bench.device,
            vendor_before_ns=self._vendor_before_ns,
            first_call_ns=self._event_ns[0],
            roofs=bench.roofs(),
            fault=fault,
        )

    def close(self) -> None:
        """End what is left of the kernel. Raise GpuStuck where it does not die."""
        self._dismiss()
        self._see_off()

    def _all_timed(self) -> None:
        """Nothing is timed any more but the vendor alone; what is for the next kernel may begin."""

    def _dismiss(self) -> None:
        """Ask the launcher to go; the next one may get ready meanwhile."""
        candidate, self._candidate = self._candidate, None
        if candidate is not None:
            self._leaving.append(candidate.launcher)
            candidate.launcher.leave()

    def _see_off(self) -> None:
        """Wait until those that were asked to go have gone."""
        while self._leaving:
            self._leaving.pop().end()

    def _guarded(self, work: Callable[[], None]) -> Fault | None:
        """Do the work; give the fault that ended it. One launcher that dies is forgiven, and all is done once more."""
        try:
            work()
        except Stopped as stopped:
            fault = stopped.fault
        except LauncherDied as gone:
            fault = gone.fault
            if not self._one_died:
                self._one_died = True
                self._clear()
                return self._guarded(work)
        else:
            return None
        self._clear()
        return fault

    def _clear(self) -> None:
        """Kill the launcher and make sure that the GPU still serves (rule T8)."""
        candidate, self._candidate = self._candidate, None
        if candidate is not None:
            candidate.launcher.kill()
        self._see_off()
        if not self.resources.bench.well():
            raise GpuSick(
                "the GPU does not run our own kernel after a candidate's fault",
                action="take this GPU out of service and reset it",
            )

    def _start(self, place: int) -> Candidate:
        """Put the kernel into a new launcher. The one before does nothing any more, and goes."""
        self._dismiss()
        launcher = self.resources.launchers.start(self.resources.gpu)
        self._candidate = candidate = Candidate(launcher, place, self.resources.clock)
        candidate.set_up(self.subject.plan, self.subject.cubin, self.resources.bench.sets)
        self._set_up = candidate.set_up_seen
        return candidate

    def _make_checked_calls(self) -> None:
        self._checked, self._event_ns, self._beside_ns = [], [], []
        candidate = self._start(0)
        for number in range(self.subject.problem.input_sets):
            compared = self._checked_call(candidate, with_oracle=number == 0)
            failed = fails_a_checked_call(compared, self.subject.problem.tolerance)
            self._checked.append(self._seen(candidate, compared, Purpose.CHECK, with_map=failed))
            if failed:
                raise Stopped(None)

    def _checked_call(self, candidate: Candidate, *, with_oracle: bool) -> Compared:
        """Call and compare. The oracle is asked for the precision grade, and where the vendor alone is not met (C2)."""
        bench, place, began = (
            self.resources.bench,
            self._place(candidate.made),
            self.resources.clock(),
        )
        bench.renew(place)
        vendor = bench.vendor(place)
        timed = candidate.call(place)
        compared = bench.compare(place)
        beside = self.resources.clock() - began - vendor.event_ns - timed.event_ns
        self._event_ns.append(timed.event_ns)
        self._beside_ns.append(max(beside, 0))
        if asks_the_oracle(compared, graded=with_oracle):
            bench.oracle(place)
            compared = bench.compare(place)
        return compared

    def _too_slow(self) -> Fault | None:
        """Calls that end and take longer than the problem allows are a fault of their own kind."""
        if not self._event_ns:
            return None
        call_ns = median_low(self._event_ns)
        if not over_limit(call_ns, self.subject.problem.bounds.call_seconds):
            return None
        call = self._event_ns.index(call_ns)
        return Fault(FaultKind.TOO_SLOW, 0, call, NO_STEP, 0, "", call_ns / SECOND)

    def _make_pairs(self) -> None:
        self._tally = tally = Tally()
        candidate = self._candidate or self._start(0)
        self._make_further_calls(candidate, tally)
        passes = self._count(candidate, tally)
        known = self._known(passes)
        planned = schedule(known, self.resources.draw(SEED_BYTES))
        tally.asked_pairs = planned.asked_pairs
        for place, part in enumerate(planned.launchers):
            if place:
                candidate = self._start(place)
            tally.launchers = place + 1
            Round(
                self.resources.bench,
                candidate,
                tally,
                self.resources.clock,
                self._deadline_ns,
                settle=self._see_off,
                all_timed=self._all_timed if part is planned.launchers[-1] else do_nothing,
            ).run(part)
        self.close()
        tally.vendor_after_ns = self._vendor_alone()

    def _make_further_calls(self, candidate: Candidate, tally: Tally) -> None:
        """Make the median of three calls known also where a problem has one input set (rule S11)."""
        warming = Round(
            self.resources.bench, candidate, tally, self.resources.clock, self._deadline_ns
        )
        for number in range(len(self._event_ns), CHECKED_CALLS):
            place = self._place(candidate.made)
            further = PlannedPair(
                place=number,
                candidate_first=True,
                set=place.number,
                end_aligned=place.end_aligned,
            )
            pair = warming.pair(further, Purpose.WARM_UP)
            self._event_ns.append(pair.candidate.event_ns)

    def _count(self, candidate: Candidate, tally: Tally) -> int:
        if not self.subject.metrics:
            tally.unavailable = NOT_COUNTED
            return 0
        counting = candidate.launcher.count(self.subject.metrics)
        tally.unavailable = counting.reason
        return 0 if counting.unavailable else counting.passes

    def _known(self, passes: int) -> Known:
        return Known(
            candidate_ns=median_low(self._event_ns),
            vendor_ns=median_low(self._vendor_before_ns),
            overhead_ns=median_low(self._beside_ns),
            spent_ns=self.resources.clock() - self._began_ns,
            limit_ns=self.subject.problem.bounds.gpu_seconds * SECOND,
            passes=passes,
            sets=len(self.resources.bench.sets),
            held_calls=self.subject.held_calls,
        )

    @property
    def _deadline_ns(self) -> int:
        return self._began_ns + self.subject.problem.bounds.gpu_seconds * SECOND

    def _vendor_alone(self) -> tuple[int, ...]:
        """Time the vendor while nothing of the candidate is on the device (rule S2)."""
        place = self._place(0)
        self.resources.bench.renew(place)
        return tuple(self.resources.bench.vendor(place).event_ns for _ in range(VENDOR_ALONE_CALLS))

    def _place(self, call: int) -> Place:
        """Go round the sets; odd calls end where nothing is mapped, even ones start there (rule C3)."""
        return Place(call % len(self.resources.bench.sets), end_aligned=call % 2 == 1)

    def _seen(
        self, candidate: Candidate, compared: Compared, purpose: Purpose, *, with_map: bool
    ) -> CallSeen:
        number = candidate.made - 1
        return call_seen(
            compared,
            launcher=candidate.place,
            number=number,
            purpose=purpose,
            end_aligned=self._place(number).end_aligned,
            with_map=with_map,
        )
