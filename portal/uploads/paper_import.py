"""Puts a publication that was read into rows: the runs whose problems are ours, main or not."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from evaluation.adapters.catalogue import packaged
from evaluation.services.paper import (
    NewPaperModel,
    NewPaperValue,
    PaperChanges,
    set_paper_values,
)
from portal.uploads.importers.published.main_runs import packaged_main_runs
from portal.uploads.importers.published.published_folder import read_publication
from portal.uploads.importers.published.published_records import PaperRun, Publication


def read_published(folder: Path) -> Publication:
    """Read a folder against the problems and the table of main runs that come with this package."""
    problems = {(one.name, one.workload): one.name for one in packaged().problems()}
    return read_publication(folder, problems=problems, main_runs=packaged_main_runs())


def import_publication(publication: Publication, *, at: datetime) -> PaperChanges:
    """Write models and values; a second time changes nothing. Raise InvalidInput for a name of two models."""
    values: dict[str, list[NewPaperValue]] = defaultdict(list)
    for run in publication.runs:
        if run.problem:
            values[run.model].extend(_values(run))
    models = [NewPaperModel(model.name, model.aliases) for model in publication.models]
    found = {model: tuple(many) for model, many in values.items()}
    return set_paper_values(publication.name, models, found, at=at)


def _values(run: PaperRun) -> Iterator[NewPaperValue]:
    for one in run.values:
        yield NewPaperValue(
            target=run.key.target,
            device=run.device,
            problem=run.problem,
            experiment=run.key.experiment,
            main=run.main,
            metric=one.metric,
            turn_limit=one.turn_limit,
            numerator=one.numerator,
            denominator=one.denominator,
            value=one.value,
            evidence=one.evidence,
        )
