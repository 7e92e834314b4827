"""How many calls a measurement makes: a function of a call's time, fixed before the first pair (rule S11)."""

from dataclasses import dataclass

MICROSECOND = 1_000
MILLISECOND = 1_000_000
SECOND = 1_000_000_000

CHECKED_CALLS = (
    3  # whose median says how long a call takes; a problem of one input set is called as often
)
VENDOR_ALONE_CALLS = (
    10  # before the candidate's module is loaded, and again after it is gone (rule S2)
)
CANARIES = 3  # a run (rule S3)

PAIRS_MOST = 50
PAIRS_LEAST = 12  # at least ten, and two blocks of ABBA in each of three launchers
PAIRS_NS = 2 * SECOND
SLOW_NS = SECOND  # over this a call, there are few pairs
SLOW_PAIRS = 3
LAUNCHERS = 3
ONE_LAUNCHER_NS = 100 * MILLISECOND  # over this a call, one process is enough

WARM_UP_PAIRS = 10
# What ten pairs of an attention forward take, and twice what those of a GEMM do.
WARM_UP_NS = 100 * MILLISECOND
LATER_WARM_UP_PAIRS = 4  # the device is warm by then, only the process is new
LATER_WARM_UP_NS = 50 * MILLISECOND

READINGS = 3  # places for readings of the hardware counters, drawn by lot (rule I2)
# Readings after which no further place is used: two that agree are a finding, and a third costs 0.3 s of the GPU.
READINGS_ENOUGH = 2
SWITCHING_NS = 300 * MILLISECOND  # a reading's profiler on and off again, in the jail of an H200
RESERVE_NS = SECOND  # of the whole time, for what stands between the calls

SHORT_NS = 50 * MICROSECOND
# What N calls take together, of calls that are shorter than SHORT_NS, and of longer ones: long against the jitter of
# the answers (bounds.py).
SHORT_SLOPE_NS = 20 * MILLISECOND
SLOPE_NS = 6 * MILLISECOND
SLOPE_CALLS_MOST = 4_000  # however short a launcher says that a call is
VENDOR_HELD_CALLS = 256
"""Vendor calls that are enqueued before the first begins; each may be some operations of a stream."""

