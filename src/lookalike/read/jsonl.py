"""JSON Lines, parsed by Arrow a block at a time.

Arrow parses JSON, not JSON *Lines*: it takes two objects on one line, or one object on two, and crashes on a first
line `null`. So a block is looked at before (every line begins with { and ends with }) and after (as many rows as
lines). A block in which anything is odd goes to `jsonslow`, which finds the line, or reads what Arrow cannot.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.json

from lookalike.errors import InputError

from . import jsonslow, schemas
from .part import OneFile
from .streams import line_runs, lines_about, reading, without_blank

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .base import Format, Lines

_PROBE_BYTES = 1 << 20
_LARGEST = (1 << 31) - 2
_OPEN, _CLOSE = ord("{"), ord("}")


class JsonlPart(OneFile):
    """One file of JSON Lines, plain or compressed."""

    format: Format = "jsonl"

    @cached_property
    def columns(self) -> pa.Schema:
        """Columns of the first block that has some, a fixed size of it: no choice depends on the batch size."""
        rows = 0
        with reading(self.label):
            for lines in line_runs(self._path, self._codec, _PROBE_BYTES):
                filled = without_blank(lines)
                rows += len(filled)
                if len(columns := jsonslow.probe(filled, self.label)):
                    return columns
        if rows:
            raise InputError(f"{self.label}: no line has a key, so there is no text; check the file")
        return pa.schema([])

    @cached_property
    def schema(self) -> pa.Schema:
        """Columns of all blocks; costs a pass."""
        merged = pa.schema([])
        for lines in self.raw_rows():
            merged = schemas.merge([merged, self._infer(lines)])
        return pa.schema([pa.field(field.name, jsonslow.settled(field.type)) for field in merged])

    def about(self) -> int | None:
        """Return how many items there are, judging by the first lines; None if the file is compressed."""
        return lines_about(self._path, self._codec)

    def select(self, wanted: pa.Schema) -> Iterator[pa.RecordBatch]:
        """Stream some columns; all others are skipped, whatever they hold."""
        return (self._parse(lines, wanted, strict=True) for lines in self.raw_rows())

    def rows(self) -> Iterator[pa.RecordBatch]:
        """Stream every column."""
        return (self._parse(lines, self.schema, strict=False) for lines in self.raw_rows())

    def raw_rows(self) -> Iterator[Lines]:
        """Stream the lines that are not blank."""
        with reading(self.label):
            for lines in line_runs(self._path, self._codec, self._options.batch_bytes):
                if len(filled := without_blank(lines)):
                    yield filled

    def where(self, row: int) -> str:
        """Name the file and the line; looks it up, since blank lines count."""
        for lines in self.raw_rows():
            if row < len(lines):
                return f"{self.label}, line {lines.numbers[row]}"
            row -= len(lines)
        return self.label

    def _parse(self, lines: Lines, schema: pa.Schema, *, strict: bool) -> pa.RecordBatch:
        table = self._read(lines, pa.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore"))
        if table is None:
            return jsonslow.parse(lines, schema, self.label, self._options.encoding_errors, strict=strict)
        return table.select(schema.names).combine_chunks().to_batches()[0]

    def _infer(self, lines: Lines) -> pa.Schema:
        table = self._read(lines, pa.json.ParseOptions())
        return jsonslow.infer(lines, self.label) if table is None else table.schema

    def _read(self, lines: Lines, parse: pyarrow.json.ParseOptions) -> pa.Table | None:
        """Let Arrow parse a block; None if it cannot, or should not."""
        if len(lines.data) > _LARGEST:
            raise InputError(
                f"{self.label}, line {lines.numbers[0]}: a line of more than 2 GB cannot be read; split it"
            )
        if not _look_like_objects(lines):
            return None
        options = pa.json.ReadOptions(use_threads=False, block_size=len(lines.data) + 1)
        try:
            table = pa.json.read_json(pa.BufferReader(lines.data), read_options=options, parse_options=parse)
        except pa.ArrowException:
            return None
        return table if table.num_rows == len(lines) else None


def _look_like_objects(lines: Lines) -> bool:
    view = np.frombuffer(lines.data, dtype=np.uint8)
    if not (view[lines.starts] == _OPEN).all():
        return False
    last = lines.ends - 1
    for space in (b"\n", b"\r"):
        last = last - (view[last] == space[0])
    return bool((view[last] == _CLOSE).all())
