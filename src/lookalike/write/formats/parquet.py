"""Parquet, compressed with Zstandard."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from lookalike.errors import OutputError

from .base import OutputFormat, shown, writing

if TYPE_CHECKING:
    from pathlib import Path

_GROUP_BYTES = 64 << 20
_GROUP_ROWS = 1 << 17
_MAX_LEVELS = 99
"""Levels that Arrow's reader takes below the root."""


class ParquetWriter:
    """Writes row groups of a good size: one per batch would be tiny where few rows are picked."""

    def __init__(self, path: Path, file: IO[bytes], schema: pa.Schema) -> None:
        self._path = path
        self._schema = schema
        _refuse_deep(path, schema)
        self._writer = pq.ParquetWriter(file, schema, compression="zstd")
        self._waiting: list[pa.RecordBatch] = []

    def write(self, batch: pa.RecordBatch) -> None:
        """Hold rows back until they are enough for a row group."""
        self._waiting.append(_without_null_entries(batch))
        rows = sum(waiting.num_rows for waiting in self._waiting)
        if rows >= _GROUP_ROWS or sum(waiting.nbytes for waiting in self._waiting) >= _GROUP_BYTES:
            self._flush()

    def close(self) -> None:
        """Write the last row group and the footer."""
        self._flush()
        self._writer.close()

    def discard(self) -> None:
        """Close Arrow's writer while the file is open; it would try to when it is collected, too late."""
        self._waiting.clear()
        self._writer.close()

    def _flush(self) -> None:
        if self._waiting:
            with writing(self._path):
                table = pa.Table.from_batches(self._waiting, self._schema)
                self._writer.write_table(table, row_group_size=_GROUP_ROWS)
            self._waiting.clear()


def _refuse_deep(path: Path, schema: pa.Schema) -> None:
    """Raise for a column that no reader would read again."""
    for field in schema:
        if (levels := _levels(field.type)) > _MAX_LEVELS:
            raise OutputError(
                f"{shown(path)} cannot be written: column {field.name!r} is nested {levels} levels deep, and parquet "
                f"readers stop at {_MAX_LEVELS}; write .jsonl"
            )


def _levels(arrow_type: pa.DataType) -> int:
    """Return how deep a type is in parquet, where a list takes two levels."""
    inner = [_levels(arrow_type.field(i).type) for i in range(arrow_type.num_fields)]
    return max(inner, default=0) + (1 if pa.types.is_struct(arrow_type) or not inner else 2)


def _without_null_entries(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return rows whose dictionaries hold no null, which parquet does not take; the rows that used it are null."""
    arrays = [
        array.dictionary_decode().dictionary_encode().cast(array.type)
        if pa.types.is_dictionary(array.type) and array.dictionary.null_count
        else array
        for array in batch.columns
    ]
    return pa.record_batch(arrays, schema=batch.schema)


PARQUET = OutputFormat("parquet", (".parquet", ".pq"), ParquetWriter, compressible=False, is_text=False)
