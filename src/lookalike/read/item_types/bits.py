"""Bits: strings of bits of one length, such as perceptual hashes, packed in bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.errors import InputError
from lookalike.read.columns import is_binary, is_list, plain
from lookalike.read.matrices import check_matrix, fixed_lists, in_place, lists_of_rows, native, rows_as_lists

from .base import ItemType
from .elements import lists_from_python

if TYPE_CHECKING:
    import numpy.typing as npt

    from lookalike.options import EncodingErrors
    from lookalike.read.base import Locate

_WORD = 8
"""Bytes of an integer."""


class Bits(ItemType):
    """Bits, as bytes, 64-bit integers, or lists of bytes or Booleans. They are read only when asked for."""

    name = "bits"
    columns = ("bits", "hash", "phash")
    noun = "bytes"
    rule = "bits must be bytes, integers, or lists of bytes"
    example = "bytes, an integer"
    reads_matrices = True
    empty_type = pa.large_list(pa.int64())

    def fits(self, column: pa.DataType) -> bool:
        """Return whether a column holds bytes, integers, or lists of integers or Booleans."""
        held = column.value_type if is_list(column) else column
        is_booleans = is_list(column) and pa.types.is_boolean(held)
        return is_binary(column) or bool(pa.types.is_integer(held)) or bool(is_booleans)

    def decode(self, column: pa.Array, locate: Locate, errors: EncodingErrors) -> pa.Array:  # noqa: ARG002 - no text
        """Return lists of bytes, all of one length."""
        column = plain(column)
        if pa.types.is_integer(column.type):
            return _from_integers(column)
        if is_binary(column.type):
            return fixed_lists(column.cast(pa.large_binary()), pa.uint8(), locate)
        lists = fixed_lists(column, pa.uint8(), locate)
        if not pa.types.is_boolean(column.type.value_type):
            return lists
        rows = lists.flatten().to_numpy().reshape(-1, lists.type.list_size)
        missing = lists.is_null().to_numpy(zero_copy_only=False)
        return lists_of_rows(in_place(np.packbits(rows, axis=1), lists), missing)

    def bit_length(self, column: pa.Array) -> int:
        """Return how many Booleans each row has; 0 if the rows are not lists of them, or all null."""
        column = plain(column)
        if not is_list(column.type) or not pa.types.is_boolean(column.type.value_type):
            return 0
        return pc.max(pc.list_value_length(column)).as_py() or 0

    def from_python(
        self,
        values: list[Any],
        arrow_type: pa.DataType | None,
        first: int,
        errors: EncodingErrors,  # noqa: ARG002 - no text
    ) -> pa.Array:
        """Return bytes and integers as a column of bytes, and lists as a column of lists."""
        if arrow_type is None:
            value = next((value for value in values if value is not None), None)
            packed = isinstance(value, (bytes, bytearray, int, np.integer))
        else:
            packed = is_binary(arrow_type)
        if not packed:
            return lists_from_python(values, arrow_type, first, self)
        return pa.array([self._packed(value, first + i) for i, value in enumerate(values)], pa.large_binary())

    def check_matrix(self, matrix: npt.NDArray[Any], label: str) -> None:
        """Raise unless an array is a matrix of Booleans or bytes, or an array of integers."""
        if matrix.ndim == 1 and matrix.dtype.kind in "iu":
            return
        check_matrix(matrix, label)
        if matrix.dtype not in (np.bool_, np.uint8):
            raise InputError(f"{label} is an array of type {matrix.dtype}, but bits must be bool, or packed in uint8")

    def from_matrix(self, matrix: npt.NDArray[Any]) -> pa.Array:
        """Return the rows of a matrix, or the integers of an array."""
        return pa.array(native(matrix)) if matrix.ndim == 1 else rows_as_lists(matrix)

    def _packed(self, value: Any, item: int) -> bytes | None:  # noqa: ANN401 - any Python value
        if value is None:
            return None
        if isinstance(value, (bytes, bytearray)):
            return bytes(value)
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
            raise self.wrong_value(value, item)
        try:
            return int(value).to_bytes(_WORD, "big", signed=bool(value < 0))
        except OverflowError as error:
            raise InputError(f"item {item} is {value}, which does not fit in 64 bits. Use bytes") from error


def _from_integers(array: pa.Array) -> pa.Array:
    """Return each integer as the list of its eight bytes, the most significant first."""
    missing = array.is_null().to_numpy(zero_copy_only=False)
    numbers = array.fill_null(0).to_numpy().astype(">u8" if array.type == pa.uint64() else ">i8")
    return lists_of_rows(np.ascontiguousarray(numbers).view(np.uint8).reshape(len(array), _WORD), missing)
