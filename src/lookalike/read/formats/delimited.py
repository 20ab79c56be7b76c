"""CSV and TSV, streamed by Arrow. Every column is read as strings, so that "007" stays "007"."""

from __future__ import annotations

import contextlib
import re
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.csv

from lookalike.errors import InputError
from lookalike.read.streams import BOM, estimated_lines, open_bytes, reading

from .base import FileFormat, SingleFile
from .delimiters import DELIMITERS, declared_delimiter, find_delimiter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lookalike.read.options import Options

    from .base import Entry

_PROBE_BYTES = 1 << 20
_MAX_BYTES = (1 << 31) - 1
_TAIL_BYTES = 64
_HEAD_BYTES = 1 << 16
_DECLARATION_BYTES = 64
_TOO_LONG = ("straddling object", "Empty CSV file or block")
"""How Arrow reports a row, or a header, that does not fit in a block."""
_NO_HEADER = ("Empty CSV", "Could not skip")
"""How Arrow reports a block in which no line ends."""
_WRONG_ROW = re.compile(
    r"CSV parse error: (?:Row #(?P<number>\d+): )?Expected (?P<expected>\d+) columns, got (?P<found>\d+)"
)
"""How Arrow reports a row; a callback would be told more, but then its threads would hold a Python function."""


class DelimitedReader(SingleFile):
    """One CSV or TSV file, plain or compressed. Its first line names the columns."""

    format = "csv"

    def __init__(self, entry: Entry, options: Options, delimiter: str) -> None:
        super().__init__(entry, options)
        self._usual = delimiter
        self._is_header_only = False

    @cached_property
    def delimiter(self) -> str:
        """What separates values: what the options say, else what the first line declares or the first rows show."""
        if self._options.delimiter is not None:
            return self._options.delimiter
        if self._declared is not None:
            return self._declared
        with reading(self.label):
            head = self._text.head(_HEAD_BYTES)
        return find_delimiter(head, self._usual, self.label, complete=len(head) < _HEAD_BYTES)

    @cached_property
    def _declared(self) -> str | None:
        """What a line before the header declares as the delimiter, if there is one."""
        with reading(self.label):
            return declared_delimiter(self._text.head(_DECLARATION_BYTES))[0]

    @property
    def kept_delimiter(self) -> str | None:
        """The delimiter of rows that are written to a CSV file again; None if the name asks for another one."""
        return self.delimiter if self._usual == DELIMITERS[0] else None

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
                if any(reason in str(error) for reason in _NO_HEADER) and len(head := self._head(size + 1)) <= size:
                    self._is_header_only = True
                    return self._header_of(head)
                size = self._larger(size, error)

    def _header_of(self, data: bytes) -> pa.Schema:
        """Return the header of a file in which no line ends."""
        data = declared_delimiter(data)[1]
        if not data.strip():
            return pa.schema([])
        self._check_encoding()
        parse = pa.csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True)
        try:
            return pa.csv.open_csv(pa.BufferReader(data + b"\n"), parse_options=parse).schema
        except pa.ArrowInvalid as error:
            raise InputError(f"{self.label}: a quote in the header is never closed; close it, or double it") from error

    def _check_encoding(self) -> None:
        """Raise if lines end in a file, but not in what an encoding makes of it."""
        if self._options.encoding is None:
            return
        with reading(self.label), open_bytes(self._path, self._codec) as stream:
            raw = bytes(stream.read(_HEAD_BYTES))
        if b"\n" in raw or b"\r" in raw:
            raise InputError(
                f"{self.label}: read as {self._options.encoding}, it is one line, but its bytes are several; check "
                "`encoding`"
            )

    def _head(self, size: int) -> bytes:
        """Return the first bytes as UTF-8, no fewer than asked for unless the file ends."""
        pieces: list[bytes] = []
        with reading(self.label), self._text.open() as stream:
            while sum(map(len, pieces)) < size and (piece := bytes(stream.read(size))):
                pieces.append(piece)
        return b"".join(pieces).removeprefix(BOM)

    def _stream(self, names: list[str] | None) -> Iterator[pa.RecordBatch]:
        """Stream columns; retry with larger blocks when a row does not fit in one, and skip rows already delivered.

        The last column is always read: a quote that is never closed swallows rows there without a trace.
        """
        if not len(self.columns) or self._is_header_only:
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

    @property
    def _skipped(self) -> int:
        """Number of lines before the header."""
        return 0 if self._declared is None else 1

    @contextlib.contextmanager
    def _open(self, size: int, convert: pyarrow.csv.ConvertOptions) -> Iterator[pyarrow.csv.CSVStreamingReader]:
        """Start Arrow's reader. Its threads outlive it, so nothing of Python's is passed to them."""
        read = pa.csv.ReadOptions(use_threads=False, block_size=size, skip_rows=self._skipped)
        parse = pa.csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True)
        try:
            with reading(self.label):
                stream = self._text.open_native()
                yield pa.csv.open_csv(stream, read_options=read, parse_options=parse, convert_options=convert)
        except InputError as error:
            if wrong := _WRONG_ROW.search(str(error.__cause__)):
                raise InputError(self._wrong_row(wrong)) from error
            raise

    def _wrong_row(self, wrong: re.Match[str]) -> str:
        number = f"row {int(wrong['number']) - 1 - self._skipped}" if wrong["number"] else "a row"
        return (
            f"{self.label}, {number}: expected {wrong['expected']} columns, found {wrong['found']}; put quotes around "
            "values that hold delimiters or newlines, or name another `delimiter`"
        )

    def _check_last(self, value: pa.Scalar, rows: int) -> None:
        """Find a quote open at the end of the file: only a quoted value holds a newline, and it ends in a quote."""
        if value.is_valid and b"\n" in value.as_buffer().to_pybytes() and not self._tail().rstrip().endswith(b'"'):
            raise InputError(
                f"{self.label}, row {rows}: a quote is opened here and never closed; close it, or double it"
            )

    def _tail(self) -> bytes:
        tail = b""
        with reading(self.label), self._text.open() as stream:
            while chunk := stream.read(_PROBE_BYTES):
                tail = tail[-_TAIL_BYTES:] + chunk[-_TAIL_BYTES:]
        return tail

    def _larger(self, size: int, error: InputError) -> int:
        """Return the next block size to try, or give up with the error."""
        if not any(reason in str(error) for reason in _TOO_LONG):
            raise error
        if size == _MAX_BYTES:
            raise InputError(f"{self.label}: a row is longer than 2 GB; a quote before it may not be closed") from error
        return min(_MAX_BYTES, 8 * size)


def _format(name: str, delimiter: str, *suffixes: str) -> FileFormat:
    others = DELIMITERS if delimiter == DELIMITERS[0] else delimiter

    def recognises(head: bytes, names: Sequence[str]) -> bool:
        """Return whether the header has one of the columns wanted."""
        declared, rest = declared_delimiter(head)
        header = next(iter(rest.splitlines()), b"").decode("utf-8", "replace")
        return any({cell.strip('" ') for cell in header.split(one)} & set(names) for one in declared or others)

    return FileFormat(
        name,
        lambda entries, options: DelimitedReader(entries[0], options, delimiter),
        suffixes=suffixes,
        recognises=recognises,
        has_delimiter=True,
    )


CSV, TSV = _format("csv", ",", ".csv"), _format("tsv", "\t", ".tsv", ".tab")
