"""One launcher's share of a measurement: warm-up, pairs and slopes, as its schedule says."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from evaluation.adapters.referee.candidate import Candidate, Clock, Stopped
from evaluation.adapters.referee.tally import Tally, call_seen
from evaluation.core.launching.port import Counting
from evaluation.core.measure.bench import Bench, Place
from evaluation.core.measure.seen import Canary, PairSeen, Purpose, Reading, Side, SlopeSeen
from evaluation.core.measure.stopping import asks_the_oracle, fails_a_later_call
from evaluation.core.timing.budget import READINGS_ENOUGH, warm_up_goes_on
from evaluation.core.timing.schedule import LauncherSchedule, PlannedPair, PlannedSlope

PAIRS_A_SAMPLE = 4  # pairs between two looks at the clocks


def do_nothing() -> None:
    pass


@dataclass(slots=True)
class Round:
    """At ``deadline_ns`` of ``clock`` no further call begins (rule S11).

    ``settle`` is called before the first pair that may rank: from then on nothing else goes on beside the pairs, until
    ``all_timed`` is called: after a candidate's row that is the last, when results are still to be compared.
    ``choose`` draws the buffer set of a row that is looked at first, which no launcher may foresee.
    """

    bench: Bench
    candidate: Candidate
    tally: Tally
    clock: Clock
    deadline_ns: int
    settle: Callable[[], None] = do_nothing
    all_timed: Callable[[], None] = do_nothing
    choose: Callable[[tuple[int, ...]], int] = secrets.choice
    _last: Place | None = None
    _is_turned: bool = False  # whether an odd number of pairs was left out so far

    def run(self, part: LauncherSchedule) -> None:
        """Raise Stopped at the first fault and at the first call that no judgement can pass."""
        self._warm_up(part)
        self.settle()
        for done, planned in enumerate(part.pairs):
            if self._is_late():
                return
            if done % PAIRS_A_SAMPLE == 0:
                self.tally.clocks.append(self.bench.sample())
            self._ranked_or_counted(planned)
        for slope in part.slopes:
            if self._is_late():
                return
            last = slope is part.slopes[-1]
            self.tally.slopes.append(self._slope(slope, self.all_timed if last else do_nothing))
        self.tally.clocks.append(self.bench.sample())

    def pair(self, planned: PlannedPair, purpose: Purpose) -> PairSeen:
        """Fresh inputs, both calls in the order planned, and all outputs compared."""
        place = self._place(planned)
        self.bench.renew(place)
        if planned.candidate_first:
            mine = self.candidate.call(place, counted=planned.counted)
            vendor = self.bench.vendor(place)
        else:
            vendor = self.bench.vendor(place)
            mine = self.candidate.call(place, counted=planned.counted)
        self._last = place
        self._compare(place, self.candidate.made - 1, purpose, graded=planned.graded)
        return PairSeen(
            launcher=self.candidate.place,
            place=planned.place,
            candidate_first=planned.candidate_first,
            candidate=mine,
            vendor=vendor,
            counted=planned.counted,
        )

    def _place(self, planned: PlannedPair) -> Place:
        """Keep sets and alignments changing where the warm-up ended early or a reading was left out.

        The set planned may then be that of the call before. The next one is taken: no call may find its buffers in the
        cache (rule S3).
        """
        number = planned.set
        if self._last is not None and self._last.number == number:
            number = (number + 1) % len(self.bench.sets)
        return Place(number, planned.end_aligned != self._is_turned)

    def _warm_up(self, part: LauncherSchedule) -> None:
        began, first = self.clock(), self.candidate.place == 0
        for done, planned in enumerate(part.warm_up):
            if self._is_late():
                return
            if not warm_up_goes_on(done, self.clock() - began, first=first):
                return
            self.pair(planned, Purpose.WARM_UP)

    def _ranked_or_counted(self, planned: PlannedPair) -> None:
        if planned.counted and len(self.tally.readings) >= READINGS_ENOUGH:
            self._is_turned = not self._is_turned
            return
        if planned.canary:
            self.tally.canaries.append(self._canary(planned))
        purpose = Purpose.COUNTED if planned.counted else Purpose.PAIR
        self.tally.pairs.append(self.pair(planned, purpose))
        if planned.last_of_reading:
            self._read_counters()

    def _canary(self, planned: PlannedPair) -> Canary:
        """Look at the inputs that the candidate had last: they are what it could keep in the cache."""
        if self._last is None:
            self._last = Place(planned.set, planned.end_aligned)
            self.bench.renew(self._last)
        return self.bench.canary(self._last)

    def _read_counters(self) -> None:
        values = self.candidate.launcher.read_counters()
        if isinstance(values, Counting):
            self.tally.unavailable = self.tally.unavailable or values.reason
            return
        self.tally.readings.append(Reading(self.candidate.place, self.candidate.made - 1, values))

    def _slope(self, planned: PlannedSlope, timed: Callable[[], None]) -> SlopeSeen:
        return SlopeSeen(
            side=planned.side,
            launcher=self.candidate.place,
            calls=planned.calls,
            short_ns=self._row(planned.side, planned.short_sets),
            long_ns=self._row(planned.side, planned.long_sets, timed),
            held=planned.held,
        )

    def _row(
        self, side: Side, sets: tuple[int, ...], timed: Callable[[], None] = do_nothing
    ) -> int:
        """Make calls back to back, each on its set, and compare what is left in every set; give their nanoseconds.

        Inputs and outputs are new only after a launcher has said that its row waits: a row that did not wait worked on
        other inputs, and what it wrote is gone. One set, drawn by lot, is compared as soon as the launcher says that
        the row is over, with what the vendor made before: said too early, a part of the sets is not done then, and is
        by the time that the vendor's calls for all of them are.
        """
        places = {number: Place(number, end_aligned=False) for number in sets}
        first = self.candidate.made
        if side is Side.CANDIDATE:
            self.candidate.prepare(sets)
        for place in places.values():
            self.bench.renew(place)
        if side is Side.VENDOR:
            return self.bench.slope(tuple(places[number] for number in sets))
        early = self.choose(tuple(places))
        self.bench.vendor(places[early])
        took = self.candidate.go()
        last_on = {number: first + at for at, number in enumerate(sets)}
        self._compare(places.pop(early), last_on[early], Purpose.SLOPE)
        timed()
        for number, place in places.items():
            self.bench.vendor(place)
            self._compare(place, last_on[number], Purpose.SLOPE)
        return took

    def _compare(
        self, place: Place, number: int, purpose: Purpose, *, graded: bool = False
    ) -> None:
        """Ask the oracle for the precision grade (C6), and where it may be the vendor that is off (C2)."""
        compared = self.bench.compare(place)
        failed = fails_a_later_call(compared)
        if (graded or failed) and asks_the_oracle(compared, graded=graded):
            self.bench.oracle(place)
            compared = self.bench.compare(place)
            failed = fails_a_later_call(compared)
        self.tally.calls.append(
            call_seen(
                compared,
                launcher=self.candidate.place,
                number=number,
                purpose=purpose,
                end_aligned=place.end_aligned,
                with_map=failed,
            )
        )
        if failed:
            raise Stopped(None)

    def _is_late(self) -> bool:
        return self.clock() > self.deadline_ns
