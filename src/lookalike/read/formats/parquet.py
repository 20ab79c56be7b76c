"""Parquet, streamed a few columns at a time, without a Python object per row."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from lookalike.errors import InputError
from lookalike.read.nested import SEPARATOR, flat, path_of
from lookalike.read.streams import open_file, open_seekable, reading

from .base import FileFormat, SingleFile
from .parquet_footer import check_footer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lookalike.read.options import Options

    from .base import Entry

_MIN_ROWS, _MAX_ROWS = 16, 65_536
_BUFFER = 1 << 20
_SUSPICIOUS = 256
"""Bytes per row below which the footer may mislead: a dictionary holds each distinct text once."""


class ParquetReader(SingleFile):
    """One parquet file. Only its footer is kept; the file is open while it is read."""

    format = "parquet"

    def __init__(self, entry: Entry, options: Options) -> None:
        super().__init__(entry, options)
        with reading(f"{entry.label} (as parquet)"), open_file(entry.path) as file:
            self._footer = pq.ParquetFile(file).metadata
            check_footer(self._footer, file.seek(0, 2))

    @cached_property
    def schema(self) -> pa.Schema:
        """The file's Arrow schema, metadata included."""
        with reading(self.label), open_file(self._path) as file:
            return pq.ParquetFile(file, metadata=self._footer).schema_arrow

    @property
    def columns(self) -> pa.Schema:
        """The same: the footer names the columns."""
        return self.schema

    def estimated_rows(self) -> int | None:
        """Return the number of rows."""
        return int(self._footer.num_rows)

    def select(self, wanted: pa.Schema) -> Iterator[pa.RecordBatch]:
        """Stream some columns."""
        paths = [path_of(self.schema, name) or (name,) for name in wanted.names]
        for batch in self._stream([SEPARATOR.join(path) for path in paths]):
            yield flat(batch, wanted.names)

    def rows(self) -> Iterator[pa.RecordBatch]:
        """Stream every column."""
        return self._stream(None)

    def _stream(self, names: list[str] | None) -> Iterator[pa.RecordBatch]:
        # Without these two the compressed bytes of a whole row group are held.
        with reading(self.label), open_seekable(self._path) as handle:
            file = pq.ParquetFile(handle, metadata=self._footer, pre_buffer=False, buffer_size=_BUFFER)
            size = self._rows_per_batch(file, names)
            rows = 0
            for batch in file.iter_batches(batch_size=size, columns=names):
                rows += batch.num_rows
                if batch.num_rows:
                    yield batch
        if rows != self._footer.num_rows:
            raise InputError(
                f"{self.label} holds {rows:,} rows, but its footer says {self._footer.num_rows:,}; it is damaged"
            )

    def _rows_per_batch(self, file: pq.ParquetFile, names: list[str] | None) -> int:
        """Return how many rows take approximately `batch_bytes`."""
        average = self._bytes_per_row(names)
        if average < _SUSPICIOUS and file.metadata.num_rows:
            sample = next(file.iter_batches(batch_size=_MIN_ROWS, columns=names), None)
            average = max(average, sample.nbytes / max(1, sample.num_rows) if sample else 0)
        return int(min(_MAX_ROWS, max(_MIN_ROWS, self._options.batch_bytes // max(1.0, average))))

    def _bytes_per_row(self, names: list[str] | None) -> float:
        wanted = None if names is None else tuple(f"{name}." for name in names)
        total = 0
        for group in map(self._footer.row_group, range(self._footer.num_row_groups)):
            for column in map(group.column, range(group.num_columns)):
                if wanted is None or f"{column.path_in_schema}.".startswith(wanted):
                    total += column.total_uncompressed_size
        return float(total / max(1, self._footer.num_rows))


PARQUET = FileFormat(
    "parquet",
    lambda entries, options: ParquetReader(entries[0], options),
    suffixes=(".parquet", ".pq"),
    compressible=False,
    magic=b"PAR1",
    is_text=False,
)
