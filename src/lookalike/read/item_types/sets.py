"""Sets: lists of elements, in any order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from lookalike.read.columns import as_lists, is_list, plain, plain_type, storage_type
from lookalike.read.matrices import sparse_rows, sparse_sets

from .base import ItemType
from .elements import element_type, is_collection, lists_from_python, null_element, refused_element

if TYPE_CHECKING:
    from lookalike.options import EncodingErrors
    from lookalike.read.base import Locate


class Sets(ItemType):
    """Sets of integers or strings, as sets, lists, or the rows of a sparse matrix."""

    name = "elements"
    columns = ("elements", "items")
    noun = "lists"
    rule = "sets must be lists of integers or strings"
    example = "a set, a list"
    guess_priority = 20
    is_set = True
    empty_type = pa.large_list(pa.int64())

    def fits(self, column: pa.DataType) -> bool:
        """Return whether a column holds lists of what is not nested itself."""
        column = storage_type(column)
        return is_list(column) and not pa.types.is_nested(plain_type(column.value_type))

    def recognises_column(self, column: pa.DataType) -> bool:
        """Return whether a column holds such lists."""
        return self.fits(column)

    def recognises_value(self, value: Any) -> bool:  # noqa: ANN401 - any Python value
        """Return whether a value is a set, a list or an array."""
        return is_collection(value)

    def decode(self, column: pa.Array, locate: Locate, errors: EncodingErrors) -> pa.Array:  # noqa: ARG002 - bytes
        """Return a `large_list` of `int64`, `float64`, `large_string`, or a dictionary of one.

        An element that is null or NaN is refused. A set may be empty: it is kept, and similar to nothing.
        """
        column = plain(column)
        try:
            lists = as_lists(column, element_type(column.type.value_type))
        except pa.ArrowInvalid as error:
            held = pa.array(column.to_pylist(), pa.large_list(plain_type(column.type.value_type)))
            owners = pc.list_parent_indices(held)
            raise refused_element(held.flatten(), lambda i: locate(owners[i].as_py())) from error
        missing = lists.flatten().is_null(nan_is_null=True)
        if missing.true_count:
            owners = pc.list_parent_indices(lists)
            raise null_element(locate(owners[pc.index(missing, value=True).as_py()].as_py()))
        return lists

    def read_as(self, found: pa.DataType) -> pa.DataType:
        """Return lists of the type found; of strings if all lists are empty so far."""
        value = plain_type(found).value_type
        return pa.list_(pa.string() if pa.types.is_null(value) else value)

    def element_type(self, column: pa.DataType) -> pa.DataType | None:
        """Return the type that elements are compared as; None if all are null."""
        if not self.fits(column):
            return None
        value = plain_type(plain_type(column).value_type)
        return None if pa.types.is_null(value) else element_type(value)

    def from_python(
        self,
        values: list[Any],
        arrow_type: pa.DataType | None,
        first: int,
        errors: EncodingErrors,  # noqa: ARG002 - text is checked when it is decoded
    ) -> pa.Array:
        """Return sets and lists as a column of lists."""
        return lists_from_python(values, arrow_type, first, self)

    def from_sparse(self, matrix: Any) -> pa.Array:  # noqa: ANN401 - any of SciPy's sparse matrices
        """Return the rows of a sparse matrix as sets of the columns in which they are not 0."""
        return sparse_sets(sparse_rows(matrix))
