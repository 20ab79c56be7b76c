"""Elements of sets: the types they are compared as, and how Python values become lists of them."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.arrays.arrow import as_arrow
from lookalike.errors import InputError
from lookalike.read.columns import first_refused, is_binary, is_string, plain, plain_type

from .base import REFUSALS

if TYPE_CHECKING:
    from collections.abc import Collection

    import numpy.typing as npt

    from lookalike.read.base import Locate

    from .base import ItemType

_PLAIN_LISTS = {set, frozenset, list, tuple, type(None)}


def element_type(arrow_type: pa.DataType) -> pa.DataType:
    """Return the type that elements are compared as: `int64`, `float64`, `large_string`, or a dictionary of one."""
    if pa.types.is_dictionary(arrow_type):
        return pa.dictionary(pa.int32(), element_type(arrow_type.value_type))
    arrow_type = plain_type(arrow_type)
    if is_string(arrow_type) or is_binary(arrow_type) or pa.types.is_null(arrow_type):
        return pa.large_string()
    if pa.types.is_integer(arrow_type) or pa.types.is_boolean(arrow_type):
        return pa.int64()
    return pa.float64() if pa.types.is_floating(arrow_type) else pa.large_string()


def signed(elements: pa.Array, locate: Locate) -> pa.Array:
    """Return unsigned elements as `int64`; one that is too large is refused."""
    try:
        return elements.cast(pa.int64())
    except pa.ArrowInvalid as error:
        raise refused_element(elements, locate) from error


def refused_element(elements: pa.Array, locate: Locate) -> InputError:
    """Return the error that names the first element that cannot be cast to the type of elements."""
    elements = plain(elements)
    row = first_refused(elements, element_type(elements.type))
    if is_binary(elements.type):
        return InputError(
            f"{locate(row)}: an element of the set is not valid UTF-8; write it as text, such as hexadecimal digits"
        )
    return InputError(
        f"{locate(row)}: the element {elements[row].as_py()!r} does not fit in a signed 64-bit integer; write "
        "elements as strings"
    )


def null_element(where: str) -> InputError:
    """Return the error for a set that holds a null."""
    return InputError(f"{where}: an element of the set is null or NaN; remove it, or make the whole set null")


def is_collection(value: Any) -> bool:  # noqa: ANN401 - any Python value
    """Return whether a Python value is a set, a list or an array."""
    return isinstance(value, (AbstractSet, Sequence, np.ndarray)) and not isinstance(value, (str, bytes))


def lists_from_python(
    values: list[Any], arrow_type: pa.DataType | None, first: int, item_type: ItemType
) -> pa.LargeListArray:
    """Convert sets, lists or arrays; their elements are all of one type, which the first ones decide."""
    if not set(map(type, values)) <= _PLAIN_LISTS:
        for i, value in enumerate(values):
            if value is not None and not is_collection(value):
                raise item_type.wrong_value(value, first + i)
    offsets, missing = layout(values)
    elements = list(chain.from_iterable(value for value in values if value is not None))
    flat = elements_from_python(elements, offsets, None if arrow_type is None else arrow_type.value_type, first)
    return pa.LargeListArray.from_arrays(as_arrow(offsets), flat, mask=missing)


def layout(values: Collection[Any]) -> tuple[npt.NDArray[np.int64], pa.BooleanArray]:
    """Return where each collection begins and ends when all are put one after the other, and which are None."""
    sizes = [0 if value is None else len(value) for value in values]
    return np.append(0, np.cumsum(sizes, dtype=np.int64)), as_arrow(np.array([value is None for value in values], bool))


def elements_from_python(
    elements: list[Any], offsets: npt.NDArray[np.int64], arrow_type: pa.DataType | None, first: int
) -> pa.Array:
    """Convert the elements of all sets, which begin and end at `offsets`."""
    try:
        return pa.array(elements, type=arrow_type)
    except REFUSALS as error:
        wrong = first_unlike(elements, arrow_type)
        row = int(np.searchsorted(offsets, wrong, side="right")) - 1
        held = type(elements[wrong]).__name__
        raise InputError(
            f"item {first + row} holds {held}, but elements must be all strings, or all 64-bit integers"
        ) from error


def first_unlike(elements: list[Any], arrow_type: pa.DataType | None) -> int:
    """Return the index of the first element whose type is not that of the elements before it."""
    for i, element in enumerate(elements):
        try:
            one = pa.array([element], type=arrow_type)
        except REFUSALS:
            return i
        if arrow_type is None and not pa.types.is_null(one.type):
            arrow_type = one.type
    return len(elements) - 1
