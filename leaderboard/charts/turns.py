"""What turns of an entry show together: reported against verified ratios, and tokens against speed."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.urls import reverse

from evaluation.core.judgement import Speed
from evaluation.core.run_words import TurnState
from evaluation.selectors import TrajectoryRow, TurnRow
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


@dataclass(frozen=True, slots=True)
class _Timed:
    """A turn whose kernel we timed on a device."""

    trajectory: TrajectoryRow
    turn: TurnRow
    device: str
    speed: Speed

    @property
    def name(self) -> str:
        place = self.trajectory
        where = f"prompt {place.prompt + 1}, number {place.number + 1}"
        return f"{shown(place.problem, 60)}, {where}, turn {self.turn.number + 1}"

    @property
    def address(self) -> str:
        page = reverse("trajectory", args=[self.trajectory.uid])
        return f"{page}#turn-{self.turn.number + 1}"

    @property
    def interval(self) -> str:
        return f"{ratio(self.speed.low)} to {ratio(self.speed.high)}"


def turn_charts(trajectories: Iterable[TrajectoryRow]) -> tuple[Chart, ...]:
    """Draw what the turns that a viewer may see have; each chart only where it has a point."""
    timed = tuple(_timed(trajectories))
    return tuple(one for one in (_reported_chart(timed), _token_chart(timed)) if one is not None)


def is_same_device(said: str, measured: str) -> bool:
    """Whether an upload says that it ran on the product where we measured. ``H100`` alone names no product."""
    word = " ".join(said.casefold().split()).removeprefix("nvidia ").replace(" ", "-")
    return bool(word) and word == measured.casefold()


def _timed(trajectories: Iterable[TrajectoryRow]) -> Iterator[_Timed]:
    for trajectory in trajectories:
        for turn in trajectory.turns:
            for one in turn.speeds:
                # A struck kernel has a speed and no number that counts.
                if one.speed is not None and turn.state == TurnState.JUDGED:
                    yield _Timed(trajectory, turn, one.device, one.speed)


def _reported_chart(timed: Sequence[_Timed]) -> Chart | None:
    pairs = [(one, told) for one in timed if (told := _told(one)) is not None]
    if not pairs:
        return None
    most = 1.05 * max(max(told, one.speed.high) for one, told in pairs)
    return Chart(
        name="reported",
        title="Reported against verified, on equal devices",
        said=(
            "The upload’s own ratio to the right, ours upwards, of turns that the upload says it ran on the very "
            "product where we measured. On the dashed line both say the same; below it the upload said more than we "
            "found. Reported ratios are never ranked."
        ),
        x=Axis(title="ratio that the upload reports", low=0, high=most),
        y=Axis(title="verified ratio", low=0, high=most),
        series=_by_device(pairs),
        lines=(Line((0.0, 0.0), (most, most), ""),),
        table=table(
            "Reported and verified ratio of every such turn on this page",
            _REPORTED_COLUMNS,
            [
                (
                    TableCell(one.name, one.address),
                    TableCell(product(one.device)),
                    TableCell(ratio(told)),
                    TableCell(ratio(one.speed.ratio)),
                    TableCell(one.interval),
                )
                for one, told in pairs
            ],
        ),
    )


def _told(one: _Timed) -> float | None:
    """What the upload reports of this turn on the same device, or None."""
    told = one.turn.reported
    if told is None or told.speedup is None:
        return None
    said = told.device or one.trajectory.reported_device
    return told.speedup if is_same_device(said, one.device) else None


def _token_chart(timed: Sequence[_Timed]) -> Chart | None:
    pairs = [(one, float(tokens)) for one in timed if (tokens := one.turn.completion_tokens)]
    if not pairs:
        return None
    return Chart(
        name="tokens",
        title="Tokens against speed",
        said=(
            "To the right the tokens of the turn’s reply, those of its reasoning among them, as the upload says; "
            "upwards the verified ratio. Only turns on this page whose kernel is correct and was timed."
        ),
        x=Axis(title="completion tokens of the turn", low=0),
        y=Axis(title="verified ratio", low=0),
        series=_by_device(pairs),
        table=table(
            "Tokens and verified ratio of every such turn on this page",
            _TOKEN_COLUMNS,
            [
                (
                    TableCell(one.name, one.address),
                    TableCell(product(one.device)),
                    TableCell(f"{tokens:,.0f}"),
                    TableCell(_reasoning(one.turn)),
                    TableCell(ratio(one.speed.ratio)),
                )
                for one, tokens in pairs
            ],
        ),
    )


def _by_device(pairs: Iterable[tuple[_Timed, float]]) -> tuple[Series, ...]:
    """A series a device; what stands to the right is the number beside each turn."""
    devices: defaultdict[str, list[Point]] = defaultdict(list)
    for one, value in pairs:
        devices[one.device].append(
            Point(
                x=value,
                y=one.speed.ratio,
                low=one.speed.low,
                high=one.speed.high,
                said=f"{one.name}\n{product(one.device)}: {ratio(one.speed.ratio)} ({one.interval})",
                address=one.address,
            )
        )
    drawn = sorted(devices.items())[:MOST_SERIES]
    return tuple(Series(product(name), Look.DOTS, tuple(points)) for name, points in drawn)


def _reasoning(turn: TurnRow) -> str:
    return "not said" if turn.reasoning_tokens is None else f"{turn.reasoning_tokens:,}"
