"""Parquet, compressed with Zstandard."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from .base import OutputFormat, writing

if TYPE_CHECKING:
    from pathlib import Path

_GROUP_BYTES = 64 << 20
_GROUP_ROWS = 1 << 17


class ParquetWriter:
    """Writes row groups of a good size: one per batch would be tiny where few rows are picked."""

    def __init__(self, path: Path, file: IO[bytes], schema: pa.Schema) -> None:
        self._path = path
        self._schema = schema
        self._writer = pq.ParquetWriter(file, schema, compression="zstd")
        self._waiting: list[pa.RecordBatch] = []

    def write(self, batch: pa.RecordBatch) -> None:
        """Hold rows back until they are enough for a row group."""
        self._waiting.append(batch)
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


PARQUET = OutputFormat("parquet", (".parquet", ".pq"), ParquetWriter, compressible=False, is_text=False)
