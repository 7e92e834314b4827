"""Who leads each board, as a table to save: a leader a row, shares and ratios in columns of their own."""

from collections.abc import Callable, Sequence

from leaderboard.exports.addresses import address_column, board_url
from leaderboard.exports.table import Column, Table, Value
from leaderboard.selectors import BestLink
from leaderboard.selectors.leaders import Leader
from leaderboard.standing import BoardKind


def leaders_table(found: Sequence[Leader], *, origin: str, page: str) -> Table[Leader]:
    columns: list[Column[Leader]] = [*_place(origin), *_who(origin), *_value(), *_evidence(origin)]
    return Table("leaders", {"page": page}, columns, found)


def _place(origin: str) -> tuple[Column[Leader], ...]:
    return (
        Column("provenance", lambda one: one.row.provenance.value),
        Column("target", lambda one: one.board.target),
        Column("suite", lambda one: one.board.suite),
        Column("problem", lambda one: one.board.problem),
        Column("kind", lambda one: one.board.kind.value),
        Column("device", lambda one: one.board.device),
        Column("board", lambda one: one.board.slug),
        Column("board_url", lambda one: board_url(origin, one.board, one.row)),
        Column("turn_limit", lambda one: one.row.turn_limit),
    )


def _who(origin: str) -> tuple[Column[Leader], ...]:
    return (
        Column("model", lambda one: one.row.model_name),
        address_column(origin, "model_url", "model", lambda one: one.row.model_slug),
        address_column(origin, "entry_url", "entry", lambda one: one.row.entry_uid),
        Column("publication", lambda one: one.row.publication),
    )


def _value() -> tuple[Column[Leader], ...]:
    def share(read: Callable[[Leader], Value]) -> Callable[[Leader], Value]:
        return lambda one: None if one.board.kind is BoardKind.SPEED else read(one)

    def ratio(read: Callable[[Leader], Value]) -> Callable[[Leader], Value]:
        return lambda one: read(one) if one.board.kind is BoardKind.SPEED else None

    return (
        Column("share", share(lambda one: one.row.value)),
        Column("share_low", share(lambda one: one.row.low)),
        Column("share_high", share(lambda one: one.row.high)),
        Column("ratio", ratio(lambda one: one.row.value)),
        Column("ratio_low", ratio(lambda one: one.row.low)),
        Column("ratio_high", ratio(lambda one: one.row.high)),
        Column("rank_low", lambda one: one.row.rank_low),
        Column("rank_high", lambda one: one.row.rank_high),
        Column("unranked_why", lambda one: one.row.unranked_why),
    )


def _evidence(origin: str) -> tuple[Column[Leader], ...]:
    def key(read: Callable[[BestLink], str]) -> Callable[[Leader], str]:
        return lambda one: read(one.row.best) if one.row.best else ""

    return (
        address_column(origin, "kernel_url", "kernel", key(lambda one: one.kernel)),
        address_column(origin, "run_url", "run", key(lambda one: one.run)),
    )
