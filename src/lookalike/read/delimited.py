"""CSV and TSV, streamed by Arrow. Every column is read as strings, so that "007" stays "007"."""

from __future__ import annotations

import contextlib
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.csv

from lookalike.errors import InputError

from .part import OneFile
from .streams import lines_about, open_bytes, reading

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from .base import Format, Options

_PROBE_BYTES = 1 << 20
_LARGEST = (1 << 31) - 1
_TAIL_BYTES = 64
_TOO_LONG = "straddling object"


class DelimitedPart(OneFile):
    """One CSV or TSV file, plain or compressed. Its first line names the columns."""

    format: Format = "csv"

    def __init__(self, path: Path, label: str, options: Options, codec: str | None, delimiter: str) -> None:
        super().__init__(path, label, options, codec)
        self._delimiter = delimiter

    @cached_property
    def columns(self) -> pa.Schema:
        """Every column, as strings."""
        try:
            return pa.schema([pa.field(name, pa.string()) for name in self._guessed.names])
        except UnicodeDecodeError as error:
            raise InputError(f"{self.label}: the header is not valid UTF-8; convert the file to UTF-8 first") from error

    @property
    def schema(self) -> pa.Schema:
        """The same."""
        return self.columns

    def is_number(self, name: str) -> bool:
        """Tell whether a column looks like numbers; a rank is compared as what it looks like."""
        kind = self._guessed.field(name).type
        return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))

    def about(self) -> int | None:
        """Return how many items there are, judging by the first lines; None if the file is compressed."""
        return lines_about(self._path, self._codec)

    def select(self, wanted: pa.Schema) -> Iterator[pa.RecordBatch]:
        """Stream some columns."""
        return self._stream(wanted.names)

    def rows(self) -> Iterator[pa.RecordBatch]:
        """Stream every column."""
        return self._stream(None)

    @cached_property
    def _guessed(self) -> pa.Schema:
        """Header, and what the first rows look like."""
        size = _PROBE_BYTES
        while True:
            try:
                with self._open(size, pa.csv.ConvertOptions()) as reader:
                    return reader.schema
            except InputError as error:
                if "Empty CSV" in str(error):
                    return pa.schema([])
                size = self._larger(size, error)

    def _stream(self, names: list[str] | None) -> Iterator[pa.RecordBatch]:
        """Read on with larger blocks when a row does not fit in one; rows already delivered are skipped.

        The last column is always read: a quote that is never closed swallows rows there without a trace.
        """
        if not len(self.columns):
            return
        included = [] if names is None else list(dict.fromkeys([*names, self.columns.names[-1]]))
        size, done, batch = max(1 << 16, self._options.batch_bytes), 0, None
        while True:
            try:
                for batch in self._read(included, size, skip=done):
                    done += batch.num_rows
                    yield batch if names is None else batch.select(names)
            except InputError as error:
                size = self._larger(size, error)
            else:
                break
        if batch is not None:
            self._check_last(batch.column(included[-1] if included else -1)[-1], done)

    def _read(self, names: list[str], size: int, skip: int) -> Iterator[pa.RecordBatch]:
        convert = pa.csv.ConvertOptions(
            column_types=self.columns,
            include_columns=names,
            check_utf8=False,
            null_values=[""],
            strings_can_be_null=self._options.long,  # an empty text is a text, but no name
        )
        with self._open(size, convert) as reader:
            for batch in reader:
                fresh = batch.slice(min(skip, batch.num_rows))
                skip -= batch.num_rows - fresh.num_rows
                if fresh.num_rows:
                    yield fresh

    @contextlib.contextmanager
    def _open(self, size: int, convert: pyarrow.csv.ConvertOptions) -> Iterator[pyarrow.csv.CSVStreamingReader]:
        """Start Arrow's reader; it tells a callback, not the exception, which row is wrong."""
        wrong: list[str] = []

        def note(row: pyarrow.csv.InvalidRow) -> str:
            wrong.append(self._wrong_row(row))
            return "error"

        read = pa.csv.ReadOptions(use_threads=False, block_size=size)
        parse = pa.csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=True, invalid_row_handler=note)
        try:
            with reading(self.label), open_bytes(self._path, self._codec) as stream:
                yield pa.csv.open_csv(stream, read_options=read, parse_options=parse, convert_options=convert)
        except InputError as error:
            if wrong:
                raise InputError(wrong[0]) from error
            raise

    def _wrong_row(self, row: pyarrow.csv.InvalidRow) -> str:
        number = "a row" if row.number is None else f"row {row.number - 1}"
        return (
            f"{self.label}, {number}: expected {row.expected_columns} columns, found {row.actual_columns}; "
            "put quotes round values that hold delimiters or newlines"
        )

    def _check_last(self, value: pa.Scalar, rows: int) -> None:
        """Find a quote open at the end of the file: only a quoted value holds a newline, and it ends in a quote."""
        if value.is_valid and b"\n" in value.as_buffer().to_pybytes() and not self._tail().rstrip().endswith(b'"'):
            raise InputError(
                f"{self.label}, row {rows}: a quote is opened here and never closed; close it, or double it"
            )

    def _tail(self) -> bytes:
        tail = b""
        with reading(self.label), open_bytes(self._path, self._codec) as stream:
            while chunk := stream.read(_PROBE_BYTES):
                tail = tail[-_TAIL_BYTES:] + chunk[-_TAIL_BYTES:]
        return tail

    def _larger(self, size: int, error: InputError) -> int:
        """Return the next block size to try, or give up with the error."""
        if _TOO_LONG not in str(error):
            raise error
        if size == _LARGEST:
            raise InputError(f"{self.label}: a row is longer than 2 GB; a quote before it may not be closed") from error
        return min(_LARGEST, 8 * size)
