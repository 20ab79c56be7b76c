"""NumPy arrays, in .npy files."""

from __future__ import annotations

import struct
from typing import IO, TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.errors import OutputError
from lookalike.read.columns import is_list

from .base import OutputFormat, writing

if TYPE_CHECKING:
    from pathlib import Path

_HEADER = 118
"""Bytes of the text in the header, after the ten that begin it: room for any shape, and what follows is aligned."""


class NpyWriter:
    """Writes a NumPy array, one vector per row; its header, which holds their number, is written again at the end."""

    def __init__(self, path: Path, file: IO[bytes], schema: pa.Schema) -> None:
        column = schema.field(0).type if len(schema) == 1 else pa.null()
        self._lists = is_list(column)
        held = column.value_type if self._lists else column
        if not (pa.types.is_integer(held) or pa.types.is_floating(held) or pa.types.is_boolean(held)):
            raise OutputError(
                f"{path} cannot be written: an array holds one column of vectors or numbers, but the columns are "
                f"{', '.join(f'{field.name} ({field.type})' for field in schema) or 'none'}; write parquet"
            )
        self._path = path
        self._file = file
        self._dtype = np.dtype(held.to_pandas_dtype())
        self._width = column.list_size if pa.types.is_fixed_size_list(column) else None
        self._rows = 0
        self._write_header()

    def write(self, batch: pa.RecordBatch) -> None:
        """Write rows; each must have a vector, all of one length."""
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
        """Write the number of rows."""
        with writing(self._path):
            self._file.seek(0)
            self._write_header()

    def discard(self) -> None:
        """Do nothing: nothing is held."""

    def _write_header(self) -> None:
        """Write version 1.0 of the format; its length is the same for any number of rows."""
        shape = (self._rows, self._width or 0) if self._lists else (self._rows,)
        header = f"{{'descr': {self._dtype.str!r}, 'fortran_order': False, 'shape': {shape}, }}"
        self._file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", _HEADER) + f"{header:<{_HEADER - 1}}\n".encode())


NPY = OutputFormat(
    "npy",
    (".npy",),
    NpyWriter,
    compressible=False,
    same_format_only=True,
    holds="rows of .npy files",
    streamable=False,
    is_text=False,
)
