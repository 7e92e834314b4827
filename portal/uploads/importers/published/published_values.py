"""The values of one run: three as published, two counted from the per-turn file by the publisher's rule."""

from collections.abc import Iterator

from evaluation.core.entry_words import PaperMetric
from portal.uploads.importers.published.published_files import PublishedFiles
from portal.uploads.importers.published.published_records import (
    Evidence,
    PaperValue,
    RunKey,
)
from portal.uploads.importers.published.turn_counts import correct, taken, target_correct


def values(published: PublishedFiles, key: RunKey) -> Iterator[PaperValue]:
    """Yield a value of every metric for every turn limit that was published for this run."""
    for limit in published.turn_limits(key):
        solved = published.correctness[key, limit]
        target = published.instructions[key, limit].share
        turns = published.trajectories[key]
        taken_turns = taken(turns, limit)
        yield _share(
            PaperMetric.SOLVED_BY, limit, solved.solved, solved.trajectories, Evidence.NONE
        )
        yield _share(
            PaperMetric.TARGET_SOLVED_BY,
            limit,
            target.solved,
            target.trajectories,
            Evidence.DYNAMIC_SASS,
        )
        best = published.speedups[key, limit].speedup
        yield PaperValue(PaperMetric.BEST_SPEEDUP, limit, None, None, best, Evidence.NONE)
        yield _share(
            PaperMetric.CORRECT_AT, limit, correct(turns, limit), taken_turns, Evidence.NONE
        )
        yield _share(
            PaperMetric.TARGET_CORRECT_AT,
            limit,
            target_correct(turns, limit),
            taken_turns,
            Evidence.PTX_TEXT,
        )


def _share(metric: PaperMetric, limit: int, count: int, of: int, evidence: Evidence) -> PaperValue:
    return PaperValue(metric, limit, count, of, None, evidence)
