"""What reading asks of a kind of items.

A kind of items is read by one `ItemType`. It knows which Arrow columns and Python values can hold such items, and turns
them into the array of a `Batch`. `register` makes one known; nothing else in this package mentions a kind by its name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from lookalike.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from lookalike.options import EncodingErrors
    from lookalike.read.base import KindName, Locate

REFUSALS = (pa.ArrowException, TypeError, OverflowError, ValueError)
"""What Arrow raises for Python values that it cannot convert."""


class ItemType(ABC):
    """How items of one kind are recognised and read.

    A subclass defines at least its `name`, its usual `columns`, how messages describe it (`noun`, `rule`, `example`),
    which columns it `fits`, and how it decodes one.
    """

    name: KindName
    columns: tuple[str, ...]
    """Usual names of the column that holds such items. A column without a name gets the first."""
    noun: str
    """What a suitable column holds: "no column of *strings*"."""
    rule: str
    """Tells what a column must be: "column 'n' is int64, but *the text must be a string column*"."""
    example: str
    """Describes a suitable Python value: "item 3 is int, but must be *a string* or None"."""
    guess_priority: int | None = None
    """Place in the order of guessing, the lowest first; None if items of this kind are read only when asked for."""
    is_set: bool = False
    """Whether items are sets of elements: they can be transposed, and come from long tables and sparse matrices."""
    is_weighted: bool = False
    """Whether the elements of a set have weights."""
    can_join: bool = False
    """Whether the values of several columns can be joined to one item; if so, `join` is defined."""
    reads_matrices: bool = False
    """Whether the rows of a NumPy array can be such items; if so, `check_matrix` and `from_matrix` are defined."""
    arrow_type: pa.DataType | None = None
    """The type of columns made of Python values; None if the first values decide."""
    empty_type: pa.DataType = pa.large_string()
    """The type of a column made of no Python values at all, where `arrow_type` is None."""

    @abstractmethod
    def fits(self, column: pa.DataType) -> bool:
        """Return whether a column of this type can hold such items."""

    @abstractmethod
    def decode(self, column: pa.Array, locate: Locate, errors: EncodingErrors) -> pa.Array:
        """Return the items of a column as the array of a `Batch`; raise `InputError` for invalid ones.

        Args:
            column: Values of any type that fits.
            locate: Returns where the i-th of them stands.
            errors: How to treat text that is not UTF-8.

        """

    def join(self, columns: Sequence[pa.Array]) -> pa.Array:
        """Return the values of several columns, each of a type that fits, as one column."""
        raise NotImplementedError

    def recognises_column(self, column: pa.DataType) -> bool:  # noqa: ARG002 - for subclasses
        """Return whether a column of this type holds such items unless the caller says otherwise."""
        return False

    def recognises_value(self, value: Any) -> bool:  # noqa: ANN401, ARG002 - for subclasses
        """Return whether a Python value is such an item unless the caller says otherwise."""
        return False

    def read_as(self, found: pa.DataType) -> pa.DataType:
        """Return the type to parse a column of JSON as, given the type that its first values have."""
        return found

    def element_type(self, column: pa.DataType) -> pa.DataType | None:  # noqa: ARG002 - for subclasses
        """Return the type that the elements of sets are compared as; None if items are not sets, or all are null."""
        return None

    def bit_length(self, column: pa.Array) -> int:  # noqa: ARG002 - for subclasses
        """Return `Batch.bit_length` for a column."""
        return 0

    def from_python(
        self,
        values: list[Any],
        arrow_type: pa.DataType | None,
        first: int,
        errors: EncodingErrors,  # noqa: ARG002 - for subclasses
    ) -> pa.Array:
        """Return Python values, or None, as a column that fits.

        Args:
            values: Some of the items.
            arrow_type: The type to use: that of the items before, or `self.arrow_type`; None if it is open.
            first: Index of the first of them, for messages.
            errors: How to treat text that is not UTF-8.

        """
        try:
            return pa.array(values, type=arrow_type)
        except REFUSALS as error:
            row = first_unlike(values, arrow_type)
            raise self.wrong_value(values[row], first + row) from error

    def check_matrix(self, matrix: npt.NDArray[Any], label: str) -> None:
        """Raise `InputError` unless the rows of a NumPy array can be such items."""
        raise NotImplementedError

    def from_matrix(self, matrix: npt.NDArray[Any]) -> pa.Array:
        """Return the rows of a NumPy array, which has been checked, as a column that fits."""
        raise NotImplementedError

    def from_sparse(self, matrix: Any) -> pa.Array:  # noqa: ANN401 - any of SciPy's sparse matrices
        """Return the rows of a sparse matrix as a column that fits."""
        raise NotImplementedError

    def refusal(self, values: list[Any], first: int, convert: Callable[[Any], object]) -> InputError:
        """Return the error that names the first of some values that cannot be converted."""
        row = next((i for i, value in enumerate(values) if not _converts(value, convert)), 0)
        return self.wrong_value(values[row], first + row)

    def wrong_value(self, value: object, item: int) -> InputError:
        """Return the error for a Python value that is not such an item."""
        return InputError(f"item {item} is {type(value).__name__}, but must be {self.example} or None")


def _converts(value: object, convert: Callable[[Any], object]) -> bool:
    try:
        convert(value)
    except REFUSALS:
        return False
    return True


def first_unlike(values: list[Any], arrow_type: pa.DataType | None) -> int:
    """Return the index of the first value that is not of the type given, or else of the values before it."""
    for i, value in enumerate(values):
        try:
            one = pa.array([value], type=arrow_type)
        except REFUSALS:
            return i
        if arrow_type is None and not pa.types.is_null(one.type):
            arrow_type = one.type
    return len(values) - 1
