"""Weighted sets of any layout -> lists of elements with weights: `large_list<struct<element, weight>>`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.arrays.arrow import as_arrow
from lookalike.errors import InputError

from .columns import as_ranks, element_type, is_number, plain, refused

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

LARGEST = 1e290
"""Weights up to which the sum of those of a set is a number."""


def weights_type(element: pa.DataType) -> pa.DataType:
    """Return the type of weighted sets in a batch."""
    return pa.large_list(pa.struct([("element", element), ("weight", pa.float64())]))


def as_weights(array: pa.Array, where: Callable[[int], str]) -> pa.Array:
    """Turn weighted sets into lists of pairs. An element of weight 0 is not there.

    What says nothing about a set is refused: an element or a weight that is null, a weight that is negative or not a
    finite number, and a set without any element.
    """
    array = plain(array)
    present = array.is_valid().to_numpy(zero_copy_only=False)
    offsets, elements, weights = _parts(array)
    owners = np.repeat(np.arange(len(array)), np.diff(offsets))
    try:
        elements = elements.cast(element_type(elements.type))
    except pa.ArrowInvalid as error:
        raise refused(elements, lambda i: where(int(owners[i]))) from error
    if not present.all():
        inside = present[owners]
        owners, elements, weights = owners[inside], elements.filter(as_arrow(inside)), weights.filter(as_arrow(inside))
    missing = elements.is_null(nan_is_null=True)
    if missing.true_count:
        row = owners[pc.index(missing, value=True).as_py()]
        raise InputError(f"{where(row)}: an element of the set is null or NaN; remove it, or make the whole set null")
    values = checked(weights, lambda i: f"{where(owners[i])}: the weight of {elements[int(i)].as_py()!r}")
    there = values > 0
    if not there.all():
        owners, elements, values = owners[there], elements.filter(as_arrow(there)), values[there]
    sizes = np.bincount(owners, minlength=len(array))
    empty = present & (sizes == 0)
    if empty.any():
        raise InputError(
            f"{where(int(empty.argmax()))}: the set has no element with a weight above 0, so nothing can resemble it; "
            "drop it, or make it null"
        )
    ends = np.append(0, np.cumsum(sizes, dtype=np.int64))
    return pa.LargeListArray.from_arrays(as_arrow(ends), paired(elements, values), mask=as_arrow(~present))


def _parts(array: pa.Array) -> tuple[npt.NDArray[np.int64], pa.Array, pa.Array]:
    """Return where sets begin and end, their elements, and their weights."""
    if not (pa.types.is_map(array.type) or pa.types.is_large_list(array.type)):
        array = array.cast(pa.large_list(array.type.value_type))
    offsets = array.offsets.to_numpy().astype(np.int64)
    inside = slice(offsets[0], offsets[-1])
    if pa.types.is_map(array.type):
        return offsets - offsets[0], array.keys[inside], array.items[inside]
    pairs = array.values[inside]
    return offsets - offsets[0], pairs.field(0), pairs.field(1)


def checked(weights: pa.Array, name: Callable[[int], str]) -> npt.NDArray[np.float64]:
    """Return weights as numbers, or say what is wrong with the first bad one; `name` says which it is."""
    values: npt.NDArray[np.float64] = weights.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    good = (values >= 0) & (values <= LARGEST)
    if good.all():
        return values + 0.0  # which makes one zero of two
    bad = int(np.argmin(good))
    value = weights[bad].as_py()
    if value is None:
        why = "is null"
    elif value < 0:
        why = f"is {value}, below 0"
    else:
        why = f"is {value}, above {LARGEST:g}: divide all weights by the same number" if value > LARGEST else "is NaN"
    raise InputError(f"{name(bad)} {why}; weights must be finite numbers, 0 or more")


def paired(elements: pa.Array, weights: npt.NDArray[np.float64]) -> pa.StructArray:
    """Return elements with their weights."""
    return pa.StructArray.from_arrays([elements, as_arrow(weights)], ["element", "weight"])


def with_weights(elements: pa.Array, column: pa.Array, where: Callable[[int], str], name: str) -> pa.StructArray:
    """Return the rows of a long table: an element with its weight each."""
    numbers = as_ranks(column, pa.float64(), where, name)
    column = plain(column)
    numbers = column if is_number(column.type) else numbers
    return paired(elements, checked(numbers, lambda i: f"{where(i)}: the weight in column {name!r}"))
