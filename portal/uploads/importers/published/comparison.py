"""Compares what was published with what the publication's own turns give."""

import math
from collections.abc import Iterator
from typing import Final

from evaluation.core.entry_words import PaperMetric
from portal.uploads.importers.published.published_files import PublishedFiles
from portal.uploads.importers.published.published_records import Difference, RunKey
from portal.uploads.importers.published.turn_counts import (
    best_speedup,
    correct,
    solved,
    target_solved,
)

_PRINTED: Final = 1e-8  # speed-ups are printed with nine digits


def differences(published: PublishedFiles) -> Iterator[Difference]:
    """Yield each published value that its turns do not give, run by run and by rising turn limit."""
    for key in published.runs:
        for limit in published.turn_limits(key):
            yield from _at(published, key, limit)


def unknowns(published: PublishedFiles) -> Iterator[str]:
    """Yield a sentence for each value that counts turns as without the instructions because nobody could tell."""
    for key in published.runs:
        for limit in published.turn_limits(key):
            unknown = published.instructions[key, limit].unknown_turns
            if unknown:
                yield (
                    f"{key.experiment} at turn limit {limit}: correct turns whose executed instructions the "
                    f"publication could not tell: {unknown}; they count as not using the target's"
                )


def _at(published: PublishedFiles, key: RunKey, limit: int) -> Iterator[Difference]:
    turns = published.trajectories[key]
    target = published.instructions[key, limit]
    counts = (
        (PaperMetric.SOLVED_BY, published.correctness[key, limit].solved, solved(turns, limit)),
        (PaperMetric.TARGET_SOLVED_BY, target.share.solved, target_solved(turns, limit)),
        (PaperMetric.CORRECT_AT, target.correct_turns, correct(turns, limit)),
    )
    for metric, stated, counted in counts:
        if stated != counted:
            yield Difference(key, metric, limit, stated, counted)
    best, found = published.speedups[key, limit].speedup, best_speedup(turns, limit)
    if not _same(best, found):
        yield Difference(key, PaperMetric.BEST_SPEEDUP, limit, best, found)


def _same(stated: float | None, found: float | None) -> bool:
    if stated is None or found is None:
        return stated is found
    return math.isclose(stated, found, rel_tol=_PRINTED)