SETS_LEAST = 2
SETS_MOST = 64


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a kernel and its problem before the first pair.

    ``candidate_ns`` is the median of the checked calls, ``vendor_ns`` of the vendor's calls alone. ``overhead_ns`` is
    what a pair takes beside its two calls by the referee's clock: inputs, flushes, comparison. ``spent_ns`` of
    ``limit_ns`` is how long the kernel has held the GPU. ``passes`` calls make one reading of the hardware counters,
    0 where none is wanted. ``sets`` is what ``buffer_sets`` said. ``held_calls`` of the candidate are enqueued before
    the first of them begins; 0 where not even one is.
    """

    candidate_ns: int
    vendor_ns: int
    overhead_ns: int
    spent_ns: int
    limit_ns: int
    passes: int
    sets: int
    held_calls: int

    @property
    def pair_ns(self) -> int:
        return max(1, self.candidate_ns + self.vendor_ns + self.overhead_ns)


@dataclass(frozen=True, slots=True)
class Counts:
    """``pairs`` that rank, for each launcher; none at all where fewer than three would fit into the limit.

    ``readings`` of the counters in the first launcher; ``slope_calls`` is N of a slope block, 0 where none fits.
    """

    pairs: tuple[int, ...]
    warm_up: tuple[int, ...]
    readings: int
    slope_calls: int
    vendor_slope_calls: int


def buffer_sets(vendor_ns: int, set_bytes: int, l2_bytes: int, memory_bytes: int) -> int:
    """Say how many sets of a problem's buffers to hold: their sum exceeds twice the L2, and slopes find enough.

    ``set_bytes`` are all tensors of one set, ``memory_bytes`` what all sets may take. At least two: a call never
    follows another one on the same buffers.
    """
    cold = 2 * l2_bytes // set_bytes + 1
    wanted = max(cold, 2 * _slope_calls(vendor_ns))
    return max(SETS_LEAST, min(wanted, memory_bytes // set_bytes, SETS_MOST))


def over_limit(candidate_ns: int, call_seconds: int) -> bool:
    """Say whether a kernel whose calls end is a timeout all the same."""
    return candidate_ns > call_seconds * SECOND


def warm_up_goes_on(done: int, elapsed_ns: int, *, first: bool) -> bool:
    """Say whether another warm-up pair follows; the schedule lists as many as there may be."""
    if first:
        return done < WARM_UP_PAIRS and elapsed_ns < WARM_UP_NS
    return done < LATER_WARM_UP_PAIRS and elapsed_ns < LATER_WARM_UP_NS


def counts(known: Known) -> Counts:
    """Fix all numbers. What has to give way to the limit: slopes first, then readings, then the pairs."""
    left = known.limit_ns - known.spent_ns - RESERVE_NS
    pairs = _pairs(known)
    warm_up = tuple(_warm_up(known, first=place == 0) for place in range(len(pairs)))
    left -= (sum(pairs) + sum(warm_up)) * known.pair_ns
    if left < 0:
        return Counts((), (), 0, 0, 0)
    readings = 0
    if known.passes:
        reading_ns = known.passes * known.pair_ns + SWITCHING_NS
        readings = min(READINGS, left // reading_ns)
        left -= readings * reading_ns
    slope = _slope(known.candidate_ns, known.sets, known.held_calls)
    vendor = _slope(known.vendor_ns, known.sets, VENDOR_HELD_CALLS)
    beside = known.vendor_ns + known.overhead_ns
    cost = len(pairs) * _slope_ns(slope, known.candidate_ns, known.sets, beside)
    cost += _slope_ns(vendor, known.vendor_ns, known.sets, beside)
    if known.candidate_ns > SLOW_NS or cost > left:
        return Counts(pairs, warm_up, readings, 0, 0)
    return Counts(pairs, warm_up, readings, slope, vendor)


def _pairs(known: Known) -> tuple[int, ...]:
    if known.candidate_ns > SLOW_NS:
        return (SLOW_PAIRS,)
    launchers = 1 if known.candidate_ns > ONE_LAUNCHER_NS else LAUNCHERS
    total = max(PAIRS_LEAST, min(PAIRS_MOST, PAIRS_NS // known.pair_ns))
    blocks = -(-total // 2)  # of two pairs, ABBA or BAAB
    return tuple(
        2 * (blocks // launchers + (place < blocks % launchers)) for place in range(launchers)
    )


def _warm_up(known: Known, *, first: bool) -> int:
    most, within = (WARM_UP_PAIRS, WARM_UP_NS) if first else (LATER_WARM_UP_PAIRS, LATER_WARM_UP_NS)
    return min(most, within // known.pair_ns)  # none of a slow kernel: its checked calls warmed up


def _slope_calls(call_ns: int) -> int:
    wanted = SHORT_SLOPE_NS if call_ns < SHORT_NS else SLOPE_NS
    return min(-(-wanted // max(1, call_ns)), SLOPE_CALLS_MOST)


def _slope(call_ns: int, sets: int, held: int) -> int:
    """Give N: so low that the host enqueues 2N calls before the first begins, and its own time is in neither row.

    Where calls are not short, each of the 2N has a set of its own to be compared as well.
    """
    calls = _slope_calls(call_ns)
    if call_ns >= SHORT_NS:
        calls = max(1, min(calls, sets // 2))
    if held < 2:  # no N helps: see PlannedSlope.held
        return calls
    return min(calls, held // 2)


def _slope_ns(calls: int, call_ns: int, sets: int, beside_ns: int) -> int:
    """Take N and 2N calls, and what each set that they use costs beside them: inputs, the vendor's call, comparison."""
    return 3 * calls * call_ns + (min(calls, sets) + min(2 * calls, sets)) * beside_ns
