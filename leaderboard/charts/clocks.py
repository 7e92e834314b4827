"""Clocks, temperature and power of the device while one run was measured, as NVML gave them."""

from collections.abc import Sequence

from evaluation.core.measure.seen import ClockSample, MeasureSeen
from evaluation.core.timing.device_state import (
    HARDWARE_SLOWDOWN,
    HARDWARE_THERMAL,
    POWER_BRAKE,
    POWER_CAP,
    SOFTWARE_THERMAL,
)
from leaderboard.charts.chart import Axis, Chart, Column, Look, Point, Series, TableCell, table
from leaderboard.templatetags.figures import counted, product

MOST_POINTS = 200
_COLUMNS = (
    Column("Since the first sample", is_figure=True),
    Column("Multiprocessors", is_figure=True),
    Column("Memory", is_figure=True),
    Column("Temperature", is_figure=True),
    Column("Power", is_figure=True),
    Column("Clock event reasons"),
)
_REASONS = {
    POWER_CAP: "power cap",
    HARDWARE_SLOWDOWN: "slowed by hardware",
    SOFTWARE_THERMAL: "heat, by software",
    HARDWARE_THERMAL: "heat, by hardware",
    POWER_BRAKE: "power brake",
}
_SPACE = "\N{NO-BREAK SPACE}"


def clock_chart(seen: MeasureSeen, *, name: str) -> Chart | None:
    """Draw the clock of the multiprocessors over time; None without a sample. The table has the rest."""
    if not seen.clocks:
        return None
    samples = seen.clocks
    drawn = drawn_samples(seen)
    start = drawn[0].at_ns
    clocks = [one.sm_mhz for one in samples]
    heats = [one.temperature_c for one in samples]
    return Chart(
        name=name,
        title="Clocks and temperature",
        said=(
            f"The clock of the multiprocessors of {product(seen.device.product)} in "
            f"{counted(len(samples), 'sample')} of the measurement, at {_range(clocks)} MHz and {_range(heats)} °C. "
            "Clocks fall under load on every device. A run is measured again, or has no speed, where heat or a power "
            "brake slowed it."
        ),
        x=Axis(title="time since the first sample, s", low=0),
        y=Axis(title="clock of the multiprocessors, MHz"),
        series=(Series("multiprocessors", Look.LINE, tuple(_point(one, start) for one in drawn)),),
        table=table(
            "Samples of the device during the measurement",
            _COLUMNS,
            [_row(one, start) for one in drawn],
        ),
    )


def drawn_samples(seen: MeasureSeen) -> tuple[ClockSample, ...]:
    """The samples in their order, of many an even choice of at most MOST_POINTS that begins with the first."""
    samples = sorted(seen.clocks, key=lambda one: one.at_ns)
    return tuple(samples[:: max(1, -(-len(samples) // MOST_POINTS))])


def _range(values: Sequence[int]) -> str:
    """The least and the greatest, or one number where they are the same."""
    low, high = min(values), max(values)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _point(one: ClockSample, start_ns: int) -> Point:
    return Point(x=_seconds(one, start_ns), y=one.sm_mhz, said=", ".join(_texts(one, start_ns)))


def _row(one: ClockSample, start_ns: int) -> tuple[TableCell, ...]:
    return tuple(TableCell(text) for text in _texts(one, start_ns))


def _texts(one: ClockSample, start_ns: int) -> Sequence[str]:
    return (
        f"{_seconds(one, start_ns):.3f}{_SPACE}s",
        f"{one.sm_mhz:,}{_SPACE}MHz",
        f"{one.memory_mhz:,}{_SPACE}MHz",
        f"{one.temperature_c}{_SPACE}°C",
        f"{one.power_mw / 1000:.1f}{_SPACE}W",
        reasons_in_words(one.throttle),
    )


def reasons_in_words(bits: int) -> str:
    """NVML's clock event reasons in words; those that are no fault of the device by their bits."""
    named = [words for bit, words in _REASONS.items() if bits & bit]
    left = bits & ~sum(_REASONS)
    return ", ".join([*named, f"0x{left:x}"] if left else named) or "none"


def _seconds(one: ClockSample, start_ns: int) -> float:
    return (one.at_ns - start_ns) / 10**9
