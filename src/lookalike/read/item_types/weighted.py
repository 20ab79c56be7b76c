"""Weighted sets: elements with numbers, as `large_list<struct<element, weight>>`."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.arrays.arrow import as_arrow
from lookalike.errors import InputError
from lookalike.read.columns import is_list, is_number, plain, plain_type
from lookalike.read.matrices import sparse_rows
from lookalike.read.ranks import as_ranks

from .base import REFUSALS, ItemType, first_unlike
from .elements import element_type, elements_from_python, layout, null_element, refused_element

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from lookalike.options import EncodingErrors
    from lookalike.read.base import Locate

MAX_WEIGHT = 1e290
"""Weights up to this one have a finite sum in any set."""


class WeightedSets(ItemType):
    """Sets whose elements have weights, as dicts, maps, lists of pairs, or the rows of a sparse matrix."""

    name = "weights"
    columns = ("weights", "counts")
    noun = "maps"
    rule = "weighted sets must be maps of integers or strings to numbers"
    example = "a dict of weights"
    guess_priority = 30
    is_set = True
    is_weighted = True
    empty_type = pa.large_list(pa.struct([("element", pa.int64()), ("weight", pa.float64())]))

    def fits(self, column: pa.DataType) -> bool:
        """Return whether a column holds maps of elements to numbers, or lists of such pairs."""
        pair = _pair(column)
        return pair is not None and not pa.types.is_nested(plain_type(pair[0])) and is_number(pair[1])

    def recognises_column(self, column: pa.DataType) -> bool:
        """Return whether a column holds such maps or lists."""
        return self.fits(column)

    def recognises_value(self, value: Any) -> bool:  # noqa: ANN401 - any Python value
        """Return whether a value is a dict of numbers."""
        return isinstance(value, Mapping) and all(one is None or isinstance(one, Real) for one in value.values())

    def element_type(self, column: pa.DataType) -> pa.DataType | None:
        """Return the type that elements are compared as."""
        pair = _pair(column)
        return None if pair is None else element_type(plain_type(pair[0]))

    def decode(self, column: pa.Array, locate: Locate, errors: EncodingErrors) -> pa.Array:  # noqa: ARG002 - bytes
        """Return lists of pairs. An element of weight 0 is not in the set.

        An element or a weight that is null is refused, and so is a weight that is negative or not finite. A set may be
        empty: it is kept, and similar to nothing.
        """
        column = plain(column)
        present = column.is_valid().to_numpy(zero_copy_only=False)
        offsets, elements, weights = _parts(column)
        owners = np.repeat(np.arange(len(column)), np.diff(offsets))
        try:
            elements = elements.cast(element_type(elements.type))
        except pa.ArrowInvalid as error:
            raise refused_element(elements, lambda i: locate(int(owners[i]))) from error
        if not present.all():
            inside = present[owners]
            mask = as_arrow(inside)
            owners, elements, weights = owners[inside], elements.filter(mask), weights.filter(mask)
        missing = elements.is_null(nan_is_null=True)
        if missing.true_count:
            raise null_element(locate(int(owners[pc.index(missing, value=True).as_py()])))
        values = check_weights(weights, lambda i: f"{locate(int(owners[i]))}: the weight of {elements[i].as_py()!r}")
        positive = values > 0
        if not positive.all():
            owners, elements, values = owners[positive], elements.filter(as_arrow(positive)), values[positive]
        sizes = np.bincount(owners, minlength=len(column))
        ends = np.append(0, np.cumsum(sizes, dtype=np.int64))
        return pa.LargeListArray.from_arrays(as_arrow(ends), paired(elements, values), mask=as_arrow(~present))

    def from_python(
        self,
        values: list[Any],
        arrow_type: pa.DataType | None,
        first: int,
        errors: EncodingErrors,  # noqa: ARG002 - text is checked when it is decoded
    ) -> pa.Array:
        """Return dicts as a column; their elements are all of one type, which the first ones decide."""
        for i, value in enumerate(values):
            if value is not None and not isinstance(value, Mapping):
                raise self.wrong_value(value, first + i)
        offsets, missing = layout(values)
        filled = [value for value in values if value is not None]
        elements = list(chain.from_iterable(filled))
        wanted = None if arrow_type is None else arrow_type.value_type[0].type
        flat = elements_from_python(elements, offsets, wanted, first)
        weights = list(chain.from_iterable(value.values() for value in filled))
        try:
            numbers = pa.array(weights, type=pa.float64())
        except REFUSALS as error:
            wrong = first_unlike(weights, pa.float64())
            row = int(np.searchsorted(offsets, wrong, side="right")) - 1
            raise InputError(
                f"item {first + row}: the weight of {elements[wrong]!r} is {weights[wrong]!r}, but must be a number"
            ) from error
        pairs = pa.StructArray.from_arrays([flat, numbers], ["element", "weight"])
        return pa.LargeListArray.from_arrays(as_arrow(offsets), pairs, mask=missing)

    def from_sparse(self, matrix: Any) -> pa.Array:  # noqa: ANN401 - any of SciPy's sparse matrices
        """Return the rows of a sparse matrix as the columns in which they are not 0, with the numbers there."""
        rows = sparse_rows(matrix)
        pairs = paired(as_arrow(rows.indices), rows.data.astype(np.float64))
        return pa.LargeListArray.from_arrays(as_arrow(rows.indptr.astype(np.int64)), pairs)


def _pair(column: pa.DataType) -> tuple[pa.DataType, pa.DataType] | None:
    """Return the types of elements and of weights, if a column holds maps or lists of pairs."""
    column = plain_type(column)
    if pa.types.is_map(column):
        return column.key_type, column.item_type
    if is_list(column) and pa.types.is_struct(column.value_type) and column.value_type.num_fields == 2:  # noqa: PLR2004 - a pair
        return column.value_type[0].type, column.value_type[1].type
    return None


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


def check_weights(weights: pa.Array, name: Callable[[int], str]) -> npt.NDArray[np.float64]:
    """Return weights as numbers, or raise for the first invalid one; `name` returns what messages call the i-th."""
    values: npt.NDArray[np.float64] = weights.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    valid = (values >= 0) & (values <= MAX_WEIGHT)
    if valid.all():
        return values + 0.0  # which makes one zero of two
    wrong = int(np.argmin(valid))
    raise InputError(f"{name(wrong)} {_fault(weights[wrong].as_py())}; weights must be finite numbers, 0 or more")


def _fault(weight: float | None) -> str:
    """Return what is wrong with an invalid weight."""
    if weight is None:
        return "is null"
    if weight < 0:
        return f"is {weight}, below 0"
    if weight > MAX_WEIGHT:
        return f"is {weight}, above {MAX_WEIGHT:g}: divide all weights by the same number"
    return "is NaN"


def paired(elements: pa.Array, weights: npt.NDArray[np.float64]) -> pa.StructArray:
    """Return elements with their weights."""
    return pa.StructArray.from_arrays([elements, as_arrow(weights)], ["element", "weight"])


def with_weights(elements: pa.Array, column: pa.Array, locate: Locate, name: str) -> pa.StructArray:
    """Return the rows of a long table: elements with their weights, which may be written as strings."""
    numbers = as_ranks(column, pa.float64(), locate, name, "a weight must be a number")
    column = plain(column)
    numbers = column if is_number(column.type) else numbers
    return paired(elements, check_weights(numbers, lambda i: f"{locate(i)}: the weight in column {name!r}"))
