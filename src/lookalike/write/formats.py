"""Rows -> a file of each format, a batch at a time."""

from __future__ import annotations

import contextlib
import errno
import struct
from collections import Counter
from typing import IO, TYPE_CHECKING, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from lookalike.errors import LookalikeError, OutputError
from lookalike.read.columns import is_list
from lookalike.write.values import csv_batch, csv_schema, json_lines

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_GROUP_BYTES = 64 << 20
_GROUP_ROWS = 1 << 17
_HEADER = 118
"""Bytes of the text in the header of an array, with ten before it: room for any shape, and what follows is aligned."""


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn what goes wrong while writing a file into one sentence."""
    try:
        yield
    except LookalikeError:
        raise
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {_reason(error)}") from error
    except pa.ArrowException as error:
        raise OutputError(f"{path} cannot be written: {str(error).splitlines()[0]}; choose another format") from error


def _reason(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "the disk is full; free some space, or choose another place"
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return "no permission there; choose another place"
    return f"{error.strerror or error}; choose another place"


class Writer(Protocol):
    """Takes rows, a batch at a time."""

    def __init__(self, path: Path, file: IO[bytes], schema: pa.Schema) -> None: ...

    def write(self, batch: pa.RecordBatch) -> None:
        """Write rows."""

    def close(self) -> None:
        """Write what is left."""

    def discard(self) -> None:
        """Let go of the file, which will be removed."""


class ParquetWriter:
    """Gathers rows into groups of a good size: few picked rows a batch would make many tiny ones."""

    def __init__(self, path: Path, file: IO[bytes], schema: pa.Schema) -> None:
        self._path = path
        self._schema = schema
        self._writer = pq.ParquetWriter(file, schema, compression="zstd")
        self._waiting: list[pa.RecordBatch] = []

    def write(self, batch: pa.RecordBatch) -> None:
        """Keep rows until they are worth a group."""
        self._waiting.append(batch)
        rows = sum(waiting.num_rows for waiting in self._waiting)
        if rows >= _GROUP_ROWS or sum(waiting.nbytes for waiting in self._waiting) >= _GROUP_BYTES:
            self._flush()

    def close(self) -> None:
        """Write the last group and the footer."""
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


class JsonlWriter:
    """One object a line."""

    def __init__(self, path: Path, file: IO[bytes], schema: pa.Schema) -> None:
        if repeated := [name for name, count in Counter(schema.names).items() if count > 1]:
            raise OutputError(
                f"{path} cannot be written: no object has two keys {repeated[0]!r}; rename a column, or write parquet"
            )
        self._path = path
        self._file = file

    def write(self, batch: pa.RecordBatch) -> None:
        """Write rows."""
        with writing(self._path):
            self._file.write(json_lines(batch))

    def close(self) -> None:
        """Nothing is left."""

    def discard(self) -> None:
        """Nothing is held."""


class CsvWriter:
    """Comma- or tab-separated values under a header; what is no plain value becomes JSON."""

    def __init__(self, path: Path, file: IO[bytes], schema: pa.Schema) -> None:
        delimiter = "\t" if ".tsv" in path.suffixes else ","
        self._path = path
        self._schema = csv_schema(schema)
        options = pa.csv.WriteOptions(delimiter=delimiter)
        self._writer = pa.csv.CSVWriter(file, self._schema, write_options=options)

    def write(self, batch: pa.RecordBatch) -> None:
        """Write rows."""
        with writing(self._path):
            self._writer.write_batch(csv_batch(batch, self._schema))

    def close(self) -> None:
        """Write what is left."""
        self._writer.close()

    def discard(self) -> None:
        """Nothing is held."""


class NpyWriter:
    """An array of NumPy, a vector a row; its header, which says how many there are, is written again at the end."""

    def __init__(self, path: Path, file: IO[bytes], schema: pa.Schema) -> None:
        kind = schema.field(0).type if len(schema) == 1 else pa.null()
        self._lists = is_list(kind)
        held = kind.value_type if self._lists else kind
        if not (pa.types.is_integer(held) or pa.types.is_floating(held) or pa.types.is_boolean(held)):
            raise OutputError(
                f"{path} cannot be written: an array holds one column of vectors or numbers, and there is "
                f"{', '.join(f'{field.name} ({field.type})' for field in schema) or 'none'}; write parquet"
            )
        self._path = path
        self._file = file
        self._dtype = np.dtype(held.to_pandas_dtype())
        self._width = kind.list_size if pa.types.is_fixed_size_list(kind) else None
        self._rows = 0
        self._write_header()

    def write(self, batch: pa.RecordBatch) -> None:
        """Write rows; all have a vector, and all of one length."""
        column = batch.column(0)
        flat = column.flatten() if self._lists else column
        if self._lists and self._width is None:
            self._width = len(flat) // max(len(column), 1)
        lengths = pc.list_value_length(column).fill_null(-1).to_numpy() if self._lists else np.zeros(0)
        if column.null_count or flat.null_count or (lengths != self._width).any():
            raise OutputError(
                f"{self._path} cannot be written: an array holds vectors of one length without nulls; write parquet"
            )
        with writing(self._path):
            self._file.write(np.ascontiguousarray(flat.to_numpy(zero_copy_only=False), self._dtype).data)
        self._rows += len(column)

    def close(self) -> None:
        """Say how many rows there are."""
        with writing(self._path):
            self._file.seek(0)
            self._write_header()

    def discard(self) -> None:
        """Nothing is held."""

    def _write_header(self) -> None:
        """Write version 1.0 of the format, as long for any number of rows."""
        shape = (self._rows, self._width or 0) if self._lists else (self._rows,)
        about = f"{{'descr': {self._dtype.str!r}, 'fortran_order': False, 'shape': {shape}, }}"
        self._file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", _HEADER) + f"{about:<{_HEADER - 1}}\n".encode())
