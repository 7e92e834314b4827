"""The numbers of a measurement that rank nothing by themselves: times, counts, what other clocks said."""

import math
from collections.abc import Sequence

from evaluation.core.measure.seen import MeasureSeen, Side
from evaluation.core.records import Fact
from evaluation.core.timing.bounds import hardware_ns, slope_ns
from evaluation.core.timing.ranked import Ranked, slopes_of
from evaluation.core.timing.speed import median_facts
from evaluation.core.timing.statistics import median, median_ns
from evaluation.core.timing.units import NS


def time_facts(seen: MeasureSeen, found: Ranked | None) -> tuple[Fact, ...]:
    """Give what was measured; a number that was not has no fact, and canaries that found nothing have a zero."""
    counted = sum(one.counted for one in seen.pairs)
    return (
        *(_pair_facts(found) if found else ()),
        Fact("asked_pairs", seen.asked_pairs),
        Fact("counted_pairs", counted),
        Fact("first_call", seen.first_call_ns, NS),
        *_alone("vendor_before", seen.vendor_before_ns),
        *_alone("vendor_after", seen.vendor_after_ns),
        *_slope(seen, Side.CANDIDATE, "slope"),
        *_slope(seen, Side.VENDOR, "vendor_slope"),
        *_alone("hardware_time", [one for one in (hardware_ns(seen.probe),) if one is not None]),
        Fact("canary_lines", sum(one.lines for one in seen.canaries)),
        Fact("canary_hits", sum(one.hits for one in seen.canaries)),
    )


def _pair_facts(found: Ranked) -> tuple[Fact, ...]:
    return (
        *median_facts(found),
        Fact("candidate_time_outside", found.candidate_outside_ns, NS),
        Fact("pairs", len(found.pairs)),
        Fact("launchers", found.launchers),
    )


def _alone(name: str, times: Sequence[int]) -> tuple[Fact, ...]:
    return (Fact(name, median_ns(times), NS),) if times else ()


def _slope(seen: MeasureSeen, side: Side, name: str) -> tuple[Fact, ...]:
    slopes = [slope_ns(one) for one in slopes_of(seen.slopes, side)]
    return (Fact(name, math.floor(median(slopes)), NS),) if slopes else ()
