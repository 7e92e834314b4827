"""Reads a folder of published files into one Publication, or says in one sentence why it cannot."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from portal.uploads.importers.published.comparison import differences, unknowns
from portal.uploads.importers.published.csv_rows import rows
from portal.uploads.importers.published.date_files import Days, days
from portal.uploads.importers.published.main_runs import MainRuns
from portal.uploads.importers.published.published_files import PublishedFiles, refuse_gaps
from portal.uploads.importers.published.published_records import (
    PaperModel,
    PaperRun,
    Publication,
    RunKey,
)
from portal.uploads.importers.published.published_values import values
from portal.uploads.importers.published.published_words import device_of
from portal.uploads.importers.published.result_files import correctness, instructions, speedups
from portal.uploads.importers.published.run_columns import run_key
from portal.uploads.importers.published.turn_counts import taken
from portal.uploads.importers.published.turn_file import LIMIT_TURNS, trajectories

EXPERIMENTS: Final = "experiments.csv"

Problems = Mapping[tuple[str, str], str]  # definition and workload uuid to our name


def read_publication(folder: Path, *, problems: Problems, main_runs: MainRuns) -> Publication:
    """Read every file of ``folder``. Raise InvalidInput with file and line for the first rule that is broken."""
    published = PublishedFiles(
        _experiments(folder),
        trajectories(folder),
        correctness(folder),
        speedups(folder),
        instructions(folder),
    )
    refuse_gaps(published)
    dated = days(folder)
    return Publication(
        main_runs.name,
        main_runs.source,
        tuple(_models(published, main_runs, dated)),
        tuple(_runs(published, main_runs, problems)),
        dated.milestones,
        tuple(differences(published)),
        (*dated.problems, *unknowns(published)),
    )


def _experiments(folder: Path) -> tuple[RunKey, ...]:
    found: set[RunKey] = set()
    for row in rows(folder, EXPERIMENTS, ("model", "arch", "definition", "workload", "exp_dir")):
        key = run_key(row)
        if key in found:
            raise row.broken("exp_dir", "an earlier row ends in the same name for this run")
        found.add(key)
    return tuple(sorted(found))


def _models(published: PublishedFiles, main_runs: MainRuns, dated: Days) -> Iterator[PaperModel]:
    for name in sorted({main_runs.model_of(key.model) for key in published.runs}):
        yield PaperModel(name, main_runs.aliases_of(name), dated.models.get(name))


def _runs(published: PublishedFiles, main_runs: MainRuns, problems: Problems) -> Iterator[PaperRun]:
    main = main_runs.among(published.runs)
    for key in published.runs:
        yield PaperRun(
            key,
            model=main_runs.model_of(key.model),
            device=device_of(key.target),
            problem=problems.get((key.definition, key.workload), ""),
            main=key in main,
            trajectories=len(published.trajectories[key]),
            turns=taken(published.trajectories[key], LIMIT_TURNS),
            values=tuple(values(published, key)),
        )
