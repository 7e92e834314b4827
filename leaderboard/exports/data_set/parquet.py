"""Writes tables as Parquet files. Only who makes the data set imports this: pyarrow takes a second and 100 MB."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from leaderboard.exports.data_set.tables import DataTable, Kind, Row

_TYPES = {
    Kind.TEXT: pa.string(),
    Kind.WHOLE: pa.int64(),
    Kind.NUMBER: pa.float64(),
    Kind.YES_NO: pa.bool_(),
    Kind.TIME: pa.timestamp("us", tz="UTC"),
    Kind.NUMBERS: pa.list_(pa.float64()),
}
ROWS_OF_A_GROUP = 20_000


def write_parquet(table: DataTable[Row], path: Path) -> int:
    """Write all rows, each group as soon as it is whole; give their number. The same rows make the same bytes."""
    fields = [
        pa.field(one.name, _TYPES[one.kind], metadata={"about": one.about}) for one in table.columns
    ]
    schema = pa.schema(fields, metadata={"about": table.about})
    written = 0
    with pq.ParquetWriter(path, schema, compression="zstd") as file:
        waiting: list[Row] = []
        for piece in table.pieces():
            waiting.extend(piece)
            if len(waiting) >= ROWS_OF_A_GROUP:
                written += len(waiting)
                file.write_batch(_batch(table, waiting, schema))
                waiting.clear()
        file.write_batch(_batch(table, waiting, schema))
    return written + len(waiting)


def _batch(table: DataTable[Row], rows: Sequence[Row], schema: pa.Schema) -> pa.RecordBatch:
    columns = [
        pa.array([one.read(row) for row in rows], type=_TYPES[one.kind]) for one in table.columns
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)
