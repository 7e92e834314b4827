"""What charts of boards, models and entries show as tables to save."""

from collections.abc import Callable, Iterable, Sequence

from evaluation.selectors.timed_turns import TimedTurn
from leaderboard.charts.device_map import DeviceMap
from leaderboard.charts.fast import Steps
from leaderboard.charts.naming import measured_on
from leaderboard.exports.addresses import address, address_column, board_url
from leaderboard.exports.table import Column, Table, Value
from leaderboard.selectors import BoardRow, PlacedRow
from leaderboard.standing import BoardKind

Step = tuple[BoardRow, float, int]
TurnSpeed = tuple[TimedTurn, float | None]


def fast_table(curves: Sequence[tuple[BoardRow, Steps]], *, origin: str, page: str) -> Table[Step]:
    """The steps of each curve: from a p on, so many turns are strictly faster."""

    def best(one: Step) -> str:
        return one[0].best.kernel if one[0].best else ""

    columns: list[Column[Step]] = [
        Column("model", lambda one: one[0].model_name),
        Column("entry", lambda one: one[0].entry_uid),
        address_column(origin, "entry_url", "entry", lambda one: one[0].entry_uid),
        address_column(origin, "kernel_url", "kernel", best),
        Column("turn_limit", lambda one: one[0].turn_limit),
        Column("from_p", lambda one: one[1]),
        Column("fast_share", lambda one: one[2] / one[0].counted),
        Column("fast_hits", lambda one: one[2]),
        Column("fast_counted", lambda one: one[0].counted),
    ]
    rows = [(row, p, faster) for row, steps in curves for p, faster in steps]
    return Table("fast", {"page": page}, columns, rows)


def over_turns_table(cells: Sequence[PlacedRow], *, origin: str, page: str) -> Table[PlacedRow]:
    """The value of each board that a line is of, at one turn limit a row."""
    columns: list[Column[PlacedRow]] = [
        Column("kind", lambda one: one.board.kind.value),
        Column("board", lambda one: one.board.slug),
        Column("board_url", lambda one: board_url(origin, one.board, one.row)),
        Column("target", lambda one: one.board.target),
        Column("suite", lambda one: one.board.suite),
        Column("problem", lambda one: one.board.problem),
        Column("language", lambda one: one.board.language),
        Column("entry", lambda one: one.row.entry_uid),
        address_column(origin, "entry_url", "entry", lambda one: one.row.entry_uid),
        Column("reported_device", lambda one: one.row.reported_device),
        Column("turn_limit", lambda one: one.row.turn_limit),
        Column("share", lambda one: one.row.value),
        Column("share_low", lambda one: one.row.low),
        Column("share_high", lambda one: one.row.high),
        Column("hits", lambda one: one.row.hits),
        Column("counted", lambda one: one.row.counted),
    ]
    return Table("over_turns", {"page": page}, columns, cells)


def maps_table(maps: Iterable[DeviceMap], *, origin: str, page: str) -> Table[PlacedRow]:
    """The best cells of each map, row by row; a device without one has no row."""
    shown = tuple(
        cell.best for one in maps for row in one.rows for cell in row.cells if cell.best is not None
    )

    def share(read: Callable[[BoardRow], Value]) -> Callable[[PlacedRow], Value]:
        return lambda one: None if one.board.kind is BoardKind.SPEED else read(one.row)

    def kernel(one: PlacedRow) -> str:
        is_speed = one.board.kind is BoardKind.SPEED
        return one.row.best.kernel if one.row.best and is_speed else ""

    columns: list[Column[PlacedRow]] = [
        Column("kind", lambda one: one.board.kind.value),
        Column("provenance", lambda one: one.row.provenance.value),
        Column("problem", lambda one: one.board.problem),
        Column("device", lambda one: one.board.device),
        Column("measured_on", lambda one: " ".join(measured_on(one.row))),
        Column("reported_device", lambda one: one.row.reported_device),
        Column("board", lambda one: one.board.slug),
        address_column(origin, "entry_url", "entry", lambda one: one.row.entry_uid),
        address_column(origin, "kernel_url", "kernel", kernel),
        Column("turn_limit", lambda one: one.row.turn_limit),
        Column("share", share(lambda row: row.value)),
        Column("ratio", lambda one: one.row.value if one.board.kind is BoardKind.SPEED else None),
        Column("open", share(lambda row: row.open)),
        Column("entries_not_shown", lambda one: one.others),
    ]
    return Table("device_map", {"page": page}, columns, shown)


def timed_turns_table(turns: Sequence[TurnSpeed], *, origin: str, page: str) -> Table[TurnSpeed]:
    """A turn that was timed, on each device. A reported ratio is there where it is of the same device."""

    def told(read: Callable[[TimedTurn], Value]) -> Callable[[TurnSpeed], Value]:
        return lambda one: read(one[0])

    columns: list[Column[TurnSpeed]] = [
        Column("trajectory", told(lambda one: one.trajectory)),
        Column("trajectory_url", told(lambda one: address(origin, "trajectory", one.trajectory))),
        Column("problem", told(lambda one: one.problem)),
        Column("prompt", told(lambda one: one.prompt + 1)),
        Column("number", told(lambda one: one.number + 1)),
        Column("turn", told(lambda one: one.turn + 1)),
        Column("device", told(lambda one: one.device)),
        Column("ratio", told(lambda one: one.speed.ratio)),
        Column("ratio_low", told(lambda one: one.speed.low)),
        Column("ratio_high", told(lambda one: one.speed.high)),
        Column("reported_ratio", lambda one: one[1]),
        Column("completion_tokens", told(lambda one: one.completion_tokens)),
        Column("reasoning_tokens", told(lambda one: one.reasoning_tokens)),
    ]
    return Table("timed_turns", {"page": page}, columns, turns)
