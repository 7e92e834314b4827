"""What turns of an entry show together: reported against verified ratios, and tokens against speed."""

from collections import defaultdict
from collections.abc import Iterable

from evaluation.selectors.timed_turns import TIMED_AT_A_PLACE, TimedTurn, TimedTurns
from leaderboard.charts.chart import (
    MOST_SERIES,
    Axis,
    Chart,
    Column,
    Line,
    Look,
    Point,
    Series,
    TableCell,
    table,
)
from leaderboard.templatetags.addresses import AddressesOf
from leaderboard.templatetags.figures import product, ratio, shown

_REPORTED_COLUMNS = (
    Column("Turn"),
    Column("Device"),
    Column("Reported", is_figure=True),
    Column("Verified", is_figure=True),
    Column("Interval", is_figure=True),
)
_TOKEN_COLUMNS = (
    Column("Turn"),
    Column("Device"),
    Column("Completion tokens", is_figure=True),
    Column("of them reasoning", is_figure=True),
    Column("Verified ratio", is_figure=True),
)


def turn_charts(timed: TimedTurns) -> tuple[Chart, ...]:
    """Draw what an entry's timed turns have; each chart only where it has a point."""
    to = AddressesOf.kind("trajectory", "00000000-0000-4000-8000-000000000000")
    found = (_reported_chart(timed, to), _token_chart(timed, to))
    return tuple(one for one in found if one is not None)


def drawn_turns(timed: TimedTurns) -> tuple[tuple[TimedTurn, float | None], ...]:
    """The turns of both charts, each with what the upload reports of it on the same device, None where it does not."""
    told = ((one, _told(one)) for one in timed.turns)
    return tuple((one, ratio) for one, ratio in told if ratio is not None or one.completion_tokens)


def is_same_device(said: str, measured: str) -> bool:
    """Whether an upload says that it ran on the product where we measured. ``H100`` alone names no product."""
    word = " ".join(said.casefold().split()).removeprefix("nvidia ").replace(" ", "-")
    return bool(word) and word == measured.casefold()


def _reported_chart(timed: TimedTurns, to: AddressesOf) -> Chart | None:
    pairs = [(one, told) for one in timed.turns if (told := _told(one)) is not None]
    if not pairs:
        return None
    most = 1.05 * max(max(told, one.speed.high) for one, told in pairs)
    return Chart(
        name="reported",
        title="Reported against verified, on equal devices",
        said=(
            "The upload’s own ratio to the right, ours upwards, of turns that the upload says it ran on the very "
            "product where we measured. On the dashed line both say the same; below it the upload said more than we "
            f"found. Reported ratios are never ranked.{_left_out(timed)}"
        ),
        x=Axis(title="ratio that the upload reports", low=0, high=most),
        y=Axis(title="verified ratio", low=0, high=most),
        series=_by_device(pairs, to),
        lines=(Line((0.0, 0.0), (most, most), ""),),
        table=table(
            "Reported and verified ratio of the turns that are drawn",
            _REPORTED_COLUMNS,
            [
                (
                    TableCell(_name(one), _address(one, to)),
                    TableCell(product(one.device)),
                    TableCell(ratio(told)),
                    TableCell(ratio(one.speed.ratio)),
                    TableCell(_interval(one)),
                )
                for one, told in pairs
            ],
        ),
    )


def _told(one: TimedTurn) -> float | None:
    """What the upload reports of this turn on the same device, or None."""
    return one.reported_ratio if is_same_device(one.reported_device, one.device) else None


def _left_out(timed: TimedTurns) -> str:
    if timed.chosen == timed.total:
        return ""
    return (
        f" Of {timed.total:,} timed turns {timed.chosen:,} are drawn: at each problem and target up to "
        f"{TIMED_AT_A_PLACE}, at even distances in the order of the list below."
    )


def _token_chart(timed: TimedTurns, to: AddressesOf) -> Chart | None:
    pairs = [(one, float(tokens)) for one in timed.turns if (tokens := one.completion_tokens)]
    if not pairs:
        return None
    return Chart(
        name="tokens",
        title="Tokens against speed",
        said=(
            "To the right the tokens of the turn’s reply, those of its reasoning among them, as the upload says; "
            "upwards the verified ratio. Only turns whose kernel is correct and was timed."
            f"{_left_out(timed)}"
        ),
        x=Axis(title="completion tokens of the turn", low=0),
        y=Axis(title="verified ratio", low=0),
        series=_by_device(pairs, to),
        table=table(
            "Tokens and verified ratio of the turns that are drawn",
            _TOKEN_COLUMNS,
            [
                (
                    TableCell(_name(one), _address(one, to)),
                    TableCell(product(one.device)),
                    TableCell(f"{tokens:,.0f}"),
                    TableCell(_reasoning(one)),
                    TableCell(ratio(one.speed.ratio)),
                )
                for one, tokens in pairs
            ],
        ),
    )


def _by_device(pairs: Iterable[tuple[TimedTurn, float]], to: AddressesOf) -> tuple[Series, ...]:
    """A series a device; what stands to the right is the number beside each turn."""
    devices: defaultdict[str, list[Point]] = defaultdict(list)
    for one, value in pairs:
        devices[one.device].append(
            Point(
                x=_drawn(value),
                y=_drawn(one.speed.ratio),
                low=_drawn(one.speed.low),
                high=_drawn(one.speed.high),
                said=f"{_name(one)}\n{product(one.device)}: {ratio(one.speed.ratio)} ({_interval(one)})",
                address=_address(one, to),
            )
        )
    drawn = sorted(devices.items())[:MOST_SERIES]
    return tuple(Series(product(name), Look.DOTS, tuple(points)) for name, points in drawn)


def _drawn(value: float) -> float:
    """With as many figures as a picture can show."""
    return float(f"{value:.6g}")


def _name(one: TimedTurn) -> str:
    where = f"prompt {one.prompt + 1}, number {one.number + 1}"
    return f"{shown(one.problem, 60)}, {where}, turn {one.turn + 1}"


def _address(one: TimedTurn, to: AddressesOf) -> str:
    return f"{to(one.trajectory)}#turn-{one.turn + 1}"


def _interval(one: TimedTurn) -> str:
    return f"{ratio(one.speed.low)} to {ratio(one.speed.high)}"


def _reasoning(one: TimedTurn) -> str:
    return "not said" if one.reasoning_tokens is None else f"{one.reasoning_tokens:,}"
