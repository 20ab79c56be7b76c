"""NumPy arrays in .npy files: one vector per row, or bits."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.errors import InputError
from lookalike.read.item_types import matrix_type
from lookalike.read.matrices import native, rows_as_lists
from lookalike.read.streams import open_file, reading

from .base import FileFormat, SingleFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import numpy.typing as npt

    from lookalike.read.options import Options

    from .base import Entry

_MIN_ROWS = 16
_MAX_REASON = 100
"""Characters of NumPy's own message in ours: it may quote the header."""


class NpyReader(SingleFile):
    """One .npy file: a matrix that is read a few rows at a time."""

    format = "npy"

    def __init__(self, entry: Entry, options: Options) -> None:
        super().__init__(entry, options)
        self._array = _load(entry.path, entry.label)
        self._item_type = matrix_type(options.kind)
        self._item_type.check_matrix(self._array, entry.label)

    @cached_property
    def columns(self) -> pa.Schema:
        """One column, of the type that is compared."""
        return self._compared(self._array[:0]).schema

    @cached_property
    def schema(self) -> pa.Schema:
        """One column, of the type that the array has: Booleans stay Booleans."""
        return self._as_stored(self._array[:0]).schema

    def estimated_rows(self) -> int | None:
        """Return the number of rows."""
        return len(self._array)

    def select(self, wanted: pa.Schema) -> Iterator[pa.RecordBatch]:  # noqa: ARG002 - there is one column
        """Stream the column, as it is compared."""
        return self._stream(self._compared)

    def rows(self) -> Iterator[pa.RecordBatch]:
        """Stream the column, as it is stored."""
        return self._stream(self._as_stored)

    def _stream(self, table: Callable[[npt.NDArray[Any]], pa.Table]) -> Iterator[pa.RecordBatch]:
        size = max(self._options.batch_bytes // max(self._array[:1].nbytes, 1), _MIN_ROWS)
        for begin in range(0, len(self._array), size):
            yield table(np.array(self._array[begin : begin + size])).combine_chunks().to_batches()[0]

    def _compared(self, array: npt.NDArray[Any]) -> pa.Table:
        return pa.table({self._item_type.columns[0]: self._item_type.from_matrix(array)})

    def _as_stored(self, array: npt.NDArray[Any]) -> pa.Table:
        return pa.table({self._item_type.columns[0]: rows_as_lists(array) if array.ndim > 1 else native(array)})


def _load(path: Path, label: str) -> npt.NDArray[Any]:
    """Map an array from a file."""
    with reading(label):
        _check_magic(path, label)
        try:
            array: npt.NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
        except OSError:
            raise
        except Exception as error:  # the header is Python source, so that a damaged one may raise anything
            why = (str(error) or type(error).__name__).splitlines()[0][:_MAX_REASON]
            raise InputError(f"{label} cannot be read as an array ({why}); save it with numpy.save") from error
    return array


def _check_magic(path: Path, label: str) -> None:
    """Raise if a file is something else, which NumPy would take for a pickle."""
    magic = np.lib.format.MAGIC_PREFIX
    with open_file(path) as file:
        if file.read(len(magic)) != magic:
            raise InputError(f"{label} is not a NumPy array file; save an array with numpy.save, or check `format`")


NPY = FileFormat(
    "npy",
    lambda entries, options: NpyReader(entries[0], options),
    suffixes=(".npy",),
    compressible=False,
    magic=np.lib.format.MAGIC_PREFIX,
    is_text=False,
)
