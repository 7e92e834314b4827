"""The tables that pages show, as tables to save: of a board, of cells, of models, of turns."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from evaluation.selectors import TrajectoryRow, TurnRow
from leaderboard.exports.addresses import PLACE, address, address_column, place_columns
from leaderboard.exports.board_columns import board_columns
from leaderboard.exports.table import Column, Table, Value, columns_of
from leaderboard.exports.turn_columns import turn_columns
from leaderboard.selectors import BoardHead, BoardPage, BoardRow, PlacedRow
from leaderboard.selectors.model_head import ListedModel, ModelEntry
from leaderboard.standing import BoardKind, RateName


@dataclass(frozen=True, slots=True)
class PlacedTurn:
    """A turn with the trajectory that it belongs to."""

    trajectory: TrajectoryRow
    turn: TurnRow


def board_table(
    found: BoardPage,
    *,
    factor: float | None,
    origin: str,
    page: str,
    start: int,
    shown: Collection[str] | None = None,
) -> Table[BoardRow]:
    """The rows of one page of a board in its order; ``start`` is how many are before them, ``shown`` its columns."""
    about: dict[str, Value] = {
        "page": page,
        "board": found.head.slug,
        **_place(found.head),
        "first_row": start + 1,
        "all_rows": found.total,
    }
    columns: list[Column[BoardRow]] = [
        Column("board", lambda _: found.head.slug),
        *board_columns(found.rows, origin=origin, factor=factor, shown=shown),
    ]
    return Table("board", about, columns, found.rows)


def empty_board_table(*, page: str) -> Table[BoardRow]:
    """Where nothing stands yet."""
    columns: list[Column[BoardRow]] = [
        Column("board", lambda _: ""),
        *board_columns((), origin="", factor=None),
    ]
    return Table("board", {"page": page}, columns, ())


def cells_table(
    cells: Sequence[PlacedRow],
    *,
    origin: str,
    page: str,
    shown: Collection[str] | None = None,
) -> Table[PlacedRow]:
    """Every cell of a model or an entry with the place where it stands.

    ``shown`` are the columns of a page of cells, where some can be left out; all where it is None.
    """
    found = [one.row for one in cells]
    inner = board_columns(
        found,
        origin=origin,
        factor=None,
        shown=None if shown is None else _of_boards(found, shown),
    )
    left_out = {
        name
        for key, names in _OF_CELLS.items()
        if shown is not None and key not in shown
        for name in names
    }
    columns: list[Column[PlacedRow]] = [
        *place_columns(lambda one: one.board),
        *(_of_row(one) for one in inner if one.name not in left_out),
    ]
    return Table("cells", {"page": page}, columns, cells)


def models_table(
    models: Sequence[ListedModel],
    *,
    origin: str,
    page: str,
    shown: Collection[str] | None = None,
) -> Table[ListedModel]:
    """``shown`` are the columns of the page; all where it is None."""
    parts: dict[str, tuple[Column[ListedModel], ...]] = {
        "name": (
            Column("model", lambda one: one.name),
            address_column(origin, "model_url", "model", lambda one: one.slug),
        ),
        "track": (Column("track", lambda one: one.track),),
        "released": (Column("released_on", _released_on),),
        "entries": (Column("public_entries", lambda one: one.entries),),
        "published": (Column("published_values", lambda one: one.published),),
    }
    return Table("models", {"page": page}, columns_of(parts, shown), models)


def entries_table(
    entries: Sequence[ModelEntry],
    *,
    origin: str,
    page: str,
    shown: Collection[str] | None = None,
) -> Table[ModelEntry]:
    """``shown`` are the columns of the page; all where it is None."""
    parts: dict[str, tuple[Column[ModelEntry], ...]] = {
        "entry": (
            Column("entry", lambda one: one.uid),
            address_column(origin, "entry_url", "entry", lambda one: one.uid),
            Column("single_kernel", lambda one: one.single_kernel),
            Column("prompts", lambda one: one.prompts),
            Column("trajectories", lambda one: one.trajectories),
            Column("turns", lambda one: one.turns),
        ),
        "harness": (
            Column("harness", lambda one: one.harness),
            Column("harness_version", lambda one: one.harness_version),
        ),
        "pack": (Column("pack", lambda one: one.pack),),
        "effort": (Column("reasoning_effort", lambda one: one.reasoning_effort),),
        "language": (Column("language", lambda one: one.language),),
        "author": (Column("authorship", lambda one: one.authorship),),
        "created": (Column("created_at", lambda one: one.created_at.isoformat()),),
    }
    return Table("entries", {"page": page}, columns_of(parts, shown), entries)


def turns_table(
    trajectories: Iterable[TrajectoryRow], *, origin: str, page: str
) -> Table[PlacedTurn]:
    """Every turn of these trajectories, in their order."""
    rows = [PlacedTurn(one, turn) for one in trajectories for turn in one.turns]
    inner = turn_columns([one.turn for one in rows], origin=origin)
    columns = [
        *_trajectory_columns(origin),
        *(_of_turn(one) for one in inner),
    ]
    return Table("turns", {"page": page}, columns, rows)


# Columns of a file that belong to one of a page of cells; on boards they always stand.
_OF_CELLS = {
    "entry": (
        *("publication", "entry", "entry_url", "single_kernel", "prompts", "trajectories", "turns"),
        *("harness", "harness_version", "pack", "reasoning_effort", "authorship"),
    ),
    "rank": ("rank_low", "rank_high", "unranked_why"),
}


def _place(head: BoardHead) -> dict[str, Value]:
    return {name: getattr(head, name) for name in PLACE}


def _of_boards(rows: Sequence[BoardRow], shown: Collection[str]) -> set[str]:
    """Columns of boards that stand in those of a page of cells: its value is a ratio or the first rate of a row."""
    first = {row.rates[0].name for row in rows if row.kind is not BoardKind.SPEED and row.rates}
    rest = {"times", "median", *RateName} if "rest" in shown else set()
    return {"ratio", "devices", *first, *rest, *({"beside"} & set(shown))}


def _of_row(one: Column[BoardRow]) -> Column[PlacedRow]:
    read: Callable[[BoardRow], Value] = one.read
    return Column(one.name, lambda cell: read(cell.row))


def _of_turn(one: Column[TurnRow]) -> Column[PlacedTurn]:
    read: Callable[[TurnRow], Value] = one.read
    return Column(one.name, lambda row: read(row.turn))


def _released_on(one: ListedModel) -> str:
    return one.released_on.isoformat() if one.released_on else ""


def _trajectory_columns(origin: str) -> list[Column[PlacedTurn]]:
    return [
        Column("trajectory", lambda one: one.trajectory.uid),
        Column("trajectory_url", lambda one: address(origin, "trajectory", one.trajectory.uid)),
        Column("problem", lambda one: one.trajectory.problem),
        Column("problem_version", lambda one: one.trajectory.problem_version),
        Column("target", lambda one: one.trajectory.target.value),
        Column("trajectory_reported_device", lambda one: one.trajectory.reported_device),
        Column("prompt", lambda one: one.trajectory.prompt + 1),
        Column("number", lambda one: one.trajectory.number + 1),
        Column("ending", lambda one: one.trajectory.ending),
    ]
