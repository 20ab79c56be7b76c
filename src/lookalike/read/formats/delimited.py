"""CSV and TSV, streamed by Arrow. Every column is read as strings, so that "007" stays "007"."""

from __future__ import annotations

import contextlib
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.csv

from lookalike.errors import InputError
from lookalike.read.streams import BOM, estimated_lines, open_bytes, reading

from .base import FileFormat, SingleFile

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lookalike.read.options import Options

    from .base import Entry

_PROBE_BYTES = 1 << 20
_MAX_BYTES = (1 << 31) - 1
_TAIL_BYTES = 64
_TOO_LONG = "straddling object"


class DelimitedReader(SingleFile):
    """One CSV or TSV file, plain or compressed. Its first line names the columns."""

    format = "csv"

    def __init__(self, entry: Entry, options: Options, delimiter: str) -> None:
        super().__init__(entry, options)
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

    def estimated_rows(self) -> int | None:
        """Return the number of rows, estimated from the first lines; None if the file is compressed."""
        return estimated_lines(self._path, self._codec)

    def rank_type(self, column: pa.Field) -> pa.DataType:
        """Return the type of a column that looks like numbers as such: as a string, 9 would be above 10."""
        guessed = self._guessed.field(column.name).type
        is_number = pa.types.is_integer(guessed) or pa.types.is_floating(guessed)
        return pa.float64() if is_number else column.type

    def select(self, wanted: pa.Schema) -> Iterator[pa.RecordBatch]:
        """Stream some columns."""
        return self._stream(wanted.names)

    def rows(self) -> Iterator[pa.RecordBatch]:
        """Stream every column."""
        return self._stream(None)

    @cached_property
    def _guessed(self) -> pa.Schema:
        """The header, with the types that the first rows seem to have."""
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
        """Stream columns; retry with larger blocks when a row does not fit in one, and skip rows already delivered.

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
            strings_can_be_null=self._options.is_long_table,  # an empty text is a text, but not an id
        )
        with self._open(size, convert) as reader:
            for batch in reader:
                fresh = batch.slice(min(skip, batch.num_rows))
                skip -= batch.num_rows - fresh.num_rows
                if fresh.num_rows:
                    yield fresh

    @contextlib.contextmanager
    def _open(self, size: int, convert: pyarrow.csv.ConvertOptions) -> Iterator[pyarrow.csv.CSVStreamingReader]:
        """Start Arrow's reader; it passes the row that is wrong to a callback, not with the exception."""
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
            "put quotes around values that hold delimiters or newlines"
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
        if size == _MAX_BYTES:
            raise InputError(f"{self.label}: a row is longer than 2 GB; a quote before it may not be closed") from error
        return min(_MAX_BYTES, 8 * size)


def _format(name: str, delimiter: str, *suffixes: str) -> FileFormat:
    def recognises(head: bytes, names: Sequence[str]) -> bool:
        """Return whether the header has one of the columns wanted."""
        header = head.removeprefix(BOM).splitlines()[0].decode("utf-8", "replace")
        return bool({cell.strip('" ') for cell in header.split(delimiter)} & set(names))

    return FileFormat(
        name,
        lambda entries, options: DelimitedReader(entries[0], options, delimiter),
        suffixes=suffixes,
        recognises=recognises,
    )


CSV, TSV = _format("csv", ",", ".csv"), _format("tsv", "\t", ".tsv", ".tab")
