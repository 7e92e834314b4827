"""Makes rows out of the values of publications; they stand on boards of their own and rank nowhere."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from evaluation.core.entry_words import PaperMetric
from evaluation.core.verdict import Language
from leaderboard.estimates import Unranked
from leaderboard.projection.past import PaperFact, Scope
from leaderboard.ranking import Provenance
from leaderboard.rates import Unit
from leaderboard.standing import BoardKey, BoardKind, RateName, Row, ShownRate, rates_text

# The first of a board's metrics that a publication has orders its rows.
_RATES = {
    BoardKind.CORRECTNESS: (PaperMetric.CORRECT_AT, PaperMetric.SOLVED_BY),
    BoardKind.INSTRUCTION: (PaperMetric.TARGET_CORRECT_AT, PaperMetric.TARGET_SOLVED_BY),
    BoardKind.SPEED: (PaperMetric.CORRECT_AT,),
}
_NAMES = {
    PaperMetric.CORRECT_AT: RateName.CORRECT,
    PaperMetric.SOLVED_BY: RateName.SOLVED,
    PaperMetric.TARGET_CORRECT_AT: RateName.FAMILY_CORRECT,
    PaperMetric.TARGET_SOLVED_BY: RateName.FAMILY_SOLVED,
}
_OF_TRAJECTORIES = frozenset({PaperMetric.SOLVED_BY, PaperMetric.TARGET_SOLVED_BY})


def paper_rows(facts: Iterable[PaperFact], scope: Scope) -> Iterator[tuple[BoardKey, Row]]:
    """Give a row a publication, model, device, problem and turn limit, on each board that it has a value for."""
    together: defaultdict[tuple[object, ...], list[PaperFact]] = defaultdict(list)
    for one in facts:
        if one.problem in scope.versions:
            key = (one.publication, one.model, one.target, one.device, one.problem, one.turn_limit)
            together[key].append(one)
    for several in together.values():
        yield from _rows(several)


def _rows(several: list[PaperFact]) -> Iterator[tuple[BoardKey, Row]]:
    for kind, metrics in _RATES.items():
        rates = [
            _rate(one)
            for metric in metrics
            for one in sorted(several, key=lambda fact: fact.evidence)
            if one.metric == metric
        ]
        if kind is BoardKind.SPEED:
            ratios = [one.value for one in several if one.metric == PaperMetric.BEST_SPEEDUP]
            if ratios:
                yield _board(several[0], kind), _row(several[0], ratios[0], rates)
        elif rates:
            yield _board(several[0], kind), _row(several[0], rates[0].value, rates)


def _board(one: PaperFact, kind: BoardKind) -> BoardKey:
    return BoardKey(
        kind=kind.value,
        target=one.target,
        device=one.device.casefold() if kind is BoardKind.SPEED else "",
        problem=one.problem,
        suite="",
        problem_version=0,
        language=Language.CUDA.value,
        judge="",
    )


def _row(one: PaperFact, value: float | None, rates: list[ShownRate]) -> Row:
    first = rates[0] if rates else None
    return Row(
        subject=f"{one.publication}:{one.model}:{one.device}",
        turn_limit=one.turn_limit,
        provenance=Provenance.PAPER.value,
        entry_id=None,
        model_id=one.model_id,
        publication=one.publication,
        reported_device=one.device,
        value=value,
        unranked_why=Unranked.NOT_VERIFIED.value,
        hits=first.hits if first else None,
        counted=first.counted if first else 0,
        declared=first.declared if first else 0,
        rates=rates_text(rates),
    )


def _rate(one: PaperFact) -> ShownRate:
    hits, of = one.numerator or 0, one.denominator or 0
    metric = PaperMetric(one.metric)
    unit = Unit.TRAJECTORY if metric in _OF_TRAJECTORIES else Unit.TURN
    return ShownRate(
        name=_NAMES[metric].value,
        unit=unit.value,
        hits=hits,
        counted=of,
        declared=of,
        open=0,
        value=hits / of if of else None,
        low=None,
        high=None,
        unranked=Unranked.NOT_VERIFIED.value,
        evidence=one.evidence,
    )
