"""Makes rows of boards out of counted cells; the estimates decide what ranks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace

from leaderboard.cells import Beside, Cell
from leaderboard.estimates import Estimate, Unranked, rate_estimate, ratio_estimate
from leaderboard.projection.counting import Counted, counted, counted_as_reported
from leaderboard.projection.past import Scope, Subject
from leaderboard.ranking import Provenance
from leaderboard.rates import Rate
from leaderboard.standing import (
    BoardKey,
    BoardKind,
    RateName,
    Row,
    ShownRate,
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
    names = (
        (RateName.CORRECT, RateName.SOLVED)
        if kind is BoardKind.CORRECTNESS
        else (
            RateName.FAMILY_CORRECT,
            RateName.FAMILY_SOLVED,
            RateName.PATH_CORRECT,
            RateName.PATH_SOLVED,
        )
    )
    rates = [(name, _rate(one.cell, name)) for name in names]
    estimates = [_estimate(rate, provenance) for _, rate in rates]
    shown = [_shown(name, rate, its) for (name, rate), its in zip(rates, estimates, strict=True)]
    return _placed(
        one,
        scope,
        kind,
        provenance,
        estimate=estimates[0],
        primary=rates[0][1],
        shown=shown,
    )


def _speed(one: Counted, scope: Scope, provenance: Provenance) -> Placed:
    rate = one.cell.correct
    estimate = ratio_estimate(one.cell.best)
    if provenance is not Provenance.VERIFIED:
        estimate = _unchecked(estimate.value)
    shown = [_shown(RateName.CORRECT, rate, _estimate(rate, provenance))]
    placed = _placed(
        one, scope, BoardKind.SPEED, provenance, estimate=estimate, primary=rate, shown=shown
    )
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
    primary: Rate,
    shown: Sequence[ShownRate],
) -> Placed:
    subject, interval = one.subject, estimate.interval
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
        rates=rates_text(shown),
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


def _estimate(rate: Rate, provenance: Provenance) -> Estimate:
    verified = provenance is Provenance.VERIFIED
    return rate_estimate(rate) if verified else _unchecked(rate.share)


def _unchecked(value: float | None) -> Estimate:
    """No interval: it would make a value look as sure as ours."""
    return Estimate(value, unranked=Unranked.NOT_VERIFIED)


_BESIDE = tuple(field.name for field in fields(Beside))


def _beside(counts: Beside) -> dict[str, int]:
    return {name: getattr(counts, name) for name in _BESIDE}


def _rate(cell: Cell, name: RateName) -> Rate:
    match name:
        case RateName.CORRECT:
            return cell.correct
        case RateName.SOLVED:
            return cell.solved
        case RateName.FAMILY_CORRECT:
            return cell.family_correct
        case RateName.FAMILY_SOLVED:
            return cell.family_solved
        case RateName.PATH_CORRECT:
            return cell.path_correct
        case RateName.PATH_SOLVED:
            return cell.path_solved


def _shown(name: RateName, rate: Rate, estimate: Estimate) -> ShownRate:
    interval = estimate.interval
    return ShownRate(
        name=name.value,
        unit=rate.unit.value,
        hits=rate.hits,
        counted=rate.counted,
        declared=rate.declared,
        open=rate.open,
        value=estimate.value,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        unranked=estimate.unranked.value if estimate.unranked else "",
    )
