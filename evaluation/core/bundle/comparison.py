"""A kernel's judgement beside the one of a replay: what agrees, what differs, and what cannot be compared.

The findings decide: verdict, correct, instruction and speed. Two speeds agree when their intervals meet, since each is
at least as wide as the device's own spread from run to run. Everything else is shown beside them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from evaluation.core.judgement import Judgement, Speed
from evaluation.core.measure.seen import ClockSample, DeviceSeen, MeasureSeen
from evaluation.core.quoting import counted


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a comparison. ``agrees`` is None where the two are shown only."""

    what: str
    before: str
    after: str
    agrees: bool | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    rows: tuple[Row, ...]

    @property
    def agrees(self) -> bool:
        """Whether every finding is what it was."""
        return all(row.agrees is not False for row in self.rows)


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two runs. ``device`` and ``measured`` are None as far as the run did not come."""

    judgement: Judgement
    device: DeviceSeen | None
    measured: MeasureSeen | None


def compare(before: Side, after: Side) -> Comparison:
    return Comparison((*_findings(before.judgement, after.judgement), *_shown(before, after)))


def _findings(old: Judgement, new: Judgement) -> tuple[Row, ...]:
    pairs = (
        ("verdict", old.verdict or "none", new.verdict or "none"),
        ("correct", old.correct, new.correct),
        ("family executed", old.instruction.family, new.instruction.family),
        ("matrix path", old.instruction.matrix_path, new.instruction.matrix_path),
    )
    return (
        *(Row(what, str(one), str(other), one == other) for what, one, other in pairs),
        Row("speed", _speed(old), _speed(new), _speeds_agree(old.speed, new.speed)),
    )


def _speeds_agree(old: Speed | None, new: Speed | None) -> bool:
    if old is None or new is None:
        return old is new
    return old.low <= new.high and new.low <= old.high


def _speed(judgement: Judgement) -> str:
    one = judgement.speed
    if one is None:
        return f"none ({judgement.speed_reason})" if judgement.speed_reason else "none"
    return f"{one.ratio:.4f} ({one.low:.4f} to {one.high:.4f})"


def _shown(before: Side, after: Side) -> tuple[Row, ...]:
    old, new = before.judgement, after.judgement
    rows = (
        Row("integrity", old.integrity, new.integrity),
        Row("coverage", _share(old.instruction.coverage), _share(new.instruction.coverage)),
        Row("judge", old.judge, new.judge),
        *_devices(before.device, after.device),
        Row("kernel", _time(old.speed, vendor=False), _time(new.speed, vendor=False)),
        Row("vendor", _time(old.speed, vendor=True), _time(new.speed, vendor=True)),
        *(
            Row(what, _clock(before.measured, value), _clock(after.measured, value))
            for what, value in _CLOCKS
        ),
        Row("throttling", _throttling(before.measured), _throttling(after.measured)),
    )
    return tuple(row for row in rows if (row.before, row.after) != (_NOTHING, _NOTHING))


_NOTHING = "-"
_CLOCKS: tuple[tuple[str, Callable[[ClockSample], int]], ...] = (
    ("SM clock, MHz", lambda one: one.sm_mhz),
    ("memory clock, MHz", lambda one: one.memory_mhz),
    ("temperature, C", lambda one: one.temperature_c),
    ("power, mW", lambda one: one.power_mw),
)

_DEVICE: tuple[tuple[str, Callable[[DeviceSeen], str]], ...] = (
    ("device", lambda one: f"{one.product} ({one.name})"),
    ("its UUID", lambda one: one.uuid),
    ("driver", lambda one: f"{one.driver}, CUDA {one.libraries.cuda_driver}"),
    ("PyTorch", lambda one: f"{one.libraries.torch}, CUDA {one.libraries.cuda}"),
    ("cuBLAS", lambda one: one.libraries.cublas),
    ("cuDNN", lambda one: one.libraries.cudnn),
    ("launchers confined", lambda one: "yes" if one.confined else "no"),
)


def _devices(old: DeviceSeen | None, new: DeviceSeen | None) -> tuple[Row, ...]:
    return tuple(Row(what, _known(old, words), _known(new, words)) for what, words in _DEVICE)


def _known(device: DeviceSeen | None, words: Callable[[DeviceSeen], str]) -> str:
    return _NOTHING if device is None else words(device)


def _share(value: float | None) -> str:
    return _NOTHING if value is None else f"{value:.4f}"


def _time(speed: Speed | None, *, vendor: bool) -> str:
    if speed is None:
        return _NOTHING
    return f"{speed.vendor_ns if vendor else speed.candidate_ns:,} ns"


def _clock(measured: MeasureSeen | None, value: Callable[[ClockSample], int]) -> str:
    """The median of the run's samples."""
    samples = () if measured is None else measured.clocks
    return f"{median(map(value, samples)):,.0f}" if samples else _NOTHING


def _throttling(measured: MeasureSeen | None) -> str:
    """All reasons for which a sample's clocks were held back, as NVML's bits, and in how many samples."""
    samples = () if measured is None else measured.clocks
    if not samples:
        return _NOTHING
    reasons = 0
    for one in samples:
        reasons |= one.throttle
    hit = sum(one.throttle != 0 for one in samples)
    return f"0x{reasons:x} in {hit} of {counted(len(samples), 'sample')}"
