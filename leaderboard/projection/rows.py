"""Makes rows of boards out of counted cells; the estimates decide what ranks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace

from leaderboard.cells import Beside
from leaderboard.estimates import Estimate, Unranked, ratio_estimate
from leaderboard.projection.counting import Counted, counted, counted_as_reported
from leaderboard.projection.past import Scope, Subject
from leaderboard.projection.shown_rates import EstimatedRate, estimated_rates, unchecked
from leaderboard.ranking import Provenance
from leaderboard.standing import (
    BoardKey,
    BoardKind,
    Row,
    advances_text,
    counts_text,
    rates_text,
    ratios_text,
)


@dataclass(frozen=True, slots=True)
class Placed:
    """A row with its board, and the estimate that a suite is made of."""

    board: BoardKey
    row: Row
    estimate: Estimate


def problem_rows(subject: Subject, scope: Scope) -> tuple[Placed, ...]:
    """Every row of the subject on boards of its problem: verified ones, and those by its own word beside them."""
    return (
        *(row for one in counted(subject, scope) for row in _verified(one, scope)),
        *(row for one in counted_as_reported(subject) for row in _reported(one, scope)),
    )


def _verified(one: Counted, scope: Scope) -> Iterator[Placed]:
    if one.device:
        if scope.devices.get(one.device) == one.subject.target:
            yield _speed(one, scope, Provenance.VERIFIED)
        return
    yield _rated(one, scope, BoardKind.CORRECTNESS, Provenance.VERIFIED)
    yield _rated(one, scope, BoardKind.INSTRUCTION, Provenance.VERIFIED)


def _reported(one: Counted, scope: Scope) -> Iterator[Placed]:
    if not one.subject.entry.single_kernel:
        target = replace(one, device="", best=None)
        yield _rated(target, scope, BoardKind.CORRECTNESS, Provenance.REPORTED)
    device = scope.device_said(one.device, one.subject.target)
    if device:
        yield _speed(replace(one, device=device), scope, Provenance.REPORTED)


def _rated(one: Counted, scope: Scope, kind: BoardKind, provenance: Provenance) -> Placed:
    rates = estimated_rates(one.cell, kind, provenance)
    return _placed(one, scope, kind, provenance, estimate=rates[0].estimate, rates=rates)


def _speed(one: Counted, scope: Scope, provenance: Provenance) -> Placed:
    kind = BoardKind.SPEED
    estimate = ratio_estimate(one.cell.best)
    if provenance is not Provenance.VERIFIED:
        estimate = unchecked(estimate.value)
    rates = estimated_rates(one.cell, kind, provenance)
    placed = _placed(one, scope, kind, provenance, estimate=estimate, rates=rates)
    best, run = one.best, one.best.run if one.best else None
    row = replace(
        placed.row,
        ratios=ratios_text(one.cell.ratios),
        median_ratio=one.cell.median_ratio,
        best_run=run.uid if run else "",
        best_kernel=best.kernel if best else "",
        best_trajectory=best.trajectory if best else "",
        best_turn=best.turn if best else None,
        candidate_ns=run.candidate_ns if run else None,
        vendor_ns=run.vendor_ns if run else None,
        advances=advances_text(one.advances),
    )
    return replace(placed, row=row)


def _placed(
    one: Counted,
    scope: Scope,
    kind: BoardKind,
    provenance: Provenance,
    *,
    estimate: Estimate,
    rates: Sequence[EstimatedRate],
) -> Placed:
    subject, interval, primary = one.subject, estimate.interval, rates[0].rate
    row = Row(
        subject=subject.name,
        turn_limit=one.turn_limit,
        provenance=provenance.value,
        entry_id=subject.entry.pk,
        model_id=subject.entry.model_id,
        reported_device=subject.reported_device,
        devices=",".join(one.devices),
        value=estimate.value,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        unranked_why=why_unranked(subject, scope, provenance, estimate),
        hits=primary.hits,
        counted=primary.counted,
        declared=primary.declared,
        open=primary.open,
        rates=rates_text([rate.shown for rate in rates]),
        beside=counts_text(_beside(one.cell.beside)),
    )
    return Placed(_board(one, kind), row, estimate)


def why_unranked(subject: Subject, scope: Scope, provenance: Provenance, estimate: Estimate) -> str:
    """Give the word of the first reason, or nothing where the row is ranked."""
    if provenance is not Provenance.VERIFIED:
        return Unranked.NOT_VERIFIED.value
    if not subject.entry.accepted:
        return Unranked.MODEL_NOT_ACCEPTED.value
    if subject.problem not in scope.ranked:
        return Unranked.PROBLEM_NOT_RANKED.value
    return estimate.unranked.value if estimate.unranked else ""


def _board(one: Counted, kind: BoardKind) -> BoardKey:
    return BoardKey(
        kind=kind.value,
        target=one.subject.target,
        device=one.device,
        problem=one.subject.problem,
        suite="",
        problem_version=one.subject.problem_version,
        language=one.subject.entry.language,
        judge=one.judge,
    )


_BESIDE = tuple(field.name for field in fields(Beside))


def _beside(counts: Beside) -> dict[str, int]:
    return {name: getattr(counts, name) for name in _BESIDE}
