"""Columns of vectors, and of bits, of any layout -> lists of one length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.arrays.arrow import as_arrow
from lookalike.errors import InputError

from .columns import is_binary, is_list, plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

SINGLE = (pa.float16(), pa.float32(), pa.int8(), pa.uint8(), pa.int16(), pa.uint16())
"""Types of which single precision holds every number."""


def as_vectors(array: pa.Array, where: Callable[[int], str]) -> pa.Array:
    """Turn lists of numbers into lists of one length, of single or double precision; a null inside is refused."""
    array = plain(array)
    kind = pa.float32() if array.type.value_type in SINGLE else pa.float64()
    return fixed(array, kind, where)


def as_bits(array: pa.Array, where: Callable[[int], str]) -> pa.Array:
    """Turn bytes, integers, or lists of bytes or of truth values, into lists of bytes of one length."""
    array = plain(array)
    if pa.types.is_integer(array.type):
        missing = array.is_null().to_numpy(zero_copy_only=False)
        numbers = array.fill_null(0).to_numpy().astype(">u8" if array.type == pa.uint64() else ">i8")
        return listed(np.ascontiguousarray(numbers).view(np.uint8).reshape(len(array), 8), missing)
    if is_binary(array.type):
        return fixed(array.cast(pa.large_binary()), pa.uint8(), where)
    if pa.types.is_boolean(array.type.value_type):
        truths = fixed(array, pa.uint8(), where)
        rows = truths.flatten().to_numpy().reshape(-1, truths.type.list_size)
        return listed(spread(np.packbits(rows, axis=1), truths), truths.is_null().to_numpy(zero_copy_only=False))
    return fixed(array, pa.uint8(), where)


def truths_in(array: pa.Array) -> int:
    """Return how many truth values each row has; 0 if the rows are no lists of them, or all null."""
    array = plain(array)
    if not is_list(array.type) or not pa.types.is_boolean(array.type.value_type):
        return 0
    return pc.max(pc.list_value_length(array)).as_py() or 0


def fixed(array: pa.Array, kind: pa.DataType, where: Callable[[int], str]) -> pa.Array:
    """Return lists, or bytes, as lists of one length; a row that has another length is named."""
    sizes = pc.list_value_length(array) if is_list(array.type) else pc.binary_length(array)
    lengths = sizes.drop_null().unique().to_pylist()
    if len(lengths) > 1:
        first, row = (pc.index(pc.equal(sizes, length), value=True).as_py() for length in lengths[:2])
        raise InputError(
            f"{where(row)}: the vector has {lengths[1]} numbers, but that of {where(first)} has {lengths[0]}. Make all "
            "of one length"
        )
    if lengths == [0]:
        row = pc.index(array.is_valid(), value=True).as_py()
        raise InputError(f"{where(row)}: the vector is empty; give it numbers, or make it null")
    length = lengths[0] if lengths else 1
    missing = array.is_null().to_numpy(zero_copy_only=False)
    return listed(spread(numbers_in(array, kind, where).reshape(-1, length), array), missing)


def numbers_in(array: pa.Array, kind: pa.DataType, where: Callable[[int], str]) -> NDArray[Any]:
    """Return the numbers of all lists that are not null, one after the other."""
    if not is_list(array.type):
        return np.frombuffer(b"".join(array.drop_null().to_pylist()), np.uint8)
    values = array.drop_null().flatten()
    if values.null_count:
        owners = pc.list_parent_indices(array)
        row = owners[pc.index(array.flatten().is_null(), value=True).as_py()].as_py()
        raise InputError(f"{where(row)}: a number of the vector is null; replace it, or make the whole vector null")
    try:
        numbers: NDArray[Any] = values.cast(kind).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid as error:
        raise InputError(f"{where(0)} or after: a list of {values.type} cannot be read as {kind} ({error})") from error
    return numbers


def spread(rows: NDArray[Any], array: pa.Array) -> NDArray[Any]:
    """Put the rows of all items that are not null in their places, and zeros in the others."""
    if not array.null_count:
        return rows
    out = np.zeros((len(array), rows.shape[1]), rows.dtype)
    out[array.is_valid().to_numpy(zero_copy_only=False)] = rows
    return out


def listed(rows: NDArray[Any], missing: NDArray[np.bool_]) -> pa.Array:
    """Return the rows of a matrix as lists of one length."""
    flat = pa.array(np.ascontiguousarray(rows).reshape(-1))
    mask = as_arrow(missing) if missing.any() else None
    return pa.FixedSizeListArray.from_arrays(flat, rows.shape[1], mask=mask)
