"""Records of the GPU half as a referee would bring them, for tests that change one thing of them.

The problem is the first GEMM; its one output C has 8192 * 7168 = 58,720,256 elements.
"""

from evaluation.adapters.catalogue import packaged
from evaluation.core.measure.seen import (
    CallSeen,
    Canary,
    CheckSeen,
    ClockSample,
    DeviceSeen,
    Element,
    Libraries,
    MeasureSeen,
    OutputSeen,
    PairSeen,
    ProbeSeen,
    Purpose,
    Reading,
    Roofs,
    Side,
    SlopeSeen,
    Timed,
)

GEMM = packaged().problem("gemm_n7168_k5120")
BACKWARD = packaged().problem("mha_bwd_d128")
CAUSAL_BACKWARD = packaged().problem("mha_bwd_d128_causal")
ELEMENTS = 58_720_256

LIBRARIES = Libraries("2.11.0+cu130", "13.0", "13.0", "13.1.0", "9.15.1")
DEVICE = DeviceSeen(
    product="h200",
    name="NVIDIA H200",
    uuid="GPU-0",
    driver="580.159.04",
    compute_capability=(9, 0),
    multiprocessors=132,
    l2_bytes=50 << 20,
    memory_bytes=141 << 30,
    libraries=LIBRARIES,
    confined=True,
)
SAMPLE = ClockSample(0, 1980, 3201, 41, 690_000, 0x4)
ROOFS = Roofs(4.0e12, 8.0e14)  # 0.638 ms for the products of the GEMM, times 0.97

MS = 1_000_000
CANDIDATE_NS, VENDOR_NS = 1_000_000, 780_000


def counted_clock(busy_ns: int) -> tuple[tuple[str, int], ...]:
    """A reading's clock: busy for a third of the time that the profiler takes around the call."""
    return (
        ("gpu__time_duration.sum", 3 * busy_ns),
        ("sm__cycles_active.max", 1_000_000),
        ("sm__cycles_elapsed.max", 3_000_000),
    )


def output(
    name: str = "C",
    *,
    elements: int = ELEMENTS,
    nonfinite: int = 0,
    outside: int = 0,
    both: int | None = None,
    fourfold: int = 0,
    first: Element | None = None,
    worst: Element | None = None,
    errors: tuple[float, float] | None = None,
    cells: tuple[int, int, tuple[int, ...]] = (0, 0, ()),
) -> OutputSeen:
    return OutputSeen(
        name=name,
        elements=elements,
        nonfinite=nonfinite,
        outside=outside,
        outside_both=outside if both is None else both,
        outside_fourfold=fourfold,
        first=first,
        worst=worst,
        square_error=errors[0] if errors else None,
        vendor_square_error=errors[1] if errors else None,
        map_rows=cells[0],
        map_columns=cells[1],
        map_counts=cells[2],
    )


def call(
    number: int = 0,
    *outputs: OutputSeen,
    launcher: int = 0,
    purpose: Purpose = Purpose.CHECK,
    inputs_intact: bool = True,
    slack_intact: bool = True,
) -> CallSeen:
    return CallSeen(
        launcher=launcher,
        call=number,
        purpose=purpose,
        end_aligned=number % 2 == 1,
        inputs_intact=inputs_intact,
        slack_intact=slack_intact,
        outputs=outputs or (output(),),
    )


CHECKED = CheckSeen(DEVICE, 1_500, 4096, (call(0), call(1), call(2)))


def pair(
    launcher: int,
    place: int,
    *,
    candidate: int = CANDIDATE_NS,
    vendor: int = VENDOR_NS,
    outside: int | None = None,
    counted: bool = False,
) -> PairSeen:
    around = candidate + 300_000 if outside is None else outside
    return PairSeen(
        launcher=launcher,
        place=place,
        candidate_first=place % 2 == 0,
        candidate=Timed(candidate, around),
        vendor=Timed(vendor, vendor + 300_000),
        counted=counted,
    )


def slope(
    side: Side, call_ns: int, *, calls: int = 6, launcher: int = 0, around_ns: int = 100_000
) -> SlopeSeen:
    """A block whose calls take ``call_ns`` each, without jitter."""
    short = around_ns + calls * call_ns
    return SlopeSeen(side, launcher, calls, short, short + calls * call_ns)


PAIRS = tuple(pair(launcher, place) for launcher in range(3) for place in range(4))
SLOPES = (
    *(slope(Side.CANDIDATE, 990_000, launcher=launcher) for launcher in range(3)),
    slope(Side.VENDOR, 775_000, calls=8),
)
MEASURED = MeasureSeen(
    device=DEVICE,
    calls=tuple(
        call(place, launcher=launcher, purpose=Purpose.PAIR)
        for launcher in range(3)
        for place in range(4)
    ),
    pairs=PAIRS,
    slopes=SLOPES,
    clocks=(SAMPLE,) * 6,
    canaries=(Canary(4096, 0),) * 3,
    vendor_before_ns=(779_000,) * 10,
    vendor_after_ns=(781_000,) * 10,
    first_call_ns=1_100_000,
    launchers=3,
    asked_pairs=4,
    probe=ProbeSeen((Reading(0, 9, counted_clock(1_005_000)),)),
    roofs=ROOFS,
)
