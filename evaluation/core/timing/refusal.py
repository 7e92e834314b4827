"""When a measurement is made again, and when there is no speed at all."""

from fractions import Fraction

from evaluation.core.check.later_calls import is_right
from evaluation.core.errors import ToolFailure
from evaluation.core.measure.seen import MeasureSeen
from evaluation.core.timing.bounds import Bound, call_bound
from evaluation.core.timing.budget import LAUNCHERS, ONE_LAUNCHER_NS, SLOW_NS, SLOW_PAIRS
from evaluation.core.timing.device_state import is_void, slowed_share
from evaluation.core.timing.expectation import Expectation, spread_of
from evaluation.core.timing.ranked import Ranked, ranked
from evaluation.core.timing.statistics import Ratio, ratio_of
from evaluation.core.timing.vendor import is_slowed

WIDTH_MOST = Fraction(5, 100)  # of an interval, as a share of the ratio
PAIRS_LEAST = 10
_NEARLY = Fraction(
    8, 10
)  # the checked calls, which set the numbers, may have been that much slower


def no_pairs_reason(seen: MeasureSeen, found: Ranked | None) -> str:
    """Say why the pairs give no ratio at all; empty where they do. Raise ToolFailure for a vendor without time."""
    if found is None:
        return "the calls do not fit into the time that a kernel may hold a GPU"
    if any(one.vendor.event_ns <= 0 for one in found.pairs):
        action = "report this as a bug of ptxboard: the vendor's clock is the referee's own"
        raise ToolFailure("a call of the vendor library took no time", action=action)
    if any(one.candidate.event_ns <= 0 for one in found.pairs):
        return "calls took no time by the kernel's own clock"
    # By the clock outside and in the pairs: who is slow only in the checked calls does not come by with few pairs.
    call_ns = found.candidate_outside_ns
    least = SLOW_PAIRS if call_ns > SLOW_NS * _NEARLY else PAIRS_LEAST
    launchers = 1 if call_ns > ONE_LAUNCHER_NS * _NEARLY else LAUNCHERS
    if len(found.pairs) < least or found.launchers < launchers:
        return f"{len(found.pairs)} pairs in {found.launchers} processes, and {least} in {launchers} are needed"
    if is_void(seen.clocks):
        share = float(100 * slowed_share(seen.clocks))
        return f"heat or a power brake slowed the device in {share:.0f} % of the samples"
    return ""


def no_speed_reason(ratio: Ratio, bound: Bound | None) -> str:
    """Say why a ratio may not stand; empty where it may."""
    if bound is None:
        return "no slope was measured, and nobody else's clock says how long a call takes"
    if ratio.width > WIDTH_MOST:
        return f"too noisy: the interval is {float(100 * ratio.width):.1f} % wide"
    return ""


def measure_again(seen: MeasureSeen, expectation: Expectation | None) -> tuple[str, ...]:
    """Give the reasons for a second measurement of a kernel, which then counts alone; empty where the first stands.

    Ask once: what is still so the second time is judged as it is. A kernel that failed is never given another chance.
    """
    found = ranked(seen)
    if seen.fault is not None or found is None or not all(map(is_right, seen.calls)):
        return ()
    if is_void(seen.clocks):
        return ("heat or a power brake slowed the device",)
    if no_pairs_reason(seen, found):
        return ()
    reasons = []
    if is_slowed(seen, found):
        reasons.append("the vendor library is slower beside this kernel than alone")
    again = no_speed_reason(ratio_of(found.pairs, spread_of(expectation)), call_bound(seen, found))
    return (*reasons, again) if again else tuple(reasons)
