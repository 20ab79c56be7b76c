"""JSON Lines, parsed by Arrow a block at a time.

Arrow parses JSON, not JSON *Lines*: it takes two objects on one line, or one object on two, and crashes on a first
line `null`. So a block is checked before (every line begins with { and ends with }) and after (as many rows as lines).
A block in which anything is odd goes to `jsonl_python`, which finds the line, or reads what Arrow cannot.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.json

from lookalike.errors import InputError
from lookalike.read import schemas
from lookalike.read.nested import SEPARATOR, flat, nested_schema, path_of
from lookalike.read.streams import BOM, estimated_lines, line_runs, reading, suffixes_of, without_blank

from . import jsonl_python
from .base import FileFormat, SingleFile, text_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lookalike.read.base import Lines
    from lookalike.read.nested import Path
    from lookalike.read.options import Options

    from .base import Entry

_PROBE_BYTES = 1 << 20
_MAX_BYTES = (1 << 31) - 2
_BLANK = BOM + b" \t\r\n"
_ARRAY_SUFFIX = ".json"
"""Of files that often hold one JSON array, which is not read as a stream."""
_REPLACED = "\N{REPLACEMENT CHARACTER}"
"""What a key has in place of what is not UTF-8."""
_OPEN, _CLOSE = ord("{"), ord("}")


class JsonlReader(SingleFile):
    """One file of JSON Lines, plain or compressed."""

    format = "jsonl"

    def __init__(self, entry: Entry, options: Options) -> None:
        super().__init__(entry, options)
        self._paths: dict[str, Path] = {}
        """Where nested columns are, as far as the first lines show it."""

    @cached_property
    def columns(self) -> pa.Schema:
        """Columns of the first block that has some; its size is fixed, so that no choice depends on the batch size."""
        rows = 0
        with reading(self.label):
            for lines in line_runs(self._text, _PROBE_BYTES):
                filled = without_blank(lines)
                rows += len(filled)
                if len(columns := jsonl_python.probe(filled, self.label)):
                    return columns
        if rows:
            raise InputError(f"{self.label}: no line has a key, so there is nothing to compare; check the file")
        return pa.schema([])

    def with_nested(self, names: Sequence[str]) -> pa.Schema:
        """Return the columns of the first block, followed by the nested ones among some names."""
        columns = self.columns
        nested = [name for name in names if SEPARATOR in name and name not in columns.names]
        if not nested or not len(columns):
            return columns
        with reading(self.label):
            for lines in line_runs(self._text, _PROBE_BYTES):
                found = jsonl_python.probe_nested(without_blank(lines), self.label, nested)
                self._paths |= {name: path for name, (path, _) in found.items()}
                return pa.schema([*columns, *((name, arrow_type) for name, (_, arrow_type) in found.items())])
        return columns

    @cached_property
    def schema(self) -> pa.Schema:
        """Columns of all blocks; costs a pass."""
        merged = pa.schema([])
        for lines in self.raw_lines():
            merged = schemas.merge([merged, self._infer(lines)])
        return pa.schema([pa.field(field.name, jsonl_python.storable(field.type)) for field in merged])

    def estimated_rows(self) -> int | None:
        """Return the number of rows, estimated from the first lines; None if the file is compressed."""
        return estimated_lines(self._path, self._codec)

    def rank_type(self, column: pa.Field) -> pa.DataType:
        """Return the type of a column; that of fractions if it begins with integers, since fractions may follow."""
        return pa.float64() if pa.types.is_integer(column.type) else column.type

    def select(self, wanted: pa.Schema) -> Iterator[pa.RecordBatch]:
        """Stream some columns; all others are skipped, whatever they hold."""
        paths = {name: self._path_of(name) for name in wanted.names}
        parsed = nested_schema(wanted, paths)
        return (self._parse(lines, wanted, parsed, paths, strict=True) for lines in self.raw_lines())

    def rows(self) -> Iterator[pa.RecordBatch]:
        """Stream every column."""
        schema = self.schema
        paths = {name: (name,) for name in schema.names}
        return (self._parse(lines, schema, schema, paths, strict=False) for lines in self.raw_lines())

    def raw_lines(self) -> Iterator[Lines]:
        """Stream the lines that are not blank."""
        with reading(self.label):
            for lines in line_runs(self._text, self._options.batch_bytes):
                if len(filled := without_blank(lines)):
                    yield filled

    def locate(self, row: int) -> str:
        """Return the file and the line; it is looked up, since blank lines count."""
        for lines in self.raw_lines():
            if row < len(lines):
                return f"{self.label}, line {lines.numbers[row]}"
            row -= len(lines)
        return self.label

    def _path_of(self, name: str) -> Path:
        if name in self.columns.names or SEPARATOR not in name:
            return (name,)
        return self._paths.get(name) or path_of(self.schema, name) or (name,)

    def _parse(
        self, lines: Lines, wanted: pa.Schema, parsed: pa.Schema | None, paths: Mapping[str, Path], *, strict: bool
    ) -> pa.RecordBatch:
        """Parse a block: columns `wanted`, which are nested as in `parsed`."""
        table = None
        if parsed is not None and not _are_replaced(parsed):
            table = self._read(lines, pa.json.ParseOptions(explicit_schema=parsed, unexpected_field_behavior="ignore"))
        if table is None:
            return jsonl_python.parse(lines, wanted, paths, self.label, self._options.encoding_errors, strict=strict)
        (batch,) = table.combine_chunks().to_batches()
        return flat(batch, wanted.names)

    def _infer(self, lines: Lines) -> pa.Schema:
        table = self._read(lines, pa.json.ParseOptions())
        return jsonl_python.infer(lines, self.label, self._options.encoding_errors) if table is None else table.schema

    def _read(self, lines: Lines, parse: pyarrow.json.ParseOptions) -> pa.Table | None:
        """Let Arrow parse a block; None if it cannot, or should not."""
        if len(lines.data) > _MAX_BYTES:
            raise InputError(
                f"{self.label}, line {lines.numbers[0]}: a line of more than 2 GB cannot be read; split it"
            )
        if not _are_objects(lines):
            return None
        options = pa.json.ReadOptions(use_threads=False, block_size=len(lines.data) + 1)
        try:
            table = pa.json.read_json(pa.BufferReader(lines.data), read_options=options, parse_options=parse)
        except pa.ArrowException:
            return None
        return table if table.num_rows == len(lines) and _has_valid_names(table.schema) else None


def _has_valid_names(held: pa.Schema | pa.DataType) -> bool:
    """Return whether all names of columns, at any depth, are valid UTF-8, which Arrow does not check."""
    count = len(held) if isinstance(held, pa.Schema) else held.num_fields
    try:
        return all(held.field(i).name is not None and _has_valid_names(held.field(i).type) for i in range(count))
    except UnicodeDecodeError:
        return False


def _are_replaced(schema: pa.Schema) -> bool:
    """Return whether the names of columns may differ from the keys in the file, which Arrow would not find then."""
    return "\N{REPLACEMENT CHARACTER}" in str(schema)


def _are_objects(lines: Lines) -> bool:
    view = np.frombuffer(lines.data, dtype=np.uint8)
    if not (view[lines.starts] == _OPEN).all():
        return False
    last = lines.ends - 1
    for space in (b"\n", b"\r"):
        last = last - (view[last] == space[0])
    return bool((view[last] == _CLOSE).all())


def _open(entries: Sequence[Entry], options: Options) -> JsonlReader:
    """Open a file; one that ends in .json must hold one object per line, not one array."""
    (entry,) = entries
    if suffixes_of(entry.path)[0] == _ARRAY_SUFFIX:
        with reading(entry.label):
            head = text_file(entry, options).head(_PROBE_BYTES)
        first = head.lstrip(_BLANK).split(b"\n")
        if first[0].startswith(b"["):
            raise InputError(
                f"{entry.label} is one JSON array; make it JSON Lines first, for instance with: jq -c '.[]'"
            )
        if len(first) > 1 and first[0].startswith(b"{") and not first[0].rstrip().endswith(b"}"):
            raise InputError(
                f"{entry.label} is JSON over several lines; make it JSON Lines first, for instance with: jq -c . (in a "
                "folder, `exclude` leaves it out)"
            )
    return JsonlReader(entry, options)


def _recognises(head: bytes, names: Sequence[str]) -> bool:  # noqa: ARG001 - columns do not matter
    """Return whether data begins with an object, or is empty."""
    return not head.strip() or head.lstrip(_BLANK).startswith(b"{")


JSONL = FileFormat(
    "jsonl",
    _open,
    suffixes=(".jsonl", ".ndjson", ".jsonlines"),
    other_suffixes=(_ARRAY_SUFFIX,),
    recognises=_recognises,
)
