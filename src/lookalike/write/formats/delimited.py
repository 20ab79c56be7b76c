"""CSV and TSV."""

from __future__ import annotations

from functools import partial
from typing import IO, TYPE_CHECKING

import pyarrow as pa
import pyarrow.csv

from lookalike.write.values import check_columns, csv_batch, csv_schema

from .base import OutputFormat, writing

if TYPE_CHECKING:
    from pathlib import Path


class DelimitedWriter:
    """Writes delimited values under a header; lists and objects become JSON."""

    def __init__(self, path: Path, file: IO[bytes], schema: pa.Schema, delimiter: str) -> None:
        with writing(path):
            check_columns(schema)
        self._path = path
        self._schema = csv_schema(schema)
        options = pa.csv.WriteOptions(delimiter=delimiter)
        self._writer = pa.csv.CSVWriter(file, self._schema, write_options=options)

    def write(self, batch: pa.RecordBatch) -> None:
        """Write rows."""
        with writing(self._path):
            self._writer.write_batch(csv_batch(batch, self._schema))

    def close(self) -> None:
        """Write what remains."""
        self._writer.close()

    def discard(self) -> None:
        """Do nothing: nothing is held."""


CSV = OutputFormat("csv", (".csv",), partial(DelimitedWriter, delimiter=","), keeps_delimiter=True)
TSV = OutputFormat("csv", (".tsv",), partial(DelimitedWriter, delimiter="\t"))
