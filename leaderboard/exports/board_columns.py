"""The columns of a row of a board: who, the rank, values with intervals and counts, and where they come from."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import fields

from leaderboard.cells import Beside
from leaderboard.exports.addresses import address_column
from leaderboard.exports.table import Column, Value
from leaderboard.selectors import BestLink, BoardRow, FastShare
from leaderboard.standing import BoardKind, RateName, ShownRate


def board_columns(
    rows: Sequence[BoardRow],
    *,
    origin: str,
    factor: float | None,
    shown: Collection[str] | None = None,
) -> list[Column[BoardRow]]:
    """The columns that these rows need. ``factor`` is the p of Fast_p, None where no Fast_p is shown.

    ``shown`` are the columns of the page, each of which is several here; None where all of them are shown.
    """

    def is_shown(key: str) -> bool:
        return shown is None or key in shown

    with_speed = any(one.kind is BoardKind.SPEED for one in rows)
    speed = {**_speed(origin), "fast": () if factor is None else _fast(factor)}
    return [
        *_rank(),
        *_who(origin),
        *(one for key in speed if with_speed and is_shown(key) for one in speed[key]),
        *_rates(rows, is_shown),
        *(_beside() if is_shown("beside") else ()),
        *(_devices() if is_shown("devices") else ()),
    ]


def _devices() -> tuple[Column[BoardRow], ...]:
    return (
        Column("measured_on", lambda row: " ".join(row.devices)),
        Column("reported_device", lambda row: row.reported_device),
    )


def _rank() -> tuple[Column[BoardRow], ...]:
    return (
        Column("provenance", lambda row: row.provenance.value),
        Column("turn_limit", lambda row: row.turn_limit),
        Column("rank_low", lambda row: row.rank_low),
        Column("rank_high", lambda row: row.rank_high),
        Column("unranked_why", lambda row: row.unranked_why),
    )


def _who(origin: str) -> tuple[Column[BoardRow], ...]:
    return (
        Column("model", lambda row: row.model_name),
        address_column(origin, "model_url", "model", lambda row: row.model_slug),
        Column("publication", lambda row: row.publication),
        Column("entry", lambda row: row.entry_uid),
        address_column(origin, "entry_url", "entry", lambda row: row.entry_uid),
        Column("single_kernel", lambda row: row.single_kernel),
        Column("prompts", lambda row: row.prompts),
        Column("trajectories", lambda row: row.trajectories),
        Column("turns", lambda row: row.turns),
        Column("harness", lambda row: row.harness),
        Column("harness_version", lambda row: row.harness_version),
        Column("pack", lambda row: row.pack),
        Column("reasoning_effort", lambda row: row.reasoning_effort),
        Column("authorship", lambda row: row.authorship),
    )


def _speed(origin: str) -> dict[str, tuple[Column[BoardRow], ...]]:
    """By the column of the page that they belong to."""

    def of_speed(read: Callable[[BoardRow], Value]) -> Callable[[BoardRow], Value]:
        return lambda row: read(row) if row.kind is BoardKind.SPEED else None

    def best(read: Callable[[BestLink], Value]) -> Callable[[BoardRow], Value]:
        return lambda row: read(row.best) if row.best else None

    def key(read: Callable[[BestLink], str]) -> Callable[[BoardRow], str]:
        return lambda row: read(row.best) if row.best else ""

    return {
        "ratio": (
            Column("best_ratio", of_speed(lambda row: row.value)),
            Column("best_ratio_low", of_speed(lambda row: row.low)),
            Column("best_ratio_high", of_speed(lambda row: row.high)),
            Column("best_turn", best(lambda one: one.turn + 1)),
            Column("kernel_sha256", key(lambda one: one.kernel)),
            address_column(origin, "kernel_url", "kernel", key(lambda one: one.kernel)),
            address_column(origin, "trajectory_url", "trajectory", key(lambda one: one.trajectory)),
            Column("reported_ratio", lambda row: row.reported_ratio),
        ),
        "times": (
            Column("candidate_ns", best(lambda one: one.candidate_ns)),
            Column("vendor_ns", best(lambda one: one.vendor_ns)),
            address_column(origin, "run_url", "run", key(lambda one: one.run)),
        ),
        "median": (
            Column("median_ratio", lambda row: row.median_ratio),
            Column("timed_turns", of_speed(lambda row: len(row.ratios))),
        ),
    }


def _fast(factor: float) -> tuple[Column[BoardRow], ...]:
    def fast(read: Callable[[FastShare], Value]) -> Callable[[BoardRow], Value]:
        return lambda row: read(found) if (found := row.fast(factor)) else None

    return (
        Column("fast_p", lambda _: factor),
        Column("fast_share", fast(lambda one: one.share)),
        Column("fast_hits", fast(lambda one: one.hits)),
        Column("fast_counted", fast(lambda one: one.counted)),
    )


def _rates(rows: Sequence[BoardRow], is_shown: Callable[[str], bool]) -> list[Column[BoardRow]]:
    found = {(one.name, one.evidence) for row in rows for one in row.rates if is_shown(one.name)}
    order = [str(one) for one in RateName]
    ordered = sorted(found, key=lambda one: (order.index(one[0]), one[1]))
    return [column for one in ordered for column in _rate(*one)]


def _rate(name: str, evidence: str) -> tuple[Column[BoardRow], ...]:
    """A rate under its name, and behind it what a publication rests it on."""

    def rate(read: Callable[[ShownRate], Value]) -> Callable[[BoardRow], Value]:
        def of(row: BoardRow) -> Value:
            named = (one for one in row.rates if (one.name, one.evidence) == (name, evidence))
            found = next(named, None)
            return read(found) if found else None

        return of

    word = f"{name}_{evidence}" if evidence else name
    return (
        Column(f"{word}_share", rate(lambda one: one.value)),
        Column(f"{word}_share_low", rate(lambda one: one.low)),
        Column(f"{word}_share_high", rate(lambda one: one.high)),
        Column(f"{word}_unit", rate(lambda one: one.unit)),
        Column(f"{word}_hits", rate(lambda one: one.hits)),
        Column(f"{word}_counted", rate(lambda one: one.counted)),
        Column(f"{word}_declared", rate(lambda one: one.declared)),
        Column(f"{word}_open", rate(lambda one: one.open)),
    )


def _beside() -> list[Column[BoardRow]]:
    return [_beside_column(one.name) for one in fields(Beside)]


def _beside_column(name: str) -> Column[BoardRow]:
    def number(row: BoardRow) -> Value:
        found: int | None = getattr(row.beside, name, None)
        return found

    return Column(f"beside_{name}", number)
