"""What a board ranks by: a value with its interval, or the reason why it is not ranked."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain

from leaderboard.bootstrap import bootstrap
from leaderboard.cells import Best
from leaderboard.rates import Rate, Unit
from leaderboard.statistics import (
    Interval,
    effective_trajectories,
    geometric_mean,
    geometric_mean_interval,
    mean,
    mean_interval,
    wider_at_each_end,
    wilson,
)

LEAST_TRAJECTORIES = 5  # fewer say too little for an interval, and without one there is no rank


class Unranked(StrEnum):
    """Why a row has no rank, the first reason that holds."""

    NOT_VERIFIED = "not_verified"  # an upload's own value
    MODEL_NOT_ACCEPTED = "model_not_accepted"  # a proposed model
    PROBLEM_NOT_RANKED = "problem_not_ranked"  # by the catalogue
    NOTHING_COUNTED = "nothing_counted"  # no turn is left to count, or no correct one has a ratio
    SUITE_INCOMPLETE = "suite_incomplete"  # a problem of the suite has no value
    PROVISIONAL = "provisional"  # declared turns are open
    SOURCE_MISSING = "source_missing"  # turns left without their source, which the uploader chose
    FEW_TRAJECTORIES = "few_trajectories"
    NO_INTERVAL = "no_interval"


@dataclass(frozen=True, slots=True)
class Estimate:
    """Ranked exactly where ``unranked`` is None, and then value and interval are there and hold each other."""

    value: float | None
    interval: Interval | None = None
    unranked: Unranked | None = None

    def __post_init__(self) -> None:
        if self.interval is not None and (self.value is None or self.value not in self.interval):
            raise ValueError(f"the interval {self.interval} does not hold the value {self.value}")
        if self.unranked is None and self.interval is None:
            raise ValueError("a ranked value has an interval")


def rate_estimate(rate: Rate) -> Estimate:
    """Estimate a rate over turns or trajectories."""
    share = rate.share
    if share is None:
        return Estimate(None, unranked=Unranked.NOTHING_COUNTED)
    if rate.provisional:
        return Estimate(share, unranked=Unranked.PROVISIONAL)
    if rate.sourceless:
        return Estimate(share, unranked=Unranked.SOURCE_MISSING)
    counting = [one for one in chain.from_iterable(rate.tallies) if one.counted]
    if len(counting) < LEAST_TRAJECTORIES:
        return Estimate(share, unranked=Unranked.FEW_TRAJECTORIES)
    interval = wilson(share, effective_trajectories(counting))
    if rate.unit is Unit.TURN:
        interval = wider_at_each_end(interval, bootstrap(rate.tallies))
    return Estimate(share, interval)


def ratio_estimate(best: Best | None) -> Estimate:
    """Estimate the best ratio of a device. Open turns do not matter: they can only add a better one."""
    if best is None:
        return Estimate(None, unranked=Unranked.NOTHING_COUNTED)
    if best.interval is None:
        return Estimate(best.ratio, unranked=Unranked.NO_INTERVAL)
    return Estimate(best.ratio, best.interval)


def suite_rate(problems: Sequence[Estimate]) -> Estimate:
    """Take the mean of the rates of a suite's problems, one estimate a problem, at least one problem."""
    return _suite(problems, mean, mean_interval)


def suite_ratio(problems: Sequence[Estimate]) -> Estimate:
    """Take the geometric mean of a suite's best ratios, one estimate a problem, at least one problem."""
    return _suite(problems, geometric_mean, geometric_mean_interval)


def _suite(
    problems: Sequence[Estimate],
    middle: Callable[[Sequence[float]], float],
    around: Callable[[Sequence[float], Sequence[Interval]], Interval],
) -> Estimate:
    values = [one.value for one in problems if one.value is not None]
    if len(values) < len(problems):
        return Estimate(None, unranked=Unranked.SUITE_INCOMPLETE)
    unranked = _first_reason(problems)
    if unranked is not None:
        return Estimate(middle(values), unranked=unranked)
    intervals = [one.interval for one in problems if one.interval is not None]
    return Estimate(middle(values), around(values, intervals))


def _first_reason(problems: Sequence[Estimate]) -> Unranked | None:
    reasons = {one.unranked for one in problems}
    return next((one for one in Unranked if one in reasons), None)
