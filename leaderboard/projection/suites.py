"""Makes rows of suites out of the rows of their problems, where every problem has one."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from leaderboard.estimates import Estimate, Unranked, suite_rate, suite_ratio
from leaderboard.projection.past import Scope
from leaderboard.projection.rows import Placed
from leaderboard.ranking import Provenance
from leaderboard.standing import (
    BoardKey,
    BoardKind,
    Row,
    ShownRate,
    counts_of,
    counts_text,
    rates_of,
    rates_text,
)
from leaderboard.statistics import Interval


def suite_rows(rows: Iterable[Placed], scope: Scope) -> Iterator[Placed]:
    """Give the suites' rows of one entry, out of its rows at problems; single kernels have none."""
    for (board, _, _), by_problem in _gathered(rows, scope).items():
        parts = [by_problem[name] for name in scope.suites[board.suite] if name in by_problem]
        if len(parts) == len(scope.suites[board.suite]):
            yield _suite(board, parts)


_Key = tuple[BoardKey, str, int]


def _gathered(rows: Iterable[Placed], scope: Scope) -> dict[_Key, dict[str, Placed]]:
    suite_of = {name: suite for suite, names in scope.suites.items() for name in names}
    found: defaultdict[_Key, dict[str, Placed]] = defaultdict(dict)
    for one in rows:
        key = one.board
        if one.row.provenance != Provenance.VERIFIED or key.problem not in suite_of:
            continue
        if key.problem_version != scope.versions[key.problem] or one.estimate.value is None:
            continue
        board = replace(key, problem="", problem_version=0, suite=suite_of[key.problem])
        found[board, one.row.subject, one.row.turn_limit][key.problem] = one
    return found


def _suite(board: BoardKey, parts: Sequence[Placed]) -> Placed:
    middle = suite_ratio if board.kind == BoardKind.SPEED else suite_rate
    estimate = middle([one.estimate for one in parts])
    first, interval = parts[0].row, estimate.interval
    unlisted = first.unranked_why == Unranked.MODEL_NOT_ACCEPTED
    why = Unranked.MODEL_NOT_ACCEPTED if unlisted else estimate.unranked
    row = Row(
        subject=first.subject,
        turn_limit=first.turn_limit,
        provenance=first.provenance,
        entry_id=first.entry_id,
        model_id=first.model_id,
        reported_device=first.reported_device,
        devices=_devices(parts),
        value=estimate.value,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        unranked_why=why.value if why else "",
        counted=sum(one.row.counted for one in parts),
        declared=sum(one.row.declared for one in parts),
        open=sum(one.row.open for one in parts),
        rates=rates_text(_rates(parts)),
        beside=counts_text(_beside(parts)),
    )
    return Placed(board, row, estimate)


def _devices(parts: Sequence[Placed]) -> str:
    named = {device for one in parts for device in one.row.devices.split(",") if device}
    return ",".join(sorted(named))


def _beside(parts: Sequence[Placed]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for one in parts:
        total.update(counts_of(one.row.beside))
    return dict(total)


def _rates(parts: Sequence[Placed]) -> Iterator[ShownRate]:
    """The mean of each rate. Rows of one board have the same rates in the same order."""
    for several in zip(*(rates_of(one.row.rates) for one in parts), strict=True):
        estimate = suite_rate([_estimate(one) for one in several])
        interval = estimate.interval
        yield ShownRate(
            name=several[0].name,
            unit=several[0].unit,
            hits=None,
            counted=sum(one.counted for one in several),
            declared=sum(one.declared for one in several),
            open=sum(one.open for one in several),
            value=estimate.value,
            low=interval.low if interval else None,
            high=interval.high if interval else None,
            unranked=estimate.unranked.value if estimate.unranked else "",
        )


def _estimate(rate: ShownRate) -> Estimate:
    interval = (
        Interval(rate.low, rate.high) if rate.low is not None and rate.high is not None else None
    )
    return Estimate(rate.value, interval, Unranked(rate.unranked) if rate.unranked else None)
