"""The rates that a board's rows show: which ones, and how sure each is."""

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter

from leaderboard.cells import Cell
from leaderboard.estimates import Estimate, Unranked, rate_estimate
from leaderboard.ranking import Provenance
from leaderboard.rates import Rate
from leaderboard.standing import BoardKind, RateName, ShownRate

# The first one orders the rows of its board, on speed boards apart.
_OF_BOARDS = {
    BoardKind.CORRECTNESS: (RateName.CORRECT, RateName.SOLVED),
    BoardKind.INSTRUCTION: (
        RateName.FAMILY_CORRECT,
        RateName.FAMILY_SOLVED,
        RateName.PATH_CORRECT,
        RateName.PATH_SOLVED,
    ),
    BoardKind.SPEED: (RateName.CORRECT,),
}
_RATES: dict[RateName, Callable[[Cell], Rate]] = {
    RateName.CORRECT: attrgetter("correct"),
    RateName.SOLVED: attrgetter("solved"),
    RateName.FAMILY_CORRECT: attrgetter("family_correct"),
    RateName.FAMILY_SOLVED: attrgetter("family_solved"),
    RateName.PATH_CORRECT: attrgetter("path_correct"),
    RateName.PATH_SOLVED: attrgetter("path_solved"),
}


@dataclass(frozen=True, slots=True)
class EstimatedRate:
    name: RateName
    rate: Rate
    estimate: Estimate

    @property
    def shown(self) -> ShownRate:
        rate, estimate, interval = self.rate, self.estimate, self.estimate.interval
        return ShownRate(
            name=self.name.value,
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


def estimated_rates(
    cell: Cell, kind: BoardKind, provenance: Provenance
) -> tuple[EstimatedRate, ...]:
    """Give the rates of such a board in the order in which rows show them."""
    verified = provenance is Provenance.VERIFIED
    rates = [(name, _RATES[name](cell)) for name in _OF_BOARDS[kind]]
    return tuple(
        EstimatedRate(name, rate, rate_estimate(rate) if verified else unchecked(rate.share))
        for name, rate in rates
    )


def unchecked(value: float | None) -> Estimate:
    """No interval: it would make a value look as sure as ours."""
    return Estimate(value, unranked=Unranked.NOT_VERIFIED)
