"""Arrays in .npy files: a vector a row, or bits."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.errors import InputError

from .part import OneFile
from .roles import NAMES
from .streams import reading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import numpy.typing as npt

    from .base import Format, Options

_FEWEST = 16
ARCHIVE = b"PK"
DOUBLE = 8
"""Bytes of a number of double precision."""


class NpyPart(OneFile):
    """One .npy file: a matrix that is read a few rows at a time."""

    format: Format = "npy"

    def __init__(self, path: Path, label: str, options: Options) -> None:
        super().__init__(path, label, options)
        self._bits = options.kind == "bits"
        with reading(label):
            if begins_an_archive(path):
                raise InputError(f"{label} is an archive, as numpy.savez makes; save one of its arrays with numpy.save")
            try:
                array = np.load(path, mmap_mode="r", allow_pickle=False)
            except (ValueError, EOFError) as error:
                raise InputError(f"{label} cannot be read as an array ({error}); save it with numpy.save") from error
        self._array = checked(array, label, bits=self._bits)

    @cached_property
    def columns(self) -> pa.Schema:
        """One column of lists."""
        return self._compared(self._array[:0]).schema

    @cached_property
    def schema(self) -> pa.Schema:
        """The same, but truth values stay what they are."""
        return self._whole(self._array[:0]).schema

    def about(self) -> int | None:
        """Return how many rows there are."""
        return len(self._array)

    def select(self, wanted: pa.Schema) -> Iterator[pa.RecordBatch]:  # noqa: ARG002 - there is one column
        """Stream the column, as it is compared."""
        return self._stream(self._compared)

    def rows(self) -> Iterator[pa.RecordBatch]:
        """Stream the column, as it is."""
        return self._stream(self._whole)

    def _stream(self, table: Callable[[npt.NDArray[Any]], pa.Table]) -> Iterator[pa.RecordBatch]:
        size = max(self._options.batch_bytes // max(self._array[:1].nbytes, 1), _FEWEST)
        for begin in range(0, len(self._array), size):
            yield table(np.array(self._array[begin : begin + size])).combine_chunks().to_batches()[0]

    def _compared(self, array: npt.NDArray[Any]) -> pa.Table:
        return table_of(array, bits=self._bits)

    def _whole(self, array: npt.NDArray[Any]) -> pa.Table:
        name = self.columns.names[0]
        return pa.table({name: lists_of(array) if array.ndim > 1 else native(array)})


def begins_an_archive(path: Path) -> bool:
    """Tell whether a file begins as archives do."""
    with path.open("rb") as file:
        return file.read(len(ARCHIVE)) == ARCHIVE


def checked(array: npt.NDArray[Any], label: str, *, bits: bool) -> npt.NDArray[Any]:
    """Raise unless an array is a matrix of numbers; one of 64-bit numbers is also good for bits."""
    if bits and array.ndim == 1 and array.dtype.kind in "iu":
        return array
    if array.ndim != 2 or array.dtype.kind not in "fiub":  # noqa: PLR2004 - rows and columns
        raise InputError(
            f"{label} is an array of shape {array.shape} and type {array.dtype}, but must have a vector of numbers in "
            "each row. Reshape it"
        )
    if array.shape[1] == 0:
        raise InputError(f"{label} is an array of shape {array.shape}, whose rows are empty; give them numbers")
    if array.dtype.kind == "f" and array.dtype.itemsize > DOUBLE:
        raise InputError(f"{label} is an array of type {array.dtype}; convert it to float64")
    if bits and array.dtype not in (np.bool_, np.uint8):
        raise InputError(f"{label} is an array of type {array.dtype}, but bits must be bool, or packed in uint8")
    return array


def table_of(array: npt.NDArray[Any], *, bits: bool) -> pa.Table:
    """Return a matrix as a table with one column of lists, without a copy if that can be."""
    name = NAMES["bits" if bits else "vectors"][0]
    if array.ndim == 1:
        return pa.table({name: native(array)})
    if array.dtype == np.bool_:
        array = array if bits else array.astype(np.uint8)
    return pa.table({name: lists_of(array)})


def lists_of(array: npt.NDArray[Any]) -> pa.FixedSizeListArray:
    """Return the rows of a matrix as lists, without a copy if that can be."""
    return pa.FixedSizeListArray.from_arrays(pa.array(native(array).reshape(-1)), array.shape[1])


def native(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return an array with its numbers one after the other, in the order of bytes that this machine has."""
    return np.ascontiguousarray(array, array.dtype.newbyteorder("="))
