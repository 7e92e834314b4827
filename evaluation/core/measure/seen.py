"""What the GPU half saw of one kernel, as numbers: the referee writes these records, the judgements read them.

Times are integer nanoseconds, work is counted in products (one multiply-add of a matrix product). Numbers that are not
finite are counted, never stored.
"""

from dataclasses import dataclass
from enum import StrEnum, unique


@unique
class Purpose(StrEnum):
    """Why a call was made. Whatever the purpose, its outputs were compared in full (rule C1)."""

    CHECK = "check"  # on the problem's own input sets, before anything is timed
    WARM_UP = "warm_up"
    PAIR = "pair"
    COUNTED = "counted"  # one of the pairs' calls, with hardware counters on
    SLOPE = "slope"


@dataclass(frozen=True, slots=True)
class Element:
    """One element of an output. A value that is not finite is None and told by its word: ``nan``, ``inf``, ``-inf``."""

    index: tuple[int, ...]
    expected: float
    got: float | None
    word: str = ""


@dataclass(frozen=True, slots=True)
class OutputSeen:
    """One output of one call against the vendor's for the same inputs.

    ``outside`` misses the tolerance against the vendor, ``outside_both`` against the vendor and the FP32 oracle too
    (equal to ``outside`` where no oracle was asked), ``outside_fourfold`` misses four times the tolerance. Elements
    that are not finite are in ``nonfinite`` alone. ``square_error`` and ``vendor_square_error`` are sums of squared
    differences from the oracle, over finite elements; None without an oracle.
    """

    name: str
    elements: int
    nonfinite: int
    outside: int
    outside_both: int
    outside_fourfold: int
    first: Element | None  # the lowest index that is outside or not finite
    worst: Element | None  # the largest difference from the vendor
    square_error: float | None = None
    vendor_square_error: float | None = None
    # Outside elements by cell: the output as a matrix of its last axis by all others, cut into 64 x 64 cells or fewer.
    # Row by row; empty when nothing is outside.
    map_rows: int = 0
    map_columns: int = 0
    map_counts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class CallSeen:
    """One call of the candidate. ``call`` counts the calls of one launcher from 0, ``launcher`` the launchers from 0.

    ``inputs_intact``: the inputs hashed the same after the call. ``slack_intact``: no byte between a buffer's end and
    the unmapped range behind it was changed. ``end_aligned``: the buffers ended where the unmapped range begins.
    """

    launcher: int
    call: int
    purpose: Purpose
    end_aligned: bool
    inputs_intact: bool
    slack_intact: bool
    outputs: tuple[OutputSeen, ...]


@unique
class FaultKind(StrEnum):
    """How a candidate's work on the GPU can fail. Our own failures are no faults: they are raised."""

    CUDA_ERROR = "cuda_error"  # the driver reported an error for the candidate's work
    TIMED_OUT = "timed_out"  # a call did not end within the problem's limit
    SET_UP_TIMED_OUT = "set_up_timed_out"
    TOO_SLOW = "too_slow"  # calls end, and none within the problem's limit


@dataclass(frozen=True, slots=True)
class Fault:
    """A call or the set-up of the candidate that failed. ``code``, ``name``: the driver's CUresult, or 0 and empty.

    ``step`` counts the steps of the plan's set-up or steady list from 0; -1 where it cannot be told, as for errors that
    arrive at the synchronisation. ``memcheck`` are lines of compute-sanitizer's XML report, for people.
    """

    kind: FaultKind
    launcher: int
    call: int  # -1 in set-up
    step: int
    code: int
    name: str
    seconds: float
    memcheck: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Libraries:
    """Versions of what made the vendor's numbers, as each says of itself; ``unknown`` where it does not say."""

    torch: str
    cuda: str  # the toolkit that PyTorch was built for
    cuda_driver: str  # the newest CUDA that the driver serves
    cublas: str
    cudnn: str


