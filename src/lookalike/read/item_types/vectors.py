"""Vectors: lists of numbers, all of one length."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.read.columns import is_list, plain, storage_type
from lookalike.read.matrices import check_matrix, fixed_lists, rows_as_lists

from .base import ItemType
from .elements import is_collection, lists_from_python

if TYPE_CHECKING:
    import numpy.typing as npt

    from lookalike.options import EncodingErrors
    from lookalike.read.base import Locate

SINGLE = (pa.float16(), pa.float32(), pa.int8(), pa.uint8(), pa.int16(), pa.uint16())
"""Types whose every number single precision can hold."""


class Vectors(ItemType):
    """Vectors of numbers, as lists, arrays, or the rows of a matrix."""

    name = "vectors"
    columns = ("vector", "embedding", "vectors", "embeddings")
    noun = "lists of numbers"
    rule = "vectors must be lists of numbers"
    example = "a list of numbers"
    guess_priority = 10
    reads_matrices = True
    empty_type = pa.large_list(pa.int64())

    def fits(self, column: pa.DataType) -> bool:
        """Return whether a column holds lists of integers or fractions."""
        column = storage_type(column)
        return is_list(column) and bool(
            pa.types.is_integer(column.value_type) or pa.types.is_floating(column.value_type)
        )

    def recognises_column(self, column: pa.DataType) -> bool:
        """Return whether a column holds lists of numbers that are of one length, or fractions: others are sets."""
        return self.fits(column) and bool(
            pa.types.is_fixed_size_list(column) or pa.types.is_floating(column.value_type)
        )

    def recognises_value(self, value: Any) -> bool:  # noqa: ANN401 - any Python value
        """Return whether a value is a list or an array whose first number is a fraction."""
        if not is_collection(value) or isinstance(value, AbstractSet) or not len(value):
            return False
        return isinstance(value[0], (float, np.floating))

    def decode(self, column: pa.Array, locate: Locate, errors: EncodingErrors) -> pa.Array:  # noqa: ARG002 - no text
        """Return lists of one length, of single or double precision; a null inside is refused."""
        column = plain(column)
        return fixed_lists(column, pa.float32() if column.type.value_type in SINGLE else pa.float64(), locate)

    def read_as(self, found: pa.DataType) -> pa.DataType:  # noqa: ARG002 - see below
        """Return the type of lists of fractions, even if the first numbers are integers."""
        return pa.list_(pa.float64())

    def from_python(
        self,
        values: list[Any],
        arrow_type: pa.DataType | None,
        first: int,
        errors: EncodingErrors,  # noqa: ARG002 - no text
    ) -> pa.Array:
        """Return lists and arrays as a column of lists."""
        return lists_from_python(values, arrow_type, first, self)

    def check_matrix(self, matrix: npt.NDArray[Any], label: str) -> None:
        """Raise unless an array is a matrix of numbers."""
        check_matrix(matrix, label)

    def from_matrix(self, matrix: npt.NDArray[Any]) -> pa.Array:
        """Return the rows of a matrix; Booleans become 0 and 1."""
        return rows_as_lists(matrix.astype(np.uint8) if matrix.dtype == np.bool_ else matrix)
