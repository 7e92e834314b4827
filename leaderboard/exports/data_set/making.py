"""Makes the public data set: every table as a file, then a manifest that names them, then no more of the old ones."""

import hashlib
import tempfile
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from evaluation.adapters.workspace import locked, write_atomically
from evaluation.core.catalogue.problem import Problem
from leaderboard.exports.data_set import judged_tables, standing_tables
from leaderboard.exports.data_set.parquet import write_parquet
from leaderboard.exports.data_set.released import (
    MANIFEST,
    Release,
    ReleasedColumn,
    ReleasedTable,
    current_release,
    manifest_text,
)
from leaderboard.exports.data_set.tables import SCHEMA, DataTable

MADE_EVERY = timedelta(hours=1)


def data_tables(problems: Sequence[Problem], *, at: datetime) -> tuple[DataTable[Any], ...]:
    """Every table of the data set as of this time."""
    return (
        standing_tables.standings(at),
        standing_tables.rates(at),
        standing_tables.records(at),
        judged_tables.entries(at),
        judged_tables.turns(at),
        judged_tables.runs(at),
        judged_tables.models(at),
        judged_tables.problems(problems),
    )


def make_data_set(folder: Path, problems: Sequence[Problem], *, at: datetime) -> Release:
    """Make what is public at this time the current files of ``folder``. Who makes it at once waits and makes it again.

    Call it outside a transaction: it reads for minutes where there is much.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with locked(folder / "lock"), tempfile.TemporaryDirectory(prefix="new-", dir=folder) as made:
        tables = [_make(one, Path(made), folder) for one in data_tables(problems, at=at)]
        release = Release(SCHEMA, at, tuple(tables))
        write_atomically(folder / MANIFEST, manifest_text(release).encode())
        current = {one.file for one in tables}
        for file in folder.glob("*.parquet"):
            if file.name not in current:
                file.unlink()  # who reads it now reads it to its end
    return release


def renew_data_set(folder: Path, problems: Sequence[Problem], *, at: datetime) -> bool:
    """Make it unless the current one is younger than MADE_EVERY; False means it is."""
    current = current_release(folder)
    if current is not None and current.schema == SCHEMA and at - current.made_at < MADE_EVERY:
        return False
    make_data_set(folder, problems, at=at)
    return True


def _make(table: DataTable[Any], made: Path, folder: Path) -> ReleasedTable:
    path = made / f"{table.name}.parquet"
    rows = write_parquet(table, path)
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    name = f"{table.name}-{sha256[:16]}.parquet"
    size_bytes = path.stat().st_size
    path.replace(folder / name)
    return ReleasedTable(
        name=table.name,
        about=table.about,
        file=name,
        sha256=sha256,
        size_bytes=size_bytes,
        rows=rows,
        columns=tuple(ReleasedColumn(one.name, one.kind, one.about) for one in table.columns),
    )
