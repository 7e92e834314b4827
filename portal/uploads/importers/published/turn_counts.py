"""The publisher's rules over the per-turn file: every turn that was taken counts, and none carries over."""

from collections.abc import Iterable

from portal.uploads.importers.published.turn_file import Trajectory


def solved(trajectories: Iterable[Trajectory], turn_limit: int) -> int:
    """Count trajectories with any correct turn among the first."""
    return sum(any(turn.correct for turn in one[:turn_limit]) for one in trajectories)


def target_solved(trajectories: Iterable[Trajectory], turn_limit: int) -> int:
    """Count trajectories with any correct turn among the first that names the target's instructions."""
    return sum(any(turn.names_target for turn in one[:turn_limit]) for one in trajectories)


def best_speedup(trajectories: Iterable[Trajectory], turn_limit: int) -> float | None:
    """Give the largest speed-up of a correct turn among the first, None if no turn was correct."""
    found = (turn.speedup for one in trajectories for turn in one[:turn_limit])
    return max((speedup for speedup in found if speedup is not None), default=None)


def taken(trajectories: Iterable[Trajectory], turn_limit: int) -> int:
    """Count the first turns that were taken; a trajectory that ended early has fewer."""
    return sum(len(one[:turn_limit]) for one in trajectories)


def correct(trajectories: Iterable[Trajectory], turn_limit: int) -> int:
    return sum(turn.correct for one in trajectories for turn in one[:turn_limit])


def target_correct(trajectories: Iterable[Trajectory], turn_limit: int) -> int:
    return sum(turn.names_target for one in trajectories for turn in one[:turn_limit])
