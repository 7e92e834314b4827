"""Which files of the data set are the current ones: a manifest in their folder, replaced as a whole."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

MANIFEST = "manifest.json"
_MANIFEST_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class ReleasedColumn:
    name: str
    kind: str
    about: str


@dataclass(frozen=True, slots=True)
class ReleasedTable:
    """``file`` is its name in the folder, which has a part of ``sha256`` in it."""

    name: str
    about: str
    file: str
    sha256: str
    size_bytes: int
    rows: int
    columns: tuple[ReleasedColumn, ...]


@dataclass(frozen=True, slots=True)
class Release:
    """Everything that was public at ``made_at``."""

    schema: int
    made_at: datetime
    tables: tuple[ReleasedTable, ...]

    def table(self, name: str) -> ReleasedTable | None:
        return next((one for one in self.tables if one.name == name), None)


def manifest_text(release: Release) -> str:
    """The manifest as it is kept."""
    whole = asdict(release) | {"made_at": release.made_at.isoformat()}
    return json.dumps(whole, indent=1, allow_nan=False) + "\n"


def current_release(folder: Path) -> Release | None:
    """What the folder has to offer; None before anything was made."""
    try:
        with (folder / MANIFEST).open("rb") as file:
            found = json.loads(file.read(_MANIFEST_BYTES))
    except FileNotFoundError:
        return None
    return Release(
        schema=found["schema"],
        made_at=datetime.fromisoformat(found["made_at"]),
        tables=tuple(_table(one) for one in found["tables"]),
    )


def checksums(tables: Sequence[ReleasedTable]) -> str:
    """As ``sha256sum --check`` reads them."""
    return "".join(f"{one.sha256}  {one.name}.parquet\n" for one in tables)


def _table(found: dict[str, object]) -> ReleasedTable:
    columns = found.pop("columns")
    assert isinstance(columns, list)
    whole = {**found, "columns": tuple(ReleasedColumn(**one) for one in columns)}
    return ReleasedTable(**whole)  # type: ignore[arg-type]  # written by this module alone
