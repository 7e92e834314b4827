"""The few figures of a publication that come with this package, until its own files are imported."""

import csv
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime
from importlib.resources.abc import Traversable

from evaluation.adapters.text_files import text_of
from evaluation.core.entry_words import PaperMetric
from evaluation.core.verdict import Target
from evaluation.models import PaperCell
from evaluation.services.paper import NewPaperModel, NewPaperValue, set_paper_values
from portal.uploads.importers.published.main_runs import packaged_main_runs
from portal.uploads.importers.published.published_records import Evidence

FILE = "paper_turns.csv"
TURN_LIMIT = 8

_TARGETS = {"H100": Target.HOPPER, "B200": Target.BLACKWELL}


def load_paper_values(folder: Traversable, *, at: datetime) -> bool:
    """Write the figures, unless there are values of the publication: an import knows more. False where there are.

    They have the publication's and its runs' own names, so that an import later keeps, replaces or adds to them.
    """
    publication = packaged_main_runs()
    if PaperCell.objects.filter(publication=publication.name).exists():
        return False
    values = paper_values(folder)
    models = [NewPaperModel(name, publication.aliases_of(name)) for name in values]
    set_paper_values(publication.name, models, values, at=at)
    return True


def paper_values(folder: Traversable) -> Mapping[str, tuple[NewPaperValue, ...]]:
    """The figures by the model's name."""
    found: defaultdict[str, list[NewPaperValue]] = defaultdict(list)
    for row in csv.DictReader(text_of(folder.joinpath(FILE)).splitlines(), strict=True):
        found[row["model"]].extend(_values(row))
    return {model: tuple(values) for model, values in found.items()}


def _values(row: Mapping[str, str]) -> Iterator[NewPaperValue]:
    turns, best = int(row["turns"]), row["best_speedup"]
    correct, target_correct = int(row["correct"]), int(row["target_correct"])
    yield _value(row, PaperMetric.CORRECT_AT, correct, turns)
    text = Evidence.PTX_TEXT
    yield _value(row, PaperMetric.TARGET_CORRECT_AT, target_correct, turns, evidence=text)
    yield _value(row, PaperMetric.BEST_SPEEDUP, value=float(best) if best else None)


def _value(
    row: Mapping[str, str],
    metric: PaperMetric,
    numerator: int | None = None,
    denominator: int | None = None,
    *,
    value: float | None = None,
    evidence: Evidence = Evidence.NONE,
) -> NewPaperValue:
    return NewPaperValue(
        target=_TARGETS[row["device"]],
        device=row["device"],
        problem=row["problem"],
        experiment=row["experiment"],
        main=True,
        metric=metric,
        turn_limit=TURN_LIMIT,
        numerator=numerator,
        denominator=denominator,
        value=value,
        evidence=evidence,
    )
