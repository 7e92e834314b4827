"""The speed finding as facts of the time stage, written and read back here alone."""

from collections.abc import Sequence
from fractions import Fraction

from evaluation.core.judgement import Speed
from evaluation.core.records import Fact, StageReport
from evaluation.core.timing.ranked import Ranked
from evaluation.core.timing.statistics import Ratio
from evaluation.core.timing.units import NS
from evaluation.core.verdict import Stage, Verdict

NO_SPEED = "no_speed"  # the fact whose value says why there is none
CANDIDATE_TIME, VENDOR_TIME = "candidate_time", "vendor_time"
_NAMES = ("ratio", "ratio_low", "ratio_high")
_SMALL = Fraction(1, 10)


def speed_facts(ratio: Ratio) -> tuple[Fact, ...]:
    """Write the ratio and its interval, each launcher's median, all with equally many digits."""
    values = (ratio.value, ratio.low, ratio.high)
    ends = (Fact(name, _words(ratio, one)) for name, one in zip(_NAMES, values, strict=True))
    medians = (
        Fact(f"ratio.launcher_{place}", _words(ratio, one))
        for place, one in enumerate(ratio.medians)
    )
    return (*ends, *medians)


def median_facts(found: Ranked) -> tuple[Fact, ...]:
    return (
        Fact(CANDIDATE_TIME, found.candidate_ns, NS),
        Fact(VENDOR_TIME, found.vendor_ns, NS),
    )


def speed_headline(ratio: Ratio, found: Ranked) -> str:
    """Say the finding in one line, times in milliseconds."""
    interval = f"{_words(ratio, ratio.low)} to {_words(ratio, ratio.high)}"
    times = f"{found.candidate_ns / 1e6:.4g} ms against {found.vendor_ns / 1e6:.4g} ms"
    return f"correct; {_words(ratio, ratio.value)} of the vendor's speed ({interval}), {times}"


def speed_of(reports: Sequence[StageReport]) -> tuple[Speed | None, str]:
    """Read the finding off the reports of a run, as far as it came: a speed, or why there is none.

    Only an accepted kernel has a speed, whichever stage said otherwise.
    """
    last = reports[-1] if reports else None
    if last is None or last.verdict is None:
        return None, "not measured"
    if last.verdict is not Verdict.ACCEPTED:
        return None, "only a correct kernel has a speed"
    facts = {one.name: one.value for one in last.facts} if last.stage is Stage.TIME else {}
    if not set(_NAMES) <= set(facts):
        return None, str(facts.get(NO_SPEED, "not measured"))
    ratio, low, high = (float(facts[name]) for name in _NAMES)
    return Speed(ratio, low, high, int(facts[CANDIDATE_TIME]), int(facts[VENDOR_TIME])), ""


def _words(ratio: Ratio, value: Fraction) -> str:
    """Four decimals, six for a kernel that is more than ten times slower than the vendor."""
    return f"{float(value):.{6 if ratio.value < _SMALL else 4}f}"
