"""The files of days: when models date from, and what happened when to targets and to FlashAttention."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from portal.uploads.importers.published.csv_rows import Row, rows
from portal.uploads.importers.published.published_records import Milestone

MODELS: Final = "model_release_dates.csv"
PTX: Final = "ptx_release_dates.csv"
FLASH_ATTENTION: Final = "fa_release_dates.csv"


@dataclass(frozen=True, slots=True)
class Days:
    """``problems`` has a sentence for each day that no calendar has."""

    models: Mapping[str, date | None]
    milestones: tuple[Milestone, ...]
    problems: tuple[str, ...]


def days(folder: Path) -> Days:
    problems: list[str] = []
    models: dict[str, date | None] = {}
    for row in rows(folder, MODELS, ("model", "date")):
        name = row.text("model")
        if name in models:
            raise row.broken("model", "an earlier row has this model")
        models[name] = _day(row, "date", problems)
    milestones = [
        Milestone(f"PTX for {row.text('arch')}", _day(row, "date", problems))
        for row in rows(folder, PTX, ("arch", "date"))
    ]
    milestones += [
        Milestone(f"{row.text('version')} for {row.text('arch')}", _day(row, "dates", problems))
        for row in rows(folder, FLASH_ATTENTION, ("version", "arch", "dates"))
    ]
    return Days(models, tuple(milestones), tuple(problems))


def _day(row: Row, column: str, problems: list[str]) -> date | None:
    day = row.day(column)
    if day is None:
        problems.append(f"{row.where}: {row.cells[column]} is in no calendar; kept as unknown")
    return day