@dataclass(frozen=True, slots=True)
class DeviceSeen:
    """The device that served, and with what: facts for the report, read through NVML, the driver and PyTorch.

    ``confined``: kernels ran in launchers inside their jail.
    """

    product: str  # our name, as in evaluation/devices
    name: str  # the driver's
    uuid: str
    driver: str
    compute_capability: tuple[int, int]
    multiprocessors: int
    l2_bytes: int
    memory_bytes: int
    libraries: Libraries
    confined: bool


@dataclass(frozen=True, slots=True)
class CheckSeen:
    """The first stage on the GPU: the checked calls in their order, or the fault that ended them."""

    device: DeviceSeen
    set_up_ns: int  # GPU time of the plan's set-up steps
    set_up_bytes: int
    calls: tuple[CallSeen, ...]
    fault: Fault | None = None


@dataclass(frozen=True, slots=True)
class Timed:
    """One timed call: the span between two events on its stream, and the referee's own clock around it."""

    event_ns: int
    outside_ns: int


@dataclass(frozen=True, slots=True)
class PairSeen:
    """One candidate call and one vendor call on the same inputs with a cold L2 cache before each."""

    launcher: int
    place: int  # among the pairs of this launcher, from 0
    candidate_first: bool
    candidate: Timed
    vendor: Timed
    counted: bool = False  # hardware counters were on: not for the ratio


@unique
class Side(StrEnum):
    CANDIDATE = "candidate"
    VENDOR = "vendor"


@dataclass(frozen=True, slots=True)
class SlopeSeen:
    """``calls`` and twice as many calls back to back, by the referee's clock: their difference bounds a call's time.

    ``held``: all of them were enqueued before the first began. Otherwise they may have waited for the host, and their
    time is an upper bound alone.
    """

    side: Side
    launcher: int
    calls: int
    short_ns: int
    long_ns: int
    held: bool = True


@dataclass(frozen=True, slots=True)
class ClockSample:
    """NVML's view at one moment. ``throttle`` is NVML's bit mask of clock event reasons.

    ``corrected`` counts memory errors corrected since the driver was loaded; None where NVML does not.
    """

    at_ns: int
    sm_mhz: int
    memory_mhz: int
    temperature_c: int
    power_mw: int
    throttle: int
    corrected: int | None = None


@dataclass(frozen=True, slots=True)
class Canary:
    """A trusted kernel that read ``lines`` random lines of the inputs after the flush, in place of a call (rule S3)."""

    lines: int
    hits: int  # lines that came faster than memory can be


@dataclass(frozen=True, slots=True)
class Reading:
    """Hardware counters of one counted call, by metric name, rounded to integers."""

    launcher: int
    call: int
    values: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class ProbeSeen:
    """``unavailable`` says why there are no readings; then the instruction finding is unknown."""

    readings: tuple[Reading, ...]
    unavailable: str = ""


@dataclass(frozen=True, slots=True)
class Roofs:
    """What this device can do at best, measured in this run: bytes read a second, FLOP/s of a register-only loop."""

    read_bytes_per_s: float
    matrix_flops_per_s: float


@dataclass(frozen=True, slots=True)
class MeasureSeen:
    """All paired calls, slopes, clocks and counters of one kernel, or as far as it came before ``fault``."""

    device: DeviceSeen
    calls: tuple[CallSeen, ...]
    pairs: tuple[PairSeen, ...]
    slopes: tuple[SlopeSeen, ...]
    clocks: tuple[ClockSample, ...]
    canaries: tuple[Canary, ...]
    vendor_before_ns: tuple[int, ...]  # vendor calls before the candidate's module was loaded
    vendor_after_ns: tuple[int, ...]  # and after it was gone
    first_call_ns: int
    launchers: int
    asked_pairs: int  # in each launcher, fixed before the first
    probe: ProbeSeen
    roofs: Roofs
    fault: Fault | None = None
