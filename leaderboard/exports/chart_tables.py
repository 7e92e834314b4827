"""What charts show as tables to save: records over time, and both shares of each dot of the gap chart."""

from collections.abc import Callable, Sequence

from leaderboard.exports.addresses import address_column
from leaderboard.exports.table import Column, Table, Value
from leaderboard.selectors import RecordRow
from leaderboard.selectors.chart_gaps import GapPoint
from leaderboard.standing import ShownRate


def records_table(records: Sequence[RecordRow], *, origin: str, page: str) -> Table[RecordRow]:
    columns: list[Column[RecordRow]] = [
        Column("board", lambda one: one.board),
        Column("problem", lambda one: one.problem),
        Column("device", lambda one: one.device),
        Column("at", lambda one: one.at.isoformat()),
        Column("model", lambda one: one.model_name),
        address_column(origin, "entry_url", "entry", lambda one: one.entry_uid),
        Column("ratio", lambda one: one.ratio),
        Column("ratio_low", lambda one: one.low),
        Column("ratio_high", lambda one: one.high),
        Column("before", lambda one: one.before),
        Column("kernel_sha256", lambda one: one.kernel),
        address_column(origin, "kernel_url", "kernel", lambda one: one.kernel),
        address_column(origin, "run_url", "run", lambda one: one.run),
    ]
    return Table("records", {"page": page}, columns, records)


def gaps_table(points: Sequence[GapPoint], *, origin: str, page: str) -> Table[GapPoint]:
    columns: list[Column[GapPoint]] = [
        Column("provenance", lambda one: one.row.provenance.value),
        Column("turn_limit", lambda one: one.row.turn_limit),
        Column("model", lambda one: one.row.model_name),
        address_column(origin, "model_url", "model", lambda one: one.row.model_slug),
        address_column(origin, "entry_url", "entry", lambda one: one.row.entry_uid),
        Column("publication", lambda one: one.row.publication),
        Column("entries_not_shown", lambda one: one.others),
        Column("problem", lambda one: one.board.problem),
        Column("suite", lambda one: one.board.suite),
        Column("target", lambda one: one.board.target),
        Column("measured_on", lambda one: " ".join(one.row.devices)),
        Column("reported_device", lambda one: one.row.reported_device),
        *_rate("correct", lambda one: one.correct),
        *_rate("family_correct", lambda one: one.family),
        Column("family_evidence", lambda one: one.family.evidence),
    ]
    return Table("gaps", {"page": page}, columns, points)


def _rate(name: str, rate: Callable[[GapPoint], ShownRate]) -> tuple[Column[GapPoint], ...]:
    def of(read: Callable[[ShownRate], Value]) -> Callable[[GapPoint], Value]:
        return lambda one: read(rate(one))

    return (
        Column(f"{name}_share", of(lambda one: one.value)),
        Column(f"{name}_hits", of(lambda one: one.hits)),
        Column(f"{name}_counted", of(lambda one: one.counted)),
        Column(f"{name}_open", of(lambda one: one.open)),
    )
