"""The speed finding as facts of the time stage, written and read back here alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from evaluation.core.records import Fact, StageReport
from evaluation.core.verdict import Correct, Stage, Verdict

NO_SPEED = "no_speed"  # the fact whose value says why there is none
_NAMES = ("ratio", "ratio_low", "ratio_high")
_SMALL = Fraction(1, 10)


@dataclass(frozen=True, slots=True)
class Speed:
    """The vendor's time over the kernel's with its interval; above 1 is faster than the vendor."""

    ratio: Fraction
    low: Fraction
    high: Fraction

    def words(self, value: Fraction) -> str:
        """Write one of the three with as many digits as all of them: four decimals, six of a slow kernel."""
        return f"{float(value):.{6 if self.ratio < _SMALL else 4}f}"


@dataclass(frozen=True, slots=True)
class Findings:
    """What the check and time stages establish. ``why_no_speed`` is empty exactly where there is a speed."""

    correct: Correct
    speed: Speed | None
    why_no_speed: str


def speed_facts(speed: Speed) -> tuple[Fact, ...]:
    values = (speed.ratio, speed.low, speed.high)
    return tuple(Fact(name, speed.words(value)) for name, value in zip(_NAMES, values, strict=True))


def speed_headline(speed: Speed, candidate_ns: int, vendor_ns: int) -> str:
    """Say the finding in one line, times in milliseconds."""
    interval = f"{speed.words(speed.low)} to {speed.words(speed.high)}"
    times = f"{candidate_ns / 1e6:.4g} ms against {vendor_ns / 1e6:.4g} ms"
    return f"correct; {speed.words(speed.ratio)} of the vendor's speed ({interval}), {times}"


def findings(reports: Sequence[StageReport]) -> Findings:
    """Read the findings off the reports of a run, as far as it came.

    Only an accepted kernel has a speed; a kernel that a verdict ended is not correct, whichever stage said it.
    """
    last = reports[-1] if reports else None
    if last is None or last.verdict is None:
        return Findings(Correct.UNKNOWN, None, "not measured")
    if last.verdict is not Verdict.ACCEPTED:
        return Findings(Correct.NO, None, "only a correct kernel has a speed")
    facts = {one.name: one.value for one in last.facts} if last.stage is Stage.TIME else {}
    values = [facts.get(name) for name in _NAMES]
    if None in values:
        return Findings(Correct.YES, None, str(facts.get(NO_SPEED, "not measured")))
    return Findings(Correct.YES, Speed(*(Fraction(str(one)) for one in values)), "")
