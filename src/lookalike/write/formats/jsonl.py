"""JSON Lines."""

from __future__ import annotations

from collections import Counter
from typing import IO, TYPE_CHECKING

from lookalike.errors import OutputError
from lookalike.write.values import check_columns, json_lines

from .base import OutputFormat, writing

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa


class JsonlWriter:
    """Writes one object per line."""

    def __init__(self, path: Path, file: IO[bytes], schema: pa.Schema) -> None:
        if repeated := [name for name, count in Counter(schema.names).items() if count > 1]:
            raise OutputError(
                f"{path} cannot be written: an object cannot have two keys {repeated[0]!r}; rename a column, or "
                "write parquet"
            )
        with writing(path):
            check_columns(schema)
        self._path = path
        self._file = file

    def write(self, batch: pa.RecordBatch) -> None:
        """Write rows."""
        with writing(self._path):
            self._file.write(json_lines(batch))

    def close(self) -> None:
        """Do nothing: nothing remains."""

    def discard(self) -> None:
        """Do nothing: nothing is held."""


JSONL = OutputFormat("jsonl", (".jsonl", ".ndjson"), JsonlWriter, copies_lines=True, has_escapes=True)
