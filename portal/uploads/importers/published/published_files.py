"""The files of results together: each run has to be in all of them, with the same trajectories."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evaluation.core.errors import InvalidInput
from portal.uploads.importers.published import result_files, turn_file
from portal.uploads.importers.published.published_records import RunKey
from portal.uploads.importers.published.result_files import Best, Place, Share, TargetShare
from portal.uploads.importers.published.turn_file import Trajectory


@dataclass(frozen=True, slots=True)
class PublishedFiles:
    runs: tuple[RunKey, ...]
    trajectories: Mapping[RunKey, tuple[Trajectory, ...]]
    correctness: Mapping[Place, Share]
    speedups: Mapping[Place, Best]
    instructions: Mapping[Place, TargetShare]

    def turn_limits(self, key: RunKey) -> tuple[int, ...]:
        return tuple(sorted(limit for own, limit in self.correctness if own == key))


def refuse_gaps(published: PublishedFiles) -> None:
    """Raise InvalidInput for a run, a turn limit or a trajectory that one file has and another lacks."""
    runs = set(published.runs)
    _same(turn_file.NAME, runs, set(published.trajectories))
    _same(result_files.CORRECTNESS, runs, {key for key, _ in published.correctness})
    places = set(published.correctness)
    _same(result_files.SPEEDUP, places, set(published.speedups))
    _same(result_files.INSTRUCTION, places, set(published.instructions))
    for (key, limit), share in published.correctness.items():
        counts = {
            turn_file.NAME: len(published.trajectories[key]),
            result_files.CORRECTNESS: share.trajectories,
            result_files.SPEEDUP: published.speedups[key, limit].trajectories,
            result_files.INSTRUCTION: published.instructions[key, limit].share.trajectories,
        }
        if len(set(counts.values())) > 1:
            said = ", ".join(f"{number} in {name}" for name, number in counts.items())
            raise InvalidInput(where=_named(key), key="n_trajectories", rule=f"contradicts: {said}")


def _same(
    name: str, expected: "set[RunKey] | set[Place]", found: "set[RunKey] | set[Place]"
) -> None:
    for place in _first(expected - found):
        raise InvalidInput(
            where=name, key="", rule=f"lacks {_named(place)}, which another file has"
        )
    for place in _first(found - expected):
        raise InvalidInput(
            where=name, key="", rule=f"has {_named(place)}, which another file lacks"
        )


def _first(places: "Iterable[RunKey | Place]") -> "list[RunKey | Place]":
    return sorted(places, key=_named)[:1]


def _named(place: "RunKey | Place") -> str:
    if isinstance(place, RunKey):
        return f"{place.model} / {place.target} / {place.definition} / {place.experiment}"
    return f"{_named(place[0])} at turn limit {place[1]}"
