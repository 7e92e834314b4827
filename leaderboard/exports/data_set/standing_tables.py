"""Tables of what stands on boards: standings, their rates, records."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from leaderboard.exports.data_set.tables import (
    DataTable,
    number,
    numbers,
    text,
    time,
    whole,
)
from leaderboard.selectors import BestLink, PlacedRow
from leaderboard.selectors.public_standings import PublicRecord, public_records, public_standings
from leaderboard.standing import ShownRate


@dataclass(frozen=True, slots=True)
class PlacedRate:
    """A rate with the row that has it."""

    cell: PlacedRow
    rate: ShownRate


def standings(at: datetime) -> DataTable[PlacedRow]:
    return DataTable(
        "standings",
        "What stands on a board: one row a subject, turn limit and provenance.",
        (
            text("board", "the board’s name in addresses", lambda one: one.board.slug),
            text("kind", "correctness, instruction or speed", lambda one: one.board.kind.value),
            text("target", "hopper or blackwell", lambda one: one.board.target),
            text("device", "of speed boards", lambda one: one.board.device),
            text("problem", "empty for a suite", lambda one: one.board.problem),
            text("suite", "empty for a problem", lambda one: one.board.suite),
            whole("problem_version", "0 for suites", lambda one: one.board.problem_version),
            text("language", "cuda or triton", lambda one: one.board.language),
            text("judge", "series; empty: not ours", lambda one: one.board.judge),
            text("provenance", "verified, reported, paper", lambda one: one.row.provenance.value),
            whole("turn_limit", "T: of the first T turns", lambda one: one.row.turn_limit),
            text("subject", "who stands there", lambda one: one.row.subject),
            text("model", "slug", lambda one: one.row.model_slug),
            text("entry", "uid; empty for publications", lambda one: one.row.entry_uid),
            text("publication", "of paper values", lambda one: one.row.publication),
            text("reported_device", "as it was said", lambda one: one.row.reported_device),
            text("measured_on", "our products, a space between", _devices),
            whole("rank_low", "best rank it may have", lambda one: one.row.rank_low),
            whole("rank_high", "worst rank it may have", lambda one: one.row.rank_high),
            text("unranked_why", "why there is no rank", lambda one: one.row.unranked_why),
            number("value", "what the board orders by: a share or a ratio", _value),
            number("low", "lower end of its 95 % interval", lambda one: one.row.low),
            number("high", "upper end", lambda one: one.row.high),
            number("median_ratio", "of the correct turns", lambda one: one.row.median_ratio),
            numbers("ratios", "of all correct turns, falling", lambda one: one.row.ratios),
            text("best_run", "uid", lambda one: _best(one).run),
            text("best_kernel", "SHA-256", lambda one: _best(one).kernel),
            text("best_trajectory", "uid", lambda one: _best(one).trajectory),
            whole("candidate_ns", "of the best run", lambda one: _best(one).candidate_ns),
            whole("vendor_ns", "of the best run", lambda one: _best(one).vendor_ns),
        ),
        partial(public_standings, at=at),
    )


def rates(at: datetime) -> DataTable[PlacedRate]:
    def pieces() -> Iterator[tuple[PlacedRate, ...]]:
        for piece in public_standings(at=at):
            yield tuple(PlacedRate(cell, rate) for cell in piece for rate in cell.row.rates)

    return DataTable(
        "rates",
        "The rates of each standing; board to turn_limit lead to its row.",
        (
            text("board", "the board’s name in addresses", lambda one: one.cell.board.slug),
            text("subject", "who stands there", lambda one: one.cell.row.subject),
            text("provenance", "as there", lambda one: one.cell.row.provenance.value),
            whole("turn_limit", "as there", lambda one: one.cell.row.turn_limit),
            text("rate", "correct, solved, family_correct, …", lambda one: one.rate.name),
            text("evidence", "of paper values", lambda one: one.rate.evidence),
            text("unit", "turn or trajectory", lambda one: one.rate.unit),
            number("share", "hits of counted; of a suite the mean", lambda one: one.rate.value),
            number("low", "lower end of its 95 % interval", lambda one: one.rate.low),
            number("high", "upper end", lambda one: one.rate.high),
            whole("hits", "empty for suites", lambda one: one.rate.hits),
            whole("counted", "the denominator", lambda one: one.rate.counted),
            whole("declared", "by the entry’s layout", lambda one: one.rate.declared),
            whole("open", "of the counted: without a verdict", lambda one: one.rate.open),
        ),
        pieces,
    )


def records(at: datetime) -> DataTable[PublicRecord]:
    return DataTable(
        "records",
        "Verified ratios that beat everything before them on their board.",
        (
            text("board", "the board’s name in addresses", lambda one: one.board),
            time("at", "since when it could be seen", lambda one: one.at),
            text("entry", "uid", lambda one: one.entry),
            text("run", "uid", lambda one: one.run),
            text("kernel", "SHA-256", lambda one: one.kernel),
            number("ratio", "vendor’s time over the kernel’s", lambda one: one.ratio),
            number("low", "lower end of its 95 % interval", lambda one: one.low),
            number("high", "upper end", lambda one: one.high),
            number("before", "the ratio that it beat", lambda one: one.before),
        ),
        lambda: iter((public_records(at=at),)),
    )


_NO_LINK = BestLink("", "", "", 0, None, None)


def _best(cell: PlacedRow) -> BestLink:
    return cell.row.best or _NO_LINK


def _value(cell: PlacedRow) -> float | None:
    return cell.row.value


def _devices(cell: PlacedRow) -> str:
    return " ".join(cell.row.devices)
