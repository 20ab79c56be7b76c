"""Plain text: lines of files whose lines are items, byte for byte."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from lookalike.errors import OutputError

from .base import OutputFormat, shown

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa


class LineWriter:
    """Refuses rows: lines are only ever copied, since their ends would be lost otherwise."""

    def __init__(self, path: Path, file: IO[bytes], schema: pa.Schema) -> None:  # noqa: ARG002 - of any columns
        raise OutputError(f"{shown(path)} cannot be written: only lines of files can be; choose .jsonl or .parquet")

    def write(self, batch: pa.RecordBatch) -> None:
        """Write nothing."""

    def close(self) -> None:
        """Do nothing."""

    def discard(self) -> None:
        """Do nothing."""


TXT = OutputFormat(
    "lines",
    (".txt", ".text", ".log"),
    LineWriter,
    copies_lines=True,
    ends_lines=False,
    same_format_only=True,
    holds="lines that are read with `lines`",
)
