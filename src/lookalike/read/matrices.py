"""Rows of one length: NumPy arrays, sparse matrices and columns of lists, from one to the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.arrays.arrow import as_arrow
from lookalike.errors import InputError

from .columns import is_list

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .base import Locate

DOUBLE = 8
"""Bytes of a number of double precision."""


def is_numeric(array: NDArray[Any]) -> bool:
    """Return whether an array holds numbers or Booleans."""
    return array.dtype.kind in "fiub"


def check_matrix(array: NDArray[Any], label: str) -> None:
    """Raise unless an array is a matrix of numbers that has columns."""
    if array.ndim != 2 or not is_numeric(array):  # noqa: PLR2004 - rows and columns
        raise InputError(
            f"{label} is an array of shape {array.shape} and type {array.dtype}, but must have a vector of numbers in "
            "each row. Reshape it"
        )
    if array.shape[1] == 0:
        raise InputError(f"{label} is an array of shape {array.shape}, whose rows are empty; give them numbers")
    if array.dtype.kind == "f" and array.dtype.itemsize > DOUBLE:
        raise InputError(f"{label} is an array of type {array.dtype}; convert it to float64")


def rows_as_lists(array: NDArray[Any]) -> pa.FixedSizeListArray:
    """Return the rows of a matrix as lists, without a copy if possible."""
    return pa.FixedSizeListArray.from_arrays(pa.array(native(array).reshape(-1)), array.shape[1])


def native(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array as contiguous numbers in the byte order of this machine."""
    return np.ascontiguousarray(array, array.dtype.newbyteorder("="))


def lists_of_rows(rows: NDArray[Any], missing: NDArray[np.bool_]) -> pa.Array:
    """Return the rows of a matrix as lists, null where they are missing."""
    flat = pa.array(np.ascontiguousarray(rows).reshape(-1))
    mask = as_arrow(missing) if missing.any() else None
    return pa.FixedSizeListArray.from_arrays(flat, rows.shape[1], mask=mask)


def fixed_lists(array: pa.Array, value_type: pa.DataType, locate: Locate) -> pa.Array:
    """Return lists, or bytes, as lists of one length; raise for the first row of another length."""
    sizes = pc.list_value_length(array) if is_list(array.type) else pc.binary_length(array)
    lengths = sizes.drop_null().unique().to_pylist()
    if len(lengths) > 1:
        first, row = (pc.index(pc.equal(sizes, length), value=True).as_py() for length in lengths[:2])
        raise InputError(
            f"{locate(row)}: the vector has {lengths[1]} numbers, but that of {locate(first)} has {lengths[0]}. Make "
            "all of one length"
        )
    if lengths == [0]:
        row = pc.index(array.is_valid(), value=True).as_py()
        raise InputError(f"{locate(row)}: the vector is empty; give it numbers, or make it null")
    length = lengths[0] if lengths else 1
    missing = array.is_null().to_numpy(zero_copy_only=False)
    return lists_of_rows(in_place(_numbers(array, value_type, locate).reshape(-1, length), array), missing)


def _numbers(array: pa.Array, value_type: pa.DataType, locate: Locate) -> NDArray[Any]:
    """Return the numbers of all lists that are not null, one after the other."""
    if not is_list(array.type):
        return np.frombuffer(b"".join(array.drop_null().to_pylist()), np.uint8)
    values = array.drop_null().flatten()
    if values.null_count:
        owners = pc.list_parent_indices(array)
        row = owners[pc.index(array.flatten().is_null(), value=True).as_py()].as_py()
        raise InputError(f"{locate(row)}: a number of the vector is null; replace it, or make the whole vector null")
    try:
        numbers: NDArray[Any] = values.cast(value_type).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid as error:
        raise InputError(
            f"{locate(0)} or after: a list of {values.type} cannot be read as {value_type} ({error})"
        ) from error
    return numbers


def in_place(rows: NDArray[Any], array: pa.Array) -> NDArray[Any]:
    """Put the rows of all items that are not null in their places, and zeros in the others."""
    if not array.null_count:
        return rows
    out = np.zeros((len(array), rows.shape[1]), rows.dtype)
    out[array.is_valid().to_numpy(zero_copy_only=False)] = rows
    return out


def sparse_rows(matrix: Any) -> Any:  # noqa: ANN401 - any of SciPy's sparse matrices
    """Return a sparse matrix by rows, with one number for each place."""
    if matrix.ndim != 2 or not is_numeric(matrix):  # noqa: PLR2004 - rows and columns
        raise InputError(
            f"the input is a sparse array of shape {matrix.shape} and type {matrix.dtype}, but must have an item in "
            "each row, and real numbers. Convert it"
        )
    rows = matrix.tocsr()
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return rows


def sparse_sets(rows: Any) -> pa.Array:  # noqa: ANN401 - any of SciPy's sparse matrices
    """Return, for each row of a sparse matrix, the columns in which it is not 0."""
    if not np.all(rows.data):
        rows = rows.copy()
        rows.eliminate_zeros()
    return pa.LargeListArray.from_arrays(as_arrow(rows.indptr.astype(np.int64)), as_arrow(rows.indices))
